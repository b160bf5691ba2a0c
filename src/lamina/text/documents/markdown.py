"""Markdown: headings, paragraphs, and code in fences, which stays whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lamina.text.documents.blocks import Block, Parsed, lines_of

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*")
_NOT_HEADED = re.compile(
    r"\s*(?:[-*+>|]|\d+[.)])|\s{4}"
)  # a list, quote, table or code above a rule
_FENCE = re.compile(r"\s*(?:(`{3,})[^`]*|(~{3,}).*)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)
_FRONT = {"---": ("---", "..."), "+++": ("+++",)}  # what opens front matter, and what closes it
_FIELD = re.compile(r"[\w\-]+[ \t]*[:=]|[#\[]")  # how front matter begins; a rule has text below it
_BODY = 0  # in place of a heading's level


def markdown(text: str) -> Parsed:
    """Blocks under their headings. Front matter is told apart, and is no block."""
    lines = lines_of(text)
    front, body = _front_matter(lines)
    blocks: list[Block] = []
    above: list[tuple[int, str]] = []  # the headings above, with their levels
    named = _TITLE.search(front)
    title = named[1] if named else ""
    for start, end, level in _parts(lines, body):
        if level:
            above = [one for one in above if one[0] < level]
            above.append((level, _words_of(lines[start])))
            title = title or (above[0][1] if level == 1 else "")
        blocks.append(
            Block(
                "\n".join(lines[start:end]),
                start + 1,
                end,
                tuple(words for _, words in above if words),
                heading=level != _BODY,
            )
        )
    return Parsed(blocks, title, front)


def _front_matter(lines: Sequence[str]) -> tuple[str, int]:
    """The front matter without its fences, and the index of the line behind it."""
    closing = _FRONT.get(lines[0].rstrip().lstrip("\ufeff"), ())
    if not _FIELD.match("".join(lines[1:2])):
        return "", 0
    for at, line in enumerate(lines[1:], 1):
        if line.rstrip() in closing:
            return "\n".join(lines[1:at]), at + 1
    return "", 0


def _parts(lines: Sequence[str], at: int) -> Iterator[tuple[int, int, int]]:
    """Where each block starts and ends, and its level where it is a heading."""
    start = at  # of the paragraph that is being read
    while at < len(lines):
        end, level = at + 1, _BODY
        if _is_fence(lines[at]):
            end = _fence_end(lines, at)
        elif found := _HEADING.fullmatch(lines[at]):
            level = len(found[1])
        elif (
            at - start == 1
            and not _NOT_HEADED.match(lines[start])
            and (under := _UNDERLINE.fullmatch(lines[at]))
        ):
            yield start, end, 1 if under[1] else 2
            at = start = end
            continue
        elif lines[at].strip():
            at += 1
            continue
        if start < at:
            yield start, at, _BODY
        if lines[at].strip():
            yield at, end, level
        at = start = end
    if start < at:
        yield start, at, _BODY


def _is_fence(line: str) -> bool:
    return _FENCE.fullmatch(line) is not None


def _fence_end(lines: Sequence[str], at: int) -> int:
    """Behind the line that closes the fence; the end of the text where none does."""
    found = _FENCE.fullmatch(lines[at])
    mark = (found[1] or found[2]) if found else "```"
    for end, line in enumerate(lines[at + 1 :], at + 2):
        bare = line.strip()
        if bare.startswith(mark) and not bare.strip(mark[0]):
            return end
    return len(lines)


def _words_of(line: str) -> str:
    """A heading's words, without the marks of Markdown."""
    found = _HEADING.fullmatch(line)
    words = (found[2] or "") if found else line
    return _LINK.sub(r"\1", words).replace("`", "").strip(" \t*_")
