"""Three summaries that need no thought, each of at most so many tokens."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from lamina.text.tokens import count_tokens
from lamina.text.words import index_words

_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s|$)|[。！？]+|$)", re.MULTILINE)
_K1, _B = 1.2, 0.75


def truncated(texts: Sequence[str], budget: int) -> str:
    """The conversation from its beginning, cut off."""
    return _cut("\n".join(texts), budget)


def first_sentences(texts: Sequence[str], budget: int) -> str:
    """The first sentence of each turn, each cut to an even share."""
    firsts = [found[0] for text in texts if (found := _sentences(text))]
    share = max(1, budget // max(1, len(firsts)))
    return "\n".join(_cut(one, share) for one in firsts)


def by_bm25(texts: Sequence[str], budget: int) -> str:
    """The sentences nearest to the whole conversation, best first, as many as fit."""
    sentences = [one for text in texts for one in _sentences(text)]
    docs = [Counter(index_words(one)) for one in sentences]
    held, whole = Counter(word for doc in docs for word in doc), sum(docs, Counter[str]())
    average = whole.total() / max(1, len(docs))

    def worth(doc: Counter[str]) -> float:
        norm = _K1 * (1 - _B + _B * doc.total() / average) if average else 1.0
        return sum(
            whole[w] * math.log(1 + (len(docs) - held[w] + 0.5) / (held[w] + 0.5))
            * n * (_K1 + 1) / (n + norm)
            for w, n in doc.items()
        )  # fmt: skip

    taken: list[str] = []
    for place in sorted(range(len(docs)), key=lambda i: -worth(docs[i])):
        cost = count_tokens(sentences[place]) + 1
        if cost <= budget and sentences[place] not in taken:
            taken.append(sentences[place])
            budget -= cost
    return "\n".join(taken)


def _sentences(text: str) -> list[str]:
    return [found[0].strip() for found in _SENTENCE.finditer(text) if found[0].strip()]


def _cut(text: str, budget: int) -> str:
    """As much of the beginning as has so many tokens."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) <= budget else (low, middle - 1)
    return text[:low]
