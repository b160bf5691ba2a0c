"""Messages, sessions and memories in SQLite: functions within a caller's transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any

from lamina.errors import AlreadyReadError, ConflictError
from lamina.ports.store import New, NewPassage
from lamina.stores.rows import (
    NOT_WAITING,
    Row,
    checked_unicode,
    content_of,
    decision_row,
    event_row,
    memory_from,
    memory_row,
    message_from,
    to_json,
    to_micros,
    unheard_no_more,
)
from lamina.stores.sql import loader
from lamina.types import Decision, MemoryRecord, Message, Partition

SQL = loader.queries("sqlite")
LARGE = 256 << 10  # characters of a content that gets a row of its own
GONE_KEPT = 4096  # writes that the log of deletions reaches back
TRIM_EVERY = 256
LAST = (1 << 63) - 1
PARTS = (  # the tables with rows of a partition, what points at others before these
    "vector",
    "pending",
    "gone",
    "passage",
    "history",
    "event",
    "decision",
    "unread",
    "tombstone",
    "memory",
    "message",
    "session",
)


def partition_id(db: sqlite3.Connection, partition: Partition) -> int | None:
    """The number of a partition that exists."""
    row = db.execute(SQL["partition"], (partition.user, partition.agent)).fetchone()
    return None if row is None else row[0]


def made_partition(db: sqlite3.Connection, partition: Partition) -> int:
    """The number of a partition, made where it is new."""
    found = partition_id(db, partition)
    if found is not None:
        return found
    names = (checked_unicode(partition.user), checked_unicode(partition.agent))
    made = db.execute(SQL["add_partition"], names).lastrowid
    assert made is not None
    return made


def tick(db: sqlite3.Connection, partition: int) -> int:
    """Raise the counter of a partition."""
    counter: int = db.execute(SQL["tick"], (partition,)).fetchone()[0]
    return counter


class Numbers:
    """The numbers that the next rows get, in a write transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        last = dict(db.execute(SQL["sequences"]))
        self.message = last.get("message", 0) + 1
        self.memory = last.get("memory", 0) + 1
        self.passage = last.get("passage", 0) + 1


# --- messages


def append(
    db: sqlite3.Connection,
    partition: Partition,
    items: Sequence[tuple[Message, Sequence[NewPassage]]],
    unread: Container[str] = (),
    unheard: Container[str] = (),
) -> list[bool]:
    """Insert what is new; one query finds out, one statement a table inserts."""
    p = made_partition(db, partition)
    numbers = Numbers(db)
    ids = json.dumps([message.id for message, _ in items])
    seen = {id for (id,) in db.execute(SQL["known_messages"], (ids, p))}
    messages: list[tuple[Any, ...]] = []
    large: list[tuple[int, str]] = []
    passages: list[tuple[Any, ...]] = []
    waiting: list[tuple[int, int]] = []
    sessions: dict[str, int] = {}
    new = []
    for message, parts in items:
        new.append(message.id not in seen)
        if message.id in seen:
            continue
        seen.add(message.id)
        if message.session_id not in sessions:
            sessions[message.session_id] = _session(db, p, message)
        content, blocks = content_of(message)
        seq = numbers.message
        numbers.message += 1
        if len(content) > LARGE:
            large.append((seq, content))
        if message.id in unread:
            waiting.append((p, seq))
        messages.append(
            (
                seq, p, sessions[message.session_id], message.id, str(message.role), message.name,
                None if len(content) > LARGE else content, blocks, to_json(message.extra),
                to_json(message.metadata), to_micros(message.created_at), message.zone,
                numbers.passage, len(parts), int(message.id in unheard),
            )
        )  # fmt: skip
        passages += _passage_rows(numbers, p, parts, message=seq)
    db.executemany(SQL["add_message"], messages)
    if large:
        db.executemany(SQL["add_large"], large)
    if waiting:
        db.executemany(SQL["add_unread"], waiting)
    _add_passages(db, p, passages)
    if messages:
        tick(db, p)
    return new


def _session(db: sqlite3.Connection, partition: int, message: Message) -> int:
    row = db.execute(SQL["session_seq"], (partition, message.session_id)).fetchone()
    if row is None:
        made = (partition, message.session_id, to_micros(message.created_at))
        row = db.execute(SQL["add_session"], made).fetchone()
    seq: int = row[0]
    return seq


def _passage_rows(
    numbers: Numbers,
    partition: int,
    parts: Sequence[NewPassage],
    *,
    message: int | None = None,
    memory: int | None = None,
) -> list[tuple[Any, ...]]:
    first = numbers.passage
    numbers.passage += len(parts)
    return [
        (first + i, partition, message, memory, part.start, part.end, int(part.embed),
         part.redactor, part.script, part.terms)
        for i, part in enumerate(parts)
    ]  # fmt: skip


def _add_passages(db: sqlite3.Connection, partition: int, rows: list[tuple[Any, ...]]) -> None:
    db.executemany(SQL["add_passage"], rows)
    db.executemany(SQL["add_pending"], [(partition, row[0]) for row in rows if row[6]])


def messages(
    db: sqlite3.Connection,
    session: int,
    *,
    after: int = 0,
    before: int = LAST,
    limit: int | None = None,
    newest: bool = False,
) -> list[Message]:
    """A session's messages in order."""
    query = SQL["newest_messages"] if newest else SQL["messages"]
    rows = db.execute(query, (session, after, before, -1 if limit is None else limit)).fetchall()
    found = [message_from(row) for row in rows]
    return found[::-1] if newest else found


def neighbours(
    db: sqlite3.Connection, partition: int, ids: Iterable[str], before: int, after: int
) -> dict[str, list[Message]]:
    """For each id: the messages around it, itself included."""
    out = {}
    for id in ids:
        place = db.execute(SQL["message_place"], (partition, id)).fetchone()
        if place is not None:
            seq, session = place[0], place[1]
            older = messages(db, session, before=seq + 1, limit=before + 1, newest=True)
            newer = messages(db, session, after=seq, limit=after) if after else []
            out[id] = older + newer
    return out


def delete_messages(db: sqlite3.Connection, partition: int, ids: Sequence[str]) -> int:
    """Erase messages; what followed each one waits for its vectors anew."""
    if not _any(db, "message_place", partition, ids):
        return 0
    counter = tick(db, partition)
    found = _erase_messages(db, partition, counter, ids)
    _trim(db, partition, counter)
    return found


def _erase_messages(
    db: sqlite3.Connection, partition: int, counter: int, ids: Sequence[str]
) -> int:
    places = {id: db.execute(SQL["message_place"], (partition, id)).fetchone() for id in ids}
    found = {id: place for id, place in places.items() if place is not None}
    for id, (seq, _, first, count) in found.items():
        db.execute(SQL["delete_message"], (seq,))
        db.execute(SQL["delete_decisions_of_message"], (partition, id))
        db.execute(SQL["delete_unread"], (partition, seq))
        _drop_passages(db, partition, counter, first, count)
    for seq, session, _, _ in found.values():
        follower = db.execute(SQL["next_message"], (session, seq)).fetchone()
        if follower is not None and follower[1]:
            db.execute(SQL["delete_vectors"], (follower[0], follower[0] + 1))
            db.execute(SQL["wait_anew"], (follower[0],))
    return len(found)


def drop_session(db: sqlite3.Connection, partition: int, session_id: str) -> int:
    """Erase a session with its messages."""
    ids = [id for (id,) in db.execute(SQL["message_ids"], (partition, session_id))]
    if db.execute(SQL["session_seq"], (partition, session_id)).fetchone() is not None:
        counter = tick(db, partition)
        _erase_messages(db, partition, counter, ids)
        db.execute(SQL["delete_session"], (partition, session_id))
        _trim(db, partition, counter)
    return len(ids)


def drop_partition(db: sqlite3.Connection, partition: int) -> None:
    """Erase all rows of a partition, what points at others first."""
    floor = tick(db, partition)
    for table in PARTS:
        db.execute(SQL[f"drop_{table}"], (partition,))
    db.execute(SQL["delete_partition"], (partition,))
    old = db.execute(SQL["meta"], ("floor",)).fetchone()
    db.execute(SQL["set_meta"], ("floor", floor if old is None else max(floor, old[0])))


# --- memories


def exchange(
    db: sqlite3.Connection,
    partition: Partition,
    gone: Sequence[str],
    new: Sequence[New],
    *,
    read: Sequence[str] = (),
    decisions: Sequence[Decision] = (),
    claims: Sequence[bytes] = (),
    unsaid: Sequence[str] = (),
) -> None:
    """Erase memories and messages, write memories, each with its passages and its history."""
    made = bool(new or decisions or claims)
    p = made_partition(db, partition) if made else partition_id(db, partition)
    for id in dict.fromkeys(read):
        place = db.execute(SQL["message_place"], (p, id)).fetchone()
        if place is None or not db.execute(SQL["delete_unread"], (p, place[0])).rowcount:
            raise AlreadyReadError(NOT_WAITING.format(id))
    if p is None:
        return
    decide(db, p, decisions)
    db.executemany(SQL["add_tombstone"], [(p, claim) for claim in claims])
    if not (new or _any(db, "memory_place", p, gone) or _any(db, "message_place", p, unsaid)):
        return
    counter = tick(db, p)
    for id in gone:
        _erase_memory(db, p, counter, id)
    _erase_messages(db, p, counter, unsaid)
    for record, parts, event in new:
        _put(db, p, counter, record, parts)
        db.execute(SQL["add_history"], (p, *event_row(event)))
    _trim(db, p, counter)


def _put(
    db: sqlite3.Connection,
    partition: int,
    counter: int,
    record: MemoryRecord,
    parts: Sequence[NewPassage] | None,
) -> None:
    place = db.execute(SQL["memory_place"], (partition, record.id)).fetchone()
    stored = 0 if place is None else place[1]
    if record.version != stored + 1:
        raise ConflictError(
            f"memory {record.id!r} is at version {stored}, not {record.version - 1}; "
            "read it again and repeat the change"
        )
    numbers = Numbers(db)
    seq = numbers.memory if place is None else place[0]
    made = parts or ()
    span = (numbers.passage, len(made))
    if place is not None and parts is None:
        span = place[2:]
    elif place is not None:
        _drop_passages(db, partition, counter, place[2], place[3])
    row = (seq, partition, *memory_row(record), *span, content_hash(record.content))
    db.execute(SQL["put_memory"], row)
    _add_passages(db, partition, _passage_rows(numbers, partition, made, memory=seq))


def _any(db: sqlite3.Connection, place: str, partition: int, ids: Iterable[str]) -> bool:
    return any(db.execute(SQL[place], (partition, id)).fetchone() for id in ids)


def _erase_memory(db: sqlite3.Connection, partition: int, counter: int, id: str) -> bool:
    place = db.execute(SQL["memory_place"], (partition, id)).fetchone()
    if place is None:
        return False
    db.execute(SQL["delete_memory"], (place[0],))
    db.execute(SQL["delete_history"], (partition, id))
    db.execute(SQL["delete_decisions_of_memory"], (partition, id))
    _drop_passages(db, partition, counter, place[2], place[3])
    return True


def content_hash(content: str) -> int:
    """A number by which exact twins are found; Python's own hash changes with every process."""
    return int.from_bytes(blake2b(content.encode(), digest_size=7).digest(), "little")


def twins(db: sqlite3.Connection, partition: int, content: str) -> list[MemoryRecord]:
    """Memories with exactly this content."""
    rows = db.execute(SQL["twins"], (partition, content_hash(checked_unicode(content))))
    return [record for record in map(memory_from, rows) if record.content == content]


def delete_memories(
    db: sqlite3.Connection, partition: int, ids: Sequence[str], claims: Sequence[bytes]
) -> int:
    """Erase memories with their history; the claims stay as tombstones."""
    if not _any(db, "memory_place", partition, ids):
        return 0
    counter = tick(db, partition)
    found = sum(_erase_memory(db, partition, counter, id) for id in ids)
    db.executemany(SQL["add_tombstone"], [(partition, claim) for claim in claims])
    _trim(db, partition, counter)
    return found


def decide(db: sqlite3.Connection, partition: int, decisions: Sequence[Decision]) -> None:
    """Note decisions; one with an id replaces that one."""
    for decision in decisions:
        row = decision_row(decision)
        if decision.id:
            db.execute(SQL["change_decision"], (*row, decision.id, partition))
        else:
            db.execute(SQL["add_decision"], (partition, *row))


def hear(db: sqlite3.Connection, partition: Partition, ids: Sequence[str]) -> None:
    """A model has read messages that none had read.

    Raises:
        ConflictError: one of them is gone, or one had.
    """
    p = partition_id(db, partition)
    for id in dict.fromkeys(ids):
        if db.execute(SQL["hear"], (p, id)).rowcount != 1:
            raise unheard_no_more(id)


def unheard(
    db: sqlite3.Connection, partition: Partition, session_id: str, *, waiting: bool
) -> list[Message]:
    """A session's messages that no model has read, or those that wait for one."""
    row = db.execute(SQL["session_seq"], (partition_id(db, partition), session_id)).fetchone()
    if row is None:
        return []
    return [message_from(found) for found in db.execute(SQL["unheard"], (row[0], int(waiting)))]


def between(
    db: sqlite3.Connection,
    query: str,
    partitions: Sequence[Partition],
    since: datetime,
    until: datetime,
) -> list[tuple[Partition, Row]]:
    """The rows of a query for each of these partitions between two times."""
    times = (to_micros(since), to_micros(until))
    return [
        (partition, row)
        for partition in partitions
        for row in db.execute(SQL[query], (partition_id(db, partition), *times))
    ]


def unread(
    db: sqlite3.Connection, partitions: Sequence[Partition] | None, limit: int
) -> list[tuple[Partition, Message]]:
    """Messages that wait to be read, oldest first."""
    found: list[tuple[int, Partition]] = []
    if partitions is None:
        rows = db.execute(SQL["all_unread"], (limit,)).fetchall()
        found = [(seq, Partition(user, agent)) for user, agent, seq in rows]
    for partition in partitions or ():
        waiting = db.execute(SQL["unread"], (partition_id(db, partition), limit)).fetchall()
        found += [(seq, partition) for (seq,) in waiting]
    found = sorted(found, key=lambda one: one[0])[:limit]
    numbers = json.dumps([seq for seq, _ in found])
    read = map(message_from, db.execute(SQL["messages_by_seq"], (numbers,)))
    by_seq = {message.seq: message for message in read}
    return [(partition, by_seq[seq]) for seq, partition in found]


# --- passages that go


def _drop_passages(
    db: sqlite3.Connection, partition: int, counter: int, first: int, count: int
) -> None:
    """Erase passages with their vectors, and note that they are gone."""
    if not count:
        return
    db.execute(SQL["delete_passages"], (first, first + count))
    db.execute(SQL["delete_vectors"], (first, first + count))
    db.execute(SQL["delete_pending_range"], (partition, first, first + count))
    gone = [(partition, counter, seq) for seq in range(first, first + count)]
    db.executemany(SQL["add_gone"], gone)


def _trim(db: sqlite3.Connection, partition: int, counter: int) -> None:
    """Bound the log of deletions: an index older than its cut is built anew."""
    if counter % TRIM_EVERY == 0:
        db.execute(SQL["trim_gone"], (partition, counter - GONE_KEPT))
        db.execute(SQL["set_cut"], (counter - GONE_KEPT, partition))
