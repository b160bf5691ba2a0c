"""How many tokens a language model will count in a text, without its tokeniser.

The estimate lies between 0.8 x the lower and 1.2 x the higher count of OpenAI's two public
encodings (o200k_base, cl100k_base) for ordinary text of any kind and script: prose, chat, code,
JSON, logs, tables, base64, addresses, emoji. It walks over the pieces that those encodings cut
before they merge bytes (a word with the blank before it, digits by three, a run of punctuation),
and knows for each kind of piece what it costs on average. The figures were fitted to counts of
both encodings, between the two where they differ (Chinese costs 0.72 and 1.15 a character).
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate, groupby

_MAX_KEPT_PIECE = 32  # characters; a longer piece seldom comes twice
_MAX_PIECES = 50_000  # pieces kept with their cost, about 6 MB

_PIECES = re.compile(
    r" ?[A-Za-z0-9\u00c0-\u024f\u1e00-\u1eff]+"  # a word or number, with the blank before it
    r"|[^\x00-\x7f]+"  # other scripts and symbols
    r"|[ \t]*[\r\n]+"  # line ends
    r"|[ \t]+(?![^ \t])|[ \t]+(?=[ \t])"  # an indent, less the blank that the next word takes
    r"|[ \t]?[!-/:-@\[-`{-~]+[\r\n]*"  # punctuation, with the line end that follows
    r"|[\x00-\x20\x7f]"
)
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\x00-\x7f]+")

_WORD = 8  # letters of a word that is one token
_WORD_MORE = 6  # further letters that make one token more
_CAPITALS = 5  # letters of a word of capitals that is one token
_CAPITALS_MORE = 3.5  # further ones that make one token more
_ACCENTED = 5  # letters a token in words with accents
_DIGITS = 3  # digits a token
_RANDOM = 0.64  # tokens a character of base64, hexadecimal and keys
_RANDOM_RUNS = 3.0  # fewer characters than this between changes of class: random, not words
_RANDOM_MIN = 6  # characters; shorter pieces are counted by their runs
_SECOND_SIGN = 0.15  # tokens for a second sign in a run of punctuation: pairs such as `":` are one
_MORE_SIGNS = 0.5  # tokens for each further sign
_SAME_SIGN = 40  # signs a token where one sign is repeated, as in a ruler
_BLANKS = 80  # blanks a token
_LINE_ENDS = 15  # line ends a token

# (first code point after the block, tokens a character), in order.
_BLOCKS = (
    (0x0250, 0.7),  # Latin-1 signs (letters are in words)
    (0x0370, 0.8),  # phonetic letters, combining marks
    (0x0400, 0.6),  # Greek
    (0x0530, 0.42),  # Cyrillic
    (0x0590, 0.9),  # Armenian
    (0x0600, 0.7),  # Hebrew
    (0x0780, 0.5),  # Arabic
    (0x0900, 1.2),  # smaller scripts
    (0x0E00, 0.6),  # Indic scripts
    (0x0E80, 0.65),  # Thai
    (0x1100, 1.1),  # Lao to Georgian
    (0x1200, 1.0),  # Jamo
    (0x2000, 1.2),  # smaller scripts
    (0x2070, 0.9),  # dashes, quotes, joiners
    (0x2500, 1.2),  # arrows, mathematics, technical signs
    (0x2580, 0.65),  # box drawing
    (0x2E80, 1.3),  # shapes, dingbats
    (0x3040, 0.85),  # radicals, Chinese punctuation
    (0x3100, 0.85),  # kana
    (0x3400, 1.3),  # bopomofo, enclosed characters
    (0x4E00, 2.9),  # rare characters
    (0xA000, 0.95),  # Chinese characters
    (0xAC00, 2.0),  # smaller scripts
    (0xD800, 0.8),  # Hangul
    (0xF900, 2.0),  # surrogates, private use
    (0xFE00, 2.0),  # compatibility characters
    (0xFE10, 0.9),  # variation selectors
    (0xFF00, 1.5),  # forms
    (0x10000, 1.0),  # full and half width
    (0x1F1E6, 2.5),  # old scripts, symbols
    (0x1F200, 1.4),  # flags
    (0x1F900, 2.1),  # emoji
    (0x20000, 2.2),  # newer emoji
    (0x110000, 3.6),  # rarest characters
)


class _Costs(dict[str, float]):
    """A cost by piece; what is missing is worked out, and kept if it is short."""

    def __missing__(self, piece: str) -> float:
        cost = _cost(piece)
        if len(piece) <= _MAX_KEPT_PIECE:
            if len(self) >= _MAX_PIECES:
                self.clear()
            self[piece] = cost
        return cost


class _CharCosts(dict[str, float]):
    """A cost by character that is not ASCII."""

    def __missing__(self, char: str) -> float:
        point = ord(char)
        cost = next(cost for end, cost in _BLOCKS if point < end)
        self[char] = cost
        return cost


_costs = _Costs()
_char_costs = _CharCosts()


def count_tokens(text: str) -> int:
    """An estimate of the tokens of a text: 0 for none, else at least 1. Takes any text; linear."""
    if not text:
        return 0
    return max(1, int(sum(map(_costs.__getitem__, _PIECES.findall(text))) + 0.5))


def prefix_counter(text: str) -> Callable[[int], int]:
    """A function that gives `count_tokens(text[:end])` for any end, without walking to it."""
    pieces = _PIECES.findall(text)
    ends = list(accumulate(map(len, pieces)))
    costs = list(accumulate(map(_costs.__getitem__, pieces)))

    def count(end: int) -> int:
        if end <= 0:
            return 0
        whole = max(0, bisect_left(ends, end) - 1)  # pieces that the end leaves as they are
        at, cost = (ends[whole - 1], costs[whole - 1]) if whole else (0, 0.0)
        cost = sum(map(_costs.__getitem__, _PIECES.findall(text[at:end])), cost)
        return max(1, int(cost + 0.5))

    return count


def _cost(piece: str) -> float:
    core = piece.lstrip(" \t")
    if not core or core[0] in "\r\n":
        return 1 + piece.count("\n") / _LINE_ENDS + piece.count(" ") / _BLANKS - 1 / _BLANKS
    if core.isascii() and not core[0].isalnum():
        return _sign_cost(core.rstrip("\r\n"))
    if core.isascii() or _is_latin(core):
        blank = 1 if core is not piece and core[0].isdigit() else 0  # no number takes a blank in
        return blank + _word_cost(core)
    return sum(map(_char_costs.__getitem__, core))


def _is_latin(core: str) -> bool:
    return all(c.isascii() or c < "\u0250" or "\u1e00" <= c <= "\u1eff" for c in core)


def _word_cost(core: str) -> float:
    runs = _RUNS.findall(core)
    length = len(core)
    if len(runs) > 2 and length >= _RANDOM_MIN and length / len(runs) < _RANDOM_RUNS:
        return length * _RANDOM
    if not core.isascii():
        return max(1.0, length / _ACCENTED + 0.2)
    return sum(map(_run_cost, runs))


def _run_cost(run: str) -> float:
    if run.isdigit():
        return -(-len(run) // _DIGITS)
    if run.isupper():
        return max(1.0, 1 + (len(run) - _CAPITALS) / _CAPITALS_MORE)
    return max(1.0, 1 + (len(run) - _WORD) / _WORD_MORE)


def _sign_cost(signs: str) -> float:
    lengths = [sum(1 for _ in group) for _, group in groupby(signs)]
    repeated = sum((n - 1) / _SAME_SIGN for n in lengths)
    further = _MORE_SIGNS * max(0, len(lengths) - 2)
    return 1 + repeated + further + (_SECOND_SIGN if len(lengths) > 1 else 0)
