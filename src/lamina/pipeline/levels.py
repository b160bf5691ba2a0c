"""The levels of a memory, made by rule: its abstract and its overview. Pure, and without a model.

Both are made of the content's own sentences, headings and list items, in their order. "" stands for
"as the content", which is short enough.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log2

from lamina.text.chunks import chunks
from lamina.text.parts import Part, Shape, parts
from lamina.text.tokens import count_tokens
from lamina.text.words import has_han, index_words
from lamina.types import Level, MemoryRecord

ABSTRACT_TOKENS = 100
OVERVIEW_TOKENS = 2000
HEADINGS = 0.4  # of an overview at most; beyond it the deepest are left out
AGAIN = 0.3  # what a word is worth when it was said already
WORTH = 0.3  # of what the best sentence tells: one that tells less is not in an abstract
OFTEN = 4  # times that a word is said beyond which it is worth no more
LEAST = 4  # tokens that are left for nothing
BRIEF = 8  # tokens that every part costs beside its own: a word alone says little

# What makes a sentence tell more than its words do, and what makes it tell less.
_TELLING = re.compile(
    r"\b(?:decid|cho(?:se|ose)|because|must|never|always|important|result|therefore|conclu|agree"
    r"|deadline|due\b|instead|summar|key\b|cause|fix(?:ed)?\b|prefer|switch|plan|cost|name)\w*"
    r"|决定|选择|选用|因为|必须|重要|结论|结果|因此|所以|关键|总之|原因|同意|截止|改为|采用|优先|不要|计划|负责",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\d|(?<=\w )[A-Z]|[\u4e00-\u9fff][A-Za-z]")  # numbers and names
_EMPTY = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|ok|okay|sure|well|great|welcome|dear|as you know)\b"
    r"|(?:你好|您好|大家好|谢谢|感谢|好的|嗯|欢迎)",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"(?:it|this|that|these|those|he|she|they|there|then|after that|someone|nobody)\b"
    r"|[这那它他她]|然后|后来|大家|接着",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def leveled(record: MemoryRecord) -> MemoryRecord:
    """A memory with its levels: made where none was given, cut where one is over its cap."""
    content, abstract, overview = record.content, record.abstract, record.overview
    if overview.strip() or fits(content, OVERVIEW_TOKENS):
        overview = cut(overview, OVERVIEW_TOKENS)
    else:
        overview = _outline(content)
    if abstract.strip() or fits(content, ABSTRACT_TOKENS):
        abstract = cut(abstract, ABSTRACT_TOKENS)
    else:
        abstract = _sentences(overview or content)
    if (abstract, overview) == (record.abstract, record.overview):
        return record
    return replace(record, abstract=abstract, overview=overview)


def level_text(record: MemoryRecord, level: Level) -> str:
    """A memory's text at a level; what an older store did not make is made now."""
    if level is Level.CONTENT:
        return record.content
    made = leveled(record)
    return (made.abstract if level is Level.ABSTRACT else made.overview) or record.content


def text_at(text: str, level: Level) -> str:
    """Any text at a level."""
    if level is Level.CONTENT or fits(text, ABSTRACT_TOKENS):
        return text
    overview = text if fits(text, OVERVIEW_TOKENS) else _outline(text)
    return overview if level is Level.OVERVIEW else _sentences(overview)


def fits(text: str, cap: int) -> bool:
    """Whether a text has at most so many tokens."""
    return len(text) <= cap // 4 or (len(text) <= cap * 100 and count_tokens(text) <= cap)


def cut(text: str, cap: int) -> str:
    """The beginning of a text that fits, up to the end of a sentence where there is one."""
    text, most = text.strip() if len(text) > cap else text, cap
    while not fits(text, cap):
        start, end = chunks(text, most)[0]
        text, most = text[start:end].rstrip(), most * 3 // 4
    return text


# --- from parts to text


def _sentences(text: str) -> str:
    """An abstract: the most telling sentences, one behind the other."""
    if fits(text, ABSTRACT_TOKENS):
        return text
    found = parts(text)
    spoken = [part for part in found if part.shape is not Shape.HEADING]
    chosen = _chosen(spoken, found, ABSTRACT_TOKENS, WORTH)
    while len(chosen) > 1 and not fits(_in_line(spoken, chosen), ABSTRACT_TOKENS):
        chosen.pop()
    return cut(_in_line(spoken, chosen) or text, ABSTRACT_TOKENS)


def _in_line(spoken: Sequence[Part], chosen: Sequence[int]) -> str:
    out = ""
    for place in sorted(chosen):
        text = _BOLD.sub(r"\1", spoken[place].text).strip("| ")
        if not out:
            out = text
        elif out[-1] in "。！？；…":
            out += text
        elif out[-1] in ".!?:;,":
            out += f" {text}"
        else:
            out += f"；{text}" if has_han(out[-1]) else f"; {text}"
    return out


def _outline(text: str) -> str:
    """An overview: the headings, and below them what tells most, lists as lists."""
    found = parts(text)
    headings = _headings(found, int(OVERVIEW_TOKENS * HEADINGS))
    spoken = [place for place, part in enumerate(found) if part.shape is not Shape.HEADING]
    left = OVERVIEW_TOKENS - sum(_cost(found[place]) for place in headings)
    picked = _chosen([found[place] for place in spoken], found, left)
    chosen = [spoken[place] for place in picked]
    while len(chosen) > 1 and not fits(_in_lines(found, {*headings, *chosen}), OVERVIEW_TOKENS):
        chosen.pop()
    return cut(_in_lines(found, {*headings, *chosen}) or text, OVERVIEW_TOKENS)


def _headings(found: Sequence[Part], most: int) -> set[int]:
    """Places of the headings that fit: the deepest are left out first, then the last ones."""
    places = [place for place, part in enumerate(found) if part.shape is Shape.HEADING]
    kept: set[int] = set()
    for place in sorted(places, key=lambda place: found[place].depth):
        most -= _cost(found[place])
        if most < 0:
            break
        kept.add(place)
    return kept


def _in_lines(found: Sequence[Part], chosen: set[int]) -> str:
    lines: list[str] = []
    last: Part | None = None
    for place in sorted(chosen):
        part = found[place]
        if last is not None and last.line == part.line:
            lines[-1] += ("" if lines[-1][-1:] >= "\u2e80" else " ") + part.text
        else:
            apart = last is not None and Shape.ITEM not in {part.shape, last.shape}
            lines += ["", part.mark + part.text] if apart else [part.mark + part.text]
        last = part
    return "\n".join(lines)


def _cost(part: Part) -> int:
    return count_tokens(part.mark + part.text) + 2


# --- which of them


def _chosen(
    spoken: Sequence[Part], found: Sequence[Part], cap: int, share: float = 0.0
) -> list[int]:
    """Places of the parts that tell most within a budget of tokens, the best first.

    None that gains less than this share of what the best one does.

    A part is worth its words, those that the text comes back to and those of its headings more, and
    each less when it was said. What a part gains only falls while others are chosen, so that one
    whose gain was reckoned anew and is still the best is the best.
    """
    words = [frozenset(index_words(part.text)) for part in spoken]
    often = Counter(word for one in words for word in one)
    titles = {word for p in found if p.shape is Shape.HEADING for word in index_words(p.text)}
    worth = {word: log2(1 + min(n, OFTEN)) * (1.5 if word in titles else 1.0)
             for word, n in often.items()}  # fmt: skip
    costs = [count_tokens(part.text) for part in spoken]
    bonus = [_bonus(part) for part in spoken]

    def gain(place: int) -> float:
        return bonus[place] * sum(map(worth.__getitem__, words[place])) / (BRIEF + costs[place])

    once = {part.text: place for place, part in reversed(list(enumerate(spoken)))}
    if min(costs, default=0) + 2 > cap:  # no part fits: the best one is cut
        return [max(once.values(), key=gain)] if once else []
    heap = [(-gain(place), place) for place in once.values()]
    heapq.heapify(heap)
    chosen: list[int] = []
    first = 0.0
    while heap and cap > LEAST:
        _, place = heapq.heappop(heap)
        if costs[place] + 2 > cap:
            continue
        now = gain(place)
        if heap and -now > heap[0][0]:
            heapq.heappush(heap, (-now, place))
            continue
        first = first or now
        if now < share * first:
            break
        chosen.append(place)
        cap -= costs[place] + 2
        for word in words[place]:
            worth[word] *= AGAIN
    return chosen


def _bonus(part: Part) -> float:
    text = part.text
    bonus = 1.0 + 0.5 * min(3, len(_TELLING.findall(text))) + 0.8 * bool(_EXACT.search(text))
    if text.endswith(("?", "？")):
        bonus *= 0.5
    if _EMPTY.match(text):
        bonus *= 0.3
    return bonus * (0.7 if _LEANING.match(text) else 1.0)
