"""Chats in the form of OpenAI's API.

A record is {"messages": [{"role", "content", ...}]}, with or without `id` and `title`, or one such
message a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from lamina.importers.times import parse_time
from lamina.importers.turns import Names, digest, speaker
from lamina.ports.importer import Incoming, Record, Unread
from lamina.types import Json, Role

_SESSION = ("session_id", "conversation_id", "thread_id", "chat_id")
_TIME = ("created_at", "timestamp", "time", "create_time", "created")
_WORDS = ("content", "tool_calls", "function_call", "refusal", "reasoning_content")
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
            session = _session(value) or str(value.get("id") or sessions.of_chat(listed))
            for number, message in enumerate(listed, 1):
                place = f"message {number} of {record.place}"
                made = _incoming(message, session, number, zone, place, record.share)
                yield made if isinstance(made, Unread) else _of_chat(made, value, zone)
        else:
            session = _session(value) or sessions.of_file(value)
            number = sessions.next_number(session)
            yield _incoming(value, session, number, zone, record.place, record.share)


class _Sessions:
    """Names for what has none, and how many lines each session has had."""

    def __init__(self, stem: str) -> None:
        self._names = Names(stem)
        self._file = ""
        self._counts: dict[str, int] = {}

    def of_chat(self, messages: Sequence[Json]) -> str:
        mine = (n for n, m in enumerate(messages, 1) if _role(m)[0] is Role.USER)
        return self._names.of([_said(m) for m in messages], next(mine, len(messages)))

    def of_file(self, first: Json) -> str:
        self._file = self._file or self.of_chat([first])
        return self._file

    def next_number(self, session: str) -> int:
        self._counts[session] = self._counts.get(session, 0) + 1
        return self._counts[session]


def _session(value: Mapping[str, Json]) -> str | None:
    return next((str(value[key]) for key in _SESSION if value.get(key)), None)


def _role(message: Json) -> tuple[Role | None, str | None]:
    role = message.get("role") if isinstance(message, Mapping) else None
    return speaker(role) if isinstance(role, str) else (None, None)


def _said(message: Json) -> Json:
    """What of a message stays the same from one export to the next."""
    return [message.get("role"), message.get("content")] if isinstance(message, Mapping) else None


def _of_chat(made: Incoming, chat: Mapping[str, Json], zone: ZoneInfo) -> Incoming:
    """A message with what its chat knows: the title, and a time where it has none itself."""
    at = _time(chat, zone)
    message = made.message if at is None else {"created_at": at, **made.message}
    title = chat.get("title")
    return replace(made, message=message, title=title if isinstance(title, str) else None)


def _time(value: Mapping[str, Json], zone: ZoneInfo) -> datetime | None:
    return next((found for k in _TIME if (found := parse_time(value.get(k), zone))), None)


def _says(message: Mapping[str, Json]) -> bool:
    return any(message.get(key) for key in _WORDS)


def _incoming(  # noqa: PLR0917 - all of one message
    value: Json, session: str, number: int, zone: ZoneInfo, place: str, share: float
) -> Incoming | Unread:
    role, person = _role(value)
    if role is None:
        return Unread(place, 'a message needs a "role"')
    if not _says(value):
        return Unread(place, "an empty message")
    own = value.get("id") or f"{number}.{digest(_said(value))}"
    message: dict[str, Json] = {k: v for k, v in value.items() if k not in _USED and v is not None}
    message |= {"role": role, "content": value.get("content"), "id": f"{session}/{own}"}
    name = value.get("name") or person
    if isinstance(name, str) and name:
        message["name"] = name
    at = _time(value, zone)
    if at is not None:
        message["created_at"] = at
    return Incoming(session, message, place, share)
