from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lamina.text.dates import Interval, find_date, find_dates


def bounds(expect: dict[str, str]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(expect["start"]), datetime.fromisoformat(expect["end"])


def meets(found: Interval | None, expect: dict[str, Any]) -> bool:
    if "any_of" in expect:
        return any(meets(found, one) for one in expect["any_of"])
    if "none" in expect:
        return found is None
    if found is None:
        return False
    if "at" in expect:
        at = datetime.fromisoformat(expect["at"])
        return found.start == at and found.end - at <= timedelta(hours=1)
    if "inside" in expect:
        start, end = bounds(expect["inside"])
        return start <= found.start < found.end <= end
    return (found.start, found.end) == bounds(expect)


@pytest.mark.family("dates")
def test_words_name_the_time(case: dict[str, Any]) -> None:
    now, zone = datetime.fromisoformat(case["now"]), ZoneInfo(case["zone"])
    found = find_dates(case["text"], now, zone)
    assert meets(found[0] if found else None, case["expect"]), found
    assert meets(find_date(case["text"], now, zone), case["expect"]), found
