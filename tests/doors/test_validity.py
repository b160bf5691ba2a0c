"""Of two memories about one thing, the one that holds stands first; the other says until when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Filter, Memory, MemoryRecord
from lamina.testing.fakes import FakeClock, HashEmbedder

NOW = datetime(2026, 5, 4, tzinfo=UTC)
QUERY = "where is the home by the harbour in Oslo"


@pytest.fixture(params=["vectors", "words"])
def memory(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    embedder: Any = HashEmbedder() if request.param == "vectors" else "none"
    clock = FakeClock(NOW, "Asia/Shanghai")
    with lamina.open(tmp_path, embedder=embedder, clock=clock, background=False) as opened:
        yield opened


def put(memory: Memory, id: str, content: str, *, until: int | None = None, **more: Any) -> None:
    """A memory that ceased to be true so many days ago."""
    end = None if until is None else NOW - timedelta(days=until)
    memory.add(MemoryRecord(id, content, NOW - timedelta(days=400), valid_to=end, **more))


def embed(memory: Memory) -> None:
    if memory.admin.status().space:
        memory.admin.flush()


def homes(memory: Memory) -> None:
    """Three homes: the best match for the question is the oldest one."""
    home: dict[str, Any] = {"topic": "user/home"}
    put(memory, "oslo", "Home by the harbour in Oslo", until=200, **home)
    put(memory, "rome", "Home in Rome, near the harbour, Oslo is far", until=20, **home)
    put(memory, "kyoto", "The home is a house in Kyoto", **home)
    put(memory, "office", "The office is by the harbour in Oslo", topic="user/office")
    embed(memory)


def ids(found: lamina.Results) -> list[str]:
    return [hit.id for hit in found]


def test_what_holds_stands_above_what_held_and_that_newest_first(memory: Memory) -> None:
    homes(memory)
    found = memory.search(QUERY, explain=True)
    places = [hit.id for hit in found if hit.id != "office"]
    assert places == ["kyoto", "rome", "oslo"]
    assert [hit.raw for hit in found] == sorted((hit.raw for hit in found), reverse=True)
    for hit in found:
        assert sum(s.weight * s.value for s in hit.signals) == pytest.approx(hit.raw, abs=1e-4)
    names = {hit.id: {signal.name for signal in hit.signals} for hit in found}
    assert "superseded" in names["oslo"]
    assert "superseded" not in names["kyoto"]


def test_a_hit_says_until_when_it_was_true(memory: Memory) -> None:
    homes(memory)
    ends = {hit.id: hit.valid_to for hit in memory.search(QUERY)}
    assert ends["oslo"] == NOW - timedelta(days=200)
    assert ends["kyoto"] is ends["office"] is None


def test_why_knows_the_place_that_it_has(memory: Memory) -> None:
    homes(memory)
    for place, hit in enumerate(memory.search(QUERY, explain=True), 1):
        why = memory.why(QUERY, hit.id)
        assert (why.rank, why.raw, why.signals) == (place, hit.raw, hit.signals)


def test_one_far_below_is_seen_even_where_few_are_asked_for(memory: Memory) -> None:
    put(memory, "oslo", "Home by the harbour in Oslo", until=200, topic="user/home")
    put(memory, "kyoto", f"Kyoto is the home {'of years and years ' * 9}", topic="user/home")
    for number in range(30):
        put(memory, f"n{number}", f"home harbour of boat {number}")
    embed(memory)
    everything = ids(memory.search(QUERY, limit=60))
    assert everything.index("oslo") == everything.index("kyoto") + 1 > 20
    assert "oslo" not in ids(memory.search(QUERY, limit=2))


def test_without_topics_much_the_same_words_are_about_the_same_thing(memory: Memory) -> None:
    put(memory, "old", "用户住在北京", until=30)
    put(memory, "new", "用户住在上海")
    put(memory, "tea", "The user drinks green tea in Peking", until=30)
    embed(memory)
    found = ids(memory.search("住在北京"))
    assert found.index("new") < found.index("old")


def test_what_was_true_then_is_found_by_asking_for_then(memory: Memory) -> None:
    homes(memory)
    then = NOW - timedelta(days=100)
    assert ids(memory.search(QUERY, filter=Filter(as_of=then)))[0] in {"rome", "office"}
    assert "oslo" not in ids(memory.search(QUERY, filter=Filter(as_of=then)))


def test_the_end_of_a_truth_may_lie_ahead(memory: Memory) -> None:
    put(memory, "a", "Home by the harbour in Oslo", until=-5, topic="user/home")
    (hit,) = memory.search(QUERY)
    assert hit.valid_to is None


@pytest.mark.parametrize(
    ("frame", "note"), [("en", "as of 2026-04-14, not since"), ("zh", "截至 2026-04-14")]
)
def test_a_block_shows_what_held_behind_what_holds_with_a_note(
    memory: Memory, frame: str, note: str
) -> None:
    homes(memory)
    text = memory.context(QUERY, frame=frame).text
    lines = [line for line in text.splitlines() if "[rome]" in line or "[kyoto]" in line]
    assert "[kyoto]" in lines[0]
    assert note not in lines[0]
    assert note in lines[1]


def test_a_message_that_says_what_held_says_until_when(memory: Memory) -> None:
    chat = memory.session("s")
    at = NOW - timedelta(days=300)
    chat.append("user", "The home is by the harbour in Oslo", created_at=at, id="said")
    put(memory, "oslo", "the home is by the harbour in Oslo!", until=200)
    embed(memory)
    (hit,) = memory.search(QUERY)
    assert hit.count == 2
    assert hit.valid_to == NOW - timedelta(days=200)


def test_a_message_goes_with_the_memory_that_was_drawn_from_it(memory: Memory) -> None:
    at = NOW - timedelta(days=300)
    turns = [("then", "My home is by the harbour in Oslo"), ("now", "I moved to Kyoto")]
    said = [{"role": "user", "content": text, "created_at": at, "id": id} for id, text in turns]
    memory.add(said, session_id="s", infer=False)
    for id, text, until in [("a", "Home: Oslo harbour", 200), ("b", "Home: Kyoto", None)]:
        source = lamina.Source(lamina.Kind.MESSAGE, "then" if id == "a" else "now", "s")
        put(memory, id, text, until=until, topic="user/home", sources=(source,))
    embed(memory)
    hits = memory.search(QUERY, explain=True)
    first, last = hits
    assert {source.id for source in first.source} == {"now"}
    assert {source.id for source in last.source} == {"then"}
    assert (first.valid_to, last.valid_to) == (None, NOW - timedelta(days=200))
    assert sum(s.weight * s.value for s in last.signals) == pytest.approx(last.raw, abs=1e-4)


def test_what_was_said_again_later_is_not_past(memory: Memory) -> None:
    chat = memory.session("s")
    at = NOW - timedelta(days=9)
    chat.append("user", "The home is by the harbour in Oslo", created_at=at, id="said")
    put(memory, "oslo", "the home is by the harbour in Oslo!", until=200)
    embed(memory)
    (hit,) = memory.search(QUERY)
    assert (hit.count, hit.valid_to) == (2, None)


def test_times_of_a_filter_are_those_when_it_was_said(memory: Memory) -> None:
    said = NOW - timedelta(days=900)
    put(memory, "a", "Home by the harbour in Oslo", valid_from=said)
    put(memory, "b", "Home by the harbour in Oslo, too")
    until = Filter(until=NOW - timedelta(days=500))
    assert ids(memory.search(QUERY, filter=until)) == ["a"]
    assert [record.id for record in memory.list(filter=until)] == ["a"]
    assert memory.search(QUERY, filter=until)[0].date == said
