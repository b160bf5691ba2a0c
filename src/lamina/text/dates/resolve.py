"""From expressions to instants: today, the tense and the zone decide what the words leave open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from lamina.text.dates.atoms import Atom, Clock, Moment, Part, fixed_day
from lamina.text.dates.days import Cycle, Days, Tense, nearest, occurrences, one

_MOST = 2  # readings kept of one expression
_NOON, _DAY = 12, 24
_SMALL_HOURS = 6  # hours under it, said of an evening, are the next day's
_AFTERNOON_HOURS = range(1, 7)  # said alone these are mostly of the afternoon


class Reading(NamedTuple):
    """Instants in UTC, half open; `at`: they stand for their start."""

    start: datetime
    end: datetime
    at: bool = False


def instant(moment: Moment, day: date, hour: int, minute: int = 0) -> datetime:
    """A local time as UTC; hours from 24 on are the next day's.

    A time that a change of clocks skips is read by the offset before it; one that comes twice is
    the first.
    """
    day += timedelta(days=hour // _DAY)
    local = datetime(day.year, day.month, day.day, hour % _DAY, minute, tzinfo=moment.zone)
    return local.astimezone(UTC)


def readings(atom: Atom, moment: Moment) -> list[Reading]:
    """What an expression names, best reading first; none if it cannot be resolved."""
    if atom.span:
        return [Reading(*atom.span)]
    if not fixed_day(atom) and moment.verbs.habit(atom.begin, atom.stop):
        if not isinstance(atom.when, Cycle) or atom.when.period is None:
            return []
        if atom.when.period.value in {"week", "month"}:
            return []
    found: list[Reading] = []
    for days in _days(atom, moment):
        found += _timed(atom, days, moment)
    found = [each for each in found if each.start < each.end]
    return list(dict.fromkeys(found))[:_MOST]


def _days(atom: Atom, moment: Moment) -> tuple[Days, ...]:
    if atom.when is None:
        return _day_of(atom, moment)
    if isinstance(atom.when, Cycle):
        tense = moment.verbs.tense(atom.begin, atom.stop)
        return nearest(atom.when, moment.today, tense=tense)
    if atom.part or atom.clock:
        return atom.when.readings[:1]
    return atom.when.readings


def _day_of(atom: Atom, moment: Moment) -> tuple[Days, ...]:
    """Today; the day before or after where the tense asks for it."""
    today = one(moment.today)
    tense = moment.verbs.tense(atom.begin, atom.stop)
    held = _timed(atom, today, moment)
    if tense is Tense.PAST and held[0].start > moment.now:
        return (one(moment.today - timedelta(days=1)),)
    if tense is Tense.FUTURE and held[0].end <= moment.now:
        return (one(moment.today + timedelta(days=1)),)
    return (today,)


def _timed(atom: Atom, days: Days, moment: Moment) -> list[Reading]:
    if atom.clock is None:
        if atom.part is None:
            return [Reading(instant(moment, days.start, 0), instant(moment, days.end, 0))]
        first, last = atom.part
        return [Reading(instant(moment, days.start, first), instant(moment, days.start, last))]
    found = []
    for hour in _hours(atom.clock, atom.part):
        start = instant(moment, days.start, hour, atom.clock.minute)
        if atom.until:
            last = _hour_after(atom.until, hour, atom.clock.minute)
            found.append(Reading(start, instant(moment, days.start, last, atom.until.minute)))
            continue
        long = timedelta(minutes=1) if atom.clock.fine else timedelta(hours=1)
        found.append(Reading(start, start + long, at=True))
    return found


def _hours(clock: Clock, part: Part | None) -> list[int]:
    """The hours a clock may show, counted from the day's start, best first."""
    hour = clock.hour
    late = part is not None and part.end >= _DAY
    if part is None:
        if clock.sure or hour not in _AFTERNOON_HOURS:
            return [hour]
        return [hour + _NOON, hour]
    if clock.sure or hour > _NOON:
        return [hour + _DAY if late and hour < _SMALL_HOURS else hour]
    if part.start >= _NOON:
        if late and hour == _NOON:
            return [_DAY]
        if late and hour < _SMALL_HOURS - 1:
            return [hour + _DAY]
        return [hour % _NOON + _NOON]
    if part.end == _SMALL_HOURS:
        return [hour % _NOON]
    if part.end == _NOON + 1 and hour < _SMALL_HOURS:
        return [hour + _NOON]
    return [hour]


def _hour_after(until: Clock, hour: int, minute: int) -> int:
    """The end's hour: the first one after the start that its clock may show."""
    steps = (0, _DAY) if until.sure else (0, _NOON, _DAY, _DAY + _NOON)
    for step in steps:
        if (until.hour + step, until.minute) > (hour, minute):
            return until.hour + step
    return until.hour + _DAY


def span(first: Atom, last: Atom, moment: Moment) -> list[Reading]:
    """From one expression to another; each takes from the other what it does not say itself."""
    if first.span or last.span:
        return _between(readings(first, moment)[:1], readings(last, moment)[:1])
    if first.when is None and last.when is not None and first.clock:
        first = replace(first, when=last.when, part=first.part)
    if first.clock and last.clock and last.when is None:
        return readings(replace(first, until=last.clock, stop=last.stop), moment)
    if isinstance(first.when, Cycle) and not isinstance(last.when, Cycle) and last.when:
        return _between(_before(first, last, moment), readings(last, moment)[:1])
    begin = readings(first, moment)[:1]
    if isinstance(last.when, Cycle) and begin:
        return _between(begin, list(islice(_after(last, begin[0].start, moment), 1)))
    return _between(begin, readings(last, moment)[:1])


def _between(first: list[Reading], last: list[Reading]) -> list[Reading]:
    if not first or not last:
        return []
    end = last[0].start if last[0].at else last[0].end
    ordered = first[0].start < end and first[0].start <= last[0].start
    return [Reading(first[0].start, end)] if ordered else []


def _before(first: Atom, last: Atom, moment: Moment) -> list[Reading]:
    """The last occurrence of the first expression before the second one."""
    ends = readings(last, moment)[:1]
    if not ends or not isinstance(first.when, Cycle):
        return []
    around = ends[0].start.astimezone(moment.zone).date()
    known = [days for days in occurrences(first.when, around) if days.start <= around]
    return _timed(first, known[-1], moment)[:1] if known else []


def _after(last: Atom, start: datetime, moment: Moment) -> Iterator[Reading]:
    """Occurrences of the second expression from the first one on."""
    assert isinstance(last.when, Cycle)
    around = start.astimezone(moment.zone).date()
    for days in occurrences(last.when, around):
        if days.start >= around:
            yield from _timed(last, days, moment)[:1]
