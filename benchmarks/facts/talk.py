"""Talk as turns: templates filled with values, and the facts that each turn states."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from facts.measure import USER, Fact
from facts.values import Draw, Value, spoken_day

ZONE = ZoneInfo("Asia/Shanghai")
START = datetime(2026, 3, 2, tzinfo=ZONE)  # a Monday
SPLITS = ("open", "closed")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])")
_MARK = " || "
_STOPS = ".!?)。！？～…"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Templates = Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]  # slot, act, language


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to come. In a text {recalled} and {part} stand for what the store gives back."""

    id: str
    at: datetime
    role: str
    text: str
    kind: str  # the slot that it states, or what kind of noise it is
    name: str | None = None  # the speaker's, in a group

    @property
    def session(self) -> str:
        """A conversation a day."""
        return f"day-{(self.at - START).days + 1:02}"


@dataclass(frozen=True, slots=True)
class Talk:
    """What is said, what is true of it, and the secrets in it."""

    turns: Sequence[Turn]
    facts: Sequence[Fact]
    secrets: Sequence[str]
    end: datetime

    @property
    def kinds(self) -> dict[str, str]:
        """What kind each message is of."""
        return {turn.id: turn.kind for turn in self.turns}


@cache
def templates(split: str) -> Templates:
    """The templates of one file."""
    file = Path(__file__).with_name(f"templates_{split}.toml")
    return tomllib.loads(file.read_text("utf-8"))


class Scribe:
    """Writes turns down, and keeps what is true by a key (as a slot, or a tool's version)."""

    def __init__(self, seed: str, split: str, language: str = "both") -> None:
        self.chance = random.Random(seed)
        self.draw = Draw(self.chance)
        self.book = templates(split)
        self.turns: list[Turn] = []
        self.facts: dict[str, Fact] = {}
        self.said: dict[str, dict[str, str]] = {}  # the words of each fact, by placeholder
        self.past: list[Fact] = []
        self.secrets: list[str] = []
        self._language = language
        self._prefix = seed.replace("/", "-")

    # --- words

    def tongue(self, *, mixed: bool = True) -> str:
        """The language of an utterance."""
        if self._language != "both":
            return self._language
        return self.chance.choices(("en", "zh", "mix"), (42, 42, 16 if mixed else 0))[0]

    def has(self, slot: str, act: str) -> bool:
        """Whether there are words for it."""
        return act in self.book.get(slot, {})

    def template(self, slot: str, act: str, tongue: str) -> tuple[str, tuple[str, ...]]:
        """A template and its own marks; where there is none mixed, one in Chinese."""
        found = self.book[slot][act]
        text = self.chance.choice(found.get(tongue) or found["zh"])
        plain, *marks = text.split(_MARK)
        return plain.rstrip(), tuple(marks)

    def around(self, text: str, tongue: str) -> str:
        """With chatter before or after, now and then."""
        code = tongue if tongue != "mix" else self.chance.choice(("en", "zh"))
        chatter, blank = self.book["chatter"], " " if "en" in {tongue, code} else ""
        if self.chance.random() < 0.3:
            text = self.chance.choice(chatter["before"][code]) + blank + text
        if self.chance.random() < 0.25:
            stop = "" if text[-1] in _STOPS else "." if tongue == "en" else "。"
            text = text + stop + blank + self.chance.choice(chatter["after"][code])
        return text

    # --- turns

    def turn(
        self, at: datetime, text: str, kind: str, *, role: str = USER, name: str | None = None
    ) -> str:
        """Write one down. Returns its id."""
        id = f"{self._prefix}-{len(self.turns):05}"
        self.turns.append(Turn(id, at, role, text[:1].upper() + text[1:], kind, name))
        return id

    def utter(
        self, at: datetime, slot: str, act: str, words: Mapping[str, str], tongue: str,
        *, name: str | None = None,
    ) -> tuple[str, tuple[str, ...]]:  # fmt: skip
        """Say something of a slot. Returns the turn's id and the template's marks."""
        text, marks = self.template(slot, act, tongue)
        id = self.turn(at, self.around(fill(text, words), tongue), slot, name=name)
        kin = words.get("kin_key")
        if kin in self.facts and "{relation}" in text and "{kin}" in text:
            self.also(kin, id)  # names whose relation it is once more
        return id, marks

    # --- truth

    def state(self, key: str, fact: Fact, words: Mapping[str, str]) -> None:
        """From now on this is true under a key."""
        self.facts[key] = fact
        self.said[key] = dict(words)

    def also(self, key: str, id: str, marks: Sequence[str] = ()) -> None:
        """Another message states it."""
        fact = self.facts[key]
        self.facts[key] = replace(fact, messages=fact.messages | {id}, marks=(*fact.marks, *marks))

    def close(self, key: str, at: datetime, id: str) -> None:
        """It is true no more; a memory may say so."""
        fact = self.facts.pop(key)
        self.past.append(replace(fact, until=at))
        self.past.append(
            Fact(fact.person, "ended", fact.value, frozenset({id}), at, wanted=False, free=True)
        )

    def aside(self, slot: str, value: Value, id: str, at: datetime, person: str = USER) -> None:
        """Something that may be stored, and need not."""
        self.past.append(
            Fact(person, slot, value.groups, frozenset({id}), at, wanted=False, free=True)
        )

    def talk(self, end: datetime) -> Talk:
        """All that was written down, in order of time; plans that are past need not be stored."""
        facts = [
            replace(fact, wanted=fact.day is None or fact.day > end.date())
            for fact in self.facts.values()
        ]
        turns = sorted(self.turns, key=lambda turn: turn.at)
        return Talk(turns, [*facts, *self.past], self.secrets, end)


def fill(text: str, words: Mapping[str, str]) -> str:
    """A template with its placeholders filled; those of recalled text stay."""
    filled = _PLACEHOLDER.sub(lambda match: words.get(match[1], match[0]), text)
    return filled if "```" in text else _ARTICLE.sub(r"\1n ", filled)


def placeholders(text: str) -> list[str]:
    """What a template asks for."""
    return _PLACEHOLDER.findall(text)


def moment(day: float, chance: random.Random) -> datetime:
    """A time in the waking hours of the day so many days after the start."""
    minutes = chance.randrange(8 * 60, 21 * 60)
    return START + timedelta(days=int(day), minutes=minutes, seconds=chance.randrange(60))


def spoken_when(said: date, day: date, language: str, chance: random.Random) -> str:
    """A coming day as people say it on a day."""
    ahead = (day - said).days
    weeks = (day - timedelta(days=day.weekday()) - said + timedelta(days=said.weekday())).days // 7
    zh = language != "en"
    plain = spoken_day(day, "zh" if zh else "en", chance)
    ways = [plain if zh else f"on {plain}"]
    if ahead == 1:
        ways += ["明天"] * 2 if zh else ["tomorrow"] * 2
    elif ahead == 2 and zh:
        ways += ["后天"] * 2
    elif 2 < ahead < 7:
        numeral = "三四五六"[ahead - 3]
        ways.append(f"{numeral}天后" if zh else f"in {_NUMBERS[ahead - 3]} days")
    name = _DAYS[day.weekday()]
    if weeks == 0 and ahead > 1:
        ways += [f"这周{'一二三四五六日'[day.weekday()]}" if zh else f"this {name}"]
    elif weeks == 1 and ahead > 1:
        ways += [f"下周{'一二三四五六日'[day.weekday()]}" if zh else f"{name} next week"]
    return chance.choice(ways)


_NUMBERS = ("three", "four", "five", "six")


def spoken_time(hour: int, language: str, chance: random.Random) -> str:
    """A full hour of the working day as people say it."""
    exact = f"{hour:02}:00"
    if language != "en":
        twelve = "零一二三四五六七八九十"[hour - 12] if hour > 12 else ""
        part = f"下午{twelve}点" if hour > 12 else f"上午{hour}点" if hour < 12 else "中午12点"
        return chance.choice([part, exact])
    half = f"{hour - 12 if hour > 12 else hour} {'pm' if hour >= 12 else 'am'}"
    return chance.choice([half, exact])
