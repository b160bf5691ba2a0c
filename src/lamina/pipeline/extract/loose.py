"""JSON as models write it: in prose, fenced, with comments, trailing commas, or cut in the middle.

Whatever is valid JSON is read as JSON. Of the rest this is read too: single quotes, keys without
quotes, Python's words, commas and closing brackets too many or too few, quotes and line ends within
a text. Time grows with the length alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lamina.text.clean import strip

DEPTH = 32  # of nesting; no answer is deeper, and what is deeper is not read

_START = re.compile(r"[\[{]")
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)*", re.DOTALL)
_COMMAS = re.compile(r"(?:\s|,|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)*", re.DOTALL)
_TEXT = {q: re.compile(rf"[^{q}\\]*(?:\\.[^{q}\\]*)*", re.DOTALL) for q in "\"'"}
_AFTER_TEXT = re.compile(r"[ \t]*(?:[\r\n,:\]}/#]|\Z)")
_KEY = re.compile(r"([A-Za-z_]\w*)\s*(?=:)")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_OPEN_END = re.compile(r"[-+.A-Za-z0-9]*\Z")  # a number or word that the text breaks off in
_WORDS: dict[str, object] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "undefined": None, "NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"),
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
_LONGEST_INT = 18  # digits; a longer number is only so large


class Document(NamedTuple):
    """One object or list of a text. Of one that is cut, what was whole before the cut."""

    value: Any
    whole: bool


class _NoJsonError(Exception):
    """What stands here is no JSON, however loosely read."""


class _TooDeepError(Exception):
    """Nothing more of this text is read."""


class _CutError(Exception):
    """The text ends within a value."""


def documents(text: str) -> Iterator[Document]:
    """The objects and lists that stand in a text, outermost ones, in order."""
    place = 0
    vain: set[int] = set()  # brackets that what follows them cannot be read with
    while start := _START.search(text, place):
        place = start.end()
        if start.start() in vain:
            continue
        reader = _Reader(text, start.start())
        try:
            value = reader.value(0)
        except _NoJsonError:
            vain.update(reader.open)  # brackets of prose; what they hold may still be JSON
        except _TooDeepError:
            return
        else:
            yield Document(value, not reader.cut)
            place = reader.at


class _Reader:
    """Reads one value from `at` on, and moves there."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.cut = False
        self.open: list[int] = []  # brackets that are not closed yet

    def value(self, depth: int) -> Any:  # noqa: ANN401 - JSON
        if depth > DEPTH:
            raise _TooDeepError
        char = self.text[self.at : self.at + 1]
        if char in {"{", "["}:
            self.open.append(self.at)
            found = self._object(depth) if char == "{" else self._list(depth)
            self.open.pop()
            return found
        if char in {'"', "'"}:
            return self._string(char)
        if not char:
            raise _CutError
        return self._scalar()

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        try:
            while not self._closed("}", "]"):
                key = self._key()
                self._colon()
                found[key] = self.value(depth + 1)
                if self.cut:
                    return found
        except _CutError:
            self.cut = True
        return found

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        try:
            while not self._closed("]", "}"):
                part = self.value(depth + 1)
                if self.cut and isinstance(part, dict):
                    return found  # half an object would pass for a whole one
                found.append(part)
                if self.cut:
                    return found
        except _CutError:
            self.cut = True
        return found

    def _closed(self, own: str, other: str) -> bool:
        """Whether the value ends here. The bracket of what is around it ends it too."""
        self._skip(_COMMAS)
        if self.at == len(self.text):
            raise _CutError
        char = self.text[self.at]
        self.at += char == own
        return char in {own, other}

    def _colon(self) -> None:
        self._skip(_BLANK)
        if self.at == len(self.text):
            raise _CutError
        if self.text[self.at] != ":":
            raise _NoJsonError
        self.at += 1
        self._skip(_BLANK)

    def _key(self) -> str:
        char = self.text[self.at]
        if char in {'"', "'"}:
            return self._string(char)
        key = _KEY.match(self.text, self.at)
        if key is None:
            raise _NoJsonError
        self.at = key.end()
        return key[1]

    def _string(self, quote: str) -> str:
        """A text. A quote that nothing of JSON follows is one of its characters."""
        start = self.at = self.at + 1
        while True:
            match = _TEXT[quote].match(self.text, self.at)
            assert match is not None  # it matches the empty text
            self.at = match.end()
            if self.at >= len(self.text) or self.text[self.at] != quote:
                raise _CutError
            self.at += 1
            if _AFTER_TEXT.match(self.text, self.at):
                return _unescaped(self.text[start : self.at - 1])

    def _scalar(self) -> object:
        if _OPEN_END.match(self.text, self.at):
            raise _CutError
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            digits = number[0]
            whole = digits.lstrip("+-").isdigit() and len(digits) <= _LONGEST_INT
            return int(digits) if whole else float(digits)
        word = _WORD.match(self.text, self.at)
        if word is None or word[0] not in _WORDS:
            raise _NoJsonError
        self.at = word.end()
        return _WORDS[word[0]]

    def _skip(self, blanks: re.Pattern[str]) -> None:
        match = blanks.match(self.text, self.at)
        assert match is not None  # it matches the empty text
        self.at = match.end()


def _unescaped(raw: str) -> str:
    """The text that JSON's escapes stand for, without what no memory can hold."""
    if "\\" in raw:
        raw = _ESCAPE.sub(_character, raw)
        raw = raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return strip(raw)[0]


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPED.get(escape[2], escape[0])
