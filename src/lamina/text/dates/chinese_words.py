"""Chinese numerals and words of time. Texts are simplified before they are read."""

from __future__ import annotations

from lamina.text.dates.atoms import (
    AFTERNOON,
    DAWN,
    DUSK,
    EARLY,
    EVENING,
    MORNING,
    NIGHT,
    NOON,
    Part,
)

_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000, "廿": 20, "卅": 30}
HAN = "零〇一二两三四五六七八九十百千廿卅"
NUMBER = rf"(?:\d{{1,4}}|[{HAN}]{{1,7}})"
# A number begins here: the signs before it are no part of it.
START = rf"(?<![{HAN}万点第\d.\-/])(?<!\d:)"

WEEKDAYS = dict(zip("一二三四五六日天末1234567", [*range(7), 6, 7, *range(7)], strict=True))
UNITS = {
    "秒": "second",
    "分钟": "minute",
    "小时": "hour",
    "钟头": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "季度": "quarter",
    "年": "year",
}
PARTS: dict[str, Part] = {
    "凌晨": DAWN,
    "清晨": EARLY,
    "清早": EARLY,
    "大清早": EARLY,
    "一大早": EARLY,
    "大早上": EARLY,
    "早晨": MORNING,
    "早上": MORNING,
    "上午": MORNING,
    "中午": NOON,
    "正午": NOON,
    "午后": AFTERNOON,
    "下午": AFTERNOON,
    "傍晚": DUSK,
    "黄昏": DUSK,
    "晚上": EVENING,
    "夜里": EVENING,
    "夜晚": EVENING,
    "夜间": EVENING,
    "深夜": NIGHT,
    "半夜": NIGHT,
    "午夜": NIGHT,
    "早": MORNING,
    "晨": EARLY,
    "晚": EVENING,
    "夜": EVENING,
}


def number_of(word: str) -> int:
    """The number that digits or Chinese numerals write; ValueError if they write none."""
    if word.isdigit() and word.isascii():
        return int(word)
    if not set(word) & set(_TENS):
        return int("".join(str(_DIGITS[char]) for char in word))
    total, held = 0, None
    for char in word:
        if char in _DIGITS:
            held = _DIGITS[char]
        elif char in "廿卅":
            total += _TENS[char]
        else:
            total += (1 if held is None else held) * _TENS[char]
            held = None
    return total + (held or 0)
