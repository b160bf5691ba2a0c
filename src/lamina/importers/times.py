"""Times as other systems write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo

from lamina.plain import to_time
from lamina.types import Json

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTH = rf"(?P<month>{'|'.join(_NAMES)})[a-z]*\.?"
_DATES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<y>\d{4})\s*[-/.年]\s*(?P<m>\d{1,2})\s*[-/.月]\s*(?P<d>\d{1,2})(?!\d)",
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH},?[\s-]+(?P<y>\d{{4}})",
        rf"{_MONTH}[\s-]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?[\s-]+(?P<y>\d{{4}})",
    )
]
_CLOCK = re.compile(
    r"(?:(?P<am>上午|早上|凌晨)|(?P<pm>下午|晚上))?\s*"
    r"(?<!\d)(?P<h>\d{1,2})[:：](?P<min>\d{2})(?:[:：](?P<s>\d{2}))?(?:\.\d+)?"
    r"\s*(?P<half>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_OFFSET = re.compile(
    r"\s*(?:(?:UTC|GMT)?(?P<sign>[+-])(?P<h>\d{1,2}):?(?P<min>\d{2})?(?!\d)|(?:Z|UTC|GMT)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{9,10}(?:\.\d+)?|\d{13}")
_MILLIS_FROM = 1e11  # as seconds that is the year 5138, as milliseconds 1973
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(value: Json, zone: tzinfo = UTC) -> datetime | None:
    """An instant from ISO 8601 text, seconds or milliseconds since 1970, or common spellings.

    Understood are the likes of `1:56 pm on 8 May, 2023`, `March-15-2024`, `2023/05/20 (Sat) 07:46`
    and `2024年04月01日 周一 下午3:20`, with or without `UTC` or `+08:00` behind. What names
    no zone is meant in `zone`; what is no time of the calendar gives None.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            found: datetime | None = _since_epoch(value)
        elif isinstance(value, str):
            found = _read(value.strip(), zone)
        else:
            return None
        return to_time(found) if found is not None else None
    except (ValueError, OverflowError):
        return None


def _read(text: str, zone: tzinfo) -> datetime | None:
    if _NUMBER.fullmatch(text):
        return _since_epoch(float(text))
    if text.isdigit() and len(text) > len("20230508"):
        return None  # ISO 8601 would make a date of another century of it
    return _spelled(text, zone)


def _since_epoch(value: float) -> datetime:
    return _EPOCH + timedelta(seconds=value / 1000 if abs(value) > _MILLIS_FROM else value)


def _spelled(text: str, zone: tzinfo) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        date = next((match for shape in _DATES if (match := shape.search(text))), None)
        if date is None:
            return None
        parts = date.groupdict()
        month = int(parts["m"]) if parts.get("m") else _MONTHS[parts["month"][:3].lower()]
        rest = text[: date.start()] + " " + text[date.end() :]
        found = datetime.combine(datetime(int(parts["y"]), month, int(parts["d"])), _clock(rest))  # noqa: DTZ001 - zoned by the clock or below
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def _clock(text: str) -> time:
    match = _CLOCK.search(text)
    if match is None:
        return time()
    hour, half = int(match["h"]), (match["half"] or "")[:1].lower()
    if half or match["am"] or match["pm"]:
        hour = hour % 12 + (12 if half == "p" or match["pm"] else 0)
    return time(hour, int(match["min"]), int(match["s"] or 0), tzinfo=_offset(text[match.end() :]))


def _offset(text: str) -> tzinfo | None:
    """The zone that stands behind a clock."""
    match = _OFFSET.match(text)
    if match is None:
        return None
    ahead = timedelta(hours=int(match["h"] or 0), minutes=int(match["min"] or 0))
    return timezone(-ahead if match["sign"] == "-" else ahead)
