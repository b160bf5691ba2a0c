"""Hypothesis strategies for the values that stores keep. Needs the package `hypothesis`."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from lamina.ports.store import NewPassage
from lamina.types import (
    Action,
    Category,
    Decision,
    HistoryEvent,
    Json,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Partition,
    Role,
    SessionInfo,
    Source,
)

LARGEST = (1 << 53) - 1  # an integer that every reader of JSON keeps exact

# What has broken stores: another script, an emoji beyond 16 bits, NUL, quotes, ends of lines.
_ODD = ["", " ", "咖啡，不加糖", "🦊 e\u0301", "nul \x00 inside", "'; -- \"%_\\", "a\r\nb\u2028c"]


def texts(*, max_size: int = 40) -> SearchStrategy[str]:
    """Texts of any script, without lone surrogates, which nothing can keep."""
    return st.one_of(st.sampled_from(_ODD), st.text(max_size=max_size))


def ids(*, most: int | None = None) -> SearchStrategy[str]:
    """Ids: of `most` possible ones (so that they meet again), or of any number."""
    if most is not None:
        return st.integers(0, most - 1).map(lambda n: f"id-{n}")
    return st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=26)


def times() -> SearchStrategy[datetime]:
    """Aware UTC instants, to the microsecond."""
    first, last = datetime(1900, 1, 1), datetime(2200, 1, 1)  # noqa: DTZ001 - hypothesis's way
    return st.datetimes(first, last, timezones=st.just(UTC))


def json_objects() -> SearchStrategy[dict[str, Json]]:
    """JSON mappings, nested a little."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-LARGEST, LARGEST),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(max_size=10),
    )
    values = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(texts(max_size=5), inner, max_size=3)
        ),
        max_leaves=5,
    )
    return st.dictionaries(texts(max_size=5), values, max_size=3)


def partitions() -> SearchStrategy[Partition]:
    """Partitions of a few users and agents."""
    return st.builds(
        Partition, st.sampled_from(["ann", "bob", "用户"]), st.sampled_from(["", "coder"])
    )


def contents() -> SearchStrategy[str | list[Json]]:
    """What a message says: text, or content blocks."""
    block = st.fixed_dictionaries({"type": st.just("text"), "text": texts()})
    return texts() | st.lists(block, max_size=2)


def messages(
    *,
    message_ids: SearchStrategy[str] | None = None,
    session_ids: SearchStrategy[str] | None = None,
) -> SearchStrategy[Message]:
    """Messages that no store has seen yet (`seq` 0)."""
    return st.builds(
        Message,
        id=ids() if message_ids is None else message_ids,
        session_id=ids(most=3) if session_ids is None else session_ids,
        role=st.sampled_from(Role),
        content=contents(),
        created_at=times(),
        name=st.none() | texts(max_size=8),
        extra=json_objects(),
        metadata=json_objects(),
        zone=st.sampled_from(["UTC", "Asia/Shanghai", "America/New_York"]),
        seq=st.just(0),
    )


def sources() -> SearchStrategy[Source]:
    """Where a memory comes from."""
    maybe = st.none() | texts(max_size=8)
    return st.builds(Source, st.sampled_from(Kind), ids(), maybe, maybe, texts())


def memories(
    *, memory_ids: SearchStrategy[str] | None = None, version: int = 1
) -> SearchStrategy[MemoryRecord]:
    """Memories of one version."""
    maybe_time = st.none() | times()
    maybe_id = st.none() | ids(most=3)
    return st.builds(
        MemoryRecord,
        id=ids() if memory_ids is None else memory_ids,
        content=texts(),
        created_at=times(),
        layer=st.sampled_from([Layer.LONG_TERM, Layer.ARCHIVAL]),
        category=st.sampled_from(Category),
        abstract=texts(),
        overview=texts(),
        importance=st.floats(0, 1),
        pinned=st.booleans(),
        origin=st.sampled_from(Origin),
        sources=st.lists(sources(), max_size=2).map(tuple),
        metadata=json_objects(),
        session_id=maybe_id,
        project=maybe_id,
        valid_from=maybe_time,
        valid_to=maybe_time,
        expires_at=maybe_time,
        updated_at=maybe_time,
        version=st.just(version),
        topic=topics(),
        happens_from=maybe_time,
        happens_to=maybe_time,
    )


def topics() -> SearchStrategy[str]:
    """What memories state, of a few that meet again."""
    return st.sampled_from(["", "user/home", "user/name", "用户/家\x00"])


def decisions(
    *,
    item_ids: SearchStrategy[str] | None = None,
    numbers: SearchStrategy[int] | None = None,
) -> SearchStrategy[Decision]:
    """Decisions: new ones (`id` 0), or those with one of these numbers."""
    maybe_id = st.none() | (ids() if item_ids is None else item_ids)
    return st.builds(
        Decision,
        at=times(),
        action=st.sampled_from(Action),
        reason=st.sampled_from(["known", "unsure", ""]),
        text=texts(),
        memory=maybe_id,
        target=maybe_id,
        message=maybe_id,
        detail=json_objects(),
        waiting=st.booleans(),
        id=st.just(0) if numbers is None else numbers,
    )


def sessions(*, session_ids: SearchStrategy[str] | None = None) -> SearchStrategy[SessionInfo]:
    """Sessions as a caller gives them: without messages, last used when they were made."""
    return st.builds(
        lambda name, at, title, project, state: SessionInfo(name, at, at, title, project, state),
        ids(most=3) if session_ids is None else session_ids,
        times(),
        texts(),
        st.none() | texts(max_size=8),
        json_objects(),
    )


def events(memory_id: str) -> SearchStrategy[HistoryEvent]:
    """Lines of a memory's history."""
    maybe = st.none() | json_objects()
    return st.builds(
        HistoryEvent,
        st.just(memory_id),
        st.sampled_from(["add", "update", "delete"]),
        st.sampled_from(Origin),
        times(),
        maybe,
        maybe,
    )


def passages() -> SearchStrategy[list[NewPassage]]:
    """Up to three passages of one item, one behind the other."""
    scripts = st.sampled_from(["", "latin", "han"])
    part = st.tuples(
        st.integers(1, 500), st.binary(max_size=12), st.booleans(), st.integers(0, 3), scripts
    )

    def laid(parts: list[tuple[int, bytes, bool, int, str]]) -> list[NewPassage]:
        out, start = [], 0
        for length, terms, embed, redactor, script in parts:
            out.append(NewPassage(start, start + length, terms, embed, redactor, script))
            start += length
        return out

    return st.lists(part, max_size=3).map(laid)
