"""Words of scripts that write blanks: plain words, and identifiers whole and in parts.

A *chunk* is what stands between two blanks (or between Chinese characters), after NFKC and before
case folding, since `parseRetryAfter` splits at its capitals. The tokens of a chunk:

    running,             run                      (stemmed)
    don't                a stop word
    parse_retry_after()  parse_retry_after pars retri         ("after" is a stop word)
    parseRetryAfter      parseretryaft pars retri
    scripts/ship.sh      scripts/ship.sh script ship.sh ship sh
    Wi-Fi                wi-fi wifi wi fi
    v1.3                 v1.3 1.3                 (never 1 or 3: a number is found whole)
    180ms                180ms 180 ms
    100%  c++  #tag      100% 100   c++ c   #tag tag
    café                 café cafe
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, Protocol

from lamina.text.fold import fold
from lamina.text.stopwords import ENGLISH

_MAX_WHOLE = 200  # characters; a longer identifier is found by its parts alone
_NO_SUFFIX = frozenset("abfhjkopquvwxz")  # no suffix that is cut off ends so: its own stem
_MAX_STEMS = 50_000  # distinct words kept with their stems, about 8 MB

# Marks that belong to the letter before them but are no word characters to `re`: accents, Hebrew
# and Arabic points, and the vowel signs of the scripts of India.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0859-\u085b\u08ca-\u08ff"
    "\u0900-\u0903\u093a-\u094f\u0955-\u0957\u0962\u0963\u0980-\u0dff\u135d-\u135f\u1ab0-\u1aff"
    "\u1dc0-\u1dff"
)
_JOINER = r"(?:://|::|->|__|[-._/\\:@'&=~#?%+]|(?<=\d),(?=\d\d\d))"
_SHAPE = r"([@#$€£¥]?)({w}+(?:{j}{w}+)*)(\+\+|[%#+])?"
_PLAIN_NAMES = re.compile(_SHAPE.format(w="[A-Za-z0-9]", j=_JOINER))
_NAMES = re.compile(_SHAPE.format(w=rf"(?:[^\W_]|[{_MARKS}])", j=_JOINER))

# What an identifier is split at, from outside in. ISO's T splits a date from its time.
_LEVELS = (
    re.compile(r"://|::|->|[/\\:@&=~#?%]|(?<=\d)T(?=\d\d:)"),
    re.compile(r"[-_+]+"),
    re.compile(r"\."),
)
_NUMBER = re.compile(r"[vV]?(\d+(?:[.,]\d+)+[A-Za-z]{0,5}\d{0,3})")
_INITIALS = re.compile(r"[A-Za-z](?:\.[A-Za-z])+")
_HYPHENED = re.compile(r"([A-Za-z]+)-([A-Za-z]+)")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS_DIGITS = re.compile(r"(\d+)([a-z]{2,})|([a-z]{2,})(\d+)")
# Pronouns in lower case, something else in capitals.
_CAPITALS = frozenset({"IT", "US", "WHO"})


class Parsed(NamedTuple):
    """The tokens of a chunk: those that carry meaning, and the stop words among its words."""

    words: tuple[str, ...]
    stops: tuple[str, ...]


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the package's own spelling


def parse(chunk: str) -> Parsed:
    """The tokens of one chunk (NFKC, case as written), with repetitions, in order. Linear."""
    words: list[str] = []
    stops: list[str] = []
    chunk = chunk.replace("\u2019", "'")
    names = _PLAIN_NAMES if chunk.isascii() else _NAMES
    for before, name, after in names.findall(chunk):
        if before or after:
            _whole(before + name + after, words)
        scheme, mark, rest = name.partition("://")
        if mark:
            _word(scheme, words, stops)
            name = rest  # noqa: PLW2901 - an address is the same with and without its scheme
        _split(name, 0, words, stops)
    return Parsed(tuple(words), tuple(stops))


def _split(name: str, level: int, words: list[str], stops: list[str]) -> None:
    """A name's whole, then its parts, outer joiners first."""
    if name.isalnum():
        _word(name, words, stops)
        return
    for depth in range(level, len(_LEVELS)):
        if depth == len(_LEVELS) - 1 and _numeric(name, words):
            return
        parts = _LEVELS[depth].split(name)
        if len(parts) > 1:
            _whole(name, words)
            pair = _HYPHENED.fullmatch(name)
            if pair:
                words.append(stem((pair[1] + pair[2]).lower()))
            for part in parts:
                _split(part, depth + 1, words, stops)
            return
    _word(name, words, stops)


def _numeric(name: str, words: list[str]) -> bool:
    """Dotted numbers and versions stay whole; initials are joined (U.S. is us)."""
    number = _NUMBER.fullmatch(name)
    if number:
        plain = name.replace(",", "").lower()
        words.append(plain)
        if plain[0] == "v":
            words.append(plain[1:])
        return True
    if _INITIALS.fullmatch(name):
        words.append(name.replace(".", "").lower())
        return True
    return False


def _whole(name: str, words: list[str]) -> None:
    if len(name) <= _MAX_WHOLE:
        words.append(fold(name))


def _word(word: str, words: list[str], stops: list[str]) -> None:
    """One run of letters and digits, perhaps with inner apostrophes."""
    if not word:
        return
    folded = word.lower() if word.isascii() else fold(word)
    if folded in ENGLISH and word not in _CAPITALS:
        stops.append(folded)
    elif word.isalpha() and word.isascii():
        words.append(stem(folded))
        if not (word.islower() or word[1:].islower() or word.isupper()):
            _camel(word, words, stops)
    elif not folded.isascii():
        words.append(folded)
        bare = _without_accents(folded)
        if bare.isascii():
            _word(bare, words, stops)
    else:
        _mixed(word, folded, words, stops)


def _mixed(word: str, folded: str, words: list[str], stops: list[str]) -> None:
    """Letters with digits or an apostrophe."""
    if "'" in folded:
        words.append(stem(folded))
        return
    words.append(folded)
    if folded.isdigit():
        return
    pair = _LETTERS_DIGITS.fullmatch(folded)
    if pair:
        words.extend(stem(part) for part in pair.groups() if part)
    elif not (word.islower() or word.isupper()):
        _camel(word, words, stops)


def _camel(word: str, words: list[str], stops: list[str]) -> None:
    parts = _CAMEL.findall(word)
    for part in parts if len(parts) > 1 else ():
        folded = part.lower()
        if folded in ENGLISH:
            stops.append(folded)
        elif len(part) > 1 or part.isdigit():
            words.append(stem(folded))


def _without_accents(folded: str) -> str:
    if len(folded) > _MAX_WHOLE:
        return folded
    return "".join(c for c in unicodedata.normalize("NFD", folded) if not "\u0300" <= c <= "\u036f")


def stem(word: str) -> str:
    """Snowball's English stem of a folded word, kept for next time."""
    found = _stems.get(word)
    if found is None:
        if len(word) > _MAX_WHOLE:
            return word
        if len(_stems) >= _MAX_STEMS:
            _stems.clear()
        plain = word[-1:] in _NO_SUFFIX and "'" not in word
        found = _stems[word] = word if plain else _stemmer().stemWord(word)
    return found


_stems: dict[str, str] = {}


@cache
def _stemmer() -> _Stemmer:
    # The class itself, not snowballstemmer.stemmer(): that one would silently use another
    # package's build of another version where one is installed, and an index must not depend
    # on what else is installed. Imported here since 30 languages come with it.
    from snowballstemmer.english_stemmer import EnglishStemmer  # noqa: PLC0415 - heavy

    stemmer: _Stemmer = EnglishStemmer()
    return stemmer


def in_order(items: Iterator[str]) -> list[str]:
    """Each item once, where it first came."""
    return list(dict.fromkeys(items))
