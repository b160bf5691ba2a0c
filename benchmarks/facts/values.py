"""Values to talk about, drawn from a seed so that none contains another by accident."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from facts.measure import MONTHS, chinese, folded, forms

_PLACE = re.compile(r"\{([a-z])\}")
_KEY = re.compile(r"\[(.+?)\]")
_TRIES = 400
POOL = 8  # values that a slot has for noise, in each language


@dataclass(frozen=True, slots=True)
class Value:
    """As it is said, and the groups of which a memory holds one each."""

    text: str
    groups: tuple[tuple[str, ...], ...]


@cache
def lists() -> dict[str, Any]:
    """The lists that values come from."""
    return tomllib.loads(Path(__file__).with_name("values.toml").read_text("utf-8"))


class Draw:
    """Draws values by slot and language ("en" or "zh")."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._used: list[str] = []
        self._noise: dict[tuple[str, str], list[Value]] = {}

    def value(self, slot: str, language: str) -> Value:
        """A value that no other one holds or is held by."""
        for _ in range(_TRIES):
            made = self._made(slot, language)
            keys = [folded(form) for group in made.groups for form in group]
            if slot in _FEW or not any(k in u or u in k for k in keys for u in self._used):
                self._used += [] if slot in _FEW else keys
                return made
        raise ValueError(f"the list of {slot!r} in {language!r} is used up; make it longer")

    def noise(self, slot: str, language: str) -> Value:
        """A value for what is no fact: one of a few, none of which is ever a fact's."""
        pool = self._noise.setdefault((slot, language), [])
        if len(pool) < POOL:
            pool.append(self.value(slot, language))
            return pool[-1]
        return self.chance.choice(pool)

    def _made(self, slot: str, language: str) -> Value:
        maker = _MAKERS.get(slot)
        if maker is not None:
            return maker(self, language)
        name = _LISTS[slot]
        if isinstance(name, tuple):
            name = self.chance.choice(name)
        if name == "foods":
            joint = " " if language == "en" else ""
            text = joint.join(self._one(part, language) for part in ("foods", "foods2"))
        else:
            text = self._filled(self._one(name, language))
        keys = _KEY.findall(text)
        plain = text.replace("[", "").replace("]", "")
        return Value(plain, tuple((key,) for key in keys) or ((plain,),))

    def _one(self, name: str, language: str) -> str:
        found: str = self.chance.choice(lists()[name][language])
        return found

    def _filled(self, text: str) -> str:
        makers: dict[str, Callable[[], str]] = {
            "x": self.latin,
            "z": self.person,
            "n": self.number,
            "k": self.constant,
        }
        return _PLACE.sub(lambda match: makers[match[1]](), text)

    def number(self) -> str:
        """A number of one digit or two."""
        return str(self.chance.randrange(3, 99))

    def constant(self) -> str:
        """The name of a setting."""
        return f"{self.latin()}_{self.latin()}".upper()

    # --- names

    def latin(self, most: int = 3) -> str:
        """An invented name in Latin letters."""
        parts = lists()["syllables"]
        many = self.chance.randint(1, most - 1)
        return "".join(
            [*self.chance.sample(parts["en"], many), self.chance.choice(parts["ends"])]
        ).title()

    def person(self) -> str:
        """An invented Chinese name."""
        parts = lists()["syllables"]
        given = self.chance.sample(parts["given"], 2)
        return "".join([self.chance.choice(parts["surnames"]), *given])

    def ending(self, of: str, language: str) -> str:
        """The last part of a name: of a place, a firm, a tool."""
        found = lists()[of]
        made: str = self.chance.choice(found[language] if isinstance(found, dict) else found)
        return made

    def characters(self) -> str:
        """Two characters of a name of a place or firm."""
        return "".join(self.chance.sample(lists()["syllables"]["places"], 2))


def _exact(text: str) -> Value:
    return Value(text, ((text,),))


def _name(draw: Draw, language: str) -> Value:
    return _exact(draw.person() if language == "zh" else f"{draw.latin()} {draw.latin()}")


def _nickname(draw: Draw, language: str) -> Value:
    if language == "zh":
        one = draw.chance.choice(lists()["syllables"]["given"])
        return _exact(draw.chance.choice("阿小老") + one)
    return _exact(draw.latin(2))


def _first(draw: Draw, language: str) -> Value:
    return _exact(draw.person() if language == "zh" else draw.latin())


def _birthday(draw: Draw, language: str) -> Value:
    day = date(2026, draw.chance.randint(1, 12), draw.chance.randint(1, 28))
    return Value(spoken_day(day, language, draw.chance), (forms(day),))


def spoken_day(day: date, language: str, chance: random.Random) -> str:
    """A day of the year as people say it."""
    if language == "zh":
        m, n = day.month, day.day
        return chance.choice([f"{m}月{n}日", f"{m}月{n}号", f"{chinese(m)}月{chinese(n)}号"])
    month = MONTHS[day.month - 1]
    return chance.choice([f"{month} {day.day}", f"{day.day} {month}"])


def _employer(draw: Draw, language: str) -> Value:
    head = draw.characters() if language == "zh" else draw.latin()
    return _exact(head + draw.ending("firm_end", language))


def _home(draw: Draw, language: str) -> Value:
    head = draw.characters() if language == "zh" else draw.latin()
    return _exact(head + draw.ending("place_end", language))


def _tool(draw: Draw, language: str) -> Value:  # noqa: ARG001 - the same in both languages
    return _exact(draw.latin() + draw.ending("tool_end", "en"))


def _version(draw: Draw, language: str) -> Value:  # noqa: ARG001 - the same in both languages
    numbers = [draw.chance.randint(*bounds) for bounds in ((1, 24), (10, 60), (1, 30))]
    return _exact(".".join(map(str, numbers)))


def _reply(draw: Draw, language: str) -> Value:
    english, mandarin = (lists()["replies"][code] for code in ("en", "zh"))
    at = draw.chance.randrange(len(english))
    also = {0: "英语", 1: "汉语"}.get(at, mandarin[at])
    said = english[at] if language == "en" else mandarin[at]
    return Value(said, ((english[at], mandarin[at], also),))


_MAKERS: dict[str, Callable[[Draw, str], Value]] = {
    "name": _name,
    "nickname": _nickname,
    "birthday": _birthday,
    "employer": _employer,
    "home": _home,
    "kin_home": _home,
    "kin": _first,
    "person": _first,
    "pet": lambda draw, language: _exact(
        draw.latin(2) if language == "en" else draw.chance.choice(lists()["syllables"]["given"]) * 2
    ),
    "tool": _tool,
    "decision": _tool,
    "version": _version,
    "reply": _reply,
    "event": lambda draw, language: draw._made("plan", language),  # noqa: SLF001
}
_LISTS: dict[str, str | tuple[str, ...]] = {
    "job": "jobs",
    "kin_job": "jobs",
    "relation": "relations",
    "species": "species",
    "like": ("foods", "topics", "topics"),
    "kin_like": ("foods", "topics"),
    "dislike": ("foods", "nuisances", "nuisances"),
    "allergy": "allergens",
    "kin_allergy": "allergens",
    "habit": "habits",
    "skill": "skills",
    "language": "languages",
    "area": "areas",
    "reason": "reasons",
    "plan": "events",
    "todo": "todos",
    "fix": "fixes",
    "note": "notes",
}
_FEW = frozenset({"reply", "relation", "species", "area", "reason"})  # may come again
