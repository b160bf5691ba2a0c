"""What Chinese says of days, weeks, months and years."""

from __future__ import annotations

import re
from datetime import date, timedelta

from lamina.text.dates.atoms import Atom, Moment
from lamina.text.dates.chinese_words import PARTS, UNITS, WEEKDAYS, number_of
from lamina.text.dates.days import (
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
    months_on,
    one,
    quarter,
    season,
    shifted,
    weekday,
    weekend,
    weekends,
)
from lamina.text.dates.numeric import full_year
from lamina.text.dates.relative import away, few, run

_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2, "大后": 3}
_SEASONS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}


def nothing(match: re.Match[str], _moment: Moment) -> Atom:
    """Words that only look like a time."""
    return Atom(*match.span())


def habit(match: re.Match[str], _moment: Moment) -> Atom:
    """每天, 每周三, 天天."""
    return Atom(*match.span(), habit=True)


def day_word(match: re.Match[str], moment: Moment) -> Atom:
    """昨天, 大后天, 今晚."""
    day = one(moment.today + timedelta(days=_DAYS[match["day"]]))
    part = PARTS[match["part"]] if match["part"] else None
    return Atom(*match.span(), Fixed((day,), Unit.DAY), part=part)


def two_days(match: re.Match[str], moment: Moment) -> Atom:
    """今明两天, 昨今两天."""
    first, last = _DAYS[match[1]], _DAYS[match[2]]
    today = moment.today
    return Atom(
        *match.span(),
        fixed(Days(today + timedelta(days=first), today + timedelta(days=last + 1))),
    )


def _count(match: re.Match[str]) -> float | None:
    """How many: 三, 3, 一 ... 半, 半; None for 几."""
    word = match["n"]
    if word in {"几", "好几", "十几"}:
        return None
    half = match["half"] or match["half2"]
    return 0.5 if word == "半" else number_of(word) + (0.5 if half else 0)


def _unit(match: re.Match[str]) -> str:
    return UNITS[match["unit"] or match["unit2"]]


def some_away(match: re.Match[str], moment: Moment) -> Atom | None:
    """三天前, 两周后, 半年前, 一个半月后, 再过十天."""
    count, unit = _count(match), _unit(match)
    sign = -1 if (match["way"] or match["way2"]) == "前" else 1
    if count is None:
        teens = (11, 19) if match["n"] == "十几" else None
        return few(match, moment, unit=unit, sign=sign, counts=teens)
    if count == 0.5 and unit in {"day", "week"}:
        return None
    return away(match, moment, count=sign * count, unit=unit)


def more(match: re.Match[str], moment: Moment) -> Atom | None:
    """过三天, 再过两周."""
    if moment.verbs.tense(*match.span()) is Tense.PAST:
        return None
    count, unit = _count(match), _unit(match)
    return None if count is None else away(match, moment, count=count, unit=unit)


def some_days(match: re.Match[str], moment: Moment) -> Atom:
    """前几天, 前两天, 这几天, 过几天."""
    today = moment.today
    first, last = {"前": (-7, -1), "这": (-3, 1), "近": (-3, 1), "过": (2, 8)}[match[0][0]]
    return Atom(
        *match.span(), fixed(Days(today + timedelta(days=first), today + timedelta(days=last)))
    )


def some_run(match: re.Match[str], moment: Moment) -> Atom:
    """过去三天, 最近一周, 未来两个月, 三天内."""
    way, unit = match["way"], _unit(match)
    sign = 1 if way in {"未来", "今后", "接下来", None} else -1
    count = _count(match)
    if count is None:
        count = 3 if unit == "day" else 4
    return run(match, moment, count=sign * count, unit=unit)


def _shift_of(word: str) -> int:
    return {"上": -1, "下": 1}.get(word[0], 0) * len(word)


def a_week(match: re.Match[str], moment: Moment) -> Atom:
    """上周, 下下个星期, 这周三, 本周末."""
    days = around(moment.today, Unit.WEEK, _shift_of(match["shift"]))
    if not match["d"]:
        return Atom(*match.span(), fixed(days, Unit.WEEK))
    number = WEEKDAYS[match["d"]]
    if number == 7:
        return Atom(*match.span(), fixed(weekend(days)))
    return Atom(*match.span(), fixed(one(days.start + timedelta(days=number)), Unit.DAY))


def a_weekday(match: re.Match[str], moment: Moment) -> Atom:
    """周三, 星期天, 周末, 周六日."""
    number = WEEKDAYS[match["d"]]
    if number < 7 and not match["both"]:
        return Atom(*match.span(), weekday(number))
    if moment.verbs.habit(*match.span()):
        return Atom(*match.span())
    held = weekend(around(moment.today, Unit.WEEK))
    if moment.verbs.tense(*match.span()) is Tense.PAST and moment.today < held.start:
        return Atom(*match.span(), fixed(weekend(around(moment.today, Unit.WEEK, -1))))
    return Atom(*match.span(), weekends() if match["both"] else fixed(held))


def free_days(match: re.Match[str], _moment: Moment) -> Atom:
    """双休日."""
    return Atom(*match.span(), weekends())


def month_word(match: re.Match[str], moment: Moment) -> Atom:
    """上个月, 本月, 下下月."""
    days = around(moment.today, Unit.MONTH, _shift_of(match["shift"]))
    return Atom(*match.span(), fixed(days, Unit.MONTH))


def same_day(match: re.Match[str], moment: Moment) -> Atom:
    """去年今天, 上个月的今天."""
    count = 12 * _YEARS[match["y"]] if match["y"] else _shift_of(match["shift"])
    day = months_on(moment.today, count)
    return Atom(*match.span(), fixed(one(day), Unit.DAY))


def year_word(match: re.Match[str], moment: Moment) -> Atom:
    """去年, 大前年, 明年."""
    days = around(moment.today, Unit.YEAR, _YEARS[match["y"]])
    return Atom(*match.span(), fixed(days, Unit.YEAR))


def a_year(match: re.Match[str], _moment: Moment) -> Atom | None:
    """2024年, 二〇二四年, 08年3月."""
    word = match["y"]
    year = full_year(word) if word[0].isdigit() and word.isascii() else number_of(word)
    if not 1800 <= year <= 2199:
        return None
    return Atom(*match.span(), fixed(around(date(year, 1, 1), Unit.YEAR), Unit.YEAR))


def years(match: re.Match[str], _moment: Moment) -> Atom:
    """2019年到2023年."""
    first, last = int(match[1]), int(match[2])
    return Atom(*match.span(), fixed(Days(date(first, 1, 1), date(last + 1, 1, 1))))


def decade(match: re.Match[str], _moment: Moment) -> Atom:
    """90年代, 20世纪九十年代."""
    number = number_of(match["y"])
    century = number_of(match["c"]) if match["c"] else 20 if number >= 30 else 21
    start = number if number > 1000 else 100 * (century - 1) + number
    return Atom(*match.span(), fixed(Days(date(start, 1, 1), date(start + 10, 1, 1))))


def a_date(match: re.Match[str], _moment: Moment) -> Atom:
    """三月五日, 3月5号, 三月五日到八日."""
    last = number_of(match["d2"]) if match["d2"] else None
    return Atom(*match.span(), dates(number_of(match["m"]), number_of(match["d"]), last))


def a_month(match: re.Match[str], _moment: Moment) -> Atom | None:
    """3月, 十月份, 3到5月."""
    first = number_of(match["m"])
    last = number_of(match["m2"]) if match["m2"] else None
    if not (1 <= first <= 12 and 1 <= (last or 1) <= 12):
        return None
    return Atom(*match.span(), months(first, last))


_OPEN = re.compile(r"(?:^|[\s,，。、;；:：!！?？(（~—]|[我你他她们在到是于从那就和与至约定等月])$")
_NO_DAY = re.compile(
    r"[楼线门机院房店车桌位球选馆厅室铺柜床码文字座台公电仓库井坑桥桩弦针矿宿教营队队区站闸口路厂"
    r"棚字体表机牌主种鱼]"
)


def a_day(match: re.Match[str], moment: Moment) -> Atom | None:
    """5号 is a day only where no word around it makes it a number of something."""
    after = moment.text[match.end() : match.end() + 1]
    if _NO_DAY.match(after):
        return None
    sign = match["sign"]
    free = sign == "号" and _OPEN.search(moment.before(match.start()))
    last = number_of(match["d2"]) if match["d2"] else None
    cycle = day_of_month(number_of(match["d"]), last)
    return Atom(*match.span(), cycle, weak=not free)


_EDGES = {
    "初": "start",
    "底": "end",
    "末": "end",
    "中": "mid",
    "上旬": "early",
    "中旬": "mid",
    "下旬": "late",
}


def a_part(match: re.Match[str], moment: Moment) -> Atom:
    """年底, 月初, 中旬: alone those of this year or month, behind another only its part."""
    unit = {"年": Unit.YEAR, "月": Unit.MONTH}.get(match["unit"] or "")
    name = match["edge"]
    if name == "中" and unit is Unit.YEAR:
        return Atom(*match.span(), months(6, 7))
    behind = moment.before(match.start(), 1) in {"年", "月"}
    if unit is None and len(name) == 2 and not behind:
        unit = Unit.MONTH
    return Atom(*match.span(), edge(_EDGES[name], unit), weak=unit is None)


def a_quarter(match: re.Match[str], moment: Moment) -> Atom:
    """第三季度, 上个季度."""
    if match["shift"]:
        days = around(moment.today, Unit.QUARTER, _shift_of(match["shift"]))
        return Atom(*match.span(), fixed(days, Unit.QUARTER))
    return Atom(*match.span(), quarter(number_of(match["n"])))


def half(match: re.Match[str], _moment: Moment) -> Atom:
    """上半年, 下半年."""
    return Atom(*match.span(), months(1, 6) if match[0][0] == "上" else months(7, 12))


def a_season(match: re.Match[str], moment: Moment) -> Atom:
    """上个冬天, 今夏; behind a year also 夏天."""
    cycle = season(_SEASONS[match["season"]])
    if match["shift"]:
        readings = shifted(cycle, moment.today, shift=_shift_of(match["shift"]))
        return Atom(*match.span(), Fixed(readings, cycle.unit))
    return Atom(*match.span(), cycle, weak=True)


_HOLIDAYS = (
    ("元旦", 1, 1, None),
    ("情人节", 2, 14, None),
    ("妇女节|三八节", 3, 8, None),
    ("植树节", 3, 12, None),
    ("愚人节", 4, 1, None),
    ("劳动节|五一(?=劳动|假期|长假|小长假|期间|节|去|放假|那天|[,，。!！?？]|$)", 5, 1, None),
    ("青年节", 5, 4, None),
    ("儿童节|六一(?=儿童|那天|节)", 6, 1, None),
    ("建党节", 7, 1, None),
    ("建军节", 8, 1, None),
    ("教师节", 9, 10, None),
    ("(?:国庆|十一)(?:长假|假期|黄金周|小长假|期间)", 10, 1, 7),
    ("国庆节?", 10, 1, None),
    ("万圣节|万圣夜", 10, 31, None),
    ("双十一|双11|光棍节", 11, 11, None),
    ("双十二|双12", 12, 12, None),
    ("平安夜", 12, 24, None),
    ("圣诞节?", 12, 25, None),
    ("跨年夜", 12, 31, None),
)
HOLIDAY = re.compile("|".join(f"(?P<h{i}>{row[0]})" for i, row in enumerate(_HOLIDAYS)))
_SURNAMES = frozenset(
    "李王张刘陈杨赵黄吴徐孙马朱胡林郭何高罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁余叶蒋杜苏魏程"
    "吕丁沈任姚卢傅钟姜崔谭廖范汪陆金石贾韦夏邱侯邹熊孟秦薛尹段雷黎史龙陶贺顾毛郝龚邵钱"
)


def holiday(match: re.Match[str], moment: Moment) -> Atom | None:
    """国庆, 元旦, 平安夜: those that the calendar fixes."""
    found = HOLIDAY.match(moment.text, match.start())
    if found is None or found.lastgroup is None:
        return None
    if re.match(r"快乐|树|老人|帽|歌|卡|礼物|节?快乐", moment.text[found.end() : found.end() + 3]):
        return Atom(*found.span())
    if found[0] == "国庆" and moment.before(found.start(), 1) in _SURNAMES:
        return Atom(*found.span())
    _, number, day, last = _HOLIDAYS[int(found.lastgroup[1:])]
    return Atom(*found.span(), dates(number, day, last))
