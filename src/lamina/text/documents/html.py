"""HTML: headings, paragraphs, lists, tables and preformatted text; scripts and styles dropped."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from lamina.text.documents.blocks import Block, Parsed, lines_of

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DROPPED = frozenset({"script", "style", "template", "noscript", "svg"})
_BORDERS = frozenset(
    "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure"  # noqa: SIM905 - a list of words reads best as running text
    " footer form h1 h2 h3 h4 h5 h6 head header hr html legend li main nav ol option p pre section"
    " summary table tbody tfoot thead title tr ul".split()
)
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_BLANKS = re.compile(r"[ \t\n\f]+")


def html(text: str) -> Parsed:
    """Blocks of text under their headings, with the lines of the source that they come from."""
    reader = _Reader()
    reader.feed("\n".join(lines_of(text)))
    reader.close()
    reader.flush()
    return Parsed(reader.blocks, reader.title)


class _Reader(HTMLParser):
    """Gathers text until a border, and makes a block of it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.title = ""
        self._above: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._first = self._last = 0
        self._dropped = 0  # elements open whose text is dropped
        self._tag = ""  # the last border: what the text gathered now is
        self._preformatted = False

    def parse_marked_section(self, i: int, report: bool = True) -> int:  # noqa: FBT001, FBT002
        """A section of no known name is passed over: the parser would raise on it."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """A border begins a block; a cell or a line end is within one."""
        if tag in _DROPPED:
            self._dropped += 1
        elif tag in _BORDERS:
            self.flush()
            self._tag = tag
            self._preformatted = tag == "pre"
        elif tag == "br":
            self._parts.append("\n")
        elif tag in {"td", "th"} and self._parts:
            self._parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        """A border ends a block."""
        if tag in _DROPPED:
            self._dropped = max(0, self._dropped - 1)
        elif tag in _BORDERS:
            self.flush()
            self._tag = ""
            self._preformatted = False

    def handle_data(self, data: str) -> None:
        """Text, with the lines that it stands on."""
        if self._dropped:
            return
        if data.strip():
            line = self.getpos()[0]
            if not self._first:
                self._first = line + data[: len(data) - len(data.lstrip())].count("\n")
            self._last = line + data.rstrip().count("\n")
        self._parts.append(data if self._preformatted else _BLANKS.sub(" ", data))

    def flush(self) -> None:
        """What was gathered becomes a block, or the title."""
        text, first, last = "".join(self._parts), self._first, self._last
        self._parts, self._first, self._last = [], 0, 0
        if not first:
            return
        if self._preformatted:
            text = _BLANK_LINES.sub("", text).rstrip()
        else:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        if self._tag == "title":
            self.title = self.title or text
            return
        if level := _HEADINGS.get(self._tag, 0):
            self._above = [one for one in self._above if one[0] < level]
            self._above.append((level, " ".join(text.split())))
        if self._tag == "li":
            text = f"- {text}"
        titles = tuple(words for _, words in self._above)
        alike = self._preformatted and text.count("\n") == last - first
        self.blocks.append(Block(text, first, last, titles, bool(level), by_line=alike))
