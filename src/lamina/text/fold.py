"""One spelling for texts that mean the same: width, case and Chinese script. For the index only."""

import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Putting combining marks in order takes quadratic time in CPython, so a long text is normalised
# in slices: a hostile slice of this length costs 2 ms, a friendly one nothing.
_SLICE = 2000
# How far back from a slice's end a character is looked for that nothing can combine with.
_LOOK_BACK = 64
# Chinese punctuation that is not in normal form, and that nothing combines with: most texts are in
# normal form without it, which is seen at a glance, where making one takes ten times as long.
_PUNCTUATION = tuple(zip("，！？：；（）", ",!?:;()", strict=True))


def fold(text: str) -> str:
    """The spelling under which a text is indexed: NFKC, no case, simplified Chinese.

    Folding a folded text changes nothing. Never shown to anybody: full-width letters, half-width
    kana, ligatures and traditional characters all lose their own form. Lone surrogates stay.
    """
    if text.isascii():
        return text.lower()
    # Case folding can leave a text that NFKC composes (final sigma, iota subscript): once more.
    return simplify(nfkc(nfkc(text).casefold()))


def nfkc(text: str) -> str:
    """Unicode's NFKC in linear time (at most 2,000 characters are composed at once)."""
    for wide, plain in _PUNCTUATION:
        text = text.replace(wide, plain)
    if len(text) <= _SLICE or text.isascii():
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", part) for part in _slices(text))


def _slices(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + _SLICE
        if end < len(text):
            bounds = (i for i in range(end, end - _LOOK_BACK, -1) if _is_bound(text[i]))
            end = next(bounds, end)
        yield text[start:end]
        start = end


def _is_bound(char: str) -> bool:
    """Whether nothing before this character can combine with it."""
    return char.isascii() or "㐀" <= char <= "鿿"


def simplify(text: str) -> str:
    """Traditional Chinese characters as simplified ones, one by one."""
    table, traditional = _simplified()
    return text if traditional.isdisjoint(text) else text.translate(table)


@cache
def _simplified() -> tuple[dict[int, int], frozenset[str]]:
    """The table for `str.translate`, and its characters for a fast look (see data/NOTICE)."""
    source = Path(__file__).parent / "data" / "simplified.txt"
    old, new = source.read_text(encoding="utf-8").split("\n")[:2]
    return str.maketrans(old, new), frozenset(old)
