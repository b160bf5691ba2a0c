"""Whether what a claim says stands in the words that it quotes.

It is a check of words, and a strict one: a claim must use the words of its quotes. Its numbers and
names must all be there, in each of its parts most of the other words, and it may not deny what they
say or say what they deny. Words that only name what kind of fact it is ("the user's job is") are
free. A date may stand for relative words of the quote that mean it. What is said in other words
altogether is not seen, and counts as unsupported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lamina.text.dates import Interval, find_dates
from lamina.text.fold import fold, nfkc, simplify
from lamina.text.words import index_words, plain_words

SHARE = 0.6  # of the words of a part of a claim must be in its quotes
SHORTEST = 2  # letters and digits of a quote's part; one alone is found anywhere

_GAP = re.compile(r"\s*(?:\.{3,}|…+|\[…\]|\[\.\.\.\])\s*")
_CLAUSES = re.compile(
    r"[,，;；。!！?？:：\n]|\.(?=\s|$)|但是?|不过|可是"
    r"|\bbut\b|\bhowever\b",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"[、/&()（）]|和|以及|或者?|并且?"
    r"|\band\b|\bor\b|\bwith\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[。！？!?\n]+[”’」』）)\"']*|\.(?=\s)")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FIGURES = re.compile("[0-9月日号號]")
_NAME = re.compile(r"(?<![\w.])[A-Z][\w'’+#-]*")

_FRAME = """
    user users user's person people speaker someone name names named call called calls nickname
    live lives living lived reside resides residence base based locate located home address city
    work works working worked job occupation profession role position employ employed employer
    career title study studies studying prefer prefers preference preferences like likes liking
    love loves enjoy enjoys favorite favourite interest interested interests hobby hobbies fond
    dislike dislikes hate hates avoid avoids want wants wish wishes wanted need needs plan plans
    planned planning intend intends go goes going schedule scheduled arrange arranged decide decided
    decides decision choose chose chosen choice select selected use uses used using own owns have
    has had keep keeps get gets say says said mention mentions mentioned state states stated tell
    told ask asked asks report reported current currently now date time birthday birth born age aged
    old year years speak speaks language family member relationship status called identify
    identifies team project company conversation remember known longer
    用户 该用户 对方 本人 名字 姓名 名叫 名为 叫 叫做 称呼 称 称为 希望 被 名 姓 住 住在 居住
    居住地 现居 常住 位于 家 家住 家里 工作 职业 职位 职务 岗位 身份 从事 任职 担任 就职 上班 就读
    偏好 喜欢 喜爱 爱 最爱 热爱 爱好 兴趣 感兴趣 偏爱 习惯 不喜欢 讨厌 反感 不爱 避免 想 想要 要求
    打算 计划 准备 安排 决定 选择 选用 选定 采用 使用 用 目前 现在 当前 如今 拥有 养 养了 养有 说
    提到 表示 说过 提及 认为 觉得 询问 告知 时间 日期 生日 出生 年龄 岁 会说 语言 家人 家庭 成员
    关系 项目 团队 公司 已 将 将于 于 进行 去 有 做 成为 以 日 号 月 年
"""
_DISLIKES = re.compile(
    r"讨厌|反感|厌恶|受不了|忌口|过敏|拒绝|戒"
    r"|\b(?:dislik|hat(?:e|es|ed)\b|avoid|allerg|detest|intoleran|refus|quit)"
    r"|\bcan(?:'?t|not) stand\b",
    re.IGNORECASE,
)
_LIKES = re.compile(
    r"喜欢|喜爱|偏爱|偏好|最爱|热爱|爱(?=[吃喝看听玩])|感兴趣"
    r"|\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|prefer\w*|enjoy\w*|favou?rite)\b"
    r"|\b(?:fond of|keen on)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"不再|不|没有?|别|无法|从未|并非|未(?=[婚曾能必])"
    r"|\b(?:not|never|no|without|cannot)\b|n't\b|\b(?:dont|doesnt|didnt|cant|wont)\b",
    re.IGNORECASE,
)
_NO_NOT = re.compile(
    r"不但|不仅|不只|不过|不错|不同|不久|不少|不断|不得不|不客气|忍不住|差不多|要不"
    r"|没问题|没想到|别的|别人|特别|区别"
    r"|(?:别|不要|不能)忘"
    r"|\b(?:not only|not just|no problem|no doubt)\b"
    r"|\b(?:don't|do not) forget\b|\bcan(?:'t|not) wait\b",
    re.IGNORECASE,
)
_NUMERALS = dict(
    zip("零一二两三四五六七八九十", (0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True)
)
_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a message, and when and in which zone they were said."""

    text: str
    at: datetime
    zone: str = "UTC"


def bare(text: str) -> tuple[str, list[int]]:
    """Letters and digits alone, folded and without accents; and where each of them stands."""
    letters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        folded = char.lower() if char.isascii() else unicodedata.normalize("NFKD", fold(char))
        for letter in folded:
            if letter.isalnum():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def found_quote(quote: str, text: str) -> str:
    """The stretch of a text that a quote copies, in the text's own spelling; "" where none is.

    Case, width, script variant, blanks and punctuation may differ. A quote may leave out words
    where it shows that by dots.
    """
    parts = [part for part, _ in map(bare, _GAP.split(quote)) if part]
    if not parts or min(map(len, parts)) < SHORTEST:
        return ""
    letters, places = bare(text)
    start = end = -1
    for part in parts:
        found = letters.find(part, max(end, 0))
        if found < 0:
            return ""
        start = found if start < 0 else start
        end = found + len(part)
    stop = places[end - 1] + 1
    while stop < len(text) and unicodedata.combining(text[stop]):
        stop += 1
    return text[places[start] : stop]


def sentence(quote: str, text: str) -> str:
    """The whole sentence, or sentences, of the text that this stretch of it stands in."""
    start = text.find(quote)
    borders = [border.end() for border in _SENTENCES.finditer(text)]
    before = [border for border in borders if border <= start]
    behind = [border for border in borders if border >= start + len(quote)]
    return text[max(before, default=0) : min(behind, default=len(text))].strip()


def touches(claim: str, quotes: Sequence[Quote]) -> bool:
    """Whether the quotes hold any of the claim's key words."""
    claim, said = _spelt(claim), _spelt("\n".join(quote.text for quote in quotes))
    known = _Known(frozenset(index_words(said)), bare(said)[0])
    return any(map(known.word, _value_words(claim))) or bool(_numbers(claim) & _numbers(said))


def supported(claim: str, quotes: Sequence[Quote], *, share: float = SHARE) -> bool:
    """Whether the quotes hold the claim's key words, and its sense as far as words tell it.

    `share` is how many of the words of each part must be there.
    """
    undated = _undated(claim, quotes)
    claim, dated = _spelt(undated), undated != claim
    said = _spelt("\n".join(quote.text for quote in quotes))
    if not _numbers(claim) <= _numbers(said) | _numerals(said):
        return False
    known = _Known(frozenset(index_words(said)), bare(said)[0])
    clauses = [clause for clause in _CLAUSES.split(said) if clause.strip()]
    asked = dated or bool(_numbers(claim))
    for clause in _CLAUSES.split(claim):
        if not all(known.name(name) for name in _names(clause)):
            return False
        words = [word for part in _PARTS.split(clause) for word in _value_words(part)]
        for part in _PARTS.split(clause):
            values = _value_words(part)
            if sum(map(known.word, values)) < share * len(values):
                return False
        if words and not _agrees(clause, words, clauses):
            return False
        asked = asked or bool(words)
    letters = bare(claim)[0]
    return asked or (bool(letters) and letters in known.letters)


def _spelt(text: str) -> str:
    return simplify(nfkc(text)).replace("’", "'")


@dataclass(frozen=True, slots=True)
class _Known:
    """What the quotes hold: their words, and their letters without blanks."""

    words: frozenset[str]
    letters: str

    def word(self, word: str) -> bool:
        plain = bare(word)[0]
        return word in self.words or (not plain.isascii() and plain in self.letters)

    def name(self, name: str) -> bool:
        return all(map(self.word, plain_words(name))) or bare(name)[0] in self.letters


@cache
def _frame() -> frozenset[str]:
    return frozenset(_FRAME.split()) | frozenset(plain_words(_FRAME))


def _value_words(text: str) -> list[str]:
    """The words of a text that say something of their own; numbers are looked at elsewhere."""
    words = plain_words(text)
    return [word for word in words if word not in _frame() and not _NUMBER.fullmatch(word)]


def _names(clause: str) -> list[str]:
    """Words that a capital marks as names: not the first word, which always has one."""
    found = [match[0] for match in _NAME.finditer(clause) if clause[: match.start()].strip()]
    return [name for name in found if name.lower() not in _frame()]


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _numerals(text: str) -> set[str]:
    """Small numbers that are written as words."""
    found = {str(_NUMERALS[char]) for char in text if char in _NUMERALS}
    words = set(re.findall("[a-z]+", text.lower()))
    return found | {str(number) for number, word in enumerate(_ENGLISH) if word in words}


def _agrees(clause: str, words: Sequence[str], clauses: Sequence[str]) -> bool:
    """Whether a clause that speaks of the same affirms or denies it alike."""
    sense = _sense(clause)
    about = [other for other in clauses if any(bare(word)[0] in bare(other)[0] for word in words)]
    return not about or any(_compatible(sense, _sense(other)) for other in about)


def _compatible(claimed: int, said: int) -> bool:
    """Likes may be read from what is merely affirmed; nothing turns from yes to no or back."""
    return (claimed < 0) == (said < 0)


def _sense(clause: str) -> int:
    """-1 where it denies or dislikes, 1 where it likes, 0 where it states."""
    clause = _NO_NOT.sub("", clause)
    denied = bool(_NOT.search(clause))
    if _DISLIKES.search(clause):
        return 1 if denied else -1
    if denied:
        return -1
    return 1 if _LIKES.search(clause) else 0


def _undated(claim: str, quotes: Sequence[Quote]) -> str:
    """The claim without the dates in figures that its quotes mean, or were said on."""
    for quote in quotes:
        zone = _zone(quote.zone)
        meant = find_dates(quote.text, quote.at, zone)
        for date in find_dates(claim, quote.at, zone):
            if _FIGURES.search(date.words) and (
                _said_on(date, quote.at) or any(_means(date, each) for each in meant)
            ):
                claim = claim.replace(date.words, " ", 1)
    return claim


def _said_on(date: Interval, at: datetime) -> bool:
    return date.start <= at < date.end <= date.start + _DAY


def _means(date: Interval, said: Interval) -> bool:
    """Whether a date says no more than the words that it was worked out from."""
    within = date.start <= said.start < date.end
    return within and (said.at or said.end <= date.end)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
