"""A group chat: five named speakers, each of whom says things of himself, and some of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter

from facts.measure import Fact
from facts.noise import noise
from facts.talk import START, Scribe, Talk, fill, moment, placeholders
from facts.values import Value

SPEAKERS = 5
SLOTS = {
    "home": 1, "employer": 1, "job": 1, "birthday": 1, "like": 3, "dislike": 2, "allergy": 1,
    "habit": 1, "skill": 1, "pet": 1, "language": 1,
}  # fmt: skip
Act = Callable[[datetime], None]
AGAIN, CHATS, ASIDES = 0.3, 4, 1  # a speaker a day: chatter, words to or of another


def group(seed: int, days: int, split: str, language: str = "both") -> Talk:
    """The talk of the five."""
    scribe = Scribe(f"{seed}/group/{split}", split, language)
    names = [scribe.draw.value("person", "en" if i % 2 else "zh").text for i in range(SPEAKERS)]
    acts: list[tuple[float, Act]] = []  # the day, and what is said
    for name in names:
        for slot, count in SLOTS.items():
            for number in range(count):
                act = partial(_say, scribe, name, slot, f"{name}/{slot}:{number}")
                first = scribe.chance.uniform(0, days * 0.9)
                again = scribe.chance.uniform(first, days)
                acts += [(first, act), *([(again, act)] if scribe.chance.random() < AGAIN else [])]
        others = [other for other in names if other != name]
        for day in range(days):
            kinds = scribe.chance.choices(("chat", "ask", "joke"), (7, 2, 1), k=CHATS)
            acts += [(day, partial(_chat, scribe, name, kind)) for kind in kinds]
            acts += [(day, partial(_of_other, scribe, name, others))] * ASIDES
    timed = [(moment(day, scribe.chance), act) for day, act in acts]
    for at, act in sorted(timed, key=itemgetter(0)):
        act(at)
    return scribe.talk(START + timedelta(days=days))


def _say(scribe: Scribe, name: str, slot: str, key: str, at: datetime) -> None:
    """A speaker says something of himself, or says it again."""
    known = scribe.said.get(key, {})
    tongue = known.get("tongue") or scribe.tongue()
    code = "en" if tongue == "en" else "zh"
    if known:
        id, marks = scribe.utter(at, slot, "say", known, tongue, name=name)
        scribe.also(key, id, marks)
        return
    value = scribe.draw.value(slot, code)
    species = scribe.draw.value("species", code).text
    words = {slot: value.text, "tongue": tongue, "species": species}
    id, marks = scribe.utter(at, slot, "say", words, tongue, name=name)
    scribe.state(key, Fact(name, slot, value.groups, frozenset({id}), at, marks=marks), words)


def _chat(scribe: Scribe, name: str, kind: str, at: datetime) -> None:
    noise(scribe, kind, at, name=name)


def _of_other(scribe: Scribe, name: str, others: list[str], at: datetime) -> None:
    """Words to another one, or of him: those may be kept as his, and need not."""
    tongue, other = scribe.tongue(mixed=False), scribe.chance.choice(others)
    act = scribe.chance.choice(("say", "noise", "noise"))
    text, marks = scribe.template("about", act, tongue)
    values = {
        slot: scribe.draw.noise(slot, tongue) for slot in placeholders(text) if slot != "other"
    }
    words = {"other": other, **{slot: value.text for slot, value in values.items()}}
    id = scribe.turn(at, fill(text, words), "about", name=name)
    if act == "say":
        for slot, value in values.items():
            fact = Fact(other, slot, value.groups, frozenset({id}), at, marks=marks)
            scribe.past.append(replace(fact, wanted=False, free=True))
        scribe.aside("third", Value("", ((other,),)), id, at, other)
