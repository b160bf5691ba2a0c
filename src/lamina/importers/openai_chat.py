"""Chats in the form of OpenAI's API.

A record is {"messages": [{"role", "content", ...}]}, with or without `id` and `title`, or one such
message a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from zoneinfo import ZoneInfo

from lamina.importers.times import parse_time
from lamina.importers.turns import digest, speaker
from lamina.ports.importer import Incoming, Record, Unread
from lamina.types import Json

_SESSION = ("session_id", "conversation_id", "thread_id", "chat_id")
_TIME = ("created_at", "timestamp", "time", "create_time", "created")
_USED = frozenset({"role", "content", "name", "id", *_TIME, *_SESSION})


def fits(value: Json) -> bool:
    """Whether it is a chat or one message of it."""
    if not isinstance(value, Mapping):
        return False
    return isinstance(value.get("messages"), list) or ("role" in value and _says(value))


def messages(records: Iterable[Record], stem: str, zone: ZoneInfo) -> Iterator[Incoming | Unread]:
    """Sessions are called by their id, or else by the file and how they begin."""
    sessions = _Sessions(stem)
    for record in records:
        value = record.value
        if not fits(value):
            yield Unread(record.place, 'no chat: it has neither "messages" nor "role"')
        elif isinstance(value.get("messages"), list):
            listed = value["messages"]
            session = _session(value) or str(value.get("id") or sessions.begun_with(listed[:1]))
            title = value.get("title")
            for number, message in enumerate(listed, 1):
                place = f"message {number} of {record.place}"
                made = _incoming(message, session, number, zone, place, record.share)
                if isinstance(made, Incoming) and number == 1 and isinstance(title, str):
                    made = Incoming(session, made.message, place, record.share, title)
                yield made
        else:
            session = _session(value) or sessions.of_file(value)
            number = sessions.next_number(session)
            yield _incoming(value, session, number, zone, record.place, record.share)


class _Sessions:
    """Names for what has none, and how many lines each session has had."""

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._file = ""
        self._counts: dict[str, int] = {}

    def begun_with(self, first: Json) -> str:
        return f"{self._stem}-{digest(first)}"

    def of_file(self, first: Json) -> str:
        self._file = self._file or self.begun_with([first])
        return self._file

    def next_number(self, session: str) -> int:
        self._counts[session] = self._counts.get(session, 0) + 1
        return self._counts[session]


def _session(value: Mapping[str, Json]) -> str | None:
    return next((str(value[key]) for key in _SESSION if value.get(key)), None)


def _says(message: Mapping[str, Json]) -> bool:
    return any(message.get(key) for key in ("content", "tool_calls", "function_call"))


def _incoming(  # noqa: PLR0917 - all of one message
    value: Json, session: str, number: int, zone: ZoneInfo, place: str, share: float
) -> Incoming | Unread:
    if not isinstance(value, Mapping) or not isinstance(value.get("role"), str):
        return Unread(place, 'a message needs a "role"')
    if not _says(value):
        return Unread(place, "an empty message")
    role, person = speaker(value["role"])
    own = value.get("id") or f"{number}.{digest([value['role'], value.get('content')])}"
    message: dict[str, Json] = {k: v for k, v in value.items() if k not in _USED and v is not None}
    message |= {"role": role, "content": value.get("content"), "id": f"{session}/{own}"}
    name = value.get("name") or person
    if isinstance(name, str) and name:
        message["name"] = name
    at = next((found for k in _TIME if (found := parse_time(value.get(k), zone))), None)
    if at is not None:
        message["created_at"] = at
    return Incoming(session, message, place, share)
