"""The table of English expressions of days and longer, and of those that only look like one."""

from __future__ import annotations

from lamina.text.dates import english as en
from lamina.text.dates.atoms import Rule
from lamina.text.dates.english_words import (
    DAY_NUMBER,
    FLAGS,
    MONTH,
    MONTH_WORDS,
    NUMBER,
    ORDINALS,
    SHIFT,
    SHIFT_WORDS,
    STARTS,
    UNIT,
    WEEKDAY,
    WEEKDAY_WORDS,
)

_OTHER_THINGS = (
    r"(?! (?:trees?|carols?|cards?|presents?|gifts?|songs?|cake|movies?|lights?|markets?|cookies?"
    r"|jumpers?|sweaters?|resolutions?|island|spirit|costumes?|decorations?)\b)"
)
_NTH = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(sorted(ORDINALS, key=len, reverse=True))})"
_TIE = r"\s?(?:-|–|—|to|through|thru|until|till)\s?(?:the\s)?"
_UNITS_BEHIND = (
    r"(?!\d|:\d|\.\d|,\d|%|/|-[a-z]|\s?(?:miles?|km|kilomet|steps?|people|men|women|times|hours?"
    r"|minutes?|days?|weeks?|years?|abreast|dollars?|euros?|percent|pages?|am\b|pm\b)\b)"
)
_NAMED_DAYS = (
    r"(?:(?:black|good|casual|freaky) friday|ash wednesday|(?:easter|palm|cyber|whit)"
    r" (?:sunday|monday)|(?:super|shrove|ruby) tuesday|(?:sunday|monday|friday)"
    r" (?:school|best|blues)|(?:spring|fall|summer|winter) (?:roll|onion|break|time)s?"
    r"|mar(?:ch|\.) madness)\b"
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
    Rule(starts, rf"(?<![\w'$€£#])(?:{pattern})", build, FLAGS)
    for starts, pattern, build in (
        (
            ("yesterday", "today", "tomorrow", "tmr", "tmrw", "tmw", "day"),
            r"day before yesterday|day after tomorrow|yesterday|(?<!USA )today|tomorrow|tmr|tmw",
            en.day_word,
        ),
        (("tonight", "tonite"), r"tonight|tonite", en.tonight),
        (("last", "night"), r"last (?:night|evening)\b|night before last\b", en.last_night),
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
            en.habit,
        ),
        (
            (
                "black",
                "good",
                "casual",
                "freaky",
                "ash",
                "easter",
                "palm",
                "cyber",
                "whit",
                "super",
                "shrove",
                "ruby",
                "sunday",
                "monday",
                "friday",
                "may",
                "spring",
                "fall",
                "summer",
                "winter",
                "mar",
                "march",
            ),
            _NAMED_DAYS,
            en.nothing,
        ),
        (
            STARTS["number"],
            (
                rf"(?P<n>{NUMBER})(?P<half>\s(?:and\sa\shalf))?\s?{UNIT}(?P<half2>\sand\sa\shalf)?"
                r"\s(?P<way>ago(?:\syesterday)?|back|from\s(?:now|today|tomorrow)|later|hence|earlier"
                r"|before\snow)\b(?:\stoday\b)?"
            ),
            en.some_away,
        ),
        (
            STARTS["number"],
            rf"(?P<n>{NUMBER})\s(?P<name>{'|'.join(en.SEASONS)}|{WEEKDAY_WORDS})s?\sago\b",
            en.some_back,
        ),
        (
            ("in",),
            (
                rf"in\s(?:about\s|around\s)?(?P<n>{NUMBER})(?P<half>\s(?:and\sa\shalf))?\s?{UNIT}"
                r"(?P<half2>\sand\sa\shalf)?(?P<way>(?!))?(?!\s(?:of|a\srow)\b)(?!\s?['-])"
            ),
            en.some_away,
        ),
        (
            ("last", "past", "previous", "next", "coming", "within"),
            (
                rf"(?P<way>last|past|previous|next|coming|within)\s(?:the\snext\s)?(?P<n>{NUMBER})\s{UNIT}"
                r"(?!\sof\b)"
            ),
            en.some_run,
        ),
        (("past",), rf"(?P<way>past)\s(?P<n>(?!))?{UNIT}(?!\sof\b)", en.some_run),
        (
            ("first", "last"),
            (
                r"(?P<edge>(?:first|last)\s(?:day|week))\sof\s"
                r"(?:the\s(?P<unit>month|quarter|year)\b)?"
            ),
            en.a_part,
        ),
        (
            ("early", "late", "mid", "beginning", "start", "end", "middle", "close"),
            (
                r"(?P<edge>(?:beginning|start|end|middle|close)(?=\sof\b)|early|late|mid)"
                r"(?:\sof\s(?:the\s)?(?P<unit>month|week|quarter|year)\b|\sof\b|[\s-])"
            ),
            en.a_part,
        ),
        (
            STARTS["shift"],
            (
                rf"(?P<shift>{SHIFT_WORDS})\s(?P<unit>week|month|quarter|year|weekend)\b(?!\s?-)(?!\sof\b)"
            ),
            en.a_unit,
        ),
        (
            ("week", "month", "year", "quarter", "weekend"),
            r"(?P<unit>week|month|year|quarter|weekend)\s(?:before\slast|after\snext)\b",
            en.twice,
        ),
        (("weekend",), r"(?<!a )weekend\b", en.a_weekend),
        (
            ("christmas", "xmas", "boxing", "new", "halloween", "valentine", "valentines", "st")
            + ("saint", "may", "april", "independence", "bastille", "veterans", "juneteenth")
            + STARTS["shift"],
            rf"{SHIFT}(?P<name>{'|'.join(name for name, _, _ in en.HOLIDAYS)})\b{_OTHER_THINGS}",
            en.holiday,
        ),
        (
            (*STARTS["month"], *STARTS["shift"]),
            (
                rf"{SHIFT}{MONTH}\.?\s{{1,2}}(?P<the>the\s)?(?P<d>{DAY_NUMBER})(?P<suffix>st|nd|rd|th)?"
                rf"\b{_UNITS_BEHIND}(?:{_TIE}(?P<d2>{DAY_NUMBER})(?:st|nd|rd|th)?\b{_UNITS_BEHIND}"
                rf"(?!\s(?:of\s)?(?:{MONTH_WORDS})\b))?"
            ),
            en.month_first,
        ),
        (
            STARTS["ordinal"],
            (
                rf"(?<![.,:/-])(?P<d>{DAY_NUMBER})(?:st|nd|rd|th)?\b(?:\s?(?P<tie>-|–|—|to|through|until"
                rf"|till|and)\s?(?:the\s)?(?P<d2>{DAY_NUMBER})(?:st|nd|rd|th)?\b)?"
                rf"(?:\s|-)(?:(?P<of>of|day\sof)\s)?{MONTH}(?:\.(?=\s\d))?"
            ),
            en.day_first,
        ),
        (
            ("on", "by", "since", "until", "till"),
            (
                rf"(?:on|by|since|until|till)\sthe\s(?P<d>{_NTH})\b(?P<d2>(?!))?"
                r"(?=\s(?:of\s(?:this|last|next)|at\b|i\b|we\b|he\b|she\b|they\b|in\sthe\b)|[.,;!?)]|$)"
            ),
            en.day_alone,
        ),
        (
            ("from", "between"),
            (
                rf"(?:from|between)\sthe\s(?P<d>{_NTH})\s(?:to|until|till|through|and)\s(?:the\s)?"
                rf"(?P<d2>{_NTH})\b(?!\s(?:of|floor|place|grade|century|edition|round)\b)"
                rf"(?!\s(?:{MONTH_WORDS})\b)"
            ),
            en.day_alone,
        ),
        (
            STARTS["ordinal"],
            rf"(?P<d>{_NTH})(?P<d2>(?!))?\sof\s(?=(?:this|last|next)\smonth\b)",
            en.day_alone,
        ),
        (
            (*STARTS["month"], *STARTS["shift"]),
            rf"{SHIFT}{MONTH}(?!['-][a-rt-z])(?!\s\d{{1,2}}(?!\d))",
            en.a_month,
        ),
        (
            (*STARTS["weekday"], *STARTS["shift"], *(f"{w}s" for w in STARTS["weekday"])),
            rf"{SHIFT}{WEEKDAY}",
            en.a_weekday,
        ),
        (
            ("in", "during", "over", "spring", "summer", "autumn", "fall", "winter")
            + STARTS["shift"],
            (
                rf"(?:(?P<shift>{SHIFT_WORDS})\s|(?P<in>(?:in|during|over)\s(?:the\s)?))?"
                r"(?P<season>spring|summer|autumn|fall|winter)\b(?!\s(?:of\s(?![12]\d{3}|(?:last|this|next)\s)|down|apart))"
            ),
            en.a_season,
        ),
        (
            ("q", "first", "second", "third", "fourth"),
            r"(?:q(?P<n>[1-4])\b|(?P<nth>first|second|third|fourth)\squarter\b)(?![\w-])",
            en.a_quarter,
        ),
        (("h", "first", "second"), r"(?:h[12]\b|(?:first|second)\shalf)\b(?![\w-])", en.a_half),
        (
            ("0",),
            rf"(?:(?<![.:/%-])|(?<=\bmid-))(?P<y>(?:19|20)\d\d)(?![\w%]|[.,:/]\d|-\w){_THINGS}",
            en.a_year,
        ),
        (("0",), r"(?:(?P<y>(?:19|20)\d0|(?<=the )[2-9]0)s)\b", en.decade),
    )
)
