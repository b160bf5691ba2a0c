"""The tokeniser of the word index: what a text is found by, and what a question looks for.

Both sides give tokens of one space, as plain strings:

- Chinese: the words that rjieba cuts in search mode, and every pair of neighbouring characters,
  so that a short query hits whatever the cut was. A word of two characters is such a pair and is
  emitted once. A question's stop words break it up: pairs that overlap one are not looked for.
- Single characters, marked with `CHAR`, are for a field of their own that counts for nothing in
  lengths; a question looks for one only where a run of characters asks for nothing else: in 茶, in
  茶呢, not in 喜欢喝什么茶 (there it would bring in every text with 喜 or 喝 in other words).
- Other scripts with blanks: `lamina.text.latin`. Kana, Hangul, and scripts without blanks: pairs
  of neighbouring characters, and short runs whole. Emoji: one token each, without its variants.

Traditional and simplified, full and half width, upper and lower case are the same.
"""

import re
from collections.abc import Iterator
from functools import cache
from operator import add
from typing import Protocol

from lamina.text.fold import nfkc, simplify
from lamina.text.latin import Parsed, in_order, parse
from lamina.text.stopwords import CHINESE

CHAR = ":"
"""What a single-character token begins with. No other token begins so."""

_MAX_CHUNKS = 65_536  # chunks kept with their tokens, about 20 MB
_MAX_KEPT = 40  # characters of a chunk that is kept; longer ones seldom come twice
_SHORT_RUN = 4  # a run of kana, Hangul or Thai that is a token as a whole too

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
# Kana, bopomofo and Hangul; Thai, Lao, Tibetan, Burmese, Khmer.
_PAIRED = (
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
    "\u0e01-\u0e4e\u0e50-\u0ecf\u0f00\u0f18\u0f19\u0f20-\u0fbc\u1000-\u109f\u1780-\u17d3"
)
_EMOJI = (
    "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_FLAG = "\U0001f1e6-\U0001f1ff"
_TONE = "\U0001f3fb-\U0001f3ff"
_PIECES = re.compile(
    f"([{_HAN}]+)|([{_PAIRED}]+)|([{_EMOJI}]|[{_FLAG}]{{2}})"
    rf"|([^\s{_HAN}{_PAIRED}{_EMOJI}{_FLAG}{_TONE}\ufe0f\u200d]+)"
)
_HAN_RUN = re.compile(f"[{_HAN}]+")


class _Cutter(Protocol):
    def cut(self, text: str) -> list[str]: ...
    def cut_for_search(self, text: str) -> list[str]: ...


@cache
def _cutter() -> _Cutter:
    # An instance of our own: words that another library adds to the shared one would change cuts.
    import rjieba  # noqa: PLC0415 - loads a dictionary, 140 ms

    cutter: _Cutter = rjieba.Jieba()
    return cutter


def index_words(text: str) -> list[str]:
    """The tokens of a text to be indexed, with repetitions, in order. Takes any text.

    Stop words are left out, unless the text holds nothing else.
    """
    return words_and_chars(text)[0]


def words_and_chars(text: str) -> tuple[list[str], list[str]]:
    """What `index_words` gives, and the single Chinese characters as `CHAR` tokens, in order."""
    out: list[str] = []
    runs: list[str] = []
    if text.isascii():
        for chunk in text.split():
            found = _chunks.get(chunk)
            out += _learn(chunk) if found is None else found
    else:
        for han, paired, emoji, chunk in _PIECES.findall(simplify(nfkc(text))):
            if han:
                runs.append(han)
                out += _han_words(han)
            elif chunk:
                found = _chunks.get(chunk)
                out += _learn(chunk) if found is None else found
            else:
                out += _pairs(paired) if paired else (emoji,)
    words = out or [token for _, stops in _asked(text) for token in stops]
    return words, [CHAR + char for char in "".join(runs)]


_chunks: dict[str, tuple[str, ...]] = {}


def _learn(chunk: str) -> tuple[str, ...]:
    words = parse(chunk).words
    if len(chunk) <= _MAX_KEPT:
        if len(_chunks) >= _MAX_CHUNKS:
            _chunks.clear()
        _chunks[chunk] = words
    return words


def _han_words(run: str) -> list[str]:
    """Every pair, and the cutter's words of another length. A word of two characters is a pair."""
    if len(run) == 1:
        return [] if run in CHINESE else [run]
    cut = _cutter().cut_for_search(run)
    out = [word for word in cut if len(word) != 2 and word not in CHINESE]
    out += map(add, run, run[1:])
    return out


def _pairs(run: str) -> list[str]:
    pairs = list(map(add, run, run[1:]))
    return [*pairs, run] if len(run) <= _SHORT_RUN and len(run) != 2 else pairs


def query_words(text: str) -> list[str]:
    """The tokens that a question looks for, each once, in order.

    Stop words are left out, and pairs of characters that overlap one; where nothing else is
    left, they stay.
    """
    asked = list(_asked(text))
    words = in_order(token for content, _ in asked for token in content)
    return words or in_order(token for _, stops in asked for token in stops)


def _asked(text: str) -> Iterator[Parsed]:
    """Each piece of a question: its tokens, and those of its stop words."""
    for han, paired, emoji, chunk in _PIECES.findall(simplify(nfkc(text))):
        if han:
            yield _asked_han(han)
        elif chunk:
            yield parse(chunk)
        elif len(paired) == 1:  # a lone kana is a particle
            yield Parsed((), (paired,))
        else:
            yield Parsed(tuple(_pairs(paired)) if paired else (emoji,), ())


def plain_words(text: str) -> list[str]:
    """What a text says, word by word in order: no stop words, no pairs across words."""
    out: list[str] = []
    for han, paired, emoji, chunk in _PIECES.findall(simplify(nfkc(text))):
        if han:
            out += [word for word in _cutter().cut(han) if word not in CHINESE]
        elif chunk:
            out += parse(chunk).words
        else:
            out += _pairs(paired) if paired else (emoji,)
    return out


def _asked_han(run: str) -> Parsed:
    """Stop words break a run into stretches; a stretch gives its words and its pairs."""
    words: list[str] = []
    stretch: list[str] = []
    for word in [*_cutter().cut(run), ""]:
        if word and word not in CHINESE:
            stretch.append(word)
        elif stretch:
            words += _stretch_words(stretch)
            stretch = []
    if len(words) == 1 and len(words[0]) == 1:  # all that the run asks for
        words.append(CHAR + words[0])
    return Parsed(tuple(words), () if words else tuple(_stop_words(run)))


def _stretch_words(stretch: list[str]) -> list[str]:
    text = "".join(stretch)
    out = [word for word in stretch if len(word) != 2]
    for word in stretch:
        if len(word) > 3:
            out += [part for part in _cutter().cut_for_search(word) if len(part) == 3]
    return out + list(map(add, text, text[1:]))


def _stop_words(run: str) -> list[str]:
    if len(run) == 1:
        return [run, CHAR + run]
    return [*map(add, run, run[1:])]


def has_han(text: str) -> bool:
    """Whether a text holds a Chinese character."""
    return not text.isascii() and bool(_HAN_RUN.search(text))
