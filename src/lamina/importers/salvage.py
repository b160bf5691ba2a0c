"""Session files of AgentScope and QwenPaw, sound or damaged: every whole message in them.

A file is one JSON document, `{"agent": {"memory": {"content": [[message, marks], ...],
"_compressed_summary": str}}}` with messages or pairs, or one message a line. What a crash, a full
disk or a second writer left of one is read as far as it goes, and what is lost is said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lamina.importers.encodings import encoding_of
from lamina.types import Json

SUMMARY = "_compressed_summary"
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"\s*,\s*(\[[^\[\]]*\])\s*\]")
_SUMMARY = re.compile(rf'"{SUMMARY}"\s*:\s*')
_BEGUN = re.compile(r'\{\s*"(?:id|role|name|content)"')
DEEPEST = 200  # levels of nesting that are looked into
Pair = tuple[dict[str, Json], list[Json]]  # a message and its marks


@dataclass(slots=True)
class Salvaged:
    """What a file holds; `document` is a sound one, or what could be put together."""

    document: dict[str, Json] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    summary: str = ""
    damaged: bool = False  # something is lost, or was mended: the bytes are worth keeping
    reports: list[str] = field(default_factory=list)  # sentences
    replaced: int = 0  # lone surrogates, now U+FFFD


def session_document(data: bytes) -> Salvaged:
    """A session file, as far as it can be read."""
    out = Salvaged()
    text = _text(data, out)
    found = _whole(text, out)
    if found is None:
        _pieces(text, out)
    else:
        out.document = found
        out.pairs, out.summary = _of_document(found)
    return out


def message_lines(data: bytes) -> Salvaged:
    """A file of one message a line; a line that does not read is passed over, and said."""
    out = Salvaged()
    text = _text(data, out, empty_is_damage=False)
    seen: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        value = _read(line, out)
        if not _is_message(value):
            out.damaged = True
            out.reports.append(f"line {number} is no whole message and was passed over")
            continue
        key = json.dumps([value.get("id"), value.get("role"), value.get("content")])
        if value.get("id") is None or key not in seen:
            seen.add(key)
            out.pairs.append((value, []))
    return out


# --- bytes to text


def _text(data: bytes, out: Salvaged, *, empty_is_damage: bool = True) -> str:
    bare = data.rstrip(b"\0") if data.count(b"\0") != len(data) // 2 else data
    if not bare:
        if empty_is_damage:
            out.damaged = True
            out.reports.append("the file is empty" if not data else "the file holds nothing but 0s")
        return ""
    encoding = encoding_of(bare)
    if len(bare) < len(data) and not encoding.startswith("utf-16"):
        out.damaged = True
        out.reports.append(f"{len(data) - len(bare)} bytes of 0 stand behind the document")
    else:
        bare = data
    text = bare.decode(encoding, "replace" if not encoding.startswith("utf-8") else "ignore")
    if not encoding.startswith("utf-8"):
        out.reports.append(f"the file was in {encoding}; it is written in UTF-8")
    return text.removeprefix("\ufeff")


# --- a whole document


def _whole(text: str, out: Salvaged) -> dict[str, Json] | None:
    """The document, where the text is one and nothing else."""
    value = _read(text, out) if text.strip() else None
    return value if isinstance(value, dict) else None


def _read(text: str, out: Salvaged) -> Json:
    """A JSON value with nothing that JSON does not know; None where it does not read."""
    odd: list[str] = []

    def constant(name: str) -> None:
        odd.append(name)

    try:
        value = json.loads(text, parse_constant=constant)
    except (ValueError, RecursionError):
        return None
    if odd:
        out.reports.append(f"{', '.join(odd)} is no JSON and became null")
    return _scrubbed(value, out)


def _scrubbed(value: Json, out: Salvaged) -> Json:
    """A value without lone surrogates, which no file can hold."""
    if isinstance(value, str):
        found = len(_SURROGATE.findall(value))
        if found:
            out.replaced += found
            out.reports.append(f"{found} halves of characters were replaced by U+FFFD")
        return _SURROGATE.sub("\ufffd", value) if found else value
    if isinstance(value, dict):
        return {_scrubbed(key, out): _scrubbed(part, out) for key, part in value.items()}
    if isinstance(value, list):
        return [_scrubbed(part, out) for part in value]
    return value


def _contents(value: Json, depth: int = 0) -> list[list[Json]]:
    """The lists of messages in a document: `content` beside or below `memory`."""
    found: list[list[Json]] = []
    if depth > DEEPEST or not isinstance(value, dict):
        return found
    content = value.get("content")
    if isinstance(content, list) and not _is_message(value):
        found.append(content)
    for part in value.values():
        found += _contents(part, depth + 1)
    return found


def _of_document(document: Json) -> tuple[list[Pair], str]:
    pairs = [pair for content in _contents(document) for pair in map(_pair, content) if pair]
    return pairs, _summary_in(document)


def _summary_in(value: Json, depth: int = 0) -> str:
    if depth > DEEPEST or not isinstance(value, Mapping):
        return ""
    own = value.get(SUMMARY)
    if isinstance(own, str):
        return own
    return next(filter(None, (_summary_in(part, depth + 1) for part in value.values())), "")


def _pair(value: Json) -> Pair | None:
    if _is_message(value):
        return value, []
    if isinstance(value, list) and value and _is_message(value[0]):
        marks = value[1] if len(value) > 1 and isinstance(value[1], list) else []
        return value[0], marks
    return None


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value


# --- pieces of a damaged one


def _pieces(text: str, out: Salvaged) -> None:
    """Every whole message of the text, each once, in order; the summary, if it is whole."""
    out.damaged = True
    seen: set[str] = set()
    end, best = 0, 0
    for place, value in _objects(text):
        held = 0 if _is_message(value) else len(_of_document(value)[0])
        if held > best:
            best, out.document = held, _scrubbed(value, out)
        for message, marks in _messages_of(value, text, place[1]):
            key = str(message.get("id")) if message.get("id") is not None else json.dumps(message)
            if key not in seen:
                seen.add(key)
                clean = _scrubbed(message, out)
                out.pairs.append((clean, marks))
        out.summary = out.summary or _summary_in(_scrubbed(value, out))
        end = place[1]
    for match in _SUMMARY.finditer(text):
        told = _decoded(text, match.end())
        if told is not None and isinstance(told[0], str):
            out.summary = out.summary or _scrubbed(told[0], out)
    _say_what_is_lost(text, end, out, is_whole=best > 0)
    if best < len(out.pairs) or not best:
        memory: dict[str, Json] = {"content": [[message, marks] for message, marks in out.pairs]}
        if out.summary:
            memory[SUMMARY] = out.summary
        out.document = {"agent": {"memory": memory}} if out.pairs else {}


def _objects(text: str) -> Iterator[tuple[tuple[int, int], Json]]:
    """Every object of the text that is whole, outermost first; `(start, end)` and its value."""
    at = text.find("{")
    while at >= 0:
        told = _decoded(text, at)
        if told is not None:
            yield (at, told[1]), told[0]
        at = text.find("{", at + 1 if told is None else told[1])


def _decoded(text: str, at: int) -> tuple[Json, int] | None:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


def _messages_of(value: Json, text: str, end: int) -> Iterator[Pair]:
    """A message itself, with the marks behind it, or the messages of a document."""
    if _is_message(value):
        marks = _MARKS.match(text, end)
        yield value, (json.loads(marks[1]) if marks and _decoded(text, marks.start(1)) else [])
    elif isinstance(value, dict):
        yield from _of_document(value)[0]


def _say_what_is_lost(text: str, end: int, out: Salvaged, *, is_whole: bool) -> None:
    count = len(out.pairs)
    if not text.strip():
        return
    if _BEGUN.search(text, end):
        out.reports.append(f"message {count + 1} is incomplete and could not be read")
    elif not count:
        out.reports.append("no whole message is in the file")
    elif is_whole:
        out.reports.append(f"something else stands beside {count} whole messages; it is set aside")
    else:
        out.reports.append(f"the end of the file is missing; {count} whole messages were read")
