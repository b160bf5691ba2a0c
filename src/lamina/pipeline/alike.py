"""Texts that say the same thing twice."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:[.:/'’-][^\W_\u3400-\u9fff]+)*")
# Words that may come and go without another thing being said.
_EMPTY = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "will",
        "would",
        "so",
        "just",
        "very",
        "really",
        "also",
        "and",
        "of",
        "to",
        "user",
        "users",
        "user's",
        "i",
        "my",
        "me",
    ]
)
_EMPTY_HAN = re.compile("[的了吧呢啊呀哦嘛也就还都很]|用户|我")

Gist = frozenset[str]
MUCH = 0.5  # of their words in common, and two texts speak of the same thing


def gist(text: str) -> Gist:
    """What a text says: its words without the empty ones; a run of Chinese is one word.

    Plain, since every result is compared: numbers, names and what turns a statement round stay.
    """
    words = _WORDS.findall(text.casefold())
    return frozenset(
        _EMPTY_HAN.sub("", word) if word[0] >= "\u3400" else word
        for word in words
        if word not in _EMPTY
    )


def alike(a: Gist, b: Gist) -> bool:
    """Whether two texts say the same in other dress: case, punctuation, empty words."""
    return bool(a) and a == b


def resembles(a: str, b: str) -> bool:
    """Whether two texts have much of their words in common; of Chinese, of its characters."""
    first, second = _units(a), _units(b)
    both = len(first) + len(second)
    return bool(both) and 2 * len(first & second) / both >= MUCH


def _units(text: str) -> frozenset[str]:
    words = gist(text)
    return frozenset(unit for word in words for unit in (word if word[:1] >= "\u3400" else [word]))
