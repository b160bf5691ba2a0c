"""A text as its parts: headings, items of lists, sentences. Pure; no word is changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """What a part is."""

    HEADING = "heading"
    ITEM = "item"  # of a list or table: begins a line of its own
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class Part:
    """One part. Parts of one `line` stand in one item or paragraph."""

    text: str  # without a line end in it
    shape: Shape
    line: int
    mark: str = ""  # what stood before it: the sign of a heading or item, with its indent

    @property
    def depth(self) -> int:
        """The level of a heading, from 1."""
        return self.mark.count("#") or 1


_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*?)[\s#]*$")
_ITEM = re.compile(r"(\s*(?:[-*+•·]|\d{1,3}[.)]|[(（]\d{1,3}[)）])\s+|\s*\d{1,3}、\s*)(?=\S)")
_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}$|[\s|:+-]+$")
_END = re.compile(r"[。！？…]+[”’」』）】\"')\]]*|[.!?]+[\"'”’)\]]*(?=\s)|[；;]\s*")
# What looks like the end of an English sentence and is none.
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|Dr|Mr|Mrs|Ms|Prof|St|vs|No|Fig|approx)|\b[A-Za-z]|^\d+)\.$"
)
_WRAPPED = 50  # characters of a line that may have been broken for its width
_CLAUSES = 120  # characters of a sentence that ends at a semicolon too


def parts(text: str) -> list[Part]:
    """The parts of a text in order. Code in fences and lines that only draw are left out."""
    out: list[Part] = []
    for number, (mark, shape, line) in enumerate(_lines(text)):
        if shape is Shape.HEADING:
            out.append(Part(line, shape, number, mark))
            continue
        for place, sentence in enumerate(sentences(line)):
            out.append(Part(sentence, shape, number, "" if place else mark))
    return out


def sentences(line: str) -> list[str]:
    """The sentences of a paragraph, the blanks between them apart."""
    found, start = [], 0
    for end in _END.finditer(line):
        if line[end.start()] in "；;" and end.start() - start < _CLAUSES:
            continue
        if _SHORT.search(line, max(start, end.end() - 8), end.end()):
            continue
        if line[end.start()].isascii() and line[end.end() :].lstrip()[:1].islower():
            continue
        found.append(line[start : end.end()].strip())
        start = end.end()
    found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def _lines(text: str) -> Iterator[tuple[str, Shape, str]]:
    """Headings, items and paragraphs: the sign before each, what it is, its text."""
    held: list[str] = []
    mark, shape, fence = "", Shape.SENTENCE, ""
    for line in [*text.splitlines(), ""]:
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence):
                fence = ""
            continue
        heading, item = _HEADING.match(line), _ITEM.match(line)
        is_own = bool(heading or item or line.lstrip().startswith("|") or _RULE.match(line))
        if held and (found or is_own or not _goes_on(held[-1], line)):
            yield mark, shape, _joined(held)
            held, mark, shape = [], "", Shape.SENTENCE
        if found:
            fence = found[1]
        elif heading:
            yield f"{heading[1]} ", Shape.HEADING, heading[2]
        elif item:
            held, mark, shape = [line[item.end() :]], item[1], Shape.ITEM
        elif line.strip() and not _RULE.match(line):
            held.append(line)
            shape = Shape.ITEM if line.lstrip().startswith("|") else shape


def _goes_on(last: str, line: str) -> bool:
    """Whether a line goes on with the sentence of the last one, broken for its width."""
    begin = line.lstrip()[:1]
    return (
        len(last) * (1 if last.isascii() else 2) >= _WRAPPED
        and bool(begin)
        and (begin.islower() or begin >= "\u2e80")
        and last.rstrip()[-1:] not in ".!?。！？…:："
    )


def _joined(lines: list[str]) -> str:
    out = lines[0].strip()
    for line in lines[1:]:
        out += ("" if out[-1:] >= "\u2e80" else " ") + line.strip()
    return out
