"""What Chinese says of times of day."""

from __future__ import annotations

import re

from lamina.text.dates.atoms import Atom, Clock, Moment, Rule
from lamina.text.dates.chinese_words import HAN, PARTS, number_of

_NUMERALS = ("0", *HAN)
_HOUR = r"(?:\d{1,2}|二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九])"
# A number begins here, or a weekday has just ended: 周二十点.
_START = rf"(?:(?<![{HAN}第\d.几])(?<!\d:)|(?<=[周期拜][一二三四五六日天]))"
_MINUTE = (
    r"(?:零[一二三四五六七八九]|\d{1,2}|[二三四五]?十[一二三四五六七八九]?"
    r"|[一二三四五六七八九](?=分))"
)
_NO_DECIMAL = r"(?![\d零二三四五六七八九十]|一(?![起定直边样共个]))"
_NO_TIME = r"(?!间|候|段|差|代|刻|髦|空|常|而|区|装|尚|光|期|令|速|不|机|效|局|尔|针)"
_WORDS = sorted((word for word in PARTS if len(word) > 1), key=len, reverse=True)

# "Three points": what follows or comes before tells that they are no hours.
_POINTS_AFTER = re.compile(
    r"建议|意见|要求|要[说讲注]|要点|原因|理由|内容|共识|优势|问题|不同|区别|说明|注意|启示|体会|感受|看法|想法|好处"
    r"|坏处|心得|之间|儿|水|点|以上|经验|教训|方面|疑问|期望|希望|需求|特征|血|分歧|不足|改进|收获|都|也"
)
_POINTS_BEFORE = re.compile(r"(?:[这那几说提共列讲有差慢快多少第点]|以下|如下|下列)了?$")


def _part(match: re.Match[str], _moment: Moment) -> Atom:
    return Atom(*match.span(), part=PARTS[match["part"]])


def _clock(match: re.Match[str], moment: Moment) -> Atom | None:
    hour = number_of(match["h"])
    minute = number_of(match["min"]) if match["min"] else 0
    minute = 30 if match["half"] else 15 * number_of(match["q"]) if match["q"] else minute
    if hour > 24 or minute > 59:
        return None
    fine = bool(match["min"] or match["half"] or match["q"])
    clock = Clock(hour, minute, sure=hour > 12 or hour == 0, fine=fine)
    if fine or match["full"]:
        return Atom(*match.span(), clock=clock)
    behind = _POINTS_AFTER.match(moment.text, match.end())
    if behind or _POINTS_BEFORE.search(moment.before(match.start(), 4)):
        return Atom(*match.span())
    return Atom(*match.span(), clock=clock, weak=hour == 1 or match["sign"] == "时")


def _short_of(match: re.Match[str], _moment: Moment) -> Atom | None:
    """差五分八点."""
    hour, minute = number_of(match["h"]), number_of(match["min"])
    if not (1 <= hour <= 24 and 0 < minute < 60):
        return None
    return Atom(*match.span(), clock=Clock(hour - 1 or 12, 60 - minute, sure=hour > 12, fine=True))


def _clocks(match: re.Match[str], _moment: Moment) -> Atom | None:
    """3-5点, 三到五点."""
    first, last = number_of(match["h"]), number_of(match["h2"])
    if not first < last <= 24:
        return None
    clock, until = (Clock(hour, sure=hour > 12) for hour in (first, last))
    return Atom(*match.span(), clock=clock, until=until)


RULES = tuple(
    Rule(starts, pattern, build)
    for starts, pattern, build in (
        (
            tuple({word[0] for word in _WORDS}),
            rf"(?<!马)(?!早上[班学课线车台])(?P<part>{'|'.join(_WORDS)})",
            _part,
        ),
        (("差",), rf"差(?P<min>{_HOUR})分钟?(?:到|就)?(?P<h>{_HOUR})点(?!\d)", _short_of),
        (("早", "晚"), rf"(?P<part>[早晚])(?=(?!一点){_HOUR}点)", _part),
        (
            _NUMERALS,
            (
                rf"{_START}(?P<h>{_HOUR})\s?(?P<sign>点|时{_NO_TIME})(?P<full>钟|整)?"
                rf"(?:(?P<half>半)|(?P<q>[一三])刻|过?\s?(?P<min>{_MINUTE})\s?分?)?{_NO_DECIMAL}"
            ),
            _clock,
        ),
        (
            _NUMERALS,
            (
                rf"{_START}(?P<h>{_HOUR})\s?(?:到|至|-|–|—|~)\s?(?P<h2>{_HOUR})\s?点{_NO_DECIMAL}"
                r"(?!半|建议|意见)"
            ),
            _clocks,
        ),
    )
)
