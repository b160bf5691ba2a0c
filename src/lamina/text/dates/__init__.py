"""Expressions of time in English and Chinese, resolved against a moment and a zone.

A text is looked through once for words that may begin an expression; the rules of that word are
tried there. What is found are atoms ("下周", "三点", "May", "2027"). Neighbours join to larger ones
("下周二下午三点", "May 2027"), two of them make a range ("3月5日到4月2日"), and what the words
leave open is decided by today, the sentence's tense and the zone. Numbers, names and verbs that
only look like dates count for nothing alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo

from lamina.text.dates import chinese_clock, chinese_rules, english_clock, english_rules, numeric
from lamina.text.dates.atoms import Atom, Moment, Rule, joined
from lamina.text.dates.resolve import Reading, readings, span
from lamina.text.dates.tense import Verbs
from lamina.text.fold import simplify

__all__ = ["Interval", "find_date", "find_dates"]

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SPELLING = _WIDE | dict.fromkeys((0x3000, 0xA0, 0x202F, 0x2009), 0x20) | {0x2019: 0x27}
_RANGE = re.compile(
    r"\s?(?:to|until|till|through|thru|up to|-|–|—|~|一?直?到|至)\s?(?:the )?",
    re.IGNORECASE,
)
_AND = re.compile(r"\sand\s(?:the\s)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:the\s)?$", re.IGNORECASE)
_LONGEST_TIE = 12


def _by_start() -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    tables = (numeric, chinese_rules, chinese_clock, english_rules, english_clock)
    for rule in (rule for table in tables for rule in table.RULES):
        for start in rule.starts:
            found.setdefault(start, []).append(rule)
    return found


_RULES = _by_start()
_SIGNS = "".join(start for start in _RULES if not start.isascii())
_TOKENS = re.compile(rf"[A-Za-z]+|\d+|[{_SIGNS}]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Interval:
    """A time that a text names: aware instants in UTC, half open.

    `words` are those it was read from; `at` is true where they name an instant: its `end` then
    only says how finely (a minute or an hour).
    """

    start: datetime
    end: datetime
    words: str
    at: bool = False


def find_dates(text: str, now: datetime, zone: ZoneInfo) -> list[Interval]:
    """All times that the text names, in its order; what cannot be resolved is left out.

    Of words with two honest readings ("03/05/2026", "two weeks ago") both are given, the better
    one first. `now` is aware; days are those of `zone`.
    """
    folded = simplify(text.translate(_SPELLING))
    now = now.astimezone(UTC)
    moment = Moment(folded, now, now.astimezone(zone).date(), zone, Verbs(folded))
    found = []
    for begin, stop, reading in _read(joined(list(_atoms(moment)), folded), moment):
        found.append(Interval(reading.start, reading.end, text[begin:stop], reading.at))
    return found


def find_date(text: str, now: datetime, zone: ZoneInfo) -> Interval | None:
    """The first time that the text names, or one inside it that says it more exactly."""
    best = None
    for each in find_dates(text, now, zone):
        inside = best and best.start <= each.start and each.end <= best.end
        if best is None or (inside and each.words != best.words):
            best = each
    return best


def _read(atoms: list[Atom], moment: Moment) -> Iterator[tuple[int, int, Reading]]:
    """Each expression or range with its readings; habits and what is too weak are left out."""
    place = 0
    while place < len(atoms):
        atom = atoms[place]
        last = atoms[place + 1] if place + 1 < len(atoms) else None
        place += 1
        found: list[Reading] = []
        if last and _is_range(atom, last, moment.text):
            habit = atom.habit or last.habit
            found = [] if habit else _resolved(atom, last, moment)
            place += habit or bool(found)
            yield from ((atom.begin, last.stop, reading) for reading in found)
            if habit:
                continue
        if not (found or atom.weak or atom.habit):
            found = _resolved(atom, None, moment)
            yield from ((atom.begin, atom.stop, reading) for reading in found)


def _resolved(first: Atom, last: Atom | None, moment: Moment) -> list[Reading]:
    try:
        return span(first, last, moment) if last else readings(first, moment)
    except (ValueError, OverflowError):  # beyond the calendar's first or last year
        return []


def _is_range(left: Atom, right: Atom, text: str) -> bool:
    if right.begin - left.stop > _LONGEST_TIE:
        return False
    if _RANGE.fullmatch(text, left.stop, right.begin):
        return True
    if text[left.stop : right.begin] == "/":  # 2026-03-05/2026-03-08
        return text[right.begin + 4 : right.begin + 5] == "-"
    tied = _AND.fullmatch(text, left.stop, right.begin)
    return bool(tied and _BETWEEN.search(text, max(0, left.begin - _LONGEST_TIE), left.begin))


def _atoms(moment: Moment) -> Iterator[Atom]:
    """The expressions that rules find, none over another, in the text's order."""
    stop = 0
    for token in _TOKENS.finditer(moment.text):
        word, begin = token[0], token.start()
        rules = _RULES.get("0" if "0" <= word[0] <= "9" else word.lower())
        if rules is None or begin < stop or _inside_word(moment.text, *token.span()):
            continue
        for rule in rules:
            match = _compiled(rule.pattern, rule.flags).match(moment.text, begin)
            atom = match and _built(rule, match, moment)
            if atom:
                stop = atom.stop
                yield atom
                break


@cache
def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _built(rule: Rule, match: re.Match[str], moment: Moment) -> Atom | None:
    try:
        return rule.build(match, moment)
    except (ValueError, OverflowError):  # no such day: the 31st of June, month 13
        return None


def _inside_word(text: str, begin: int, stop: int) -> bool:
    """Whether letters of other alphabets (é, я) make this a part of a longer word."""
    if text[begin] > "\x7f":
        return False
    around = text[max(0, begin - 1) : begin] + text[stop : stop + 1]
    return not around.isascii() and any(
        "\x7f" < char < "\u2e80" and char.isalpha() for char in around
    )
