"""Texts that say the same thing twice."""

from __future__ import annotations

import re

from lamina.text.fold import fold

_HAN = "\u3400-\u9fff"
# A word with what is part of it: a sign, a currency, C++, 10%. A hyphen parts words, not numbers.
_WORDS = re.compile(
    rf"[{_HAN}]+|(?:(?<![^\W_])[-−](?=[$€£¥]?\d))?[$€£¥]?"
    rf"[^\W_{_HAN}]+(?:(?:[.:/,'’@_]|-(?=\d))[^\W_{_HAN}]+)*(?:\+\+|[%#°])?"
)
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])")
_NOT = re.compile(r"\b(?:(ca)n|(wo)n|(sha)n|(\w+)n)['’]t\b|\b(can)not\b")
_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}
# Words that may come and go without another thing being said; not those that tell the time.
_EMPTY = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "is",
        "are",
        "be",
        "has",
        "have",
        "do",
        "does",
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

Gist = tuple[str, ...]
MUCH = 0.5  # of their words in common, and two texts speak of the same thing


def gist(text: str) -> Gist:
    """What a text says: its words in order without the empty ones; a run of Chinese is one word.

    Numbers, signs, names and what turns a statement round stay.
    """
    folded = _NOT.sub(_spelt, fold(text))
    if not folded.isascii():
        folded = _BETWEEN_HAN.sub("", folded)
    said = (_EMPTY_HAN.sub("", w) if w[0] >= "\u3400" else w for w in _WORDS.findall(folded))
    return tuple(word for word in said if word and word not in _EMPTY)


def _spelt(match: re.Match[str]) -> str:
    """Write "can't" as "can not"."""
    verb = next(filter(None, match.groups()))
    return f"{_WHOLE.get(verb, verb)} not"


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
    return frozenset(unit for word in words for unit in (word if word >= "\u3400" else [word]))
