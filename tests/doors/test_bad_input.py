"""Whatever comes in is kept as it is or refused by name, and the store answers afterwards."""

from collections.abc import Callable
from typing import Any

import pytest
from offered import AT, NAIVE, answers, cyclic, deep

from lamina import (
    EmptyTextError,
    Filter,
    InvalidImportanceError,
    InvalidInputError,
    InvalidScopeError,
    Kind,
    Memory,
    MemoryRecord,
    Source,
    TextTooLargeError,
    UnknownLayerError,
)

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
    ("category", InvalidInputError, lambda m: m.add("zebra", category="junk")),
    ("origin", InvalidInputError, lambda m: m.add("zebra", origin="nobody")),
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
        found = {s.id for hit in memory.search(word, limit=1000) for s in hit.source}
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
    assert sum(hit.count for hit in memory.search("quagga")) == 3


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
