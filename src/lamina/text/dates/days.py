"""Stretches of whole days: those a calendar fixes, and those that come again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum
from functools import lru_cache
from typing import NamedTuple, TypeAlias

FAR = 8  # periods: a leap day is at most so many years away


class Unit(Enum):
    """What a stretch of days is one of."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    YEAR = "year"
    OTHER = "other"


class Tense(Enum):
    """When a sentence happens."""

    PAST = "past"
    FUTURE = "future"


class Days(NamedTuple):
    """Whole days, half open."""

    start: date
    end: date


@dataclass(frozen=True, slots=True)
class Fixed:
    """Known days, best reading first; `wide` is the calendar unit around them, if one is meant."""

    readings: tuple[Days, ...]
    unit: Unit
    wide: Fixed | None = None


@dataclass(frozen=True, slots=True)
class Cycle:
    """Days that come once in each period: `within` finds them there, or gives None.

    A period of None fits every stretch longer than a day ("the end of").
    """

    period: Unit | None
    unit: Unit
    within: Callable[[Days], Days | None]


When: TypeAlias = Fixed | Cycle


def one(day: date) -> Days:
    """The day itself."""
    return Days(day, day + timedelta(days=1))


def month(year: int, number: int) -> Days:
    """A month; numbers under 1 and over 12 run into other years."""
    return Days(_first(year, number), _first(year, number + 1))


def _first(year: int, number: int) -> date:
    return date(year + (number - 1) // 12, (number - 1) % 12 + 1, 1)


def months_on(day: date, count: int) -> date:
    """The same day `count` months on, or the last one of a shorter month."""
    found = month(day.year, day.month + count)
    return min(found.start + timedelta(days=day.day - 1), _last(found))


def _last(days: Days) -> date:
    return days.end - timedelta(days=1)


def week(day: date, shift: int = 0) -> Days:
    """The week of a day, Monday to Sunday, or one `shift` weeks on."""
    start = day + timedelta(days=7 * shift - day.weekday())
    return Days(start, start + timedelta(days=7))


def weekend(days: Days) -> Days:
    """Saturday and Sunday of a week."""
    return Days(days.start + timedelta(days=5), days.end)


@lru_cache(1024)
def around(day: date, unit: Unit, shift: int = 0) -> Days:
    """The calendar unit that holds a day, or one `shift` units on."""
    match unit:
        case Unit.DAY:
            return one(day + timedelta(days=shift))
        case Unit.WEEK:
            return week(day, shift)
        case Unit.MONTH:
            return month(day.year, day.month + shift)
        case Unit.QUARTER:
            first = (day.month - 1) // 3 * 3 + 1 + 3 * shift
            return Days(month(day.year, first).start, month(day.year, first + 2).end)
    return Days(date(day.year + shift, 1, 1), date(day.year + shift + 1, 1, 1))


def fixed(days: Days, unit: Unit = Unit.OTHER) -> Fixed:
    """Days with one reading."""
    return Fixed((days,), unit)


def weekday(number: int) -> Cycle:
    """A day of each week, Monday is 0."""
    return Cycle(Unit.WEEK, Unit.DAY, lambda days: one(days.start + timedelta(days=number)))


def weekends() -> Cycle:
    """The end of each week."""
    return Cycle(Unit.WEEK, Unit.OTHER, weekend)


def months(first: int, last: int | None = None) -> Cycle:
    """A month of each year, or several on end."""
    until = first if last is None else last + 12 * (last < first)
    unit = Unit.MONTH if last is None else Unit.OTHER

    def within(days: Days) -> Days:
        year = days.start.year
        return Days(month(year, first).start, month(year, until).end)

    return Cycle(Unit.YEAR, unit, within)


def quarter(number: int) -> Cycle:
    """A quarter of each year, from 1."""
    found = months(3 * number - 2, 3 * number)
    return Cycle(Unit.YEAR, Unit.QUARTER, found.within)


def season(number: int) -> Cycle:
    """Spring is 0, from March on; winter runs into the next year."""
    found = months(3 + 3 * number, 5 + 3 * number)
    return Cycle(Unit.YEAR, Unit.SEASON, found.within)


def dates(month_number: int, day: int, last: int | None = None) -> Cycle:
    """A date of each year, or several on end within a month."""
    if not (1 <= month_number <= 12 and 1 <= day <= 31):
        raise ValueError(day)
    date(2000, month_number, last or day)  # a leap year: refuses what no year has

    def within(days: Days) -> Days | None:
        return _days_of(month(days.start.year, month_number), day, last or day)

    return Cycle(Unit.YEAR, Unit.DAY if last is None else Unit.OTHER, within)


def day_of_month(day: int, last: int | None = None) -> Cycle:
    """A day of each month that is long enough, or several on end."""
    if not 1 <= day <= (last or 31) <= 31:
        raise ValueError(day)
    unit = Unit.DAY if last is None else Unit.OTHER
    return Cycle(Unit.MONTH, unit, lambda days: _days_of(days, day, last or day))


def _days_of(days: Days, first: int, last: int) -> Days | None:
    start = days.start + timedelta(days=first - 1)
    end = days.start + timedelta(days=last)
    return Days(start, end) if start < end <= days.end else None


# Parts of a stretch. Days of a month and months of a year, half open, from 0; None is the end.
_OF_MONTH = {"early": (0, 10), "mid": (10, 20), "late": (20, None), "start": (0, 7)}
_OF_YEAR = {"early": (0, 4), "mid": (4, 8), "late": (8, 12), "start": (0, 2), "end": (10, 12)}
_OF_OTHER = {"early": (0, 1), "mid": (1, 2), "late": (2, 3), "start": (0, 1), "end": (2, 3)}


def edge(name: str, period: Unit | None = None) -> Cycle:
    """A part of each stretch: early, mid, late, start, end, or its first or last day or week."""
    unit = Unit.DAY if name in {"first day", "last day"} else Unit.OTHER
    return Cycle(period, unit, lambda days: _edge(days, name))


def _edge(days: Days, name: str) -> Days | None:
    length = (days.end - days.start).days
    match name:
        case "first day":
            return one(days.start)
        case "last day":
            return one(_last(days))
        case "first week":
            return Days(days.start, days.start + timedelta(days=7))
        case "last week":
            return Days(days.end - timedelta(days=7), days.end)
    if length > 300:
        first, last = _OF_YEAR[name]
        return Days(month(days.start.year, first + 1).start, month(days.start.year, last).end)
    if 28 <= length <= 31:
        if name == "end":
            return Days(days.end - timedelta(days=7), days.end)
        begin, stop = _OF_MONTH[name]
    else:
        third, two = _OF_OTHER[name]
        begin, stop = length * third // 3, length * two // 3
    start = days.start + timedelta(days=begin)
    return Days(start, days.end if stop is None else days.start + timedelta(days=stop))


def meet(one_when: When, other: When) -> When | None:
    """What two neighbours name together: "May" and "2027", "上周" and "周三"; None: nothing."""
    for outer, inner in ((one_when, other), (other, one_when)):
        if isinstance(inner, Cycle):
            found = _inside(outer, inner)
            if found is not None:
                return found
    for name, named in ((one_when, other), (other, one_when)):
        # "Tuesday, 3 March": the weekday only repeats what the date says.
        if _is_weekday(name) and named.unit is Unit.DAY and not _is_weekday(named):
            return named
    return None


def _is_weekday(when: When) -> bool:
    return isinstance(when, Cycle) and when.period is Unit.WEEK and when.unit is Unit.DAY


def _inside(outer: When, inner: Cycle) -> When | None:
    if isinstance(outer, Fixed) and outer.wide and inner.period is outer.wide.unit:
        outer = outer.wide
    if inner.period is None:
        fits = outer.unit not in {Unit.DAY, Unit.OTHER}
    else:
        fits = outer.unit is inner.period
    if not fits:
        return None
    if isinstance(outer, Fixed):
        found = tuple(days for each in outer.readings if (days := inner.within(each)))
        return Fixed(found, inner.unit)  # none of them: there is no 29 February in that year
    around_it, within = outer.within, inner.within

    def both(days: Days) -> Days | None:
        place = around_it(days)
        return within(place) if place else None

    return Cycle(outer.period, inner.unit, both)


def occurrences(cycle: Cycle, today: date, *, far: int = FAR) -> Iterator[Days]:
    """Those up to `far` periods from today's, in the order of time."""
    period = cycle.period or Unit.MONTH
    for shift in range(-far, far + 1):
        try:
            found = cycle.within(around(today, period, shift))
        except (ValueError, OverflowError):
            continue  # beyond the calendar's first or last year
        if found:
            yield found


def nearest(cycle: Cycle, today: date, *, tense: Tense | None) -> tuple[Days, ...]:
    """The occurrence in the sentence's tense; with no tense the best reading first."""
    known = list(occurrences(cycle, today, far=1))
    if len(known) < 3:  # not in every period: a 31st, a leap day
        known = list(occurrences(cycle, today))
    if _is_weekday(cycle):  # on a Tuesday nobody calls today "Tuesday"
        past = [days for days in known if days.end <= today][-1:]
        future = [days for days in known if days.start > today][:1]
    else:
        past = [days for days in known if days.start <= today][-1:]
        future = [days for days in known if days.end > today][:1]
    if tense is not None:
        return tuple(past if tense is Tense.PAST else future)
    if cycle.period is Unit.WEEK:
        return tuple(dict.fromkeys([*future, *past]))
    both = {*past, *future}
    return tuple(sorted(both, key=lambda days: min(abs(days.start - today), abs(days.end - today))))


def shifted(cycle: Cycle, today: date, *, shift: int) -> tuple[Days, ...]:
    """Last (-1), this (0) or next (1) occurrence, best reading first."""
    known = list(occurrences(cycle, today))
    period = cycle.period or Unit.MONTH
    calendar = cycle.within(around(today, period, shift))
    if shift == 0:
        held = [days for days in known if days.start <= today < days.end]
        found = [*held[:1], *([calendar] if calendar else [])][:1]
    elif shift < 0:
        found = [days for days in known if days.end <= today][-1:]
        found += [calendar] if calendar and calendar not in found else []
    else:
        found = [days for days in known if days.start > today][:1]
        found += [calendar] if calendar and calendar not in found else []
        if period is Unit.WEEK:  # "next Friday" is mostly said of the next week's
            found.reverse()
    return tuple(found)
