"""How two texts differ: a sign, an addition, or only in other words for the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from lamina.pipeline.alike import gist
from lamina.text.fold import fold
from lamina.text.words import words_and_chars

# A number with its sign, its currency, and the unit or the word that is counted.
_NUMBERS = re.compile(
    r"(?:(?<![^\W_])[-−])?[$€£¥]?(?<![\d.])\d+(?:[.,:/-]\d+)*\s?(?:[^\W\d_]{1,12}|[%°])?"
)
_DIGITS = re.compile(r"\d+")
_NAMES = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’+#-]*")
# What turns a statement round, bounds it, moves it in time, or puts it into another's mouth.
_TURNS = re.compile(
    r"\b(?:not?|never|none|nor|without|longer|stopped|quit|hates?|dislikes?|avoids?|except|unless"
    r"|only|if|until|hardly|rarely|seldom|barely|almost|nearly|maybe|perhaps|might|may|could"
    r"|would|should|will|was|were|had|did|used|going|plans?|planned|wants?|wanted|hopes?|hoped"
    r"|intends?|wish(?:es)?|tries|tried|cancell?ed|former(?:ly)?|ex|once|before|after|sa(?:ys|id)"
    r"|thinks?|thought|believes?|claims?|told|but|instead|left|right|over|under|above|below|more"
    r"|less|most|least|half|each|every|all|some|both)\b|n['’]t\b"
    r"|[不没非无未别勿曾想要若]|讨厌|拒绝|取消|戒|除了|前任|打算|计划|希望|可能|也许|大概|如果|只|以前|过去|说|认为"
    r"|觉得|据|但|却|直到|几乎|很少|左|右|前|后|多|少|每|全|半"
)
_UNITS = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:['’][^\W_]+)?")
_NEVER = frozenset({"not", "no", "never"})
_NOW = re.compile(r"(?<=\bno )longer\b|\b(?:any ?more|any longer|now|currently)\b", re.IGNORECASE)
_NOT_HAN = re.compile(r"再也不|已经不|不再|不会再|不|没")
_NOW_HAN = re.compile(r"现在|如今|目前|已经|再")
FIRST_WORDS, FIRST_HAN = 2, 3  # how both begin, where one only says more: with one subject
LONGEST_OTHER = 24  # characters of what is worded otherwise
SHARED = 0.5  # of their words, where two texts are one in other words

Sign = bool  # whether a statement says that something is not so
Worded = tuple[str, str]  # what two texts put each in its own words


def statement(text: str) -> tuple[tuple[str, ...], Sign]:
    """What is stated, and whether it is denied: "no longer eats fish" is "eat fish", denied."""
    words, turned = [], False
    for word in gist(_NOW.sub(" ", text)):
        if word >= "\u3400":
            plain, found = _NOT_HAN.subn("", _NOW_HAN.sub("", word))
            turned ^= found % 2 == 1
            words += [plain] if plain else []
        elif word in _NEVER:
            turned = not turned
        else:
            words.append(_bare(word))
    return tuple(words), turned


def _bare(word: str) -> str:
    """A verb without its third person, a noun without its plural: "eats" is "eat"."""
    if len(word) < 4 or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if re.search(r"(?:ch|sh|x|ss|z|o)es$", word):
        return word[:-2]
    return word.removesuffix("s")


def guards(text: str) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """What two texts must share to be one: numbers with their units, names, and turning words."""
    folded = fold(text)
    return (
        ["".join(number.split()) for number in _NUMBERS.findall(folded)],
        [name.casefold() for name in _NAMES.findall(text)],
        sorted(_TURNS.findall(folded)),
    )


def says_more(longer: str, shorter: str) -> bool:
    """Whether one text says all that the other says, of the same subject, and something beside."""
    few, many = _words(shorter), _words(longer)
    if not few or not few < many or _begin(longer) != _begin(shorter):
        return False
    if not _is_part(gist(shorter), gist(longer)):
        return False
    ours, theirs = guards(longer), guards(shorter)
    return (
        set(theirs[0]) <= set(ours[0]) and set(theirs[1]) <= set(ours[1]) and ours[2] == theirs[2]
    )


def adds(text: str, known: str) -> bool:
    """Whether a text holds a name or a number that another one does not."""
    said = set(_UNITS.findall(fold(known)))
    named = [*_NAMES.findall(text), *_DIGITS.findall(text)]
    return any(not set(_UNITS.findall(fold(name))) <= said for name in named)


def _words(text: str) -> frozenset[str]:
    return frozenset(words_and_chars(text)[0])


def _begin(text: str) -> Sequence[str]:
    """The subject of a text, and what begins to be said of it."""
    words = [word for word in _UNITS.findall(fold(text)) if word != "the"]
    is_han = bool(words) and words[0] >= "\u3400"
    return words[: FIRST_HAN if is_han else FIRST_WORDS]


def _is_part(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether all of a text stands in another one, in its order."""
    rest = iter([unit for word in many for unit in _apart(word)])
    return all(unit in rest for word in few for unit in _apart(word))


def _apart(word: str) -> Sequence[str]:
    return word if word >= "\u3400" else [word]


def worded(a: str, b: str) -> Worded | None:
    """What two texts put in other words, where all else in them is the same.

    None where they share too little, or differ in what tells two things apart: a number, a unit, a
    name, an order, a sign.
    """
    if guards(a) != guards(b) or statement(a)[1] != statement(b)[1]:
        return None
    first, second = _UNITS.findall(fold(a)), _UNITS.findall(fold(b))
    match = SequenceMatcher(None, first, second, autojunk=False)
    blocks = [one for one in match.get_opcodes() if one[0] != "equal"]
    mine = [unit for _, i, j, _, _ in blocks for unit in first[i:j]]
    theirs = [unit for _, _, _, i, j in blocks for unit in second[i:j]]
    if not mine or not theirs or set(mine) & set(theirs) or match.ratio() < SHARED:
        return None
    pair = _joined(mine), _joined(theirs)
    return pair if max(map(len, pair)) <= LONGEST_OTHER else None


def _joined(units: Collection[str]) -> str:
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", " ".join(units))
