from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Filter, Layer, Memory
from lamina.errors import InvalidInputError, NotFoundError

WORKING = Filter(layers=(Layer.WORKING,))
ALL = Filter(layers=(Layer.WORKING, Layer.SESSION, Layer.LONG_TERM))


@pytest.fixture
def mine(folder: Path) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False) as memory:
        yield memory


def test_a_note_of_this_turn_is_found_and_never_on_disk(mine: Memory, folder: Path) -> None:
    chat = mine.session("s")
    chat.begin_turn(goal="find a cafe")
    id = mine.add("The FALCON cafe is open", layer="working", session_id="s").id
    mine.add("The OSPREY cafe is closed", session_id="s")
    assert [record.id for record in mine.list(filter=WORKING)] == [id]
    assert [hit.text for hit in mine.search("which cafe is open", filter=WORKING)] == [
        "The FALCON cafe is open"
    ]
    assert len(mine.search("which cafe", filter=ALL)) == 2
    assert len(mine.search("which cafe", filter=ALL, limit=1)) == 1
    assert "FALCON" not in str(mine.search("FALCON cafe"))
    assert [record.content for record in mine.list()] == ["The OSPREY cafe is closed"]
    found = mine.get(id)
    assert isinstance(found, lamina.MemoryRecord)
    assert found.layer is Layer.WORKING
    assert chat.end_turn() == 1
    assert chat.end_turn() == 0
    with pytest.raises(NotFoundError):
        mine.get(id)
    assert b"FALCON" not in b"".join(f.read_bytes() for f in folder.rglob("*") if f.is_file())


def test_it_is_this_users_and_goes_when_the_next_turn_begins(mine: Memory) -> None:
    ann, bob = mine.for_user("ann"), mine.for_user("bob")
    ann.session("s").begin_turn()
    id = ann.add("Ann's note", layer="working", session_id="s").id
    other = ann.add("Ann's other note", layer="working", session_id="t").id
    assert not bob.list(filter=WORKING)
    with pytest.raises(NotFoundError):
        bob.get(id)
    with pytest.raises(InvalidInputError, match="this turn"):
        ann.update(id, "changed")
    ann.session("s").begin_turn()
    assert [record.id for record in ann.list(filter=WORKING)] == [other]
    assert ann.delete(other).id == other
    assert not ann.list(filter=WORKING)


def test_secrets_are_masked_there_too(mine: Memory) -> None:
    added = mine.add("password: hunter2-and-more", layer="working")
    assert added.masked
    assert "hunter2" not in str(mine.list(filter=WORKING))


def test_a_question_that_points_at_something_is_completed_from_the_turn(mine: Memory) -> None:
    mine.add("The Petrel sails to Faro on Fridays")
    mine.add("The Heron bakes bread in the harbour")
    for number in range(12):
        mine.add(f"Another one of the notes, number {number}, is about what it costs")
    chat = mine.session("s")
    chat.append("user", "When does it sail?")
    chat.begin_turn(goal="plan a boat trip", focus=["Petrel"], options=["Petrel", "Heron"])
    assert "Petrel sails" in chat.context(window=[], query="And the other one, when?").text
    chat.end_turn()
    assert "Petrel sails" not in chat.context(window=[], query="And the other one, when?").text
    bad: dict[str, Any]
    for bad in ({"goal": 3}, {"focus": "Petrel"}, {"options": [1]}):
        with pytest.raises(InvalidInputError):
            chat.begin_turn(**bad)
