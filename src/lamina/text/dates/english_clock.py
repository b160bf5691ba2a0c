"""What English says of times of day."""

from __future__ import annotations

import re

from lamina.text.dates.atoms import (
    AFTERNOON,
    EVENING,
    MORNING,
    Atom,
    Clock,
    Moment,
    Part,
    Rule,
)
from lamina.text.dates.days import Fixed, Unit, one
from lamina.text.dates.english_words import FLAGS, HOURS, MINUTES, MONTH_WORDS, UNIT

PARTS = {
    "morning": MORNING,
    "afternoon": AFTERNOON,
    "evening": EVENING,
    "night": EVENING,
}
_EARLY = {"morning": Part(5, 9), "afternoon": Part(12, 15), "evening": Part(17, 20)}
_LATE = {"morning": Part(9, 12), "afternoon": Part(15, 18), "night": Part(21, 28)}

_HOUR = rf"(?:\d{{1,2}}(?![\d:]|\.\d)|{'|'.join(sorted(HOURS, key=len, reverse=True))})\b"


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else HOURS[word.lower()]


def _oclock(match: re.Match[str], _moment: Moment) -> Atom | None:
    hour = _hour(match["h"])
    return Atom(*match.span(), clock=Clock(hour, sure=hour > 12)) if hour <= 24 else None


def _spoken(match: re.Match[str], moment: Moment) -> Atom | None:
    """Half past six, quarter to seven, ten past three."""
    hour, word = _hour(match["h"]), match["m"].lower()
    minutes = int(word) if word.isdigit() else MINUTES[word]
    if hour > 12 or not 0 < minutes < 60:
        return None
    to = match["way"].lower() in {"to", "till"}
    told = word == "quarter" or match["word"] or moment.before(match.start(), 3).lower() == "at "
    if to and not told:  # "ten to twelve people" is a range of numbers
        return None
    if to:
        hour, minutes = hour - 1 or 12, 60 - minutes
    half = match["half"]
    if half:
        hour = hour % 12 + 12 * (half[0] in "pP")
    return Atom(*match.span(), clock=Clock(hour, minutes, sure=bool(half), fine=True))


def _named(match: re.Match[str], _moment: Moment) -> Atom:
    hour = 24 if match[0].lower() == "midnight" else 12
    return Atom(*match.span(), clock=Clock(hour, sure=True))


def _part(match: re.Match[str], moment: Moment) -> Atom:
    name = match["part"].lower()
    table = {"early": _EARLY, "late": _LATE}.get((match["when"] or "").lower(), PARTS)
    part = table.get(name, PARTS[name])
    if (match["this"] or "").lower() == "this ":
        return Atom(*match.span(), Fixed((one(moment.today),), Unit.DAY), part=part)
    return Atom(*match.span(), part=part, weak=True)


def _clocks(match: re.Match[str], _moment: Moment) -> Atom | None:
    """From 5 to 7, if a day stands beside it."""
    first, last = _hour(match["h"]), _hour(match["h2"])
    if max(first, last) > 24 or first == last:
        return None
    clock, until = (Clock(hour, sure=hour > 12) for hour in (first, last))
    return Atom(*match.span(), clock=clock, until=until, weak=True)


def _weak(atom: Atom | None) -> Atom | None:
    return atom and Atom(atom.begin, atom.stop, clock=atom.clock, weak=True)


RULES = tuple(
    Rule(starts, rf"(?<![\w'$€£#:.])(?:{pattern})", build, FLAGS)
    for starts, pattern, build in (
        (
            ("half", "quarter", "a", "five", "ten", "twenty", "0"),
            (
                r"(?:a\s)?(?P<m>half|quarter|five|ten|twenty-five|twenty|\d{1,2})(?P<word>\sminutes)?"
                rf"\s(?P<way>past|to|till|after)\s(?P<h>{_HOUR})"
                r"(?:\s?(?P<half>am|pm|a\.m\.|p\.m\.)(?!\w)|\so'clock\b)?"
            ),
            _spoken,
        ),
        (("0", *HOURS), rf"(?P<h>{_HOUR})\so'?\s?clock\b", _oclock),
        (
            ("at", "around", "about"),
            (
                rf"(?:at|around|about)\s(?P<h>{_HOUR})"
                rf"(?![%/-]|\s?(?:am|pm|a\.m|p\.m|o'|past|to)\b|\s?{UNIT})"
            ),
            lambda match, moment: _weak(_oclock(match, moment)),
        ),
        (
            ("from", "between"),
            (
                rf"(?:from|between)\s(?P<h>{_HOUR})\s(?:to|until|till|and)\s(?P<h2>{_HOUR})"
                rf"(?![%/-]|\s?(?:am|pm|a\.m|p\.m|o'|of|{MONTH_WORDS})\b)"
            ),
            _clocks,
        ),
        (("noon", "midday", "midnight"), r"(?:noon|midday|midnight)\b", _named),
        (
            ("this", "in", "at", "early", "late", "mid", *PARTS),
            (
                r"(?P<this>this\s|in\sthe\s|at\s(?=night))?(?:(?P<when>early|late|mid)[\s-])?"
                r"(?P<part>morning|afternoon|evening|night)\b(?!-)"
            ),
            _part,
        ),
    )
)
