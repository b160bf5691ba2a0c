"""Other people's files: of conversations, and documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol
from zoneinfo import ZoneInfo

from lamina.types import Json


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a file: a line, or an element of its list."""

    value: Json
    place: str  # where it stands, for a person: "line 3 of chat.jsonl"
    share: float = 1.0  # how much of the file is read with it, 0..1


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that could not be read; the rest was."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is left alone on purpose."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A document's bytes, and how to read them."""

    path: str | None  # absolute; None for a text that is in no file
    data: bytes
    format: str  # markdown, plain, html or pdf
    encoding: str = "utf-8"
    share: float = 1.0  # how much of a folder is read with it, 0..1


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message on its way in: the fields that `Memory.add` takes, and where it goes."""

    session_id: str
    message: Mapping[str, Json]
    place: str
    share: float = 1.0
    title: str | None = None  # of the conversation


class Importer(Protocol):
    """A format. What it makes of the same file is the same every time, ids included."""

    def fits(self, value: Json) -> bool:
        """Whether this looks like a record of the format."""
        ...

    def messages(
        self, records: Iterable[Record], stem: str, zone: ZoneInfo
    ) -> Iterator[Incoming | Unread]:
        """The messages of a file's records. `stem` names the file, `zone` times without one."""
        ...
