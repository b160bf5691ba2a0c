"""From a model's answer to candidates: what it says, in whose name, of which day. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from lamina.pipeline.clean import cleaned
from lamina.pipeline.dedupe import ABOUT_USER, ORIGIN, UNUSABLE
from lamina.pipeline.extract.answers import Item, Read, Refused, said
from lamina.pipeline.extract.rules import dated, stated
from lamina.pipeline.extract.sift import without_recalled
from lamina.pipeline.extract.support import Quote, touches
from lamina.pipeline.write import masked_text
from lamina.text.dates import find_dates
from lamina.types import Candidate, Category, Kind, Message, Role, Source

LONGEST = 30_000  # characters of a message that are read whole; a longer one was pasted
HEAD, TAIL, MARGIN = 20_000, 8_000, 4_000  # of a longer one; masking may not see its cut ends
SPEAKER = "speaker"  # said by another person of the group, and told of the user
DOUBTS = {
    "unsupported": "unsupported",
    "no quote of a message": "unsupported",
    "not the user's words": ORIGIN,
    "unknown category": "category",
}
UNTOLD = {"said twice", "left out by the owner"}  # of these nothing is written down


@dataclass(frozen=True, slots=True)
class Reading:
    """Whose words are read, and how: what decides what becomes of a model's items."""

    zone: ZoneInfo
    user: str = ""  # the name under which the scope's own user speaks in a group
    project: str | None = None  # of the conversation
    masking: bool = True


def shown_to_model(message: Message, *, masking: bool) -> Message:
    """A message as a model is given it: no secrets, nothing that was recalled into it.

    Of one that is longer than people write, its beginning and end.
    """
    text = message.text if message.role is Role.TOOL else said(message)
    long = len(text) > LONGEST
    pieces = [text[:HEAD], text[-TAIL:]] if long else [text]
    shown = [
        without_recalled(masked_text(replace(message, content=piece), masking=masking))
        for piece in pieces
    ]
    if long:  # a secret that a cut goes through is not known by its half
        shown = [shown[0][: HEAD - MARGIN], shown[1][MARGIN:]]
    return replace(message, content="\n[…]\n".join(shown))


def candidates_of(read: Read, messages: Sequence[Message], how: Reading) -> list[Candidate]:
    """All items of an answer as candidates; those that were refused with the reason as doubt.

    `messages` are those that the answer's sources count.
    """
    found = [_candidate(item, messages, how) for item in read.items]
    refused = [_refused(one, messages, how) for one in read.refused if one.reason not in UNTOLD]
    return [*found, *refused]


def _candidate(item: Item, messages: Sequence[Message], how: Reading) -> Candidate:
    spoken = [(messages[index], quote) for index, quote in item.sources]
    spoken.sort(key=lambda one: one[0].role is not Role.USER)  # the user's words stand first
    own = [message for message, _ in spoken if message.role is Role.USER]
    at = max(message.created_at for message in own)
    levels = [
        cleaned(dated(text, at, how.zone), masking=how.masking).text
        for text in (item.content, item.abstract, item.overview)
    ]
    topic, value = stated(levels[1])
    start, end = _when(item, at, how.zone)
    candidate = Candidate(
        content=levels[0],
        category=item.category,
        sources=tuple(dict.fromkeys(_source(message, quote) for message, quote in spoken)),
        said_at=at,
        topic=topic,
        value=value,
        importance=item.importance,
        abstract=levels[1] if levels[1] != levels[0] else "",
        overview=levels[2] if levels[2] not in levels[:2] else "",
        happens_from=start,
        happens_to=end,
        project=None if item.category in ABOUT_USER else how.project,
    )
    return _by_speaker(candidate, own[0].name or "", how.user)


def _by_speaker(candidate: Candidate, speaker: str, user: str) -> Candidate:
    """What another person of a group says of himself is no fact about the user."""
    if speaker.casefold() in {"", user.casefold()} or candidate.category not in ABOUT_USER:
        return candidate
    if speaker.casefold() in candidate.content.casefold():
        return replace(candidate, category=Category.ENTITIES)
    return replace(candidate, doubt=SPEAKER)


def _when(item: Item, at: datetime, zone: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """When an event is, where its text names one time only."""
    if item.category is not Category.EVENTS:
        return None, None
    times = {(date.start, date.end) for date in find_dates(item.abstract, at, zone)}
    return times.pop() if len(times) == 1 else (None, None)


def _refused(one: Refused, messages: Sequence[Message], how: Reading) -> Candidate:
    """What was not taken, for a person to look through; it goes with the message it is like."""
    text = cleaned(one.what, masking=how.masking).text
    own = [message for message in messages if message.role is Role.USER] or list(messages)
    near = [m for m in own if touches(text, [Quote(said(m), m.created_at, m.zone)])]
    message = (near or own)[-1]
    return Candidate(
        content=text,
        category=one.category,
        sources=(_source(message, ""),),
        said_at=message.created_at,
        doubt=DOUBTS.get(one.reason, UNUSABLE),
    )


def _source(message: Message, quote: str) -> Source:
    return Source(Kind.MESSAGE, message.id, message.session_id, message.name, quote)
