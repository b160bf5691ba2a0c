"""Small values to try a store with, and a reader that follows its changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta

from lamina.ports.store import Changes, Cursor, NewPassage, Rows, Store
from lamina.types import (
    Action,
    Decision,
    HistoryEvent,
    Json,
    MemoryRecord,
    Message,
    Origin,
    Partition,
    Role,
)

ANN, BOB = Partition("ann"), Partition("bob", "coder")
NOON = datetime(2026, 5, 4, 12, 0, 0, 123456, tzinfo=UTC)
SPACE = "one/space/2/1"
BEHIND = 4400  # writes: more than a log of deletions needs to reach back
SURROGATE = "\ud800"


@contextmanager
def raises(error: type[Exception]) -> Iterator[None]:
    """What is inside must raise this error."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"{error.__name__} was expected, and nothing was raised")


class Reader:
    """Follows the changes of a partition, as an index does."""

    def __init__(self, partition: Partition, space: str = SPACE, *, limit: int = 3) -> None:
        self.partition, self.space, self.limit = partition, space, limit
        self.cursor = Cursor()
        self.rows: dict[int, tuple[Json, ...]] = {}  # the columns of Rows by seq
        self.vectors: dict[int, bytes] = {}
        self.rebuilt = 0

    def refresh(self, store: Store) -> Reader:
        """Read on until there is no more."""
        more = True
        while more:
            changes = store.changes(self.partition, self.cursor, self.space, self.limit)
            if changes.rebuild:
                assert self.cursor != Cursor(), "a reader that starts anew need not start anew"
                self.cursor, self.rows, self.vectors = Cursor(), {}, {}
                self.rebuilt += 1
                continue
            self._take(changes)
            assert not changes.more or changes.cursor != self.cursor, "there is more, yet no way on"
            self.cursor, more = changes.cursor, changes.more
        return self

    def _take(self, changes: Changes) -> None:
        found = lines(changes.rows)
        assert len(found) <= self.limit
        assert len(changes.vectors) <= self.limit
        assert not set(found) & set(self.rows), "a passage came twice"
        self.rows |= found
        for seq, data in changes.vectors:
            assert seq in self.rows, "a vector came before its passage"
            self.vectors[seq] = data
        for seq in changes.gone:
            self.rows.pop(seq, None)
            self.vectors.pop(seq, None)


def lines(rows: Rows) -> dict[int, tuple[Json, ...]]:
    """Rows by seq, each as the tuple of its columns."""
    columns = [getattr(rows, column.name) for column in fields(rows)]
    found = list(zip(*columns, strict=True))
    assert [line[0] for line in found] == sorted({line[0] for line in found})
    return {line[0]: line for line in found}


def said(id: str, text: str = "I drink oat milk.", *, session: str = "s", at: int = 0) -> Message:
    """A message, `at` seconds after noon."""
    return Message(id, session, Role.USER, text, NOON + timedelta(seconds=at))


def noted(id: str, content: str = "Ann drinks oat milk.", *, version: int = 1) -> MemoryRecord:
    """A memory."""
    return MemoryRecord(id, content, NOON, version=version)


def change(id: str, action: str = "add") -> HistoryEvent:
    """A line of history."""
    return HistoryEvent(id, action, Origin.USER, NOON)


def decided(
    text: str,
    memory: str | None = None,
    *,
    target: str | None = None,
    message: str | None = None,
    waiting: bool = False,
) -> Decision:
    """A decision."""
    return Decision(NOON, Action.SKIP, "known", text, memory, target, message, waiting=waiting)


def cut(count: int, *, embed: bool = True) -> list[NewPassage]:
    """So many passages, one behind the other."""
    return [NewPassage(i * 10, i * 10 + 10, b"terms %d" % i, embed, 1, "han") for i in range(count)]


def put(store: Store, record: MemoryRecord, count: int = 1, partition: Partition = ANN) -> None:
    """Write a memory of so many passages."""
    store.put(partition, record, cut(count), change(record.id))


def waiting(store: Store, partition: Partition = ANN) -> list[int]:
    """The passages of a partition that wait for vectors, newest first."""
    return [seq for _, seq in store.pending([partition], 1000)]


def embed_all(store: Store, space: str = SPACE, partition: Partition = ANN) -> list[int]:
    """Give a vector to all that wait, in order; tells which they were."""
    seqs = waiting(store, partition)[::-1]
    assert store.put_vectors(partition, space, [(n, b"v%d" % n) for n in seqs]) == len(seqs)
    return seqs
