"""Texts that say the same thing twice."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lamina.text.words import index_words

SHARE = 0.85  # of their words that two texts must have in common
_NUMBERS = re.compile(r"\d+(?:[.:/-]\d+)*")
# What turns a statement round; a text that has one says another thing than a text that has none.
_TURNS = re.compile(
    r"\b(?:not|no|never|none|nor|without|cannot|hardly|stopped|quit)\b|n['’]t\b"
    r"|不|没|沒|无|無|别|別|未|非|勿|莫",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gist:
    """What of a text is compared."""

    words: frozenset[str]
    numbers: tuple[str, ...]
    turns: int


def gist(text: str) -> Gist:
    """A text's gist."""
    numbers = tuple(sorted(_NUMBERS.findall(text)))
    return Gist(frozenset(index_words(text)), numbers, len(_TURNS.findall(text)))


def alike(a: Gist, b: Gist) -> bool:
    """Whether one text only says again what the other does: the same numbers, the same way round."""
    if a.numbers != b.numbers or a.turns != b.turns or not a.words or not b.words:
        return False
    common = len(a.words & b.words)
    return common >= SHARE * (len(a.words) + len(b.words) - common)
