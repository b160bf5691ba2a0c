"""Times come in as other systems write them, and what is no time is none."""

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from lamina.importers.times import parse_time

SHANGHAI = ZoneInfo("Asia/Shanghai")  # eight hours ahead of UTC


def instant(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("1:56 pm on 8 May, 2023", (2023, 5, 8, 13, 56)),
        ("March-15-2024", (2024, 3, 15)),
        ("2023/05/20 (Sat) 07:46", (2023, 5, 20, 7, 46)),
        ("2024年04月01日 周一 08:30", (2024, 4, 1, 8, 30)),
        ("2024年4月1日 周一 下午3:20", (2024, 4, 1, 15, 20)),
        ("2024年4月1日 上午12:20", (2024, 4, 1, 0, 20)),
        ("2023-05-08", (2023, 5, 8)),
        ("2023-05-08T13:56:07", (2023, 5, 8, 13, 56, 7)),
        ("20230508", (2023, 5, 8)),
        ("2023.5.8 9:05", (2023, 5, 8, 9, 5)),
        ("  2023-05-08 13:56\n", (2023, 5, 8, 13, 56)),
        ("12:05 am on 8 May, 2023", (2023, 5, 8, 0, 5)),
        ("12:05 PM, 8 May 2023", (2023, 5, 8, 12, 5)),
        ("3:00 a.m. 13 august 2023", (2023, 8, 13, 3, 0)),
        ("3:00 P.M., Aug. 13th, 2023", (2023, 8, 13, 15, 0)),
        ("1st September 2023 23:59:59", (2023, 9, 1, 23, 59, 59)),
        ("Sep 2nd, 2023", (2023, 9, 2)),
        ("2023年5月8日 13：56", (2023, 5, 8, 13, 56)),
    ],
)
def test_spellings_without_a_zone_are_meant_in_the_given_one(
    text: str, local: tuple[int, ...]
) -> None:
    assert parse_time(text, SHANGHAI) == datetime(*local, tzinfo=SHANGHAI)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("2023-05-08T13:56:00Z", 13, 56),
        ("2023-05-08T13:56:00.123456789+02:00", 11, 56),
        ("Mon, 08 May 2023 13:56:00 +0200", 11, 56),
        ("Mon, 08 May 2023 13:56:00 GMT", 13, 56),
        ("2023-05-08 13:56:00 UTC", 13, 56),
        ("2023-05-08 13:56:00.5 -0530 IST", 19, 26),
        ("2023/05/08T13:56:00+02:00", 11, 56),
        ("1:56 pm UTC+1 on 8 May, 2023", 12, 56),
    ],
)
def test_a_zone_that_is_named_counts(text: str, hour: int, minute: int) -> None:
    found = parse_time(text, SHANGHAI)
    assert found is not None
    assert found.replace(second=0, microsecond=0) == instant(2023, 5, 8, hour, minute)


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (1683554160, instant(2023, 5, 8, 13, 56)),
        (1683554160.5, instant(2023, 5, 8, 13, 56, 0, 500_000)),
        (1683554160000, instant(2023, 5, 8, 13, 56)),
        ("1683554160", instant(2023, 5, 8, 13, 56)),
        ("1683554160.5", instant(2023, 5, 8, 13, 56, 0, 500_000)),
        ("1712121600000", instant(2024, 4, 3, 5, 20)),
        (0, instant(1970, 1, 1)),
        (-1, instant(1969, 12, 31, 23, 59, 59)),
        (-315_619_200_000, instant(1960, 1, 1)),
    ],
)
def test_numbers_are_seconds_or_milliseconds_since_1970(value: object, at: datetime) -> None:
    assert parse_time(value, SHANGHAI) == at


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, None, [], {"at": 1}, "", "  ", "soon", "13:56", "8 May"),
        *(math.nan, math.inf, -math.inf, 10**400, -(10**400), 1e300, 10**17),
        *("0000-01-01", "10000-01-01", "0000年1月1日", "2023-02-30", "2023/13/01", "31 Jun 2023"),
        *("25:00 on 8 May 2023", "10:75 on 8 May 2023", "2023/05/08 10:00 +99:00"),
        *("0001-01-01T00:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
        *("9" * 5000, "1" * 400, "1712121600000000"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_time_of_the_calendar_is_none(value: object) -> None:
    assert parse_time(value, SHANGHAI) is None
