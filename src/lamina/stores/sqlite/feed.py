"""What an index reads: changes, passages, vectors; and what waits to be embedded."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from lamina.ports.store import VECTORS_FEWER, Changes, Cursor, Passage, Rows
from lamina.stores.rows import Row, memory_from, message_from
from lamina.stores.sql import loader
from lamina.stores.sqlite.items import partition_id, tick
from lamina.types import MemoryRecord, Message, Partition

SQL = loader.queries("sqlite")
COLUMNS = 12
MICROS = 1_000_000

_Item = TypeVar("_Item", Message, MemoryRecord)


def changes(
    db: sqlite3.Connection, partition: Partition, since: Cursor, space: str, limit: int
) -> Changes:
    """What came since a cursor, in one read transaction."""
    row = db.execute(SQL["partition"], (partition.user, partition.agent)).fetchone()
    if row is None:  # never made, or dropped since
        return Changes(since, _rows([]), rebuild=since.counter > 0)
    p, counter, cut = row
    if since.counter and since.counter < cut:
        return Changes(since, _rows([]), rebuild=True)
    fetched = db.execute(SQL["rows"], (p, since.passage, limit)).fetchall()
    last_passage = fetched[-1][0] if fetched else since.passage
    full = len(fetched) == limit
    vectors: list[tuple[int, bytes]] = []
    last_vector, full_vectors = since.vector, full
    if not full:  # vectors only after their passages are known
        most = max(1, limit // VECTORS_FEWER)
        found = db.execute(SQL["vectors"], (p, since.vector, space, most)).fetchall()
        vectors = [(passage, data) for _, passage, data in found]
        full_vectors = len(found) == most
        if full_vectors:
            last_vector = found[-1][0]
        else:
            last_vector = db.execute(SQL["last_vector"], (p,)).fetchone()[0] or since.vector
    gone = [seq for (seq,) in db.execute(SQL["gone_since"], (p, since.counter))]
    more = full or full_vectors
    return Changes(
        Cursor(since.counter if more else counter, last_passage, last_vector),
        _rows(fetched),
        vectors,
        gone,
        more=more,
    )


def _rows(fetched: Sequence[Row]) -> Rows:
    columns: list[tuple[Any, ...]] = list(zip(*fetched, strict=True)) if fetched else [()] * COLUMNS
    seq, item, kind, layer, role, name, session, at, importance, script, category, terms = columns
    seconds = [micros / MICROS for micros in at]
    return Rows(
        seq, item, kind, layer, role, name, session, seconds, importance, script, category, terms
    )


def passages(
    db: sqlite3.Connection, partition: Partition, seqs: Iterable[int]
) -> dict[int, Passage]:
    """Passages with their items."""
    p = partition_id(db, partition)
    rows = db.execute(SQL["passages"], (json.dumps(list(seqs)), p)).fetchall()
    messages = _items(db, "messages_by_seq", [row[1] for row in rows], message_from)
    memories = _items(db, "memories_by_seq", [row[2] for row in rows], memory_from)
    return {
        seq: Passage(
            seq,
            partition,
            memories[memory] if message is None else messages[message],
            start,
            stop,
            bool(embed),
            redactor,
        )
        for seq, message, memory, start, stop, embed, redactor in rows
    }


def _items(
    db: sqlite3.Connection, query: str, seqs: Iterable[int | None], made: Callable[[Row], _Item]
) -> dict[int, _Item]:
    """Items by their numbers, which stand last in their rows; one query for all."""
    wanted = list({seq for seq in seqs if seq is not None})
    if not wanted:
        return {}
    return {row[-1]: made(row) for row in db.execute(SQL[query], (json.dumps(wanted),))}


def use_space(db: sqlite3.Connection, space: str) -> None:
    """Make a space the one that passages wait for."""
    if _meta(db, "space") == space:
        return
    db.execute(SQL["add_space"], (space,))
    number = db.execute(SQL["space"], (space,)).fetchone()[0]
    db.execute(SQL["wait_for_space"], (number,))
    db.execute(SQL["wait_no_more"], (number,))
    db.execute(SQL["tick_all"])
    db.execute(SQL["set_meta"], ("space", space))


def _meta(db: sqlite3.Connection, name: str) -> object:
    row = db.execute(SQL["meta"], (name,)).fetchone()
    return None if row is None else row[0]


def pending(
    db: sqlite3.Connection, partitions: Sequence[Partition] | None, limit: int
) -> list[tuple[Partition, int]]:
    """Passages that wait for vectors, newest first."""
    if partitions is None:
        rows = db.execute(SQL["all_pending"], (limit,))
        return [(Partition(user, agent), seq) for user, agent, seq in rows]
    found = []
    for partition in partitions:
        p = partition_id(db, partition)
        rows = db.execute(SQL["pending"], (p, limit))
        found += [(partition, seq) for (seq,) in rows]
    found.sort(key=lambda one: -one[1])
    return found[:limit]


def put_vectors(
    db: sqlite3.Connection, partition: Partition, space: str, rows: Iterable[tuple[int, bytes]]
) -> int:
    """Store vectors of passages that are still there."""
    p = partition_id(db, partition)
    if p is None:
        return 0
    db.execute(SQL["add_space"], (space,))
    number = db.execute(SQL["space"], (space,)).fetchone()[0]
    given = list(rows)
    stored = db.executemany(
        SQL["add_vector"], [(p, seq, number, data, seq, p) for seq, data in given]
    ).rowcount
    if _meta(db, "space") in (None, space):
        db.executemany(SQL["delete_pending"], [(p, seq) for seq, _ in given])
    if stored:
        tick(db, p)
    return stored
