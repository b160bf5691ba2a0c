"""The smallest expressions of time, and how neighbours join to larger ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from lamina.text.dates.days import Fixed, Unit, When, meet
from lamina.text.dates.tense import Verbs


class Part(NamedTuple):
    """A part of the day in hours; an end over 24 is in the next day's morning."""

    start: int
    end: int


DAWN = Part(0, 6)
EARLY = Part(5, 9)
MORNING = Part(6, 12)
NOON = Part(11, 13)
AFTERNOON = Part(12, 18)
DUSK = Part(17, 19)
EVENING = Part(18, 24)
NIGHT = Part(22, 28)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; `sure`: no half of the day is left open, `fine`: minutes are said."""

    hour: int
    minute: int = 0
    second: int = 0
    sure: bool = False
    fine: bool = False


@dataclass(frozen=True, slots=True)
class Atom:
    """An expression and what it names; one that names nothing only keeps its words from others.

    `weak` ones count only beside another. `span` are instants, UTC, with whether they are one.
    """

    begin: int
    stop: int
    when: When | None = None
    part: Part | None = None
    clock: Clock | None = None
    until: Clock | None = None
    span: tuple[datetime, datetime, bool] | None = None
    weak: bool = False
    habit: bool = False

    @property
    def empty(self) -> bool:
        """Whether it names no time."""
        return not (self.when or self.part or self.clock or self.span or self.habit)


@dataclass(frozen=True, slots=True)
class Moment:
    """From when and where a text is read."""

    text: str  # folded: as many characters as the text itself
    now: datetime  # UTC
    today: date
    zone: ZoneInfo
    verbs: Verbs

    def before(self, position: int, length: int = 16) -> str:
        """The characters before a position."""
        return self.text[max(0, position - length) : position]


@dataclass(frozen=True, slots=True)
class Rule:
    """Looked at where a text has one of `starts`: lower-case words, "0" for digits, signs.

    Its pattern is compiled when a text first asks for it: all of them cost a tenth of a second.
    """

    starts: tuple[str, ...]
    pattern: str
    build: Callable[[re.Match[str], Moment], Atom | None]
    flags: re.RegexFlag = re.NOFLAG


_BETWEEN = re.compile(
    r"[ \t,()]{0,3}(?:(?:at|on|in|between|of|the|from|around|about|by|for|'s"
    r"|的|那天|那个|在|于|是|都)[ \t,()]{0,3}){0,3}"
)
_LONGEST_GAP = 16


def near(text: str, left: int, right: int) -> bool:
    """Whether only words that tie two expressions together stand between them."""
    return right - left <= _LONGEST_GAP and _BETWEEN.fullmatch(text, left, right) is not None


def join(left: Atom, right: Atom) -> Atom | None:
    """The expression that two neighbours make together; None if they make none."""
    if left.empty or right.empty or left.span or right.span:
        return None
    if (left.part and right.part) or (left.clock and right.clock):
        return None
    when = left.when or right.when
    if left.when and right.when:
        when = meet(left.when, right.when)
        if when is None:
            return None
    timed = left.part or right.part or left.clock or right.clock
    if when and timed and when.unit is not Unit.DAY:
        return None
    return replace(
        left,
        stop=right.stop,
        when=when,
        part=left.part or right.part,
        clock=left.clock or right.clock,
        until=left.until or right.until,
        weak=False,
        habit=left.habit or right.habit,
    )


def joined(atoms: list[Atom], text: str) -> list[Atom]:
    """Atoms in the order of the text, neighbours joined."""
    found: list[Atom] = []
    for atom in atoms:
        whole = None
        if found and near(text, found[-1].stop, atom.begin):
            whole = join(found[-1], atom)
        if whole:
            found[-1] = whole
        else:
            found.append(atom)
    return [atom for atom in found if not atom.empty]


def fixed_day(atom: Atom) -> bool:
    """Whether it names days by itself, whatever the tense."""
    return isinstance(atom.when, Fixed) or atom.span is not None
