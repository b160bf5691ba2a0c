"""Times as other systems write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

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
    r"(?<!\d)(?P<h>\d{1,2})[:：](?P<min>\d{2})(?:[:：](?P<s>\d{2}))?\s*(?P<half>[ap]\.?m)?",
    re.IGNORECASE,
)
_MILLIS_FROM = 1e11  # as seconds that is the year 5138, as milliseconds 1973
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(value: Json, zone: tzinfo = UTC) -> datetime | None:
    """An aware time from ISO 8601 text, seconds or milliseconds since 1970, or common spellings.

    Understood are the likes of `1:56 pm on 8 May, 2023`, `March-15-2024`, `2023/05/20 (Sat) 07:46`
    and `2024年04月01日 周一 08:30`. What names no zone is meant in `zone`; what is no time gives
    None.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            return _EPOCH + timedelta(seconds=value / 1000 if value > _MILLIS_FROM else value)
        if not isinstance(value, str) or not value.strip():
            return None
        return _spelled(value.strip(), zone)
    except (ValueError, OverflowError):
        return None


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
        found = datetime(int(parts["y"]), month, int(parts["d"])) + _clock(rest)  # noqa: DTZ001 - zoned below
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def _clock(text: str) -> timedelta:
    match = _CLOCK.search(text)
    if match is None:
        return timedelta()
    hour = int(match["h"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
    if hour > 23:
        raise ValueError(f"{hour} is no hour")
    return timedelta(hours=hour, minutes=int(match["min"]), seconds=int(match["s"] or 0))
