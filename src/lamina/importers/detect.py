"""Which format a file has, by how it begins; and its messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from zoneinfo import ZoneInfo

from lamina.errors import InvalidInputError
from lamina.importers import conversations, openai_chat
from lamina.importers.files import files, records, stem
from lamina.ports.importer import Importer, Incoming, Record, Unread

FORMATS: dict[str, Importer] = {"conversations": conversations, "openai": openai_chat}


def messages(path: Path, zone: ZoneInfo, format: str | None = None) -> Iterator[Incoming | Unread]:
    """All messages of a file or folder, and what in it could not be read.

    Raises:
        InvalidInputError: nothing is there, or no format has this name.
    """
    if format is not None and format not in FORMATS:
        raise InvalidInputError(f"there is no format {format!r}; one of: {', '.join(FORMATS)}")
    found = files(path)
    for place, file in enumerate(found):
        for part in _of_file(file, zone, format):
            if isinstance(part, Incoming) and len(found) > 1:
                share = (place + part.share) / len(found)
                yield Incoming(part.session_id, part.message, part.place, share, part.title)
            else:
                yield part


def _of_file(file: Path, zone: ZoneInfo, format: str | None) -> Iterator[Incoming | Unread]:
    parts = records(file)
    for part in parts:
        if isinstance(part, Unread):
            yield part
        elif (importer := _chosen(part, format)) is None:
            yield Unread(part.place, f"of no known format ({', '.join(FORMATS)})")
        else:
            yield from _separated(importer, chain([part], parts), stem(file), zone)


def _chosen(record: Record, format: str | None) -> Importer | None:
    if format is not None:
        return FORMATS[format]
    return next((found for found in FORMATS.values() if found.fits(record.value)), None)


def _separated(
    importer: Importer, parts: Iterable[Record | Unread], name: str, zone: ZoneInfo
) -> Iterator[Incoming | Unread]:
    """What could not be read beside what the importer makes of the rest, in order."""
    damaged: list[Unread] = []

    def readable() -> Iterator[Record]:
        for part in parts:
            if isinstance(part, Record):
                yield part
            else:
                damaged.append(part)

    for made in importer.messages(readable(), name, zone):
        while damaged:
            yield damaged.pop(0)
        yield made
    yield from damaged
