"""The second step of a fact: hold a candidate against what is known, and decide. Pure.

A topic with a value ("user/home" is "porto") decides by time: the newest statement is current, an
older one that arrives late goes into history. Without a topic, texts are compared by their words;
numbers, names and what turns a statement round must be the same before two texts are one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from lamina.pipeline.alike import alike, gist
from lamina.text.fold import fold
from lamina.text.words import words_and_chars
from lamina.types import Action, Candidate, Category, MemoryRecord, Origin

# Why something was decided, by code.
NEW, KNOWN, LESS, MORE = "new", "known", "says_less", "says_more"
NEWER, LATE, BESIDE = "newer", "late", "beside"
ERASED, ECHO, VAGUE, ORIGIN, WAITS = "erased", "echo", "vague", "origin", "waits"
UNUSABLE = "unusable"  # a model's item that says nothing in the form that was asked for

OWN = frozenset({Origin.USER, Origin.PERSON})  # who may speak for the user
DELIBERATE = OWN | {Origin.ASSISTANT}  # what an assistant writes down on purpose is kept beside
ABOUT_USER = frozenset({Category.PROFILE, Category.PREFERENCES})  # in every project
SHORTEST = 2  # letters or characters that say something

_NUMBERS = re.compile(r"\d+(?:[.:/-]\d+)*")
_TURNS = re.compile(
    r"\b(?:not?|never|no longer|don't|doesn't|didn't|isn't|aren't|won't|can't|cannot|without"
    r"|stopped|hates?|dislikes?|avoids?|except|unless|cancell?ed|former|ex)\b|n't\b|[不没非无未别]|讨厌|拒绝|取消|戒|除了|前任",
    re.IGNORECASE,
)
_NAMES = re.compile(  # also beside Chinese, which has no blanks
    r"(?<![.!?]\s)(?<!^)(?<![^\W\u3400-\u9fff])[A-Z](?:[^\W\u3400-\u9fff]|['’-])+"
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the store holds that has to do with a candidate."""

    about: Sequence[tuple[MemoryRecord, str]] = ()  # of its topic, each with the value it gives
    near: Sequence[MemoryRecord] = ()  # nearest by their words
    erased: bool = False  # it was deleted, corrected or refused before
    echo: bool = False  # its words stand already in what others said or what was recalled
    said: Sequence[MemoryRecord] = ()  # that say the same in other words


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a candidate, and why."""

    action: Action
    reason: str
    targets: tuple[MemoryRecord, ...] = ()  # that are replaced, enriched, or say it already
    until: datetime | None = None  # of an older statement: from when on another one holds


def decide(candidate: Candidate, known: Known) -> Verdict:
    """Whether a candidate becomes a memory, and what becomes of those it touches."""
    if known.erased:
        return Verdict(Action.SKIP, ERASED)
    if known.echo:
        return Verdict(Action.SKIP, ECHO)
    if candidate.doubt == UNUSABLE:
        return Verdict(Action.SKIP, UNUSABLE)
    if len("".join(c for c in candidate.content if c.isalnum())) <= SHORTEST:
        return Verdict(Action.SKIP, VAGUE)
    if candidate.origin not in DELIBERATE and candidate.category in ABOUT_USER:
        return Verdict(Action.QUARANTINE, ORIGIN)
    if known.said:
        return Verdict(Action.SKIP, KNOWN, (known.said[0],))
    by_topic = _by_topic(candidate, known.about)
    settled = by_topic if by_topic is not None else _by_text(candidate, known.near)
    if candidate.doubt and settled.action is not Action.SKIP:
        return Verdict(Action.QUARANTINE, candidate.doubt)
    return settled


# --- by topic and time


def last_said(record: MemoryRecord) -> datetime:
    """When it was last said, as far as is known."""
    return record.said_at if record.confirmed_at is None else record.confirmed_at


def _by_topic(candidate: Candidate, about: Sequence[tuple[MemoryRecord, str]]) -> Verdict | None:
    """The verdict of a topic on which something is known; the user is heard before others."""
    if not candidate.topic or not about:
        return None
    own = candidate.origin in OWN
    peers = [(record, value) for record, value in about if (record.origin in OWN) == own]
    same = [record for record, value in peers if value == candidate.value]
    later = [last_said(r) for r, _ in peers if last_said(r) > candidate.said_at]
    if later:
        return (
            Verdict(Action.SKIP, KNOWN, (same[0],))
            if same
            else Verdict(Action.CREATE, LATE, until=min(later))
        )
    current = [(record, value) for record, value in about if record.valid_to is None]
    others = [] if own else [(record, value) for record, value in current if record.origin in OWN]
    for record, value in others:
        if value == candidate.value:  # the user said so himself
            return Verdict(Action.SKIP, KNOWN, (record,))
    rivals = tuple(record for record, _ in current if own or record.origin not in OWN)
    mine = [record for record in rivals if record in same]
    if mine and all(record in mine or record.origin not in OWN for record in rivals):
        return _repeated(candidate, mine[0])
    if rivals:
        return Verdict(Action.SUPERSEDE, NEWER, rivals)
    return Verdict(Action.CREATE, BESIDE if others else NEW)


def _repeated(candidate: Candidate, record: MemoryRecord) -> Verdict:
    """The same value again: with more words it enriches what is known."""
    if _says_more(candidate.content, record.content):
        return Verdict(Action.MERGE, MORE, (record,))
    return Verdict(Action.SKIP, KNOWN, (record,))


# --- by text


def _by_text(candidate: Candidate, near: Sequence[MemoryRecord]) -> Verdict:
    mine, own = gist(candidate.content), candidate.origin in OWN
    current = [record for record in near if record.valid_to is None]
    for record in current:
        said = record.content
        if alike(mine, gist(said)) and guards(candidate.content) == guards(said):
            return Verdict(Action.SKIP, KNOWN, (record,))
    for record in current:
        is_other = record.topic and candidate.topic and record.topic != candidate.topic
        if is_other or record.category is not candidate.category:
            continue
        if _says_more(record.content, candidate.content):
            return Verdict(Action.SKIP, LESS, (record,))
        if own and _says_more(candidate.content, record.content):
            return Verdict(Action.MERGE, MORE, (record,))
    return Verdict(Action.CREATE, NEW)


def guards(text: str) -> tuple[Collection[str], Collection[str], int]:
    """What two texts must share to be one: numbers, names, and how often they turn round."""
    folded = fold(text)
    return (
        frozenset(_NUMBERS.findall(folded)),
        frozenset(name.casefold() for name in _NAMES.findall(text)),
        len(_TURNS.findall(folded)),
    )


def _says_more(longer: str, shorter: str) -> bool:
    """Whether one text says all that the other says, and something beside."""
    few, many = _words(shorter), _words(longer)
    if not few or not few < many:
        return False
    ours, theirs = guards(longer), guards(shorter)
    return (
        set(theirs[0]) <= set(ours[0]) and set(theirs[1]) <= set(ours[1]) and ours[2] == theirs[2]
    )


def _words(text: str) -> frozenset[str]:
    words, _ = words_and_chars(text)
    return frozenset(words)
