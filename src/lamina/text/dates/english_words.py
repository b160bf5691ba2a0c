"""English words of time and what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable

FLAGS = re.ASCII | re.IGNORECASE

_FULL_MONTHS = (
    "january february march april may june july august september october november december"
).split()
MONTHS = {
    **{name: number for number, name in enumerate(_FULL_MONTHS, 1)},
    **{name[:3]: number for number, name in enumerate(_FULL_MONTHS, 1)},
    "sept": 9,
}
_FULL_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAYS = {
    **{name: number for number, name in enumerate(_FULL_WEEKDAYS)},
    **{name[:3]: number for number, name in enumerate(_FULL_WEEKDAYS)},
    "tues": 1,
    "weds": 2,
    "thur": 3,
    "thurs": 3,
}
SHIFTS = {
    "last": -1,
    "past": -1,
    "this past": -1,
    "previous": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "this coming": 1,
    "upcoming": 1,
}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
).split()
NUMBERS: dict[str, float] = {
    **{name: number for number, name in enumerate(_SMALL) if number},
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "a": 1,
    "an": 1,
    "couple": 2,
    "half": 0.5,
}
HOURS = {name: number for number, name in enumerate(_SMALL) if 1 <= number <= 12}
MINUTES = {"five": 5, "ten": 10, "twenty": 20, "twenty-five": 25, "quarter": 15, "half": 30}
_FIRST = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
ORDINALS = {
    **{name: number for number, name in enumerate(_FIRST, 1)},
    **{f"twenty-{name}": 20 + number for number, name in enumerate(_FIRST[:9], 1)},
    "thirtieth": 30,
    "thirty-first": 31,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


MONTH_WORDS = _any(MONTHS)
WEEKDAY_WORDS = _any(WEEKDAYS)
SHIFT_WORDS = _any(SHIFTS)
MONTH = rf"(?P<month>(?:{MONTH_WORDS})\b)"
WEEKDAY = rf"(?P<day>(?:{WEEKDAY_WORDS}))(?P<many>s)?\b"
SHIFT = rf"(?:(?P<shift>{SHIFT_WORDS})\s)?"
DAY_NUMBER = rf"(?:\d{{1,2}}(?!\d)|{_any(ORDINALS)})"
NUMBER = (
    r"(?:\d{1,4}(?:\.5)?|half\san?|(?:a\s)?couple(?:\sof)?|(?:a\s)?few|several"
    rf"|(?:{_any(NUMBERS)}))"
)
UNIT = (
    r"(?P<unit>(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weekends?|weeks?|wks?"
    r"|fortnights?|months?|quarters?|years?|yrs?|decades?)\b)"
)
STARTS = {
    "number": ("0", "half", "couple", "few", "several", *NUMBERS),
    "month": tuple(MONTHS),
    "weekday": tuple(WEEKDAYS),
    "shift": ("last", "past", "this", "previous", "next", "coming", "current", "upcoming"),
    "ordinal": ("0", *{name.partition("-")[0] for name in ORDINALS if name[0].isalpha()}),
}

_UNITS = {"sec": "second", "min": "minute", "hr": "hour", "wk": "week", "yr": "year"}


def number_of(words: str) -> float | None:
    """How many; None for "a few" and "several"."""
    words = words.lower()
    if words[0].isdigit():
        return float(words)
    if "couple" in words:
        return 2
    if words in {"few", "a few", "several"}:
        return None
    return NUMBERS[words.split()[0]]


def unit_of(word: str) -> str:
    """The unit's name in the singular."""
    word = word.lower().rstrip("s")
    return {**_UNITS, "night": "day"}.get(word, word)


def day_number(word: str) -> int:
    """A day of the month from its digits or its ordinal."""
    digits = word[:2] if word[:2].isdigit() else word[:1]
    return int(digits) if digits.isdigit() else ORDINALS[word.lower()]
