from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

import lamina
from lamina import Filter, Memory
from lamina.testing.fakes import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def mine(folder: Path, clock: FakeClock) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, clock=clock) as memory:
        yield memory


def test_what_the_store_knew_then(mine: Memory, clock: FakeClock) -> None:
    before = clock.now()
    clock.advance(days=1)
    id = mine.add("The spare key is with Odile").id
    first = clock.now()
    clock.advance(days=1)
    mine.correct(id, "The spare key is with Petra")
    second = clock.now()
    clock.advance(days=1)
    mine.update(id, pinned=True)
    mine.add("The spare bicycle is green")

    def known(at: datetime) -> tuple[list[str], list[str]]:
        where = Filter(known_at=at)
        return (
            [record.content for record in mine.list(filter=where)],
            [hit.text for hit in mine.search("the spare key", filter=where)],
        )

    assert known(before) == ([], [])
    assert known(first) == (["The spare key is with Odile"],) * 2
    assert known(second) == (["The spare key is with Petra"],) * 2
    assert len(known(clock.now())[0]) == 2


def test_what_was_true_then_as_it_was_known_then(mine: Memory, clock: FakeClock) -> None:
    talk = mine.session("s")
    talk.append("user", "I live in Porto.")
    mine.list()
    between = clock.advance(days=10)
    clock.advance(days=10)
    talk.append("user", "I live in Braga now.")
    mine.list()
    now = clock.advance(days=1)

    def homes(**where: datetime | bool) -> list[str]:
        return [record.content for record in mine.list(filter=Filter(**where))]  # type: ignore[arg-type]

    assert homes(as_of=between) == ["User lives in Porto"]
    assert homes(as_of=now) == ["User lives in Braga"]
    assert homes(as_of=now, known_at=between) == ["User lives in Porto"]
    assert homes(current=True) == ["User lives in Braga"]
    assert homes(current=False) == ["User lives in Porto"]
