"""Plans: made, moved, cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from facts.measure import USER, Fact
from facts.talk import Scribe, spoken_time, spoken_when
from facts.values import Value

At = Callable[[datetime, Callable[[datetime], None]], None]
MOVED, CANCELLED = 0.3, 0.2
FIRST_HOUR, LAST_HOUR = 9, 18


def plan(scribe: Scribe, put: At, key: str, said: datetime) -> None:
    """Put the saying of a plan on the script, and what becomes of it."""
    chance, day = scribe.chance, said + timedelta(days=scribe.chance.randint(3, 12))
    put(said, partial(_make, scribe, key, day))
    fate, room = chance.random(), (day - said).days
    between = said + timedelta(days=chance.randint(1, max(1, room - 2)), minutes=1)
    if fate < MOVED:
        later = day + timedelta(days=chance.choice((-1, 1, 2, 3)))
        put(between, partial(_move, scribe, key, later))
    elif fate < MOVED + CANCELLED:
        put(between, partial(_cancel, scribe, key))


def _make(scribe: Scribe, key: str, day: datetime, at: datetime) -> None:
    tongue = scribe.tongue()
    value = scribe.draw.value("plan", "en" if tongue == "en" else "zh")
    words = {"event": value.text, "tongue": tongue}
    _tell(scribe, key, value.groups, words, day, at, act="say")


def _move(scribe: Scribe, key: str, day: datetime, at: datetime) -> None:
    fact, words = scribe.facts[key], scribe.said[key]
    id = _tell(scribe, key, fact.value, words, day, at, act="move")
    scribe.past.append(replace(fact, until=at))
    scribe.aside("ended", Value("", fact.value), id, at)


def _cancel(scribe: Scribe, key: str, at: datetime) -> None:
    words = scribe.said[key]
    id, _ = scribe.utter(at, "plan", "cancel", words, words["tongue"])
    scribe.close(key, at, id)


def _tell(
    scribe: Scribe, key: str, value: tuple[tuple[str, ...], ...], words: dict[str, str],
    day: datetime, at: datetime, *, act: str,
) -> str:  # fmt: skip
    """Say that it is on this day. Returns the turn's id."""
    tongue, hour = words["tongue"], scribe.chance.randint(FIRST_HOUR, LAST_HOUR)
    when = spoken_when(at.date(), day.date(), tongue, scribe.chance)
    said = {**words, "when": when, "time": spoken_time(hour, tongue, scribe.chance)}
    id, marks = scribe.utter(at, "plan", act, said, tongue)
    fact = Fact(USER, "plan", value, frozenset({id}), at, day=day.date(), marks=marks)
    scribe.state(key, fact, words)
    return id
