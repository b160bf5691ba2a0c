"""Files of JSON or JSON Lines as records: streamed where they are lines, damage reported."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from lamina.errors import InvalidInputError
from lamina.importers.encodings import encoding_of
from lamina.ports.importer import Record, Unread
from lamina.types import Json

ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
GZIP = b"\x1f\x8b"  # how such files begin, whatever they are called
HEAD = 1 << 16  # bytes that show an encoding
RECORDS = ("messages", "turns")  # keys that make a document one record
HOLDERS = ("conversations", "sessions", "data")  # keys under which a document lists its records

_BLANK = re.compile(r"[\s\0]*")  # NULs are what a crash leaves of a line
_DECODER = json.JSONDecoder(strict=False)  # some writers leave tabs and line ends unescaped
_BAD_JSON = (ValueError, RecursionError)


def files(path: Path) -> list[Path]:
    """The file itself, or those of a folder that may hold conversations, in order.

    Raises:
        InvalidInputError: there is nothing of this name, or nothing to read in it.
    """
    if os.path.isfile(path):  # noqa: PTH113 - pathlib raises where a path is too long
        return [path]
    if not os.path.isdir(path):  # noqa: PTH112 - the same
        raise InvalidInputError(
            f"{str(path)[:200]} is not there; give a file or a folder of conversations"
        )
    found = sorted(p for p in path.rglob("*") if p.name.lower().endswith(ENDINGS) and p.is_file())
    if not found:
        raise InvalidInputError(f"{path} holds no file ending in {', '.join(ENDINGS)}")
    return found


def stem(path: Path) -> str:
    """The file's name without the endings that say how it is written."""
    name = path.name
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def records(path: Path) -> Iterator[Record | Unread]:
    """The JSON values of a file: of lines where the first is one, else of the whole document."""
    try:
        with path.open("rb") as raw:
            file: IO[bytes] = raw
            if raw.peek(len(GZIP)).startswith(GZIP):
                file = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment] # reads alike
            encoding = encoding_of(file.read(HEAD))
            file.seek(0)
            text = io.TextIOWrapper(file, encoding, errors="replace", newline="\n")
            lines = enumerate(text, 1)
            first = next((line for line in lines if _bare(line[1])), None)
            if first is None:
                yield Unread(path.name, "the file is empty")
            elif _begins_with_value(first[1]):
                yield from _lines(path, chain([first], lines), raw)
            else:
                yield from _document(path, first[0], first[1] + text.read())
    except (OSError, EOFError, zlib.error) as fault:
        yield Unread(path.name, f"the file does not read: {fault}")


def _bare(text: str) -> str:
    return text.strip().strip("\0").strip()


def _values(text: str) -> Iterator[Json]:
    """The JSON values of a line, which is one; of a line that lost its end, that and the next."""
    place = 0
    while place < len(text):
        value, end = _DECODER.raw_decode(text, place)
        yield value
        place = _end_of(_BLANK, text, end)


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return place if match is None else match.end()


def _begins_with_value(line: str) -> bool:
    try:
        return isinstance(next(_values(_bare(line))), dict | list)
    except _BAD_JSON:
        return False


def _lines(
    path: Path, lines: Iterable[tuple[int, str]], raw: IO[bytes] | None = None
) -> Iterator[Record | Unread]:
    size = max(path.stat().st_size, 1)
    for number, line in lines:
        place = f"line {number} of {path.name}"
        share = raw.tell() / size if raw is not None else 1.0
        try:
            for value in _values(_bare(line)):
                yield from _records(value, place, share)
        except _BAD_JSON as fault:
            yield Unread(place, f"no JSON: {fault}")


def _document(path: Path, number: int, text: str) -> Iterator[Record | Unread]:
    """What begins at this line: one value, or else what can be read of a damaged file."""
    try:
        value = _DECODER.decode(_bare(text))
    except _BAD_JSON as fault:
        whole, damage = _elements(text)
        if whole:
            yield from _records(whole, path.name)
            yield Unread(f"what follows element {len(whole)} of {path.name}", f"no JSON: {damage}")
            return
        lines = text.split("\n")
        if any(map(_begins_with_value, lines)):
            yield from _lines(path, enumerate(lines, number))
        else:
            yield Unread(path.name, f"no JSON: {fault}")
        return
    yield from _records(value, path.name)


def _elements(text: str) -> tuple[list[Json], str]:
    """The whole elements with which a damaged list begins, and what is wrong behind them."""
    found: list[Json] = []
    begin, go_on = re.compile(r"\s*\[\s*"), re.compile(r"\s*,\s*")
    place = _end_of(begin, text, 0)
    try:
        while place:
            value, end = _DECODER.raw_decode(text, place)
            found.append(value)
            place = _end_of(go_on, text, end)
            if place == end:
                return found, f"a list that does not go on or end: char {end}"
    except _BAD_JSON as fault:
        return found, str(fault)
    return found, ""


def _records(value: Json, place: str, share: float | None = None) -> Iterator[Record]:
    """The records of a value: of a list of conversations each, of a list of messages all in one."""
    found = _listed(value)
    for number, part in enumerate(found, 1):
        where = f"record {number} of {place}" if len(found) > 1 else place
        yield Record(part, where, number / len(found) if share is None else share)


def _listed(value: Json) -> list[Json]:
    if isinstance(value, dict):
        if not any(isinstance(value.get(key), list) for key in RECORDS):
            for key in HOLDERS:
                if isinstance(value.get(key), list):
                    return _listed(value[key])
        return [value]
    if not isinstance(value, list):
        return [value]
    if _is_chat(value):
        return [{"messages": value}]
    return [{"messages": part} if _is_chat(part) else part for part in value]


def _is_chat(value: Json) -> bool:
    return isinstance(value, list) and any(isinstance(p, dict) and "role" in p for p in value)
