"""What stored memories are worth, held against the truth that the talk was made from. Pure.

A memory states a fact when it comes from a message that states it, holds its value (in normal form
and without case), is about its slot (by words or topic; the sign counts) and about its person.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

USER = "user"
NAMED = ("kin", "pet", "ended")  # facts of the user that give another one a name
ECHOES = ("recalled", "part")  # kinds of messages that give back what was recalled
_CLAUSE = re.compile(r"[,.;:!?，。；：！？、\n]|\bbut\b|\band\b|但|不过")
_SPACE = re.compile(r"\s+")
_NUMERALS = "一二三四五六七八九十"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something true from when it was said until it ended, and the messages that state it."""

    person: str  # USER, or a name
    slot: str
    value: tuple[tuple[str, ...], ...]  # of each group one is in every memory that states it
    messages: frozenset[str]
    said_at: datetime
    until: datetime | None = None
    day: date | None = None  # on which a plan happens
    marks: tuple[str, ...] = ()  # words that mark the slot beside the usual ones
    wanted: bool = True  # counts for recall
    free: bool = False  # any number of memories may state it

    def holds(self, at: datetime) -> bool:
        """Whether it was true at that instant."""
        return self.until is None or at < self.until


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as the measure sees it. `topic` is "owner/property" or "", `day` its plan's date."""

    text: str
    sources: frozenset[str]
    topic: str = ""
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of memories and facts; those of several runs add up."""

    memories: int = 0  # current ones
    right: int = 0  # state a current fact, duplicates among them
    stale: int = 0  # state only what has ended
    duplicates: int = 0  # right ones beyond one for a fact
    misplaced: int = 0  # of the junk: state a fact, but of the wrong person
    junk: Counter[str] = field(default_factory=Counter)  # by the kind of the message
    wanted: Counter[str] = field(default_factory=Counter)  # current facts, by slot
    found: Counter[str] = field(default_factory=Counter)
    echoed: int = 0  # memories made of recalled text
    secrets: int = 0  # memories with a secret in them

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            *(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__)
        )

    def rates(self) -> dict[str, float]:
        """The headline figures: shares of the current memories, recall of the current facts."""
        every = max(1, self.memories)
        told = self.right + self.stale + self.misplaced
        return {
            "precision": self.right / every,
            "recall": self.found.total() / max(1, self.wanted.total()),
            "duplicates": self.duplicates / every,
            "stale": self.stale / every,
            "junk": self.junk.total() / every,
            "right person": (told - self.misplaced) / max(1, told),
            "echoed": self.echoed,
            "secrets": self.secrets,
        }

    def plain(self) -> dict[str, Any]:
        """All of it as JSON."""
        slots = {slot: f"{self.found[slot]}/{n}" for slot, n in sorted(self.wanted.items())}
        return {
            **{name: round(value, 4) for name, value in self.rates().items()},
            "memories": self.memories,
            "facts": self.wanted.total(),
            "found by slot": slots,
            "junk by kind": dict(self.junk.most_common()),
        }


def judge(
    memories: Sequence[Stored],
    facts: Sequence[Fact],
    *,
    at: datetime,
    kinds: Mapping[str, str],
    secrets: Collection[str] = (),
    ended: Sequence[Stored] = (),
) -> Counts:
    """Hold the current memories against the truth at an instant.

    `kinds` are those of the messages by id. `ended` are memories that are no longer current: in
    them only echoes and secrets are looked for.
    """
    now = [fact for fact in facts if fact.holds(at)]
    past = [fact for fact in facts if not fact.holds(at)]
    stated = [[i for i, fact in enumerate(now) if states(memory, fact)] for memory in memories]
    wrong = [memory for memory, hits in zip(memories, stated, strict=True) if not hits]
    stale = [memory for memory in wrong if any(states(memory, fact) for fact in past)]
    junk = [memory for memory in wrong if memory not in stale]
    misplaced = sum(any(states(m, fact, anyone=True) for fact in facts) for m in junk)
    told = {i for hits in stated for i in hits}
    bound = [hits for hits in stated if hits and not any(now[i].free for i in hits)]
    return Counts(
        memories=len(memories),
        right=len(memories) - len(wrong),
        stale=len(wrong) - len(junk),
        duplicates=len(bound) - paired(bound),
        misplaced=misplaced,
        junk=Counter(_kind(memory, kinds) for memory in junk),
        wanted=Counter(fact.slot for fact in now if fact.wanted),
        found=Counter(fact.slot for i, fact in enumerate(now) if fact.wanted and i in told),
        echoed=sum(any(kinds.get(s) in ECHOES for s in m.sources) for m in (*memories, *ended)),
        secrets=sum(any(one in m.text for one in secrets) for m in (*memories, *ended)),
    )


def missed(memories: Sequence[Stored], facts: Iterable[Fact], at: datetime) -> list[Fact]:
    """The current facts that no memory states."""
    wanted = (fact for fact in facts if fact.wanted and fact.holds(at))
    return [fact for fact in wanted if not any(states(memory, fact) for memory in memories)]


def unfounded(memories: Iterable[Stored], facts: Sequence[Fact], at: datetime) -> list[Stored]:
    """The memories that state no current fact."""
    now = [fact for fact in facts if fact.holds(at)]
    return [memory for memory in memories if not any(states(memory, fact) for fact in now)]


def states(memory: Stored, fact: Fact, *, anyone: bool = False) -> bool:
    """Whether a memory says this fact; with `anyone` no matter of whom it says it."""
    if memory.sources.isdisjoint(fact.messages):
        return False
    text = folded(memory.text)
    if not all(any(_in(value, text) for value in group) for group in fact.value):
        return False
    in_time = fact.day is None or memory.day == fact.day or dated(text, fact.day)
    return (
        in_time and _about(text, memory.topic, fact) and (anyone or _of(text, memory.topic, fact))
    )


def _about(text: str, topic: str, fact: Fact) -> bool:
    """Whether words or topic say that it is this slot, and none beside the value turns it."""
    words = _markers()[fact.slot]
    needs = (*words.get("needs", ()), *map(folded, fact.marks))
    searched = f"{text} {folded(topic)}"
    if words.get("needs") and not any(_begins(need, searched) for need in needs):
        return False
    bars = words.get("bars", ())
    if any(bar in folded(topic) for bar in bars):
        return False
    beside = [
        clause
        for clause in map(str.strip, _CLAUSE.split(text))
        if any(_in(value, clause) for value in fact.value[-1])
    ]
    return not beside or any(not any(bar in clause for bar in bars) for clause in beside)


def _of(text: str, topic: str, fact: Fact) -> bool:
    """Whether it is about the fact's person: by its topic's owner, else by the name in it."""
    owner = folded(topic).partition("/")[0]
    if fact.person == USER:
        theirs = fact.slot in NAMED and (
            owner.startswith(f"{USER}.") or any(_in(v, owner) for g in fact.value for v in g)
        )
        return owner in {"", USER} or theirs
    name = folded(fact.person)
    return owner == name or (owner != USER and name in text)


def paired(choices: Sequence[Sequence[int]]) -> int:
    """How many of them can have one of their choices each, no two the same (Kuhn's algorithm)."""
    taken: dict[int, int] = {}

    def place(one: int, seen: set[int]) -> bool:
        for choice in choices[one]:
            if choice in seen:
                continue
            seen.add(choice)
            if choice not in taken or place(taken[choice], seen):
                taken[choice] = one
                return True
        return False

    return sum(place(one, set()) for one in range(len(choices)))


@cache
def folded(text: str) -> str:
    """Normal form, no case, single blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _SPACE.sub(" ", plain)


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


@cache
def forms(day: date) -> tuple[str, ...]:
    """The ways in which a date of the year is written, folded."""
    month, n, m = MONTHS[day.month - 1], day.day, day.month
    short, ordinal = month[:3], f"{n}{_ending(n)}"
    written = [
        *(f"{a} {b}" for a in (month, short) for b in (n, ordinal)),
        *(f"{b} {a}" for a in (month, short) for b in (n, ordinal)),
        f"{ordinal} of {month}",
        f"{m:02}-{n:02}",
        *(f"{m}月{n}{end}" for end in "日号"),
        *(f"{chinese(m)}月{chinese(n)}{end}" for end in "日号"),
    ]
    return tuple(folded(form) for form in written)


def chinese(number: int) -> str:
    """A number from 1 to 99 in Chinese."""
    digits = "零一二三四五六七八九"
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else f"{digits[tens]}十"
    return head + (digits[ones] if ones or not tens else "")


def _ending(number: int) -> str:
    if 10 < number < 20:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


@cache
def _pattern(value: str) -> re.Pattern[str]:
    plain = folded(value)
    before = _NUMERALS if plain[:1] in (*_NUMERALS,) else "a-z0-9" if plain[:1].isascii() else ""
    after = "(?![a-z0-9])" if plain[-1:].isascii() else ""
    return re.compile((f"(?<![{before}])" if before else "") + re.escape(plain) + after)


def _in(value: str, text: str) -> bool:
    """Whether a value stands in a folded text, not as a part of another word."""
    return _pattern(value).search(text) is not None


def _begins(need: str, text: str) -> bool:
    """Whether a marker begins a word there, or stands anywhere where it is Chinese."""
    return need in text if not need[:1].isascii() else _starting(need).search(text) is not None


@cache
def _starting(need: str) -> re.Pattern[str]:
    before = r"(?<![a-z0-9])" if need[:1].isalnum() and need != "n't" else ""
    return re.compile(before + re.escape(need))


def cancels(text: str) -> bool:
    """Whether a folded text says that a plan is given up."""
    return any(bar in text for bar in _markers()["plan"]["bars"])


def dated(text: str, day: date) -> bool:
    """Whether a folded text says a day of the year."""
    return any(_in(form, text) for form in forms(day))


@cache
def _markers() -> dict[str, dict[str, list[str]]]:
    file = Path(__file__).with_name("markers.toml")
    return tomllib.loads(file.read_text("utf-8"))


def _kind(memory: Stored, kinds: Mapping[str, str]) -> str:
    """The kind of the first of its messages, "no source" where it names none."""
    return min((kinds.get(source, "unknown") for source in memory.sources), default="no source")
