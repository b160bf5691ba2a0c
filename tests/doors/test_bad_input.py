"""Whatever comes in is kept as it is or refused by name, and the store answers afterwards."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import (
    EmptyTextError,
    Filter,
    InvalidImportanceError,
    InvalidInputError,
    InvalidScopeError,
    Kind,
    Memory,
    MemoryRecord,
    NotFoundError,
    Source,
    TextTooLargeError,
    UnknownLayerError,
)

AT = datetime(2026, 5, 4, tzinfo=UTC)
NAIVE = datetime(2026, 5, 4)  # noqa: DTZ001 - the bad input itself


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("store")
    with lamina.open(folder, embedder="none", zone="Asia/Shanghai") as memory:
        yield memory


@pytest.fixture
def memory(opened: Memory, request: pytest.FixtureRequest) -> Memory:
    """The memory of a user of this test alone, with one turn and one note in it."""
    mine = opened.for_user(str(hash(request.node.nodeid)))
    mine.session("talk").append("user", "a zebra at the start", id="first")
    mine.add("a zebra note")
    return mine


def answers(memory: Memory, extra: int = 0) -> None:
    """What was there is still found, and nothing else (but `extra` more) came."""
    hits = memory.search("zebra", limit=100)
    assert len(hits) == 2 + extra
    assert hits.degraded == ("no embedder is set: words alone answer",)
    assert memory.context("zebra").text
    assert memory.session("talk").messages()[0].id == "first"
    assert memory.list()
    assert len(memory.session("talk").messages()) + len(memory.list()) == 2 + extra


def deep(levels: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for _ in range(levels):
        out = {"in": out}
    return out


def cyclic() -> dict[str, Any]:
    out: dict[str, Any] = {}
    out["self"] = out
    return out


BAD_ADDS: list[tuple[str, type[InvalidInputError], Callable[[Memory], object]]] = [
    ("empty", EmptyTextError, lambda m: m.add("")),
    ("blanks", EmptyTextError, lambda m: m.add(" \n\t\u3000")),
    ("only NUL", EmptyTextError, lambda m: m.add("\0\0")),
    ("only surrogates", EmptyTextError, lambda m: m.add("\ud800\udfff")),
    ("too large", TextTooLargeError, lambda m: m.add("x" * ((1 << 20) + 1))),
    ("too large in bytes", TextTooLargeError, lambda m: m.add("字" * 400_000)),
    ("no text", InvalidInputError, lambda m: m.add(12)),  # type: ignore[arg-type]
    ("bytes", InvalidInputError, lambda m: m.add(b"zebra")),  # type: ignore[arg-type]
    ("none", InvalidInputError, lambda m: m.add(None)),  # type: ignore[arg-type]
    ("a mapping", InvalidInputError, lambda m: m.add({"role": "user"})),  # type: ignore[arg-type]
    ("layer", UnknownLayerError, lambda m: m.add("zebra", layer="attic")),
    ("layer of a kind", UnknownLayerError, lambda m: m.add("zebra", layer=["session"])),  # type: ignore[arg-type]
    ("working", InvalidInputError, lambda m: m.add("zebra", layer="working")),
    ("category", InvalidInputError, lambda m: m.add("zebra", category="junk")),
    ("origin", InvalidInputError, lambda m: m.add("zebra", origin="nobody")),
    ("pinned", InvalidInputError, lambda m: m.add("zebra", pinned="yes")),  # type: ignore[arg-type]
    ("session id", InvalidScopeError, lambda m: m.add("zebra", session_id="a\nb")),
    ("empty session id", InvalidScopeError, lambda m: m.add("zebra", session_id="")),
    ("metadata text", InvalidInputError, lambda m: m.add("zebra", metadata="x")),  # type: ignore[arg-type]
    ("metadata set", InvalidInputError, lambda m: m.add("zebra", metadata={"a": {1}})),
    ("metadata object", InvalidInputError, lambda m: m.add("zebra", metadata={"a": object()})),
    ("metadata bytes", InvalidInputError, lambda m: m.add("zebra", metadata={"a": b"x"})),
    ("metadata NaN", InvalidInputError, lambda m: m.add("zebra", metadata={"a": float("nan")})),
    ("metadata time", InvalidInputError, lambda m: m.add("zebra", metadata={"a": AT})),
    ("metadata key", InvalidInputError, lambda m: m.add("zebra", metadata={1: "a"})),  # type: ignore[dict-item]
    ("metadata cyclic", InvalidInputError, lambda m: m.add("zebra", metadata=cyclic())),
    ("metadata huge number", InvalidInputError, lambda m: m.add("zebra", metadata={"a": 9**9999})),
    ("metadata surrogate", InvalidInputError, lambda m: m.add("zebra", metadata={"a": "\ud800"})),
    ("metadata 101 deep", InvalidInputError, lambda m: m.add("zebra", metadata=deep(101))),
    ("metadata 500 deep", InvalidInputError, lambda m: m.add("zebra", metadata=deep(500))),
    ("metadata 10,000 deep", InvalidInputError, lambda m: m.add("zebra", metadata=deep(10_000))),
]


@pytest.mark.parametrize(("kind", "write"), [b[1:] for b in BAD_ADDS], ids=[b[0] for b in BAD_ADDS])
def test_a_bad_memory_is_refused(
    memory: Memory, kind: type[InvalidInputError], write: Callable[[Memory], object]
) -> None:
    with pytest.raises(kind):
        write(memory)
    answers(memory)


@pytest.mark.parametrize(
    "importance",
    [float("nan"), float("inf"), -float("inf"), -0.01, 1.01, 5, 10**400, "0.5", True, None, [0.5]],
    ids=repr,
)
def test_a_bad_importance_is_refused(memory: Memory, importance: Any) -> None:
    with pytest.raises(InvalidImportanceError, match="importance is"):
        memory.add("zebra", importance=importance)
    id = memory.list()[0].id
    if importance is not None:  # there it means: leave it
        with pytest.raises(InvalidImportanceError):
            memory.update(id, importance=importance)
        with pytest.raises(InvalidImportanceError):
            memory.search("zebra", filter=Filter(min_importance=importance))
    answers(memory)


BAD_RECORDS: dict[str, dict[str, Any]] = {
    "category": {"category": "junk"},
    "layer": {"layer": "attic"},
    "origin": {"origin": "nobody"},
    "naive created_at": {"created_at": NAIVE},
    "text created_at": {"created_at": "yesterday"},
    "no created_at": {"created_at": None},
    "naive valid_from": {"valid_from": NAIVE},
    "naive valid_to": {"valid_to": NAIVE},
    "naive expires_at": {"expires_at": NAIVE},
    "no text abstract": {"abstract": 12},
    "no text overview": {"overview": ["x"]},
    "no text content": {"content": 12},
    "control character in id": {"id": "a\x07"},
    "id no text": {"id": 12},
    "project": {"project": 12},
    "session": {"session_id": "a\x00"},
    "pinned": {"pinned": 2},
    "sources text": {"sources": "m1"},
    "sources mapping": {"sources": ({"id": "m1"},)},
    "source of no kind": {"sources": (Source("letter", "m1"),)},  # type: ignore[arg-type]
    "source of no id": {"sources": (Source(Kind.MESSAGE, 12),)},  # type: ignore[arg-type]
    "metadata": {"metadata": [1]},
}


@pytest.mark.parametrize("fields", BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_bad_record_is_refused(memory: Memory, fields: dict[str, Any]) -> None:
    good: dict[str, Any] = {"id": "r1", "content": "a zebra record", "created_at": AT}
    with pytest.raises(InvalidInputError):
        memory.add(MemoryRecord(**{**good, **fields}))
    answers(memory)
    memory.add(MemoryRecord(**good))
    answers(memory, extra=1)


BAD_MESSAGES: dict[str, dict[str, Any]] = {
    "role": {"role": "nobody"},
    "no role": {"role": None},
    "empty": {"content": ""},
    "no content": {"content": None},
    "no blocks": {"content": []},
    "number": {"content": 12},
    "bytes": {"content": b"zebra"},
    "mapping": {"content": {"type": "text", "text": "zebra"}},
    "block of bytes": {"content": [b"zebra"]},
    "deep blocks": {"content": [deep(10_000)]},
    "blocks 500 deep": {"content": [deep(500)]},
    "naive time": {"created_at": NAIVE},
    "text of no time": {"created_at": "yesterday"},
    "text of naive time": {"created_at": "2026-05-04T10:00:00"},
    "number for a time": {"created_at": 1_700_000_000},
    "the calendar's end": {"created_at": "9999-12-31T23:59:59Z"},
    "the calendar's beginning": {"created_at": "0001-01-01T00:00:00Z"},
    "empty id": {"id": ""},
    "control character in id": {"id": "a\x1b[0m"},
    "surrogate in id": {"id": "a\ud800"},
    "number for an id": {"id": 7},
    "name": {"name": "a\nb"},
    "metadata": {"metadata": {"a": {1, 2}}},
    "deep metadata": {"metadata": deep(10_000)},
    "metadata 500 deep": {"metadata": deep(500)},
}


@pytest.mark.parametrize("fields", BAD_MESSAGES.values(), ids=BAD_MESSAGES)
def test_a_bad_message_is_refused_alone_or_among_good_ones(
    memory: Memory, fields: dict[str, Any]
) -> None:
    good: dict[str, Any] = {"role": "user", "content": "a zebra turn"}
    with pytest.raises(InvalidInputError):
        memory.add([good, {**good, **fields}], session_id="talk")
    with pytest.raises(InvalidInputError):
        memory.session("talk").append(**{**good, **fields})
    answers(memory)


def test_a_deep_mapping_that_is_no_message_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="message 0"):
        memory.add([deep(10_000)])
    with pytest.raises(InvalidInputError):
        memory.for_user(deep(10_000))  # type: ignore[arg-type]
    with pytest.raises(InvalidImportanceError):
        memory.add("zebra", importance=10**5000)
    answers(memory)


@pytest.mark.parametrize("given", [[12], ["zebra"], [{"content": "zebra"}], [None], [[]]], ids=repr)
def test_what_is_no_message_is_refused(memory: Memory, given: Any) -> None:
    with pytest.raises(InvalidInputError, match="message 0"):
        memory.add(given)
    answers(memory)


def test_extra_fields_that_are_no_json_are_refused(memory: Memory) -> None:
    session = memory.session("talk")
    for extra in ({"tool_calls": {1, 2}}, {"tool_calls": deep(10_000)}, "text", ["a"]):
        with pytest.raises(InvalidInputError):
            session.append("user", "zebra", extra=extra)  # type: ignore[arg-type]
    answers(memory)


def test_no_messages_at_all_are_no_trouble(memory: Memory) -> None:
    assert memory.add([]).ids == ()
    answers(memory)


ODD_TEXTS = {
    "a megabyte": "quagga " * 149_000,
    "one long word": "q" * 1_000_000,
    "chinese": "斑马" * 50_000,
    "emoji": "👩‍👩‍👧‍👦🇨🇳👍🏽 quagga 🦓",
    "control characters": "quagga \x01\x07\x1b[31m \u202e \u200b\ufeff",
    "markup": "'; drop table message; -- <script>quagga</script> %_\\",
    "line ends": "quagga\r\n\n\u2028\u2029\x85\n",
}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_odd_texts_are_kept_exactly_and_found(memory: Memory, text: str) -> None:
    message = memory.session("odd").append("user", text)
    assert memory.get(message.id).content == text
    note = memory.add(text)
    assert memory.get(note.id).content == text
    for word in ("斑马", "quagga"):
        found = {hit.id for hit in memory.search(word, limit=1000)}
        assert found == ({message.id, note.id} if word in text else set())
    assert len(memory.search("zebra")) == 2


def test_a_message_keeps_nul_and_loses_surrogates_and_a_memory_loses_both(memory: Memory) -> None:
    text = "quagga\0 \ud83d end"
    message = memory.session("odd").append("user", text)
    kept = memory.session("odd").messages()[-1]
    assert (kept.id, kept.content) == (message.id, "quagga\0 \ufffd end")
    blocks = memory.add([{"role": "user", "content": [{"type": "text", "text": text}]}])
    assert blocks.replaced == 1
    added = memory.add(text)
    assert added.replaced == 2
    assert memory.get(added.id).content == "quagga  end"
    assert len(memory.search("quagga")) == 3


def test_a_message_may_be_larger_than_a_memory(memory: Memory) -> None:
    text = "zebra " + "x" * 1_200_000
    message = memory.session("talk").append("tool", text)
    assert memory.get(message.id).content == text


def test_metadata_of_a_hundred_levels_is_kept_and_goes_through_every_door(memory: Memory) -> None:
    metadata = deep(100)
    note = memory.add("a zebra note with depth", metadata=metadata).id
    message = memory.session("talk").append("user", "zebra", metadata=metadata).id
    memory.update(note, "a zebra note changed")
    for id in (note, message):
        assert memory.get(id).metadata == metadata
    assert memory.history(note)[-1].after["metadata"] == metadata  # type: ignore[index]
    answers(memory, extra=2)


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
