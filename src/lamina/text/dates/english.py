"""What English says of days, weeks, months and years."""

from __future__ import annotations

import re
from datetime import date, timedelta

from lamina.text.dates.atoms import EVENING, MORNING, Atom, Moment, Rule
from lamina.text.dates.days import (
    Cycle,
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
    one,
    quarter,
    season,
    shifted,
    weekday,
    weekend,
    weekends,
)
from lamina.text.dates.english_words import (
    DAY_NUMBER,
    MONTH,
    MONTH_WORDS,
    MONTHS,
    NUMBER,
    ORDINALS,
    SHIFT,
    SHIFT_WORDS,
    SHIFTS,
    STARTS,
    UNIT,
    WEEKDAY,
    WEEKDAY_WORDS,
    WEEKDAYS,
    day_number,
    number_of,
    unit_of,
)
from lamina.text.dates.relative import SECONDS, away, few, run
from lamina.text.dates.tense import is_habit, tense_of

_FLAGS = re.ASCII | re.IGNORECASE
_UNITS = {
    "week": Unit.WEEK,
    "month": Unit.MONTH,
    "quarter": Unit.QUARTER,
    "year": Unit.YEAR,
}
# Month names that are mostly something else in small letters, or somebody's name in capitals.
_VERBS = {"may", "march", "mar"}
_NAMES = {"april", "june", "may", "march", "jan", "august"}


def _day_word(match: re.Match[str], moment: Moment) -> Atom:
    word = match[0].lower()
    shift = -1 if "yesterday" in word else 0 if word == "today" else 1
    if "before" in word or "after" in word:
        shift *= 2
    return Atom(*match.span(), Fixed((one(moment.today + timedelta(days=shift)),), Unit.DAY))


def _tonight(match: re.Match[str], moment: Moment) -> Atom:
    return Atom(*match.span(), Fixed((one(moment.today),), Unit.DAY), part=EVENING)


def _last_night(match: re.Match[str], moment: Moment) -> Atom:
    back = 2 if "before" in match[0].lower() else 1
    day = one(moment.today - timedelta(days=back))
    part = MORNING if "morning" in match[0].lower() else EVENING
    return Atom(*match.span(), Fixed((day,), Unit.DAY), part=part)


def _unit(match: re.Match[str], moment: Moment) -> Atom:
    """Last week, this month, next weekend."""
    shift, name = SHIFTS[match["shift"].lower()], match["unit"].lower()
    if name == "weekend":
        readings = shifted(weekends(), moment.today, shift=shift)
        return Atom(*match.span(), Fixed(readings, Unit.OTHER))
    return Atom(*match.span(), fixed(around(moment.today, _UNITS[name], shift), _UNITS[name]))


def _twice(match: re.Match[str], moment: Moment) -> Atom:
    """The week before last, the year after next."""
    shift = -2 if "last" in match[0].lower() else 2
    name = match["unit"].lower()
    if name == "weekend":
        days = weekend(around(moment.today, Unit.WEEK, shift))
        return Atom(*match.span(), fixed(days))
    return Atom(*match.span(), fixed(around(moment.today, _UNITS[name], shift), _UNITS[name]))


def _weekend(match: re.Match[str], moment: Moment) -> Atom | None:
    if is_habit(moment.text, *match.span()):
        return None
    tense = tense_of(moment.text, *match.span())
    held = weekend(around(moment.today, Unit.WEEK))
    if tense is Tense.PAST and moment.today < held.start:
        held = weekend(around(moment.today, Unit.WEEK, -1))
    return Atom(*match.span(), fixed(held))


def _away(match: re.Match[str], moment: Moment) -> Atom | None:
    """Three days ago, a year and a half ago, two weeks from now, in three days."""
    unit = unit_of(match["unit"])
    behind = (match["way"] or "").lower()
    sign = -1 if behind.split()[:1] in (["ago"], ["back"], ["earlier"], ["before"]) else 1
    if not behind:  # "in two days" is a time only for what is to come, else how long it took
        small = match["n"].lower() in {"a", "an", "one", "no"} and unit in {"second", "minute"}
        if small or tense_of(moment.text, *match.span()) is Tense.PAST:
            return None
    count = number_of(match["n"])
    if count is None:
        return few(match, moment, unit=unit, sign=sign)
    if match["half"] or match["half2"]:
        count += 0.5
    if unit == "fortnight":
        unit, count = "week", 2 * count
    if unit == "decade":
        unit, count = "year", 10 * count
    return away(match, moment, count=sign * count, unit=unit)


def _run(match: re.Match[str], moment: Moment) -> Atom | None:
    """The last three days, the next few weeks, within two months."""
    sign = -1 if match["way"].lower() in {"last", "past", "previous"} else 1
    count = number_of(match["n"]) if match["n"] else 1
    unit = unit_of(match["unit"])
    if count is None:
        if unit in SECONDS:
            return None
        count = 3 if unit == "day" else 4
    if unit in {"fortnight", "decade", "weekend"}:
        unit, count = {
            "fortnight": ("week", 2 * count),
            "decade": ("year", 10 * count),
            "weekend": ("week", count),
        }[unit]
    return run(match, moment, count=sign * count, unit=unit)


def _shift(match: re.Match[str], moment: Moment, cycle: Cycle) -> Fixed | Cycle:
    if not match["shift"]:
        return cycle
    readings = shifted(cycle, moment.today, shift=SHIFTS[match["shift"].lower()])
    return Fixed(readings, cycle.unit)


_STRONG = re.compile(r"\b(?:in|during)\s(?:early\s|late\s|mid[\s-])?$", re.IGNORECASE)
_LOOSE = re.compile(
    r"\b(?:since|until|till|by|before|after|around|through|from|to|between|of|and|for)\s$",
    re.IGNORECASE,
)


def _month(match: re.Match[str], moment: Moment) -> Atom | None:
    """A month alone: "may" and "June" need a word before them that wants a month."""
    word = match["month"]
    lower = word.lower().rstrip(".")
    before, after = moment.before(match.start()), moment.text[match.end() :][:24]
    capital = word[0].isupper()
    full = len(lower) > 4 and lower not in _NAMES
    when = _shift(match, moment, months(MONTHS[lower]))
    if not capital and lower in _VERBS and not _STRONG.search(before):
        return None
    if _POSSESSIVE.match(after) and lower in _NAMES and not match["shift"]:
        return None
    if match["shift"] or _STRONG.search(before):
        return Atom(*match.span(), when)
    named = re.match(r"\s[A-Z][a-z]", after) is not None
    if lower in _NAMES or not full:
        loose = re.search(r"\b(?:since|until|till|by)\s$", before, re.IGNORECASE)
        sure = capital and loose and not named
        return Atom(*match.span(), when, weak=not sure) if capital else None
    if not capital and not _LOOSE.search(before):
        return Atom(*match.span(), when, weak=True)
    return Atom(*match.span(), when)


_POSSESSIVE = re.compile(r"'s\b")
_ON = re.compile(
    r"\b(?:on|by|since|until|till|before|after|from|to|between|and|of|due|last|next|this|the"
    r"|around|through|for)\s$|[,(]\s?$",
    re.IGNORECASE,
)


def _month_first(match: re.Match[str], moment: Moment) -> Atom | None:
    """March 5, May 8th, March 5-8."""
    word = match["month"].lower().rstrip(".")
    capital = match["month"][0].isupper()
    if word in _VERBS and not capital and not (match["suffix"] or match["the"]):
        if not _ON.search(moment.before(match.start())):
            return None
    first, last = day_number(match["d"]), match["d2"] and day_number(match["d2"])
    cycle = dates(MONTHS[word], first, last or None)
    return Atom(*match.span(), _shift(match, moment, cycle))


def _day_first(match: re.Match[str], moment: Moment) -> Atom | None:
    """5 March, the fifth of March, 5-8 March."""
    word = match["month"].lower().rstrip(".")
    if word in _VERBS and match["month"][0].islower() and not match["of"]:
        return None
    if (match["tie"] or "").lower() == "and":
        if not moment.before(match.start()).lower().endswith(("between ", "between the ")):
            return None
    last = day_number(match["d2"]) if match["d2"] else None
    return Atom(*match.span(), dates(MONTHS[word], day_number(match["d"]), last))


def _day_alone(match: re.Match[str], _moment: Moment) -> Atom:
    return Atom(*match.span(), day_of_month(day_number(match["d"])))


def _weekday(match: re.Match[str], moment: Moment) -> Atom | None:
    word = match["day"].lower()
    if match["many"]:
        return Atom(*match.span(), habit=True)
    when = _shift(match, moment, weekday(WEEKDAYS[word]))
    if len(word) > 5:
        return Atom(*match.span(), when)
    capital = match["day"][0].isupper()
    on = re.search(r"\b(?:on|by|until|till|since)\s$", moment.before(match.start()), re.IGNORECASE)
    if word in {"sat", "sun"} and not capital:
        ends = re.match(r"\s?(?:[.,;!?)]|$)", moment.text[match.end() :][:4])
        return Atom(*match.span(), when) if ends and (on or match["shift"]) else None
    sure = match["shift"] or on
    return Atom(*match.span(), when, weak=not sure) if sure or capital else None


def _season(match: re.Match[str], moment: Moment) -> Atom | None:
    number = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}[
        match["season"].lower()
    ]
    cycle = season(number)
    if match["shift"]:
        return Atom(*match.span(), _shift(match, moment, cycle))
    # "in the summer" alone is one summer only where the tense says which.
    told = match["in"] and tense_of(moment.text, *match.span())
    return Atom(*match.span(), cycle, weak=not told)


def _quarter(match: re.Match[str], moment: Moment) -> Atom:
    number = int(match["n"]) if match["n"] else ORDINALS[match["nth"].lower()]
    on = re.search(r"\b(?:in|during|since|by|until|for)\s$", moment.before(match.start()))
    return Atom(*match.span(), quarter(number), weak=not (on and match["n"]))


def _half(match: re.Match[str], _moment: Moment) -> Atom:
    first = match[0][-1] == "1" or match[0].lower().startswith("first")
    return Atom(*match.span(), months(1, 6) if first else months(7, 12), weak=True)


_YEAR = re.compile(
    r"(?:\b(?:in|since|during|until|till|by|before|after|from|through|around|circa|year|early|late"
    r"|mid|for)|\bmid-)\s?$",
    re.IGNORECASE,
)


def _year(match: re.Match[str], moment: Moment) -> Atom:
    days = around(date(int(match["y"]), 1, 1), Unit.YEAR)
    on = _YEAR.search(moment.before(match.start())) and not match["things"]
    return Atom(match.start(), match.end("y"), fixed(days, Unit.YEAR), weak=not on)


def _decade(match: re.Match[str], _moment: Moment) -> Atom:
    start = int(match["y"]) if len(match["y"]) == 4 else int(match["y"]) + 1900
    start += 100 * (start < 1930)
    return Atom(*match.span(), fixed(Days(date(start, 1, 1), date(start + 10, 1, 1))))


def _edge(match: re.Match[str], moment: Moment) -> Atom:
    """Early (May), the end of (last month), the first week of (March)."""
    words = match["edge"].lower().split()
    first = words[0]
    name = {"beginning": "start", "close": "end", "middle": "mid"}.get(first, first)
    if len(words) > 1:
        name = f"{first} {words[1]}"
    cycle = edge(name)
    if not match["unit"]:
        return Atom(*match.span(), cycle, weak=True)
    unit = _UNITS[match["unit"].lower()]
    days = cycle.within(around(moment.today, unit))
    return Atom(*match.span(), fixed(days, cycle.unit) if days else None)


def _habit(match: re.Match[str], _moment: Moment) -> Atom:
    return Atom(*match.span(), habit=True)


def _nothing(match: re.Match[str], _moment: Moment) -> Atom:
    return Atom(*match.span())


_HOLIDAYS = (
    (r"christmas eve", 12, 24),
    (r"christmas(?: day)?|xmas", 12, 25),
    (r"boxing day", 12, 26),
    (r"new year'?s'? eve", 12, 31),
    (r"new year(?:'?s'?)?(?: day)?", 1, 1),
    (r"halloween", 10, 31),
    (r"valentine'?s'?(?: day)?", 2, 14),
    (r"(?:st\.?|saint) patrick'?s day", 3, 17),
    (r"april fools?'?s?'?(?: day)?", 4, 1),
    (r"independence day", 7, 4),
    (r"bastille day", 7, 14),
    (r"veterans'? day", 11, 11),
    (r"juneteenth", 6, 19),
)
_OTHER_THINGS = (
    r"(?! (?:trees?|carols?|cards?|presents?|gifts?|songs?|cake|movies?|lights?|markets?|cookies?"
    r"|jumpers?|sweaters?|resolutions?|island|spirit|costumes?|decorations?)\b)"
)


def _holiday(match: re.Match[str], moment: Moment) -> Atom | None:
    if re.search(
        r"\b(?:happy|merry|lunar|chinese)\s$", moment.before(match.start()), re.IGNORECASE
    ):
        return Atom(*match.span())
    name = match["name"]
    for pattern, month_number, day in _HOLIDAYS:
        if re.fullmatch(pattern, name, _FLAGS):
            return Atom(*match.span(), _shift(match, moment, dates(month_number, day)))
    return None


_NTH = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(sorted(ORDINALS, key=len, reverse=True))})"
_TIE = r"\s?(?:-|–|—|to|through|thru|until|till)\s?(?:the\s)?"
_UNITS_BEHIND = (
    r"(?!\d|:\d|\.\d|,\d|%|/|-[a-z]|\s?(?:miles?|km|kilomet|steps?|people|men|women|times|hours?|minutes?"
    r"|days?|weeks?|years?|abreast|dollars?|euros?|percent|pages?|am\b|pm\b)\b)"
)
_NAMED_DAYS = (
    r"(?:(?:black|good|casual|freaky) friday|ash wednesday|(?:easter|palm|cyber|whit) (?:sunday|monday)"
    r"|(?:super|shrove|ruby) tuesday|(?:sunday|monday|friday) (?:school|best|blues)|may day"
    r"|(?:spring|fall|summer|winter) (?:roll|onion|break|time)s?|mar(?:ch|\.) madness)\b"
)
_THINGS = (
    r"(?P<things>\s(?:words?|steps?|people|persons?|men|women|files?|lines?|places?|pieces|ways"
    r"|dollars?|euros?|pounds|units?|rows?|cases|houses?|bytes|tokens|km|kilomet\w+|miles?|meters?"
    r"|metres?|items?|pages?|characters?|hours?|days?|calories|rpm|kg|mb|gb|ms)\b)?"
)
_HABITS = (
    r"(?:every|each)\s(?:(?:other|single|second|third|few|half|\d{1,2}|two|three|four|six)\s)?"
    rf"(?:day|night|morning|afternoon|evening|week|weekend|weekday|month|quarter|year|hour|minute"
    rf"|time|season|spring|summer|autumn|fall|winter|{WEEKDAY_WORDS}|{MONTH_WORDS})s?\b"
)

RULES = tuple(
    Rule(starts, re.compile(rf"(?<![\w'$€£#])(?:{pattern})", _FLAGS), build)
    for starts, pattern, build in (
        (
            ("yesterday", "today", "tomorrow", "tomorrows", "tmr", "tmrw", "tmw", "day"),
            r"day before yesterday|day after tomorrow|yesterday|(?<!USA )today|tomorrow|tmrw?|tmw\b",
            _day_word,
        ),
        (("tonight", "tonite"), r"tonight|tonite", _tonight),
        (("last", "night"), r"last (?:night|evening)\b|night before last\b", _last_night),
        (
            (
                "every",
                "each",
                "mornings",
                "nights",
                "evenings",
                "afternoons",
                "weekends",
                "weekdays",
            ),
            _HABITS + r"|(?:mornings|nights|evenings|afternoons|weekends|weekdays)\b",
            _habit,
        ),
        (
            ("black", "good", "casual", "freaky", "ash", "easter", "palm", "cyber", "whit", "super")
            + ("shrove", "ruby", "sunday", "monday", "friday", "may", "spring", "fall", "summer")
            + ("winter", "mar", "march"),
            _NAMED_DAYS,
            _nothing,
        ),
        (
            STARTS["number"],
            rf"(?P<n>{NUMBER})(?P<half>\s(?:and\sa\shalf))?\s?{UNIT}(?P<half2>\sand\sa\shalf)?"
            r"\s(?P<way>ago|back\b|from\snow|from\stoday|later|hence|earlier|before\snow)\b(?:\stoday\b)?",
            _away,
        ),
        (
            ("in",),
            rf"in\s(?:about\s|around\s)?(?P<n>{NUMBER})(?P<half>\s(?:and\sa\shalf))?\s?{UNIT}"
            r"(?P<half2>\sand\sa\shalf)?(?P<way>(?!))?(?!\s(?:of|a\srow)\b)(?!\s?['-])",
            _away,
        ),
        (
            ("last", "past", "previous", "next", "coming", "within"),
            rf"(?P<way>last|past|previous|next|coming|within)\s(?:the\snext\s)?(?P<n>{NUMBER})\s{UNIT}"
            r"(?!\sof\b)",
            _run,
        ),
        (("past",), rf"(?P<way>past)\s(?P<n>(?!))?{UNIT}(?!\sof\b)", _run),
        (
            ("first", "last"),
            r"(?P<edge>(?:first|last)\s(?:day|week))\sof\s"
            r"(?:the\s(?P<unit>month|quarter|year)\b)?",
            _edge,
        ),
        (
            ("early", "late", "mid", "beginning", "start", "end", "middle", "close"),
            r"(?P<edge>(?:beginning|start|end|middle|close)(?=\sof\b)|early|late|mid)"
            r"(?:\sof\sthe\s(?P<unit>month|week|quarter|year)\b|\sof\b|[\s-])",
            _edge,
        ),
        (
            STARTS["shift"],
            rf"(?P<shift>{SHIFT_WORDS})\s(?P<unit>week|month|quarter|year|weekend)\b(?!\s?-)(?!\sof\b)"
            r"(?!\ss?before\b)",
            _unit,
        ),
        (
            ("week", "month", "year", "quarter", "weekend"),
            r"(?P<unit>week|month|year|quarter|weekend)\s(?:before\slast|after\snext)\b",
            _twice,
        ),
        (("weekend",), r"(?<!a )weekend\b", _weekend),
        (
            (*STARTS["month"], *STARTS["shift"]),
            rf"{SHIFT}{MONTH}\.?\s{{1,2}}(?P<the>the\s)?(?P<d>{DAY_NUMBER})(?P<suffix>st|nd|rd|th)?"
            rf"\b{_UNITS_BEHIND}(?:{_TIE}(?P<d2>{DAY_NUMBER})(?:st|nd|rd|th)?\b{_UNITS_BEHIND}"
            rf"(?!\s(?:of\s)?(?:{MONTH_WORDS})\b))?",
            _month_first,
        ),
        (
            STARTS["ordinal"],
            rf"(?<![.,:/-])(?P<d>{DAY_NUMBER})(?:st|nd|rd|th)?\b(?:\s?(?P<tie>-|–|—|to|through|until"
            rf"|till|and)\s?(?:the\s)?(?P<d2>{DAY_NUMBER})(?:st|nd|rd|th)?\b)?"
            rf"(?:\s|-)(?:(?P<of>of|day\sof)\s)?{MONTH}",
            _day_first,
        ),
        (
            ("on", "by", "since", "until", "till"),
            rf"(?:on|by|since|until|till)\sthe\s(?P<d>{_NTH})\b"
            r"(?=\s(?:of\s(?:this|last|next)|at\b|i\b|we\b|he\b|she\b|they\b|in\sthe\b)|[.,;!?)]|$)",
            _day_alone,
        ),
        (
            STARTS["ordinal"],
            rf"(?P<d>{_NTH})\sof\s(?=(?:this|last|next)\smonth\b)",
            _day_alone,
        ),
        (
            (*STARTS["month"], *STARTS["shift"]),
            rf"{SHIFT}{MONTH}(?!['-][a-rt-z])(?!\s\d{{1,2}}(?!\d))",
            _month,
        ),
        (
            (*STARTS["weekday"], *STARTS["shift"], *(f"{w}s" for w in STARTS["weekday"])),
            rf"{SHIFT}{WEEKDAY}",
            _weekday,
        ),
        (
            ("in", "during", "over", "spring", "summer", "autumn", "fall", "winter")
            + STARTS["shift"],
            rf"(?:(?P<shift>{SHIFT_WORDS})\s|(?P<in>(?:in|during|over)\s(?:the\s)?))?"
            r"(?P<season>spring|summer|autumn|fall|winter)\b(?!\s(?:of\s(?![12]\d{3})|down|apart))",
            _season,
        ),
        (
            ("q", "first", "second", "third", "fourth"),
            r"(?:q(?P<n>[1-4])\b|(?P<nth>first|second|third|fourth)\squarter\b)(?![\w-])",
            _quarter,
        ),
        (("h", "first", "second"), r"(?:h[12]\b|(?:first|second)\shalf)\b(?![\w-])", _half),
        (("0",), rf"(?<![.:/%-])(?P<y>(?:19|20)\d\d)(?![\w%]|[.,:/]\d|-\w){_THINGS}", _year),
        (("0",), r"(?:(?P<y>(?:19|20)\d0|(?<=the )[2-9]0)s)\b", _decade),
        (
            ("christmas", "xmas", "boxing", "new", "halloween", "valentine", "valentines", "st")
            + ("saint", "april", "independence", "bastille", "veterans", "juneteenth")
            + STARTS["shift"],
            rf"{SHIFT}(?P<name>{'|'.join(name for name, _, _ in _HOLIDAYS)})\b{_OTHER_THINGS}",
            _holiday,
        ),
    )
)
