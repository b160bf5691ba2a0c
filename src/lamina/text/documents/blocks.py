"""What every reader of a format makes of a document, and how that is cut into passages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lamina.text.chunks import chunks
from lamina.text.tokens import count_tokens

_LEADING = re.compile(r"\A(?:[ \t]*\n)+")  # blank lines, not the indent of the first that is none
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Block:
    """Text that stands on the lines `first` to `last`, counted from 1, both included.

    `titles` are the headings above it, the outermost first; a heading's own block ends with itself.
    """

    text: str
    first: int
    last: int
    titles: tuple[str, ...] = ()
    heading: bool = False
    by_line: bool = True  # each line of the text is one of the file; else the whole range is told


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as its reader sees it. Where it has pages, its blocks count these, not lines."""

    blocks: Sequence[Block]
    title: str = ""
    front: str = ""  # front matter, as it stands there
    paged: bool = False


def lines_of(text: str) -> list[str]:
    """The lines as an editor numbers them, whatever ends them."""
    return _LINE_END.split(text)


def packed(blocks: Iterable[Block], max_tokens: int) -> list[Block]:
    """Blocks joined to passages of up to about `max_tokens` tokens, none across a heading.

    A block is cut only where it is longer than that. Headings go with what follows them.
    """
    out: list[Block] = []
    held: list[Block] = []
    cost = 0
    for block in blocks:
        bare = all(part.heading for part in held)
        if held and block.heading and not bare:
            out.append(_joined(held))
            held, cost = [], 0
        room = max(max_tokens // 2, max_tokens - cost) if bare else max_tokens
        for part in _pieces(block, room):
            tokens = count_tokens(part.text) + 1  # with the line end that joins it
            if held and cost + tokens > max_tokens + 1:
                out.append(_joined(held))
                held, cost = [], 0
            held.append(part)
            cost += tokens
    return [*out, _joined(held)] if held else out


def _joined(parts: Sequence[Block]) -> Block:
    text = parts[0].text
    for before, part in pairwise(parts):
        text += ("\n\n" if part.first > before.last + 1 else "\n") + part.text
    return replace(parts[-1], text=text, first=parts[0].first, last=parts[-1].last)


def _pieces(block: Block, max_tokens: int) -> Iterator[Block]:
    spans = chunks(block.text, max_tokens)
    if len(spans) < 2:
        yield block
        return
    line, counted = block.first, 0  # how far the lines are counted
    for start, end in spans:
        blank = _LEADING.match(block.text[start:end])
        begin = start + (blank.end() if blank else 0)
        text = block.text[begin:end].rstrip()
        if not text:
            continue
        if block.by_line:
            line, counted = line + block.text.count("\n", counted, begin), begin
            yield replace(block, text=text, first=line, last=line + text.count("\n"))
        else:
            yield replace(block, text=text)
