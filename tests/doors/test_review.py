from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Filter, Memory
from lamina.errors import InvalidInputError, NotFoundError, ScopeError
from lamina.testing.fakes import FakeClock

CURRENT = Filter(current=True)


@pytest.fixture
def mine(folder: Path) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, clock=FakeClock()) as memory:
        yield memory


def say(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.session("talk").append("user", text)


def facts(memory: Memory) -> list[str]:
    return [record.content for record in memory.list(filter=CURRENT)]


def test_what_is_unsure_waits_and_is_not_recalled(mine: Memory) -> None:
    say(mine, "Maybe I live in Porto.", "The weather is fine.")
    (proposal,) = mine.review.list()
    assert (proposal.text, proposal.reason) == ("User lives in Porto", "hedged")
    assert proposal.source[0].quote == "Maybe I live in Porto."
    assert facts(mine) == []
    assert "lives in Porto" not in mine.context("Where does the user live? Porto?").text


def test_accepted_it_is_a_memory_with_its_source(mine: Memory) -> None:
    say(mine, "I live in Braga.", "Maybe I live in Porto.")
    (proposal,) = mine.review.list()
    done = mine.review.accept(proposal.id)
    assert done.memory is not None
    record = mine.get(done.memory)
    assert isinstance(record, lamina.MemoryRecord)
    assert (record.content, record.origin) == ("User lives in Porto", lamina.Origin.PERSON)
    assert record.sources[0].quote == "Maybe I live in Porto."
    assert facts(mine) == ["User lives in Porto"]
    assert not mine.review.list()
    with pytest.raises(NotFoundError):
        mine.review.accept(proposal.id)


def test_refused_it_is_not_proposed_again(mine: Memory) -> None:
    say(mine, "Maybe I live in Porto.")
    (proposal,) = mine.review.list()
    assert mine.review.refuse(proposal.id).reason == "refused"
    say(mine, "Perhaps I live in Porto.", "I live in Porto.")
    assert not mine.review.list()
    assert facts(mine) == []


def test_the_same_doubt_waits_once(mine: Memory) -> None:
    say(mine, "Maybe I live in Porto.", "Perhaps I live in Porto.", "Maybe I live in Faro.")
    assert [one.text for one in mine.review.list()] == ["User lives in Porto", "User lives in Faro"]
    assert len(mine.review.list(limit=1)) == 1


def test_what_waits_goes_with_the_message_that_says_it(mine: Memory) -> None:
    say(mine, "Maybe I live in Porto.")
    (proposal,) = mine.review.list()
    mine.forget(proposal.source[0].id)
    assert not mine.review.list()


def test_nobody_decides_for_others(mine: Memory) -> None:
    ann = mine.for_user("ann")
    say(ann, "Maybe I live in Porto.")
    (proposal,) = ann.review.list()
    for memory in (mine, mine.for_user("bob"), mine.for_everyone()):
        assert not memory.review.list()
        for decides in (memory.review.accept, memory.review.refuse):
            with pytest.raises((NotFoundError, ScopeError)):
                decides(proposal.id)
    assert len(ann.review.list()) == 1
    for bad in ("x", "", "-1", "１", 1, None):
        with pytest.raises(InvalidInputError):
            ann.review.accept(bad)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        ann.review.accept("9" * 30)


def test_the_commands(run: Any, answer: Any, refused: Any) -> None:
    assert run("review", "list").stdout == "Nothing waits.\n"
    for town in ("Porto", "Faro"):
        answer("add", f"Maybe I live in {town}.", "--role", "user", "--session", "s")
    listed = run("review", "list").stdout
    assert "User lives in Porto  (hedged)\n    Maybe I live in Porto." in listed
    first, second = (one["id"] for one in answer("review", "list"))
    assert run("review", "accept", first).stdout.startswith("create")
    assert answer("review", "refuse", second)[0]["reason"] == "refused"
    assert [one["content"] for one in answer("list")] == ["User lives in Porto"]
    refused(run("review", "accept", first), 3, first)
