"""Whatever is asked is answered or refused by name, and the store answers afterwards."""

from pathlib import Path
from typing import Any

import pytest
from offered import NAIVE, answers, cyclic, deep

import lamina
from lamina import (
    Filter,
    InvalidInputError,
    InvalidScopeError,
    Memory,
    NotFoundError,
)


@pytest.mark.parametrize(
    "query",
    ["", "\n\t\u3000", "?!.,;:-–…", "。，！？", "\0", "\ud800", "🦓", "'\"`%_*()[]{}\\", "-- AND"],
    ids=repr,
)
def test_a_query_without_words_is_answered(memory: Memory, query: str) -> None:
    assert memory.search(query).hits == ()
    assert memory.context(query).text == ""
    answers(memory)


@pytest.mark.parametrize("query", ["zebra " * 150_000, "z" * 1_000_000, "斑马" * 100_000])
def test_a_huge_query_is_answered(memory: Memory, query: str) -> None:
    assert len(memory.search(query)) == (2 if query.startswith("zebra") else 0)
    answers(memory)


@pytest.mark.parametrize("query", [None, 12, b"zebra", ["zebra"]], ids=repr)
def test_a_query_that_is_no_text_is_refused(memory: Memory, query: Any) -> None:
    with pytest.raises(InvalidInputError, match="query"):
        memory.search(query)
    if query is not None:
        with pytest.raises(InvalidInputError, match="query"):
            memory.session("talk").context(query)
    with pytest.raises(InvalidInputError, match="query"):
        memory.context(query)
    answers(memory)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "3", True, None, float("nan")], ids=repr)
def test_a_senseless_limit_is_refused(memory: Memory, limit: Any) -> None:
    for ask in (
        lambda: memory.search("zebra", limit=limit),
        lambda: memory.list(limit=limit),
        lambda: memory.context("zebra", max_tokens=-1 if limit == 0 else limit),
        lambda: memory.session("talk").window(-1 if limit == 0 else limit),
        lambda: memory.session("talk").prompt(-1 if limit == 0 else limit),
    ):
        with pytest.raises(InvalidInputError, match="whole number"):
            ask()
    if limit is not None:
        with pytest.raises(InvalidInputError, match="whole number"):
            memory.session("talk").messages(limit=limit)
    answers(memory)


def test_a_limit_beyond_every_store_is_fine(memory: Memory) -> None:
    assert len(memory.search("zebra", limit=1 << 80)) == 2
    assert len(memory.list(limit=1 << 80)) == 1
    assert len(memory.session("talk").messages(limit=1 << 80)) == 1
    assert memory.context("zebra", max_tokens=1 << 80).text


@pytest.mark.parametrize("score", ["0.5", None, True, float("nan"), [0]], ids=repr)
def test_a_senseless_least_score_is_refused(memory: Memory, score: Any) -> None:
    with pytest.raises(InvalidInputError, match="min_score"):
        memory.search("zebra", min_score=score)
    answers(memory)


BAD_FILTERS: dict[str, Any] = {
    "mapping": {"layers": ["session"]},
    "none": None,
    "layer": Filter(layers=("attic",)),  # type: ignore[arg-type]
    "layers number": Filter(layers=7),  # type: ignore[arg-type]
    "category": Filter(categories=("junk",)),  # type: ignore[arg-type]
    "origin": Filter(origins=("nobody",)),  # type: ignore[arg-type]
    "naive since": Filter(since=NAIVE),
    "naive until": Filter(until=NAIVE),
    "naive as_of": Filter(as_of=NAIVE),
    "naive known_at": Filter(known_at=NAIVE),
    "since text": Filter(since="yesterday"),  # type: ignore[arg-type]
    "project": Filter(project=7),  # type: ignore[arg-type]
    "session": Filter(session_id=["talk"]),  # type: ignore[arg-type]
    "current": Filter(current="yes"),  # type: ignore[arg-type]
    "metadata text": Filter(metadata="x"),  # type: ignore[arg-type]
    "operator": Filter(metadata={"a": {"like": "x"}}),
    "AND of text": Filter(metadata={"AND": "x"}),
    "OR of mapping": Filter(metadata={"OR": {"a": 1}}),
    "NOT of text": Filter(metadata={"NOT": "x"}),
    "AND of texts": Filter(metadata={"AND": ["x"]}),
    "in text": Filter(metadata={"a": {"in": "xyz"}}),
    "deep": Filter(metadata={"NOT": deep(10_000)}),
    "deep NOT": Filter(metadata={"a": deep(10_000)}),
    "object": Filter(metadata={"a": object()}),
    "cyclic": Filter(metadata={"NOT": cyclic()}),
}


@pytest.mark.parametrize("where", BAD_FILTERS.values(), ids=BAD_FILTERS)
def test_a_senseless_filter_is_refused_before_anything_is_searched(
    memory: Memory,
    where: Any,
) -> None:
    for ask in (
        lambda: memory.search("zebra", filter=where),
        lambda: memory.search("", filter=where),
        lambda: memory.for_user("nobody yet").search("zebra", filter=where),
        lambda: memory.context("zebra", filter=where),
        lambda: memory.list(filter=where),
    ):
        with pytest.raises(InvalidInputError):
            ask()
    answers(memory)


@pytest.mark.parametrize(
    "metadata",
    [
        {"a": {"gt": None}},
        {"a": {"contains": 5}},
        {"a": {"in": []}},
        {"a": {}},
        {"": ""},
        {"a\0": {"ne": [1, {"b": 2}]}},
        {"AND": []},
        {"NOT": []},
        {"OR": [{}, {"NOT": {"a": {"lt": "x"}}}]},
    ],
    ids=repr,
)
def test_a_weird_but_meaningful_metadata_filter_is_answered(
    memory: Memory, metadata: dict[str, Any]
) -> None:
    memory.add("a zebra note with fields", metadata={"a": 3, "b": ["x"]})
    where = Filter(metadata=metadata)
    assert len(memory.search("zebra", filter=where)) <= 3
    assert len(memory.list(filter=where)) <= 2
    answers(memory, extra=1)


def test_an_or_of_nothing_matches_nothing_and_an_and_of_nothing_all(memory: Memory) -> None:
    assert len(memory.search("zebra", filter=Filter(metadata={"OR": []}))) == 0
    assert len(memory.search("zebra", filter=Filter(metadata={"AND": []}))) == 2


@pytest.mark.parametrize("now", [NAIVE, "yesterday", 12, "2026-05-04"], ids=repr)
def test_a_senseless_now_is_refused(memory: Memory, now: Any) -> None:
    for ask in (
        lambda: memory.search("zebra", now=now),
        lambda: memory.search("", now=now),
        lambda: memory.context("zebra", now=now),
    ):
        with pytest.raises(InvalidInputError, match="now"):
            ask()
    answers(memory)


@pytest.mark.parametrize("id", ["", "nothing", "a\0b", "\x1b", "\ud800", "x" * 100_000], ids=ascii)
def test_an_unknown_id_is_not_found(memory: Memory, id: str) -> None:
    for ask in (memory.get, memory.delete, memory.history, lambda i: memory.update(i, "x")):
        with pytest.raises(NotFoundError, match="there is no memory or message"):
            ask(id)
    answers(memory)


@pytest.mark.parametrize("id", [None, 12, 1 << 70, ["first"], b"first"], ids=repr)
def test_an_id_that_is_no_text_is_refused(memory: Memory, id: Any) -> None:
    for ask in (memory.get, memory.delete, memory.history, lambda i: memory.update(i, "x")):
        with pytest.raises(InvalidInputError, match="id"):
            ask(id)
    if id is not None:
        with pytest.raises(InvalidInputError, match="after"):
            memory.list(after=id)
    answers(memory)


@pytest.mark.parametrize(
    "name", ["", "a\0", "a\nb", "\x7f", "\ud800", "\x01default", 12, b"a"], ids=repr
)
def test_user_agent_and_session_ids_are_texts_without_control_characters(
    memory: Memory,
    name: Any,
    tmp_path: Path,
) -> None:
    for ask in (
        lambda: memory.for_user(name),
        lambda: memory.for_user("zhang", name),
        lambda: memory.session(name),
        lambda: lamina.open(tmp_path, name, embedder="none"),
    ):
        with pytest.raises(InvalidScopeError, match="id"):
            ask()
    answers(memory)


def test_odd_ids_that_are_text_are_taken_as_they_are(memory: Memory) -> None:
    for name in ("../../etc/passwd", "用户 一", "a'b\"c", "🦓", "x" * 10_000, "con", "%"):
        other = memory.for_user(name, name)
        other.session(name).append("user", "a quagga", id=name)
        assert [hit.id for hit in other.search("quagga")] == [name]
        assert other.get(name).id == name
    assert len(memory.search("quagga")) == 0
    assert len(memory.search("zebra")) == 2


def test_titles_projects_and_states_that_cannot_be_kept_are_refused(memory: Memory) -> None:
    for title in (12, ["x"], b"x"):
        with pytest.raises(InvalidInputError):
            memory.session("talk", title=title)  # type: ignore[arg-type]
    for project in (12, ["x"], "a\0", ""):
        with pytest.raises(InvalidInputError):
            memory.session("talk", project=project)  # type: ignore[arg-type]
    session = memory.session("talk", title="a \ud800 title")
    assert session.info().title == "a \ufffd title"
    for state in ([1], "x", {"a": {1}}, {"a": float("nan")}, deep(10_000), {1: 2}):
        with pytest.raises(InvalidInputError):
            session.state = state  # type: ignore[assignment]
    assert session.state == {}
    answers(memory)


def test_an_update_that_cannot_be_kept_changes_nothing(memory: Memory) -> None:
    id = memory.list()[0].id
    changes: list[dict[str, Any]] = [
        {"text": ""}, {"text": 12}, {"text": "\0"}, {"category": "junk"}, {"origin": "nobody"},
        {"pinned": "yes"}, {"metadata": {"a": {1}}}, {"metadata": deep(10_000)}, {"metadata": "x"},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(InvalidInputError):
            memory.update(id, **change)
    with pytest.raises(InvalidInputError, match="message"):
        memory.update("first", "zebra")
    assert len(memory.history(id)) == 1
    answers(memory)


def test_the_far_ends_of_the_calendar_are_kept_and_shown(memory: Memory) -> None:
    session = memory.session("talk")
    for at in ("0001-01-03T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-29T00:00:00+14:00"):
        message = session.append("user", f"zebra {at}", created_at=at)
        assert memory.get(message.id).created_at == message.created_at
    answers(memory, extra=3)
