"""`why` says at which step an item falls, and the change that it names brings it in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Filter, Layer
from lamina.testing.fakes import FakeClock, HashEmbedder

QUERY = "where is the red bicycle"


@pytest.fixture(params=["vectors", "words"])
def memory(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[lamina.Memory]:
    embedder: Any = HashEmbedder() if request.param == "vectors" else "none"
    clock = FakeClock(datetime(2026, 5, 4, tzinfo=UTC))
    with lamina.open(tmp_path, embedder=embedder, clock=clock, background=False) as opened:
        opened.add("The red bicycle is in the shed", metadata={"topic": "bicycle"})
        for number in range(30):
            opened.add(f"The bicycle number {number} belongs to class {number * 7}")
        opened.add("The red bicycle had a guarantee", layer="archival")
        opened.session("talk").append("user", "My red bicycle has a flat tyre", id="turn")
        if request.param == "vectors":
            opened.admin.flush()
        yield opened


def id_of(memory: lamina.Memory, text: str) -> str:
    return next(record.id for record in memory.list() if record.content == text)


def ids(results: lamina.Results) -> list[str]:
    return [source.id for hit in results for source in hit.source]


def comes(memory: lamina.Memory, id: str, **arguments: Any) -> lamina.Why:
    """What `why` says of an item that is not returned; the change must bring it in."""
    assert id not in ids(memory.search(QUERY, **arguments))
    why = memory.why(QUERY, id, **arguments)
    assert not why.returned
    assert why.sentence
    assert id in ids(memory.search(QUERY, **{**arguments, **why.change}))
    return why


def test_a_result_is_told_its_place_and_signals(memory: lamina.Memory) -> None:
    first = memory.search(QUERY, explain=True)[0]
    why = memory.why(QUERY, first.id)
    assert (why.returned, why.step, why.rank) == (True, "returned", 1)
    assert why.signals == first.signals
    assert why.score == first.score
    assert sum(s.weight * s.value for s in why.signals) == pytest.approx(why.raw, abs=1e-4)


def test_what_stands_too_low_needs_a_higher_limit(memory: lamina.Memory) -> None:
    low = memory.search(QUERY, limit=100)[-1].id
    why = comes(memory, low, limit=3)
    assert why.step == "limit"
    assert why.behind >= 0
    assert why.rank == why.change["limit"]


def test_what_lies_in_the_archive_needs_its_layer(memory: lamina.Memory) -> None:
    assert comes(memory, id_of(memory, "The red bicycle had a guarantee")).step == "layers"


@pytest.mark.parametrize(
    "where",
    [
        Filter(metadata={"topic": "boat"}),
        Filter(session_id="talk"),
        Filter(since=datetime(2027, 1, 1, tzinfo=UTC)),
        Filter(min_importance=0.9),
        Filter(categories=(lamina.Category.EVENTS,)),
        Filter(layers=(Layer.SESSION,)),
        Filter(project="boats"),
    ],
    ids=repr,
)
def test_what_a_filter_leaves_out_needs_a_wider_one(memory: lamina.Memory, where: Filter) -> None:
    id = id_of(memory, "The red bicycle is in the shed")
    assert comes(memory, id, filter=where).step in {"filter", "layers"}


def test_what_scores_too_little_needs_a_lower_threshold(memory: lamina.Memory) -> None:
    id = id_of(memory, "The red bicycle is in the shed")
    assert comes(memory, id, min_score=1.0).step == "score"


def test_what_says_the_same_is_counted_in_its_twin(memory: lamina.Memory) -> None:
    twin = memory.add("the red bicycle is in the shed!").id
    first = memory.search(QUERY)[0]
    assert first.count == 2
    other = ({source.id for source in first.source} - {first.id}).pop()
    assert twin in {first.id, other}
    why = memory.why(QUERY, other)
    assert (why.returned, why.step) == (True, "folded")
    assert first.id in why.sentence


def test_without_vectors_what_shares_no_word_is_said_to(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none") as memory:
        added = memory.add("Velocipedes belong in sheds")
        why = memory.why("red bicycle", added.id)
        assert (why.returned, why.step) == (False, "words")


def test_what_is_anothers_is_not_found(memory: lamina.Memory) -> None:
    with pytest.raises(lamina.NotFoundError):
        memory.for_user("li").why(QUERY, "turn")


def test_a_question_is_completed_from_the_turns_before_it(memory: lamina.Memory) -> None:
    id = id_of(memory, "The red bicycle is in the shed")
    turns = ["I look for my red bicycle, in the shed perhaps"]
    told = memory.why("and where is it?", id, turns=turns)
    found = memory.search("and where is it?", turns=turns, explain=True)
    assert told.returned
    assert told.signals == next(hit for hit in found if hit.id == id).signals
    assert memory.why("and where is it?", id).raw < told.raw
