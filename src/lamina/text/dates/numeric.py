"""Dates and times in digits, in any language: 2026-03-05, 03/05/2026, 15:30, 3pm."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from lamina.text.dates.atoms import Atom, Clock, Moment, Rule
from lamina.text.dates.days import Days, Fixed, Unit, dates, fixed, month, one

_FLAGS = re.ASCII | re.IGNORECASE
_ALONE = r"(?<![\w./\-$#+])(?<!\d[,:])"  # no part of a version, a price, an address or a path
# The second half of a range stands behind a dash.
_CLOCK_ALONE = r"(?<![\w./$#+])(?<![A-Za-z/]-)(?<!\d[,:])"
_DATE_ALONE = rf"(?:{_ALONE}|(?<=\d[-/])(?=\d{{4}}[-/.]))"
_DAY_WORD = re.compile(r"\b(?:on|by|since|until|till|due|dated|before|after)\s$", re.IGNORECASE)
_CLOCK_WORD = re.compile(
    r"(?:\b(?:at|by|from|until|till|before|after|around|about|since|to|between|and)|@)\s?$",
    re.IGNORECASE,
)
_NO_CLOCK = re.compile(r"(?:比分?|比例|比率|比是|比为)\s?[是为]?\s?$")
_NO_CLOCK_WORD = re.compile(
    r"\b(?:in|scored?|ratio|aspect|verse|chapter|lines?|laps?|won|lost|beat|page|ran|timestamp|is"
    r"|was|of|psalms?|up|led|lead)\s$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z]\s$")
_DATE_WORD = re.compile(r"\b(?:on|by|since|until|till|before|after|dated?|due)\s$", re.IGNORECASE)
_VERSION = re.compile(r"(?:version|release|build|版本?号?|版|ver\.?)\s?[是为:]?\s?$", re.IGNORECASE)


def full_year(digits: str) -> int:
    """A year as written; two digits mean 1970 to 2069."""
    year = int(digits)
    return year if len(digits) > 2 else year + (1900 if year >= 70 else 2000)


def a_date(match: re.Match[str], *days: date) -> Atom:
    """An atom for one day, with all its readings."""
    return Atom(*match.span(), Fixed(tuple(one(day) for day in days), Unit.DAY))


def _iso(match: re.Match[str], moment: Moment) -> Atom | None:
    before = moment.before(match.start())
    if match["sep"] == "." and _VERSION.search(before):
        return None
    padded = len(match["m"]) == len(match["d"]) == 2
    named = _NAME.search(before) and not _DATE_WORD.search(before)
    if match["sep"] == "." and not padded and named:  # "PyCharm 2024.1.5" is a version
        return None
    day = date(int(match["y"]), int(match["m"]), int(match["d"]))
    if not match["time"]:
        return a_date(match, day)
    clock = (int(match["h"]), int(match["min"]), int(match["s"] or 0))
    start = datetime(day.year, day.month, day.day, *clock, tzinfo=_zone(match["zone"], moment))
    start = start.astimezone(UTC)
    return Atom(*match.span(), span=(start, start + timedelta(minutes=1), True))


def _zone(written: str | None, moment: Moment) -> tzinfo:
    if not written:
        return moment.zone
    if written in "Zz":
        return UTC
    sign = -1 if written[0] == "-" else 1
    digits = written[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))


def _compact(match: re.Match[str], moment: Moment) -> Atom:
    year, number, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    zone = _zone(match[7], moment)
    start = datetime(year, number, day, hour, minute, second, tzinfo=zone).astimezone(UTC)
    return Atom(*match.span(), span=(start, start + timedelta(minutes=1), True))


def _iso_week(match: re.Match[str], _moment: Moment) -> Atom:
    start = date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or 1))
    if match[3]:
        return a_date(match, start)
    return Atom(*match.span(), fixed(Days(start, start + timedelta(days=7)), Unit.WEEK))


def _year_month(match: re.Match[str], _moment: Moment) -> Atom:
    return Atom(*match.span(), fixed(month(int(match[1]), int(match[2])), Unit.MONTH))


# Where the month is written before the day; of a zone with no name nothing is known.
_MONTH_FIRST = (
    *("America/", "US/", "UTC", "Etc/", "PRC", "ROC", "Japan"),
    *("Asia/Shanghai", "Asia/Chongqing", "Asia/Taipei", "Asia/Tokyo", "Asia/Seoul"),
)


def _day_first(moment: Moment) -> bool:
    return not (moment.zone.key or "UTC").startswith(_MONTH_FIRST)


def _short(match: re.Match[str], moment: Moment) -> Atom | None:
    """03/05/2026 has two readings unless one of the two numbers is over 12; 5.3.2026 has one."""
    first, second, year = int(match["a"]), int(match["b"]), full_year(match["y"])
    plain = len(match["y"]) == 2 and len(match["a"] + match["b"]) < 3
    if plain and not _DAY_WORD.search(moment.before(match.start())):  # 1/2/03
        return None
    orders = [(second, first), (first, second)]
    if match["sep"] == ".":
        orders = orders[:1]
    elif not _day_first(moment):
        orders.reverse()
    days = []
    for number, day in orders:
        if 1 <= number <= 12 and 1 <= day <= (month(year, number).end - timedelta(days=1)).day:
            days.append(date(year, number, day))
    return a_date(match, *dict.fromkeys(days)) if days else None


def _month_day(match: re.Match[str], moment: Moment) -> Atom | None:
    """3/5 is a date only behind a word that wants one, else a fraction."""
    if not _DAY_WORD.search(moment.before(match.start())):
        return None
    number, day = int(match[1]), int(match[2])
    if (_day_first(moment) or number > 12) and (number, day) != (24, 7) and day <= 12:
        number, day = day, number
    return Atom(*match.span(), dates(number, day)) if number <= 12 and day <= 31 else None


def a_clock(hour: str, minute: str | None, half: str | None) -> Clock | None:
    """A time of day from its digits and its am or pm; None if there is no such time."""
    number, minutes = int(hour), int(minute or 0)
    if number > 24 or minutes > 59 or (number == 24 and minutes):
        return None
    if half:
        if not 1 <= number <= 12:
            return None
        number = number % 12 + 12 * (half[0] in "pP")
    sure = bool(half) or number > 12 or number == 0 or (len(hour) == 2 and number < 10)
    return Clock(number, minutes, sure=sure, fine=minute is not None)


def _clock(match: re.Match[str], moment: Moment) -> Atom | None:
    before = moment.before(match.start())
    if _NO_CLOCK.search(before):
        return None
    clock = a_clock(match["h"], match["min"], match["half"])
    if clock is None:
        return None
    after = moment.text[match.end() : match.end() + 2].strip()[:1]
    chinese = "一" <= before.strip()[-1:] <= "鿿" or "一" <= after <= "鿿"
    named = match["half"] or chinese or _CLOCK_WORD.search(before)
    named = named or (clock.sure and len(match["h"]) == 2 and not _NO_CLOCK_WORD.search(before))
    return Atom(*match.span(), clock=clock, weak=not named)


def _clocks(match: re.Match[str], moment: Moment) -> Atom | None:
    """3-5pm: the first half of the day is the second one's, unless it would come after it."""
    if match["tie"] == "and" and not moment.before(match.start()).endswith("between "):
        return None
    until = a_clock(match["h2"], match["min2"], match["half2"])
    clock = a_clock(match["h"], match["min"], match["half"] or match["half2"])
    if clock is None or until is None:
        return None
    if not match["half"] and (clock.hour, clock.minute) >= (until.hour, until.minute):
        clock = Clock(clock.hour % 12, clock.minute, sure=True, fine=clock.fine)
    return Atom(*match.span(), clock=clock, until=until)


_HALF = r"(?:a\.m\.|p\.m\.|[ap]m\b|[ap]\.m\b)"
_END = r"(?![\w%]|[.,:/\-]\d|-\w)"
_ISO = (
    r"(?P<y>[12]\d{3})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})"
    r"(?P<time>(?:(?P<t>T)|,?\s{1,2})(?P<h>[01]?\d|2[0-3]):(?P<min>[0-5]\d)"
    r"(?::(?P<s>[0-5]\d)(?:[.,]\d{1,9})?)?"
    # Without T or seconds "10:00-12:00" is a range, no offset.
    r"(?:(?(t)|(?(s)|(?!)))\s?(?P<zone>Z\b|[+-]\d\d:?\d\d))?"
    r"(?!\s?[ap]\.?m))?(?!\d|[.:]\d|[/-](?!\d{4}[-/.])\d)"
)
_COMPACT = r"([12]\d{3})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d:?\d\d)?(?!\w)"
_SHORT = r"(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>[12]\d{3}|(?<=/)\d\d)" + _END
_TIME = r"(?P<h>\d{1,2})(?::(?P<min>[0-5]\d))?\s?"
_TIMES = (
    rf"{_TIME}(?P<half>{_HALF})?\s?(?P<tie>-|–|—|to|until|and)"
    rf"\s?(?P<h2>\d{{1,2}})(?::(?P<min2>[0-5]\d))?\s?(?P<half2>{_HALF})(?!\w)"
)
_TIME_24 = r"(?P<h>\d{1,2}):(?P<min>[0-5]\d)(?::[0-5]\d)?(?P<half>(?!))?(?![\w%]|[.:]\d|-[a-z])"

RULES = tuple(
    Rule(("0",), pattern, build, _FLAGS)
    for pattern, build in (
        (_DATE_ALONE + _ISO, _iso),
        (_ALONE + _COMPACT, _compact),
        (_ALONE + r"([12]\d{3})-?W(\d\d)(?:-?([1-7]))?(?!\w)", _iso_week),
        (_ALONE + _SHORT, _short),
        (_ALONE + r"((?:19|20)\d\d)[-/](0[1-9]|1[0-2])" + _END, _year_month),
        (_ALONE + r"(\d{1,2})/(\d{1,2})(?![\w%/]|[.:-]\d|\s(?:of|cups?|scale)\b)", _month_day),
        (_CLOCK_ALONE + _TIMES, _clocks),
        (_CLOCK_ALONE + rf"{_TIME}(?P<half>{_HALF})(?!\w)", _clock),
        (_CLOCK_ALONE + _TIME_24, _clock),
    )
)
