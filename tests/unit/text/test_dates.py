from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lamina.text.dates import find_date, find_dates

UTC_ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
ZONES = [
    ZoneInfo(key)
    for key in (
        *("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Pacific/Apia"),
        *("Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu", "Africa/Casablanca"),
    )
]
PIECES = [
    *(
        "昨天",
        "下周",
        "上",
        "三",
        "十",
        "二十",
        "月",
        "日",
        "号",
        "年",
        "点",
        "半",
        "前",
        "后",
        "到",
    ),
    *("下午", "晚上", "周", "末", "天", "个", "一", "初", "底", "第", "季度", "夏天", "国庆", "每"),
    *("農曆", "兩週後", "２０２６", "了", "要", "，", "。", "再过", "过去", "内", "今", "明", "这"),
    *(
        "last",
        "next",
        "this",
        "Monday",
        "sat",
        "May",
        "march",
        "June",
        "5",
        "31",
        "2026",
        "99",
        "0",
    ),
    *("to", "and", "between", "of", "the", "at", "on", "in", "ago", "weeks", "a", "few", "half"),
    *("past", "noon", "midnight", "pm", ":30", "/", "-", ".", " ", ",", "th", "Q3", "end", "early"),
    *("every", "weekend", "summer", "Christmas", "2026-02-29", "T25:00", "Z", "1st", "é", "\u3000"),
    *("9999年", "1年前", "9999 years ago", "in 9999 years", "\n", "(", ")", "İ", "\ud800", "十几"),
]
moments = st.datetimes(timezones=st.just(UTC)).filter(lambda now: 2 < now.year < 9998)
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
)


@given(texts, moments, st.sampled_from(ZONES))
def test_any_text_gives_times_in_order(text: str, now: datetime, zone: ZoneInfo) -> None:
    found = find_dates(text, now, zone)
    place = 0
    for each in found:
        assert each.start < each.end
        assert each.start.utcoffset() == each.end.utcoffset() == timedelta(0)
        assert each.words
        place = text.index(each.words, max(0, place))
        if each.at:
            assert each.end - each.start <= timedelta(hours=1)
    assert find_date(text, now, zone) in (found or {None})


@given(texts, moments, st.sampled_from(ZONES))
def test_reading_depends_on_nothing_else(text: str, now: datetime, zone: ZoneInfo) -> None:
    assert find_dates(text, now, zone) == find_dates(text, now.astimezone(UTC), zone)


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_spelling_of_a_date_names_its_day(day: date) -> None:
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    month = day.strftime("%B")
    spellings = (
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}.{day.month:02}.{day.day:02}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year} 年 {day.month} 月 {day.day} 号",
        f"{han_year(day.year)}年{han(day.month)}月{han(day.day)}日",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day} {month[:3]} {day.year}",
        f"{day.strftime('%A')}, {month[:3]}. {day.day}, {day.year}",
        f"the {day.day}{suffix(day.day)} of {month} {day.year}",
        f"{day.day}.{day.month}.{day.year}",
    )
    for words in spellings:
        for text in (words, f"signed on {words}.", f"合同签于{words}，已存档"):
            found = find_date(text, NOW, UTC_ZONE)
            assert found is not None, text
            assert (found.start, found.end) == (start, start + timedelta(days=1)), text


def han(number: int) -> str:
    tens, ones = divmod(number, 10)
    return (
        ("" if tens < 2 else "一二三"[tens - 1])
        + "十" * (tens > 0)
        + " 一二三四五六七八九"[ones].strip()
    )


def han_year(year: int) -> str:
    return "".join("〇一二三四五六七八九"[int(digit)] for digit in str(year))


def suffix(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


@given(st.integers(1, 400), st.sampled_from(ZONES), moments)
def test_days_ago_are_local_days(count: int, zone: ZoneInfo, now: datetime) -> None:
    assume(now.year > 3)
    then = now.astimezone(zone).date() - timedelta(days=count)
    start = datetime(then.year, then.month, then.day, tzinfo=zone).astimezone(UTC)
    assume(start.astimezone(zone).date() == then)  # a zone may have left that day out
    for text in (f"{count}天前见过", f"{count} days ago"):
        assert [each.start for each in find_dates(text, now, zone)] == [start]


@given(st.integers(0, 23), st.integers(0, 59))
def test_times_of_day(hour: int, minute: int) -> None:
    at = datetime(2026, 12, 2, hour, minute, tzinfo=UTC)
    half = "am" if hour < 12 else "pm"
    texts = [
        f"tomorrow at {hour:02}:{minute:02}",
        f"明天{hour:02}:{minute:02}开会",
        f"tomorrow at {hour % 12 or 12}:{minute:02}{half}",
        f"{hour % 12 or 12}:{minute:02} {half} tomorrow",
    ]
    if hour > 12 or hour == 0:
        texts.append(f"明天{hour}点{minute:02}分")
    if 12 < hour < 18:
        texts.append(f"明天下午{hour - 12}点{minute:02}分")
    for text in texts:
        found = find_date(text, NOW, UTC_ZONE)
        assert found is not None, text
        assert found.start == at, text
        assert found.at, text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v1.2 的 bug 昨天修好了", "昨天"),
        ("合同签于２０２６年３月５日。", "２０２６年３月５日"),
        ("上個月去了臺北", "上個月"),
        ("dentist tomorrow at 3pm, then home", "tomorrow at 3pm"),
        ("You may come in May 2027", "May 2027"),
        ("三月五日到三月八日出差", "三月五日到三月八日"),
    ],
)
def test_words_are_those_of_the_text(text: str, words: str) -> None:
    assert [each.words for each in find_dates(text, NOW, UTC_ZONE)][:1] == [words]


def test_two_honest_readings_are_both_given() -> None:
    found = find_dates("paid on 03/05/2026", NOW, UTC_ZONE)
    assert [each.start.date().isoformat() for each in found] == ["2026-03-05", "2026-05-03"]
    berlin = find_dates("paid on 03/05/2026", NOW, ZoneInfo("Europe/Berlin"))
    assert berlin[0].end.date().isoformat() == "2026-05-03"


def test_several_times_come_in_order() -> None:
    found = find_dates("昨天下雨，前天也下雨，2026-03-05 下雪", NOW, UTC_ZONE)
    assert [each.words for each in found] == ["昨天", "前天", "2026-03-05"]


def test_the_more_exact_time_is_found() -> None:
    found = find_date("last month was busy, on 2026-11-05 I moved", NOW, UTC_ZONE)
    assert found is not None
    assert found.words == "2026-11-05"


@pytest.mark.parametrize(
    "piece",
    [
        "1-",
        "1/",
        "一",
        "三天前",
        "上个",
        "monday to ",
        "2026-",
        "a ",
        "May ",
        "每",
        "下午",
        "  ",
        "周",
    ],
)
def test_long_texts_of_one_piece_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    for each in find_dates(text, NOW, UTC_ZONE):
        assert each.start < each.end


def test_a_time_that_the_clocks_skip_or_repeat_is_one_instant() -> None:
    zone = ZoneInfo("America/New_York")
    now = datetime(2026, 3, 7, 12, tzinfo=UTC)
    skipped = find_date("tomorrow at 02:30", now, zone)
    assert skipped is not None
    assert skipped.start == datetime(2026, 3, 8, 7, 30, tzinfo=UTC)
    twice = find_date("on 2026-11-01 at 01:30", now, zone)
    assert twice is not None
    assert twice.start == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


def test_a_day_that_a_zone_left_out_is_no_time() -> None:
    assert find_dates("2011-12-30", NOW, ZoneInfo("Pacific/Apia")) == []
