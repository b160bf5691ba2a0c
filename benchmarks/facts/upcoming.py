"""Thirty days of plans made, moved and cancelled: what is shown the evening before, unasked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise

from facts.measure import Fact, cancels, dated, folded
from facts.noise import noise
from facts.plans import plan
from facts.talk import START, Scribe, Talk, moment

PLANS_A_DAY, CHATS = 2, 4
EVENING = timedelta(hours=21, minutes=30)  # after the day's talk; plans are from 9 to 18
QUESTIONS = ("Tell me something interesting about octopuses.", "讲点关于章鱼的趣事吧。")


def upcoming(seed: int, days: int, split: str, language: str = "both") -> Talk:
    """Talk that makes, moves and cancels plans."""
    scribe = Scribe(f"{seed}/upcoming/{split}", split, language)
    acts: list[tuple[datetime, int, Callable[[datetime], None]]] = []

    def put(at: datetime, act: Callable[[datetime], None]) -> None:
        acts.append((at, len(acts), act))

    for number in range(days * PLANS_A_DAY):
        plan(scribe, put, f"plan:{number}", moment(number // PLANS_A_DAY, scribe.chance))
    for day in range(days):
        for _ in range(CHATS):
            put(moment(day, scribe.chance), lambda at: noise(scribe, "chat", at))
    end = START + timedelta(days=days)
    for at, _, act in sorted(acts, key=lambda one: one[:2]):
        if at < end:
            act(at)
    return scribe.talk(end)


def items(block: str, messages: Iterable[str]) -> list[str]:
    """The items of a block, folded, but for those that only quote one of these messages."""
    lines = block.split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("- ")]
    found = ["\n".join(lines[a:b]) for a, b in pairwise([*starts, len(lines)])]
    quoted = tuple(messages)
    return [folded(item) for item in found if not any(id in item for id in quoted)]


def shown(fact: Fact, found: Sequence[str]) -> bool:
    """Whether one of the items names a plan's event and its day, and does not say it is off."""
    values = [[folded(value) for value in group] for group in fact.value]
    return any(
        fact.day is not None
        and dated(item, fact.day)
        and not cancels(item)
        and all(any(value in item for value in group) for group in values)
        for item in found
    )


def due(facts: Sequence[Fact], at: datetime) -> tuple[list[Fact], list[Fact]]:
    """The plans for the day after an instant: those that hold, and those that were given up."""
    tomorrow: date = at.date() + timedelta(days=1)
    plans = [f for f in facts if f.slot == "plan" and f.day == tomorrow and f.said_at <= at]
    return [f for f in plans if f.holds(at)], [f for f in plans if not f.holds(at)]


def tally(facts: Sequence[Fact], found: Sequence[str], at: datetime) -> Counter[str]:
    """Count an evening: due ones and those shown, given-up ones and those shown all the same.

    An item that names the new day of a moved plan as well tells what became of it.
    """
    held, given_up = due(facts, at)
    new = {fact.value: fact.day for fact in facts if fact.slot == "plan" and fact.holds(at)}
    wrong = 0
    for fact in given_up:
        moved = new.get(fact.value)
        wrong += shown(fact, [item for item in found if moved is None or not dated(item, moved)])
    return Counter(
        {
            "due": len(held),
            "due shown": sum(shown(fact, found) for fact in held),
            "given up": len(given_up),
            "given up shown": wrong,
        }
    )
