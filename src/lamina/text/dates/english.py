"""What English says of days, weeks, months and years."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

from lamina.text.dates.atoms import EVENING, MORNING, Atom, Moment
from lamina.text.dates.days import (
    Cycle,
    Days,
    Fixed,
    Tense,
    Unit,
    around,
    dates,
    day_of_month,
    edge,
    fixed,
    months,
    occurrences,
    one,
    quarter,
    season,
    shifted,
    weekday,
    weekend,
    weekends,
)
from lamina.text.dates.english_words import (
    FLAGS,
    MONTHS,
    ORDINALS,
    SHIFTS,
    WEEKDAYS,
    day_number,
    number_of,
    unit_of,
)
from lamina.text.dates.relative import SECONDS, away, few, run

_UNITS = {
    "week": Unit.WEEK,
    "month": Unit.MONTH,
    "quarter": Unit.QUARTER,
    "year": Unit.YEAR,
}
SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
# Month names that are mostly something else in small letters, or somebody's name in capitals.
_VERBS = {"may", "march", "mar"}
_NAMES = {"april", "june", "may", "march", "jan", "august"}


def day_word(match: re.Match[str], moment: Moment) -> Atom:
    """Yesterday, today, the day after tomorrow."""
    word = match[0].lower()
    shift = -1 if "yesterday" in word else 0 if word == "today" else 1
    if "before" in word or "after" in word:
        shift *= 2
    return Atom(*match.span(), Fixed((one(moment.today + timedelta(days=shift)),), Unit.DAY))


def tonight(match: re.Match[str], moment: Moment) -> Atom:
    """This evening."""
    return Atom(*match.span(), Fixed((one(moment.today),), Unit.DAY), part=EVENING)


def last_night(match: re.Match[str], moment: Moment) -> Atom:
    """Last night, the night before last."""
    back = 2 if "before" in match[0].lower() else 1
    day = one(moment.today - timedelta(days=back))
    part = MORNING if "morning" in match[0].lower() else EVENING
    return Atom(*match.span(), Fixed((day,), Unit.DAY), part=part)


def a_unit(match: re.Match[str], moment: Moment) -> Atom:
    """Last week, this month, next weekend."""
    shift, name = SHIFTS[match["shift"].lower()], match["unit"].lower()
    if name == "weekend":
        readings = shifted(weekends(), moment.today, shift=shift)
        return Atom(*match.span(), Fixed(readings, Unit.OTHER))
    return Atom(*match.span(), fixed(around(moment.today, _UNITS[name], shift), _UNITS[name]))


def twice(match: re.Match[str], moment: Moment) -> Atom:
    """The week before last, the year after next."""
    shift = -2 if "last" in match[0].lower() else 2
    name = match["unit"].lower()
    if name == "weekend":
        days = weekend(around(moment.today, Unit.WEEK, shift))
        return Atom(*match.span(), fixed(days))
    return Atom(*match.span(), fixed(around(moment.today, _UNITS[name], shift), _UNITS[name]))


def a_weekend(match: re.Match[str], moment: Moment) -> Atom | None:
    """The weekend, in the sentence's tense."""
    if moment.verbs.habit(*match.span()):
        return None
    tense = moment.verbs.tense(*match.span())
    held = weekend(around(moment.today, Unit.WEEK))
    if tense is Tense.PAST and moment.today < held.start:
        held = weekend(around(moment.today, Unit.WEEK, -1))
    return Atom(*match.span(), fixed(held))


def some_away(match: re.Match[str], moment: Moment) -> Atom | None:
    """Three days ago, a week ago yesterday, two weeks from tomorrow, in three days."""
    unit = unit_of(match["unit"])
    behind = (match["way"] or "").lower()
    there = {"tomorrow": 1, "yesterday": -1}.get(behind.split()[-1] if behind else "", 0)
    moment = replace(moment, today=moment.today + timedelta(days=there))
    sign = -1 if behind.split()[:1] in (["ago"], ["back"], ["earlier"], ["before"]) else 1
    if not behind:  # "in two days" is a time only for what is to come, else how long it took
        small = match["n"].lower() in {"a", "an", "one", "no"} and unit in {"second", "minute"}
        if small or moment.verbs.tense(*match.span()) is Tense.PAST:
            return None
    count = number_of(match["n"])
    if count is None:
        return few(match, moment, unit=unit, sign=sign)
    if match["half"] or match["half2"]:
        count += 0.5
    if unit == "fortnight":
        unit, count = "week", 2 * count
    if unit == "decade":
        unit, count = "year", 10 * count
    return away(match, moment, count=sign * count, unit=unit)


def some_run(match: re.Match[str], moment: Moment) -> Atom | None:
    """The last three days, the next few weeks, within two months."""
    sign = -1 if match["way"].lower() in {"last", "past", "previous"} else 1
    count = number_of(match["n"]) if match["n"] else 1
    unit = unit_of(match["unit"])
    if count is None:
        if unit in SECONDS:
            return None
        count = 3 if unit == "day" else 4
    if unit in {"fortnight", "decade", "weekend"}:
        unit, count = {
            "fortnight": ("week", 2 * count),
            "decade": ("year", 10 * count),
            "weekend": ("week", count),
        }[unit]
    return run(match, moment, count=sign * count, unit=unit)


def _shift(match: re.Match[str], moment: Moment, cycle: Cycle) -> Fixed | Cycle:
    if not match["shift"]:
        return cycle
    word = match["shift"].lower()
    readings = shifted(cycle, moment.today, shift=SHIFTS[word])
    if "coming" in word:  # unlike "next" it leaves no doubt
        readings = (min(readings),)
    return Fixed(readings, cycle.unit)


def some_back(match: re.Match[str], moment: Moment) -> Atom | None:
    """Two summers ago, three Fridays ago."""
    count, name = number_of(match["n"]), match["name"].lower()
    cycle = season(SEASONS[name]) if name in SEASONS else weekday(WEEKDAYS[name])
    known = occurrences(cycle, moment.today)
    found = [days for days in known if days.end <= moment.today]
    if not count or count % 1 or count > len(found):
        return None
    return Atom(*match.span(), fixed(found[-int(count)], cycle.unit))


_STRONG = re.compile(r"\b(?:in|during)\s(?:early\s|late\s|mid[\s-])?$", re.IGNORECASE)
_LOOSE = re.compile(
    r"\b(?:since|until|till|by|before|after|around|through|from|to|between|of|and|for)\s$",
    re.IGNORECASE,
)


def a_month(match: re.Match[str], moment: Moment) -> Atom | None:
    """A month alone: "may" and "June" need a word before them that wants a month."""
    word = match["month"]
    lower = word.lower().rstrip(".")
    before, after = moment.before(match.start()), moment.text[match.end() :][:24]
    capital = word[0].isupper()
    full = len(lower) > 4 and lower not in _NAMES
    when = _shift(match, moment, months(MONTHS[lower]))
    if not capital and lower in _VERBS and not _STRONG.search(before):
        return None
    if _POSSESSIVE.match(after) and lower in _NAMES and not match["shift"]:
        return None
    if match["shift"] or _STRONG.search(before):
        return Atom(*match.span(), when)
    named = re.match(r"\s[A-Z][a-z]", after) is not None
    if lower in _NAMES or not full:
        loose = re.search(r"\b(?:since|until|till|by)\s$", before, re.IGNORECASE)
        sure = capital and loose and not named
        return Atom(*match.span(), when, weak=not sure) if capital else None
    if not capital and not _LOOSE.search(before):
        return Atom(*match.span(), when, weak=True)
    return Atom(*match.span(), when)


_POSSESSIVE = re.compile(r"'s\b")
_ON = re.compile(
    r"\b(?:on|by|since|until|till|before|after|from|to|between|and|of|due|last|next|this|the"
    r"|around|through|for)\s$|[,(]\s?$",
    re.IGNORECASE,
)


def month_first(match: re.Match[str], moment: Moment) -> Atom | None:
    """March 5, May 8th, March 5-8."""
    word = match["month"].lower().rstrip(".")
    named = match["month"][0].isupper() or match["suffix"] or match["the"]
    if word in _VERBS and not (named or _ON.search(moment.before(match.start()))):
        return None
    first, last = day_number(match["d"]), match["d2"] and day_number(match["d2"])
    cycle = dates(MONTHS[word], first, last or None)
    return Atom(*match.span(), _shift(match, moment, cycle))


def day_first(match: re.Match[str], moment: Moment) -> Atom | None:
    """5 March, the fifth of March, 5-8 March."""
    word = match["month"].lower().rstrip(".")
    if word in _VERBS and match["month"][0].islower() and not match["of"]:
        return None
    before = moment.before(match.start()).lower()
    if (match["tie"] or "").lower() == "and" and not before.endswith(("between ", "between the ")):
        return None
    last = day_number(match["d2"]) if match["d2"] else None
    return Atom(*match.span(), dates(MONTHS[word], day_number(match["d"]), last))


def day_alone(match: re.Match[str], _moment: Moment) -> Atom:
    """On the 15th, from the 3rd to the 5th."""
    last = day_number(match["d2"]) if match["d2"] else None
    return Atom(*match.span(), day_of_month(day_number(match["d"]), last))


def a_weekday(match: re.Match[str], moment: Moment) -> Atom | None:
    """Friday, last Friday; abbreviations need a word or a time beside them."""
    word = match["day"].lower()
    if match["many"]:
        return Atom(*match.span(), habit=True)
    if moment.before(match.start(), 3).lower().strip() == "a":  # any of them
        return Atom(*match.span())
    when = _shift(match, moment, weekday(WEEKDAYS[word]))
    if len(word) > 5:
        return Atom(*match.span(), when)
    capital = match["day"][0].isupper()
    on = re.search(r"\b(?:on|by|until|till|since)\s$", moment.before(match.start()), re.IGNORECASE)
    if word in {"sat", "sun"} and not capital:
        ends = re.match(r"\s?(?:[.,;!?)]|$)", moment.text[match.end() :][:4])
        return Atom(*match.span(), when) if ends and (on or match["shift"]) else None
    sure = match["shift"] or on
    return Atom(*match.span(), when, weak=not sure) if sure or capital else None


def a_season(match: re.Match[str], moment: Moment) -> Atom | None:
    """Last summer, in the spring of 2025."""
    cycle = season(SEASONS[match["season"].lower()])
    if match["shift"]:
        return Atom(*match.span(), _shift(match, moment, cycle))
    # "in the summer" alone is one summer only where the tense says which.
    told = match["in"] and moment.verbs.tense(*match.span())
    return Atom(*match.span(), cycle, weak=not told)


def a_quarter(match: re.Match[str], moment: Moment) -> Atom:
    """Q3, the third quarter."""
    number = int(match["n"]) if match["n"] else ORDINALS[match["nth"].lower()]
    on = re.search(r"\b(?:in|during|since|by|until|for)\s$", moment.before(match.start()))
    return Atom(*match.span(), quarter(number), weak=not (on and match["n"]))


def a_half(match: re.Match[str], _moment: Moment) -> Atom:
    """H1, the second half."""
    first = match[0][-1] == "1" or match[0].lower().startswith("first")
    return Atom(*match.span(), months(1, 6) if first else months(7, 12), weak=True)


_YEAR = re.compile(
    r"(?:\b(?:in|since|during|until|till|by|before|after|from|through|around|circa|year|early|late"
    r"|mid|for)|\bmid-)\s?$",
    re.IGNORECASE,
)


def a_year(match: re.Match[str], moment: Moment) -> Atom:
    """2023, behind a word that wants a year."""
    days = around(date(int(match["y"]), 1, 1), Unit.YEAR)
    on = _YEAR.search(moment.before(match.start())) and not match["things"]
    return Atom(match.start(), match.end("y"), fixed(days, Unit.YEAR), weak=not on)


def decade(match: re.Match[str], _moment: Moment) -> Atom:
    """1990s, the 90s."""
    start = int(match["y"]) if len(match["y"]) == 4 else int(match["y"]) + 1900
    start += 100 * (start < 1930)
    return Atom(*match.span(), fixed(Days(date(start, 1, 1), date(start + 10, 1, 1))))


def a_part(match: re.Match[str], moment: Moment) -> Atom:
    """Early (May), the end of (last month), the first week of (March)."""
    words = match["edge"].lower().split()
    first = words[0]
    name = {"beginning": "start", "close": "end", "middle": "mid"}.get(first, first)
    if len(words) > 1:
        name = f"{first} {words[1]}"
    cycle = edge(name)
    if not match["unit"]:
        return Atom(*match.span(), cycle, weak=True)
    unit = _UNITS[match["unit"].lower()]
    days = cycle.within(around(moment.today, unit))
    return Atom(*match.span(), fixed(days, cycle.unit) if days else None)


def habit(match: re.Match[str], _moment: Moment) -> Atom:
    """Every day, on Mondays: no point in time."""
    return Atom(*match.span(), habit=True)


def nothing(match: re.Match[str], _moment: Moment) -> Atom:
    """Words that only look like a time."""
    return Atom(*match.span())


HOLIDAYS = (
    (r"christmas eve", 12, 24),
    (r"christmas(?: day)?|xmas", 12, 25),
    (r"boxing day", 12, 26),
    (r"new year'?s'? eve", 12, 31),
    (r"new year(?:'?s'?)?(?: day)?", 1, 1),
    (r"halloween", 10, 31),
    (r"valentine'?s'?(?: day)?", 2, 14),
    (r"(?:st\.?|saint) patrick'?s day", 3, 17),
    (r"april fools?'?s?'?(?: day)?", 4, 1),
    (r"may day", 5, 1),
    (r"independence day", 7, 4),
    (r"bastille day", 7, 14),
    (r"veterans'? day", 11, 11),
    (r"juneteenth", 6, 19),
)


def holiday(match: re.Match[str], moment: Moment) -> Atom | None:
    """Christmas, New Year's Eve: those that the calendar fixes."""
    if re.search(
        r"\b(?:happy|merry|lunar|chinese)\s$", moment.before(match.start()), re.IGNORECASE
    ):
        return Atom(*match.span())
    name = match["name"]
    for pattern, month_number, day in HOLIDAYS:
        if re.fullmatch(pattern, name, FLAGS):
            return Atom(*match.span(), _shift(match, moment, dates(month_number, day)))
    return None
