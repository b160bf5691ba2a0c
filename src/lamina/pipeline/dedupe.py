"""The second step of a fact: hold a candidate against what is known, and decide. Pure.

A topic with a value ("user/home" is "porto") decides by time: the newest statement is current, an
older one that arrives late goes into history. Without a topic, texts are compared by their words;
numbers, names and what turns a statement round must be the same before two texts are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lamina.pipeline.wording import adds, says_more, statement
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
    settled = _by_topic(candidate, known.about) or _by_text(candidate, known.near)
    if candidate.doubt and settled.action is not Action.SKIP:
        return Verdict(Action.QUARANTINE, candidate.doubt)
    return settled


# --- by topic and time


def last_said(record: MemoryRecord) -> datetime:
    """When it was last said, as far as is known."""
    return record.said_at if record.confirmed_at is None else record.confirmed_at


def _by_topic(candidate: Candidate, about: Sequence[tuple[MemoryRecord, str]]) -> Verdict | None:
    """The verdict of a topic on which something is known."""
    return _by_value(candidate, candidate.value, about) if candidate.topic and about else None


def _by_value(
    candidate: Candidate, own_value: str, about: Sequence[tuple[MemoryRecord, str]]
) -> Verdict:
    """The verdict of time, of memories each with a value; the user is heard before others."""
    own = candidate.origin in OWN
    peers = [(record, value) for record, value in about if (record.origin in OWN) == own]
    same = [record for record, value in peers if value == own_value]
    later = [(r, value) for r, value in peers if last_said(r) > candidate.said_at]
    if later:
        again = _repeated(candidate, same)
        ends = [last_said(record) for record, value in later if value != own_value]
        if again.action is not Action.CREATE or not ends:
            return again
        return Verdict(Action.CREATE, LATE, until=min(ends))
    current = [(record, value) for record, value in about if record.valid_to is None]
    others = [] if own else [(record, value) for record, value in current if record.origin in OWN]
    for record, value in others:
        if value == own_value:  # the user said so himself
            return Verdict(Action.SKIP, KNOWN, (record,))
    rivals = tuple(record for record, _ in current if own or record.origin not in OWN)
    mine = [record for record in rivals if record in same]
    if mine and all(record in mine or record.origin not in OWN for record in rivals):
        return _repeated(candidate, mine)
    if rivals:
        return Verdict(Action.SUPERSEDE, NEWER, rivals)
    return Verdict(Action.CREATE, BESIDE if others else NEW)


def _repeated(candidate: Candidate, known: Sequence[MemoryRecord]) -> Verdict:
    """The same value again: it enriches what is known, or stands beside it with other names."""
    said = candidate.content
    for record in known:
        if not adds(said, record.content) and not says_more(said, record.content):
            return Verdict(Action.SKIP, KNOWN, (record,))
    for record in known:
        is_open = record.valid_to is None and not record.pinned
        if is_open and says_more(said, record.content):
            return Verdict(Action.MERGE, MORE, (record,))
    return Verdict(Action.CREATE, NEW)


# --- by text


def _by_text(candidate: Candidate, near: Sequence[MemoryRecord]) -> Verdict:
    mine, denied = statement(candidate.content)
    stated = [(record, statement(record.content)) for record in near] if mine else []
    about = [(record, str(said[1])) for record, said in stated if said[0] == mine]
    if about:  # the same, or that it is not so: what was said last holds
        return _by_value(candidate, str(denied), about)
    own = candidate.origin in OWN
    current = [record for record in near if record.valid_to is None]
    for record in current:
        is_other = record.topic and candidate.topic and record.topic != candidate.topic
        if is_other or record.category is not candidate.category:
            continue
        if says_more(record.content, candidate.content):
            return Verdict(Action.SKIP, LESS, (record,))
        if own and not record.pinned and says_more(candidate.content, record.content):
            return Verdict(Action.MERGE, MORE, (record,))
    return Verdict(Action.CREATE, NEW)
