"""Conversations as JSON Lines, one a line.

{"id": str, "turns": [{"id", "session", "speaker", "text", "time"}]}; other keys are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from lamina.importers.times import parse_time
from lamina.importers.turns import Names, digest, speaker
from lamina.ports.importer import Incoming, Record, Unread
from lamina.types import Json, Role


def fits(value: Json) -> bool:
    """Whether it has turns."""
    return isinstance(value, Mapping) and isinstance(value.get("turns"), list)


def messages(records: Iterable[Record], stem: str, zone: ZoneInfo) -> Iterator[Incoming | Unread]:
    """Ids and sessions carry the conversation's id before them: turns are numbered within it."""
    names = Names(stem)
    for record in records:
        if not fits(record.value):
            yield Unread(record.place, 'no conversation: it has no list of "turns"')
            continue
        turns = record.value["turns"]
        name = str(record.value.get("id") or names.of(turns, _opening(turns)))
        for number, turn in enumerate(turns, 1):
            place = f"turn {number} of {record.place}"
            if not isinstance(turn, Mapping) or not isinstance(turn.get("text"), str):
                yield Unread(place, 'a turn needs a "text"')
                continue
            yield _incoming(turn, name, number, zone, place, record.share)


def _opening(turns: Sequence[Json]) -> int:
    """How many turns there are up to the first of the user."""
    for number, turn in enumerate(turns, 1):
        if isinstance(turn, Mapping) and _role(turn)[0] is Role.USER:
            return number
    return len(turns)


def _role(turn: Mapping[str, Json]) -> tuple[Role, str | None]:
    return speaker(str(turn.get("speaker") or turn.get("role") or "user"))


def _incoming(  # noqa: PLR0917 - all of one turn
    turn: Mapping[str, Json], name: str, number: int, zone: ZoneInfo, place: str, share: float
) -> Incoming:
    role, person = _role(turn)
    session = turn.get("session")
    own = turn.get("id")
    message: dict[str, Json] = {"role": role, "content": turn["text"]}
    message["id"] = f"{name}/{own}" if own is not None else f"{name}/{number}.{digest(turn)}"
    if person is not None:
        message["name"] = person
    at = parse_time(turn.get("time"), zone)
    if at is not None:
        message["created_at"] = at
    return Incoming(name if session is None else f"{name}/{session}", message, place, share)
