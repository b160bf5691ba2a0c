"""Talk put to Lamina through its public doors, day by day, and what it holds afterwards."""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import groupby
from operator import attrgetter

import lamina
from facts.measure import Stored
from facts.talk import START, ZONE, Talk, Turn
from facts.upcoming import EVENING, QUESTIONS, items, tally
from lamina.ports.embedder import Embedder
from lamina.testing.fakes import FakeClock
from lamina.types import Filter, Kind, Layer, MemoryRecord

LONG_TERM = Filter(layers=(Layer.LONG_TERM,))
MOST = 100_000
LINE = re.compile(r"^- (?:\S+ )?\([^)]*\) (.*?)(?: \[[^\]]*\])?$", re.MULTILINE)


@contextmanager
def opened(embedder: Embedder | str | None) -> Iterator[tuple[lamina.Memory, FakeClock]]:
    """An empty store whose clock stands at the first day."""
    clock = FakeClock(START, ZONE)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        lamina.open(folder, clock=clock, embedder=embedder, background=False) as memory,
    ):
        yield memory, clock


def replayed(talk: Talk, embedder: Embedder | str | None = None) -> tuple[list[Stored], ...]:
    """The current memories after the talk, and those that are no longer current."""
    with opened(embedder) as (memory, clock):
        chance = random.Random(len(talk.turns))
        for _, turns in groupby(talk.turns, key=attrgetter("session")):
            say(memory, clock, list(turns), chance)
            memory.search("近况 news")  # what was said is read for facts before a search
        clock.advance(seconds=(talk.end - clock.now()).total_seconds())
        current = set()
        for record in memory.list(
            filter=Filter(current=True, layers=(Layer.LONG_TERM,)), limit=MOST
        ):
            current.add(record.id)
        records = memory.list(filter=LONG_TERM, limit=MOST)
        kept = [stored(record) for record in records if record.id in current]
        return kept, [stored(record) for record in records if record.id not in current]


def say(
    memory: lamina.Memory, clock: FakeClock, turns: Sequence[Turn], chance: random.Random
) -> None:
    """Append the turns of a conversation, each at its time, echoes filled with recalled text."""
    for turn in turns:
        clock.advance(seconds=(turn.at - clock.now()).total_seconds())
        session = memory.session(turn.session)
        text = turn.text
        if turn.kind in {"recalled", "part"}:
            block = session.context("What do you know about me? 你知道我些什么？").text
            if not block:
                continue
            text = text.replace("{recalled}", block).replace("{part}", part(block, chance))
        session.append(turn.role, text, id=turn.id, name=turn.name, created_at=turn.at)


def part(block: str, chance: random.Random) -> str:
    """The words of one item of a block, whole or the first two thirds."""
    words = chance.choice(LINE.findall(block) or [block])
    return words if chance.random() < 0.5 else words[: len(words) * 2 // 3]


def stored(record: MemoryRecord) -> Stored:
    """A memory as the measure takes it."""
    happens = record.happens_from
    return Stored(
        record.content,
        frozenset(source.id for source in record.sources if source.kind is Kind.MESSAGE),
        record.topic,
        None if happens is None else happens.astimezone(ZONE).date(),
    )


def evenings(talk: Talk, embedder: Embedder | str | None = None) -> dict[str, Counter[str]]:
    """What the blocks show each evening, by the door: `memory.context` and `session.context`."""
    counts: dict[str, Counter[str]] = {"memory": Counter(), "session": Counter()}
    by_day = {day: list(turns) for day, turns in groupby(talk.turns, key=attrgetter("session"))}
    chance = random.Random(0)
    with opened(embedder) as (memory, clock):
        for number in range((talk.end - START).days):
            evening = START + timedelta(days=number) + EVENING
            say(memory, clock, by_day.get(f"day-{number + 1:02}", []), chance)
            clock.advance(seconds=(evening - clock.now()).total_seconds())
            question = QUESTIONS[number % len(QUESTIONS)]
            night = memory.session(f"night-{number}")
            night.append("user", question, created_at=evening)
            ids = [turn.id for turn in talk.turns]
            for door, block in (
                ("memory", memory.context(question).text),
                ("session", night.context().text),
            ):
                counts[door] += tally(talk.facts, items(block, ids), evening)
    return counts
