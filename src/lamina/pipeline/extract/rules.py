"""From a message to candidates, by the rules of the grammar: no model, no store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from lamina.pipeline.extract.grammar import Claim, Slot, claims
from lamina.pipeline.extract.sift import LONGEST, Statement, statements
from lamina.text.dates import Interval, find_dates
from lamina.text.words import has_han
from lamina.types import Candidate, Kind, Message, Origin, Role, Source

UNSURE = "unsure"  # a rule that is not certain
HEDGED = "hedged"  # "maybe", "I think"
DAY = timedelta(days=1)
HALF_YEAR = timedelta(days=180)
SOON = timedelta(days=60)
NEEDED = {"past", "future", "any"}  # a slot of these must name a time


def drawn(
    message: Message, text: str, *, zone: ZoneInfo, user: str = "", playing: bool = False
) -> list[Candidate]:
    """What a message says that may be worth keeping.

    `text` is the message's own with secrets masked; `user` the name under which the scope's own
    user speaks in a group; `playing`: it is said in a play that began before.
    """
    found = claimed(message, text, zone=zone, user=user, playing=playing)
    return [candidate for _, candidate in found]


def said_as(message: Message, sentence: str, *, zone: ZoneInfo) -> list[Candidate]:
    """What a message would say with the words of this sentence."""
    statement, speaker = Statement(sentence, 0, has_han(sentence)), message.name or ""
    made = (
        _candidate(claim, statement, message, sentence, zone)
        for claim in claims(statement, speaker)
    )
    return [candidate for candidate in made if candidate is not None]


def claimed(
    message: Message, text: str, *, zone: ZoneInfo, user: str = "", playing: bool = False
) -> list[tuple[Claim, Candidate]]:
    """As `drawn`, each with the claim that it comes from."""
    if message.role is not Role.USER:
        return []
    speaker = message.name or ""
    if speaker.casefold() == user.casefold():
        speaker = ""
    found: list[tuple[Claim, Candidate]] = []
    for statement in statements(text, playing=playing):
        barred: list[Claim] = []
        while True:
            heard = claims(statement, speaker, barred=barred)
            drawn = [(claim, _candidate(claim, statement, message, text, zone)) for claim in heard]
            empty = [claim for claim, candidate in drawn if candidate is None]
            if not empty:
                break
            barred += empty
        found += [
            (claim, candidate)
            for claim, candidate in drawn
            if candidate is not None and not 0 <= statement.reported <= claim.start
        ]
    return found


def _candidate(
    claim: Claim, statement: Statement, message: Message, text: str, zone: ZoneInfo
) -> Candidate | None:
    """A claim as a candidate; None where it names no time that its slot must have."""
    quote = text[statement.start : statement.start + len(statement.text)]
    source = Source(Kind.MESSAGE, message.id, message.session_id, message.name, quote)
    slot = claim.slot
    dates = _of_when(
        slot, find_dates(claim.text, message.created_at, zone), message.created_at, zone
    )
    if slot.when in NEEDED and not dates:
        return None
    candidate = Candidate(
        content=with_dates(claim.text, dates if slot.dated else _certain(dates), zone),
        category=slot.category,
        sources=(source,),
        said_at=message.created_at,
        topic=claim.topic,
        value=claim.value,
        importance=slot.importance,
        origin=Origin.USER,
        doubt=UNSURE if not claim.sure else HEDGED if statement.hedged else "",
    )
    if slot.dated and dates:
        when = dates[0]
        value = shown_date(when, zone) if claim.topic else claim.value
        return replace(candidate, value=value, happens_from=when.start, happens_to=when.end)
    return candidate


def _of_when(
    slot: Slot, dates: Sequence[Interval], now: datetime, zone: ZoneInfo
) -> list[Interval]:
    """The likeliest reading of each time, of those that may be meant by what happened or will."""
    if slot.when == "every":
        return []
    by_words: dict[str, list[Interval]] = {}
    for date in dates:
        by_words.setdefault(date.words, []).append(date)
    found: list[Interval] = []
    for words, readings in by_words.items():
        # What the words alone may mean: a decision's tense is not that of its dates.
        alone = sorted(find_dates(words, now, zone), key=lambda date: abs(date.start - now))
        options = [*readings, *alone] if slot.dated else alone or readings
        found += [date for date in options if _fits(date, slot.when, options, now)][:1]
    days = [date for date in found if not _VAGUE.fullmatch(date.words)]
    return days or found


def _fits(date: Interval, when: str, options: Sequence[Interval], now: datetime) -> bool:
    """Whether a reading is on the side of now that is needed, and likely."""
    if when == "past":
        # "May 3", said on 2 May, hardly means a day of last year.
        is_far = date.start < now - HALF_YEAR and date.end - date.start <= DAY
        return date.start <= now and not (is_far and _any_from(options, now, now + SOON))
    if when == "future":
        is_far = date.start > now + HALF_YEAR
        return date.end > now and not (is_far and _any_from(options, now - HALF_YEAR, now))
    return True


def _any_from(options: Sequence[Interval], start: datetime, end: datetime) -> bool:
    return any(start < one.start <= end for one in options)


def with_dates(text: str, dates: Sequence[Interval], zone: ZoneInfo) -> str:
    """The text with each relative time followed by the date that it means; its words stay."""
    for date in dates:
        place = text.find(date.words)
        if place < 0 or any(year in date.words for year in _years(date, zone)):
            continue
        end = place + len(date.words)
        meant = shown_date(date, zone)
        if text[end : end + 2 + len(meant)] in {f" ({meant}", f"（{meant}）"}:
            continue
        mark = f"（{meant}）" if not date.words.isascii() else f" ({meant})"
        text = text[:end] + mark + text[end:]
    return text


def dated(text: str, at: datetime, zone: ZoneInfo) -> str:
    """A text said at a time, its relative times followed by the dates that they mean for sure."""
    return with_dates(text, _certain(find_dates(text, at, zone)), zone)


_WEEKDAY = re.compile(
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)", re.IGNORECASE
)

_ONE_DAY = re.compile(
    r"\d|\b(?:last|next|this|past|coming|yesterday|today|tomorrow|tonight|ago)\b", re.IGNORECASE
)
_VAGUE = re.compile(
    r"(?:at |around |by )?(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| o'clock)?|noon|midnight"
    r"|(?:the )?weekends?|weekdays?)",
    re.IGNORECASE,
)


def _certain(dates: Sequence[Interval]) -> list[Interval]:
    """Those that name one day: a bare weekday, weekend or hour may mean every one."""
    return [
        date
        for date in dates
        if not _WEEKDAY.match(date.words)
        and not _VAGUE.fullmatch(date.words)
        and (_ONE_DAY.search(date.words) or not date.words.isascii())
    ]


def _years(date: Interval, zone: ZoneInfo) -> tuple[str, str]:
    return (str(date.start.astimezone(zone).year), str(date.end.astimezone(zone).year))


def shown_date(date: Interval, zone: ZoneInfo) -> str:
    """A time as a person writes it down: a day, a minute, a month, or from one day to another."""
    start, end = date.start.astimezone(zone), date.end.astimezone(zone)
    if date.at:
        return start.strftime("%Y-%m-%d %H:%M")
    if end - start <= DAY:
        return start.strftime("%Y-%m-%d")
    if _is_month(start, end):
        return start.strftime("%Y-%m")
    last = end - timedelta(microseconds=1)
    if (start.month, start.day, last.month, last.day) == (1, 1, 12, 31):
        return str(start.year) if start.year == last.year else f"{start.year} to {last.year}"
    return f"{start:%Y-%m-%d} to {last:%Y-%m-%d}"


def _is_month(start: datetime, end: datetime) -> bool:
    return start.day == 1 and end.day == 1 and timedelta(27) < end - start < timedelta(32)


def stated(text: str) -> tuple[str, str]:
    """The topic of a memory's text and what it says of it; "" where no rule can tell."""
    if len(text) > LONGEST:
        return "", ""
    statement = Statement(text, 0, has_han(text))
    found = [claim for claim in claims(statement, "", told=True) if claim.topic]
    return (found[0].topic, found[0].value) if found else ("", "")
