"""Files of JSON or JSON Lines as records: streamed where they are lines, damage reported."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from lamina.errors import InvalidInputError
from lamina.importers.encodings import encoding_of
from lamina.ports.importer import Record, Unread
from lamina.types import Json

ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz")
HEAD = 1 << 16  # bytes that show an encoding
HOLDERS = ("conversations", "sessions", "data")  # keys under which a document lists its records


def files(path: Path) -> list[Path]:
    """The file itself, or those of a folder that may hold conversations, in order.

    Raises:
        InvalidInputError: there is nothing of this name, or nothing to read in it.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InvalidInputError(f"{path} is not there; give a file or a folder of conversations")
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
    """The JSON values of a file: of lines where every line is one, else of the whole document."""
    try:
        with path.open("rb") as raw:
            file: IO[bytes] = raw
            if path.name.lower().endswith(".gz"):
                file = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment] # reads alike
            encoding = encoding_of(file.read(HEAD))
            file.seek(0)
            text = io.TextIOWrapper(file, encoding, errors="replace", newline="\n")
            first = _first(text)
            if _is_value(first):
                yield from _lines(path, first, text, raw)
            else:
                yield from _document(path, first + text.read())
    except (OSError, EOFError) as fault:
        yield Unread(str(path), f"the file does not read: {fault}")


def _first(text: IO[str]) -> str:
    """The first line that is not blank."""
    return next((line for line in text if line.strip()), "")


def _is_value(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _lines(path: Path, first: str, rest: IO[str], raw: IO[bytes]) -> Iterator[Record | Unread]:
    size = max(path.stat().st_size, 1)
    for number, line in enumerate(chain([first], rest), 1):
        bare = line.strip().strip("\0")
        if not bare:
            continue
        place = f"line {number} of {path.name}"
        try:
            yield Record(json.loads(bare), place, raw.tell() / size)
        except (ValueError, RecursionError) as fault:
            yield Unread(place, f"no JSON: {fault}")


def _document(path: Path, text: str) -> Iterator[Record | Unread]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        yield Unread(path.name, f"no JSON: {fault}")
        return
    found = _listed(value)
    for number, part in enumerate(found, 1):
        place = f"record {number} of {path.name}" if len(found) > 1 else path.name
        yield Record(part, place, number / len(found))


def _listed(value: Json) -> list[Json]:
    """A document's records: of a list of conversations each, of a list of messages all in one."""
    if isinstance(value, dict):
        for key in HOLDERS:
            if isinstance(value.get(key), list):
                return list(value[key])
        return [value]
    if isinstance(value, list) and any(isinstance(part, dict) and "role" in part for part in value):
        return [{"messages": value}]
    return list(value) if isinstance(value, list) else [value]
