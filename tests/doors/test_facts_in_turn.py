"""Facts that hang on what was said before: plays, echoes, suggestions, and what ends another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina
from lamina import Filter, Layer, Memory
from lamina.testing.fakes import FakeClock

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CURRENT = Filter(current=True, layers=(Layer.LONG_TERM,))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FakeClock(START + timedelta(days=90), "UTC")
    with lamina.open(tmp_path, embedder="none", clock=clock, background=False) as opened:
        yield opened


def talk(memory: Memory, *turns: str, apart: timedelta = timedelta(minutes=1)) -> list[str]:
    """Turns of one conversation, those of the assistant after "A: "; the memories afterwards."""
    for number, turn in enumerate(turns):
        role, text = ("assistant", turn[3:]) if turn[:3] == "A: " else ("user", turn)
        memory.session("s").append(role, text, created_at=START + number * apart)
    return sorted(record.content for record in memory.list(filter=CURRENT))


@pytest.mark.parametrize(
    "turns",
    [
        ("Let's role-play, you guard the gate.", "A: Halt!", "I'm Ulf and I live in Narvik."),
        ("Pretend you are a baker.", "A: Fresh rolls!", "I'm allergic to rye."),
        ("我们来角色扮演，你是船长。", "A: 好。", "我住在青岛。"),
    ],
)
def test_what_is_said_in_a_play_that_goes_on_makes_no_fact(
    memory: Memory, turns: tuple[str, ...]
) -> None:
    assert talk(memory, *turns) == []


def test_after_a_play_facts_are_drawn_again(memory: Memory) -> None:
    said = (
        "Let's role-play, you guard the gate.",
        "Enough, stop the role-play.",
        "I live in Ghent.",
    )
    assert talk(memory, *said) == ["User lives in Ghent"]


def test_nobody_plays_on_after_a_long_pause(memory: Memory) -> None:
    said = ("Let's role-play, you guard the gate.", "I live in Ghent.")
    assert talk(memory, *said, apart=timedelta(hours=2)) == ["User lives in Ghent"]


def test_own_words_that_break_off_are_an_echo(memory: Memory) -> None:
    said = ("I really like old lighthouses on the coast.", "I really like old lighthouses on")
    (held,) = talk(memory, *said)
    (record,) = memory.list(filter=CURRENT)
    assert (held, len(record.sources)) == (record.content, 1)


@pytest.mark.parametrize(
    ("suggestion", "yes", "fact"),
    [
        ("How about using Valkey for the sessions?", "Yes.", "User uses Valkey for the sessions"),
        (
            "I would recommend Caddy for the proxy. Does that work for you?",
            "Perfect, let's do that.",
            "User uses Caddy for the proxy",
        ),
        ("Shall we go with Mako for the mails?", "Deal.", "User uses Mako for the mails"),
    ],
)
def test_a_plain_yes_decides_what_was_suggested(
    memory: Memory, suggestion: str, yes: str, fact: str
) -> None:
    assert talk(memory, f"A: {suggestion}", yes) == [fact]


def test_a_decision_by_a_yes_takes_the_place_of_the_one_before(memory: Memory) -> None:
    said = (
        "We use Memcached for the sessions.",
        "A: How about using Valkey for the sessions?",
        "Yes!",
    )
    assert talk(memory, *said) == ["User uses Valkey for the sessions"]


def test_a_bare_yes_to_what_is_known_adds_nothing(memory: Memory) -> None:
    talk(memory, "Remember that the attic key hangs behind the clock.")
    (before,) = memory.list(filter=CURRENT)
    talk(memory, "A: Shall we say the attic key hangs behind the clock?", "Yes.")
    assert memory.list(filter=CURRENT) == [before]


@pytest.mark.parametrize("yes", ["Yes, but later.", "Maybe.", "No.", "Is that good?"])
def test_what_is_no_plain_yes_decides_nothing(memory: Memory, yes: str) -> None:
    assert talk(memory, "A: How about using Valkey for the sessions?", yes) == []


def test_what_is_no_longer_used_ends_what_it_was_used_for(memory: Memory) -> None:
    said = ("I use Krita for my posters.", "I no longer use Krita.")
    assert talk(memory, *said) == ["User no longer uses Krita"]


def test_what_is_done_is_no_longer_to_do(memory: Memory) -> None:
    said = ("To-do: order the oak boards from Lind.", "Done: I did order the oak boards from Lind.")
    assert talk(memory, *said) == ["Done: order the oak boards from Lind"]
