"""Times counted from now: so many days ago, the last three weeks."""

from __future__ import annotations

import re
from datetime import timedelta

from lamina.text.dates.atoms import Atom, Moment
from lamina.text.dates.days import (
    Days,
    Fixed,
    Unit,
    around,
    fixed,
    months_on,
    one,
    weekend,
)

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
# The least and the most that "a few" stands for.
_FEW = {"day": (2, 7), "week": (2, 6), "month": (2, 9), "year": (2, 9)}
_WIDE = {"week": Unit.WEEK, "month": Unit.MONTH, "quarter": Unit.QUARTER, "year": Unit.YEAR}


def away(match: re.Match[str], moment: Moment, *, count: float, unit: str) -> Atom:
    """The time `count` units on (before now if negative): an instant, or a day.

    Weeks, months and years name a day or the calendar unit around it: two readings.
    """
    begin, stop = match.span()
    if unit in SECONDS:
        start = moment.now + timedelta(seconds=count * SECONDS[unit])
        long = timedelta(hours=1) if unit == "hour" else timedelta(minutes=1)
        return Atom(begin, stop, span=(start, start + long, True))
    if unit == "weekend":
        return Atom(begin, stop, fixed(weekend(around(moment.today, Unit.WEEK, int(count)))))
    day = _moved(moment, count, unit)
    if unit not in _WIDE:
        return Atom(begin, stop, Fixed((day,), Unit.DAY))
    # Half a year ago is about a month, not about a year.
    size = Unit.MONTH if unit == "year" and count % 1 else _WIDE[unit]
    wide = fixed(around(day.start, size), size)
    return Atom(begin, stop, Fixed((day, *wide.readings), Unit.DAY, wide))


def _moved(moment: Moment, count: float, unit: str) -> Days:
    today = moment.today
    whole, rest = int(count), count - int(count)
    match unit:
        case "day":
            return one(today + timedelta(days=whole))
        case "week":
            return one(today + timedelta(days=int(7 * count)))
        case "month":
            return one(months_on(today, whole) + timedelta(days=int(30 * rest)))
        case "quarter":
            return one(months_on(today, int(3 * count)))
    return one(months_on(today, int(12 * count)))


def few(
    match: re.Match[str],
    moment: Moment,
    *,
    unit: str,
    sign: int,
    counts: tuple[int, int] | None = None,
) -> Atom | None:
    """A few units ago (-1) or on (1): the days it may mean. `counts`: least and most."""
    if unit not in _FEW:
        return None
    least, most = (_moved(moment, sign * count, unit) for count in counts or _FEW[unit])
    return Atom(*match.span(), fixed(Days(min(least, most).start, max(least, most).end)))


def run(match: re.Match[str], moment: Moment, *, count: float, unit: str) -> Atom:
    """All the time between now and `count` units on (or back): today included."""
    begin, stop = match.span()
    if unit in SECONDS:
        other = moment.now + timedelta(seconds=count * SECONDS[unit])
        return Atom(begin, stop, span=(min(other, moment.now), max(other, moment.now), False))
    day = _moved(moment, count, unit)
    today = one(moment.today)
    return Atom(begin, stop, fixed(Days(min(day, today).start, max(day, today).end)))
