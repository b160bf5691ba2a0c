"""The store itself: each method a transaction on a pooled connection."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from lamina.ports.store import EVENTS_KEPT, Changes, Counts, Cursor, New, NewPassage, Passage
from lamina.stores.rows import (
    checked_compaction,
    compaction_json,
    decision_from,
    event_from,
    from_json,
    log_from,
    log_row,
    memory_from,
    message_from,
    session_from,
    to_json,
)
from lamina.stores.rows import to_micros as micros
from lamina.stores.sql import loader
from lamina.stores.sqlite import copies, feed, items, sweep
from lamina.stores.sqlite.opening import prepare
from lamina.stores.sqlite.pool import Connect, Pool
from lamina.stores.sqlite.worklist import SqliteJobs
from lamina.types import (
    Decision,
    Event,
    HistoryEvent,
    Json,
    Kind,
    MemoryRecord,
    Message,
    Partition,
    SessionInfo,
)

SQL = loader.queries("sqlite")


class SqliteStore(SqliteJobs):
    """A store in the file `path`, which is made if it is not there.

    `connect` may make the connections (from a path), for owners of a build that encrypts.
    """

    def __init__(
        self, path: Path, *, busy_seconds: float = 30.0, connect: Connect | None = None
    ) -> None:
        self._pool = Pool(path, busy_seconds, connect)
        try:
            self._key = prepare(self._pool)
        except BaseException:
            self._pool.close()
            raise

    @property
    def key(self) -> bytes:
        """16 random bytes of this store."""
        return self._key

    def close(self) -> None:
        """Release the connections."""
        self._pool.close()

    # --- messages and sessions

    def append(
        self,
        partition: Partition,
        items_: Sequence[tuple[Message, Sequence[NewPassage]]],
        *,
        unread: Container[str] = (),
        unheard: Container[str] = (),
    ) -> Sequence[bool]:
        """Append messages in order; tells for each whether it is new."""
        with self._pool.writing() as db:
            return items.append(db, partition, items_, unread, unheard)

    def unheard(
        self, partition: Partition, session_id: str, *, waiting: bool = False
    ) -> list[Message]:
        """A session's messages that no model has read, or those that wait for one."""
        with self._pool.reading() as db:
            return items.unheard(db, partition, session_id, waiting=waiting)

    def to_hear(self, least: int) -> list[tuple[Partition, str]]:
        """Sessions with at least so many user messages that wait for a model."""
        with self._pool.reading() as db:
            rows = db.execute(SQL["to_hear"], (least,)).fetchall()
        return [(Partition(user, agent), id) for user, agent, id in rows]

    def unread(
        self, partitions: Sequence[Partition] | None, limit: int
    ) -> list[tuple[Partition, Message]]:
        """Messages that wait to be read, oldest first."""
        with self._pool.reading() as db:
            return items.unread(db, partitions, limit)

    def messages(
        self,
        partition: Partition,
        session_id: str,
        *,
        limit: int | None = None,
        before: int | None = None,
        after: int | None = None,
        newest: bool = False,
    ) -> list[Message]:
        """A session's messages in order."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            row = db.execute(SQL["session_seq"], (p, session_id)).fetchone()
            if row is None:
                return []
            return items.messages(
                db,
                row[0],
                after=0 if after is None else after,
                before=items.LAST if before is None else before,
                limit=limit,
                newest=newest,
            )

    def neighbours(
        self, partition: Partition, ids: Sequence[str], before: int, after: int
    ) -> dict[str, list[Message]]:
        """For each message id: the messages around it in its session, itself included."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            return {} if p is None else items.neighbours(db, p, ids, before, after)

    def put_session(self, partition: Partition, info: SessionInfo) -> None:
        """Create a session, or set its title, project and state."""
        with self._pool.writing() as db:
            p = items.made_partition(db, partition)
            state, created = to_json(dict(info.state)), micros(info.created_at)
            row = (p, info.id, info.title, info.project, state, created)
            db.execute(SQL["put_session"], row)
            items.tick(db, p)

    def session(self, partition: Partition, session_id: str) -> SessionInfo | None:
        """One session, or None."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            row = db.execute(SQL["one_session"], (p, session_id)).fetchone()
        return None if row is None else session_from(row)

    def sessions(self, partitions: Sequence[Partition]) -> list[tuple[Partition, SessionInfo]]:
        """All sessions, the most recently used first."""
        found = []
        with self._pool.reading() as db:
            for partition in partitions:
                rows = db.execute(SQL["sessions"], (items.partition_id(db, partition),))
                found += [(partition, session_from(row)) for row in rows]
        return sorted(found, key=lambda one: one[1].updated_at, reverse=True)

    def compaction(
        self, partition: Partition, session_id: str
    ) -> tuple[int, Mapping[str, Json]] | None:
        """What was decided about what of a session is sent."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            row = db.execute(SQL["compaction"], (p, session_id)).fetchone()
        return None if row is None else (row[0], from_json(row[1]))

    def put_compaction(
        self, partition: Partition, session_id: str, state: Mapping[str, Json], version: int
    ) -> None:
        """Decide about a session."""
        with self._pool.writing() as db:
            p = items.partition_id(db, partition)
            session = db.execute(SQL["session_seq"], (p, session_id)).fetchone()
            row = db.execute(SQL["compaction"], (p, session_id)).fetchone()
            checked_compaction(session_id, session, 0 if row is None else row[0], version)
            db.execute(SQL["put_compaction"], (session[0], version, compaction_json(state)))

    # --- memories

    def put(
        self,
        partition: Partition,
        record: MemoryRecord,
        passages: Sequence[NewPassage] | None,
        event: HistoryEvent,
    ) -> None:
        """Write a memory, its passages, and a line of history."""
        with self._pool.writing() as db:
            items.exchange(db, partition, (), [(record, passages, event)])

    def exchange(
        self,
        partition: Partition,
        gone: Sequence[str],
        new: Sequence[New],
        *,
        read: Sequence[str] = (),
        heard: Sequence[str] = (),
        decisions: Sequence[Decision] = (),
        claims: Sequence[bytes] = (),
        unsaid: Sequence[str] = (),
    ) -> None:
        """Erase memories and messages by id and write others: all or nothing."""
        with self._pool.writing() as db:
            items.hear(db, partition, heard)
            items.exchange(
                db,
                partition,
                gone,
                new,
                read=read,
                decisions=decisions,
                claims=claims,
                unsaid=unsaid,
            )

    def delete(
        self, partition: Partition, kind: Kind, ids: Sequence[str], claims: Sequence[bytes] = ()
    ) -> int:
        """Erase items with their passages, vectors and history."""
        with self._pool.writing() as db:
            p = items.partition_id(db, partition)
            if p is None:
                return 0
            if kind is Kind.MESSAGE:
                return items.delete_messages(db, p, ids)
            return items.delete_memories(db, p, ids, claims)

    def drop_session(self, partition: Partition, session_id: str) -> int:
        """Erase a session with all its messages."""
        with self._pool.writing() as db:
            p = items.partition_id(db, partition)
            return 0 if p is None else items.drop_session(db, p, session_id)

    def drop_partition(self, partition: Partition) -> None:
        """Erase all of a partition."""
        with self._pool.writing() as db:
            p = items.partition_id(db, partition)
            if p is not None:
                items.drop_partition(db, p)

    def claimed(self, partition: Partition, claims: Sequence[bytes]) -> set[bytes]:
        """Which of these tombstones exist."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            return {c for c in claims if db.execute(SQL["has_tombstone"], (p, c)).fetchone()}

    def get(
        self, partitions: Sequence[Partition], id: str
    ) -> tuple[Partition, Message | MemoryRecord] | None:
        """A memory or message by id, from the first of these partitions that has it."""
        with self._pool.reading() as db:
            for partition in partitions:
                p = items.partition_id(db, partition)
                if row := db.execute(SQL["one_memory"], (p, id)).fetchone():
                    return partition, memory_from(row)
                if row := db.execute(SQL["one_message"], (p, id)).fetchone():
                    return partition, message_from(row)
        return None

    def memories(
        self, partitions: Sequence[Partition], *, after: str | None = None, limit: int | None = None
    ) -> list[tuple[Partition, MemoryRecord]]:
        """Memories, newest first."""
        most = -1 if limit is None else limit
        found = []
        with self._pool.reading() as db:
            for partition in partitions:
                p = items.partition_id(db, partition)
                if after is None:
                    rows = db.execute(SQL["memories"], (p, most))
                else:
                    rows = db.execute(SQL["memories_behind"], (p, after, most))
                found += [(partition, memory_from(row)) for row in rows]
        found.sort(key=lambda one: one[1].id, reverse=True)
        return found[:limit]

    def twins(self, partition: Partition, content: str) -> list[MemoryRecord]:
        """Memories with exactly this content."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            return [] if p is None else items.twins(db, p, content)

    def history(self, partition: Partition, id: str) -> list[HistoryEvent]:
        """All changes of a memory, oldest first."""
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            return [event_from(row) for row in db.execute(SQL["history"], (p, id))]

    def standing(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """Memories that are pinned or of the profile, newest first."""
        return self._memories_of("standing", partitions)

    def notes(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """Memories of the session layer, newest first."""
        return self._memories_of("notes", partitions)

    def _memories_of(
        self, query: str, partitions: Sequence[Partition]
    ) -> list[tuple[Partition, MemoryRecord]]:
        found = []
        with self._pool.reading() as db:
            for partition in partitions:
                rows = db.execute(SQL[query], (items.partition_id(db, partition),))
                found += [(partition, memory_from(row)) for row in rows]
        return sorted(found, key=lambda one: one[1].id, reverse=True)

    def about(self, partition: Partition, topics: Sequence[str]) -> list[MemoryRecord]:
        """Memories with one of these topics, oldest first."""
        found = []
        with self._pool.reading() as db:
            p = items.partition_id(db, partition)
            for topic in dict.fromkeys(topics):
                found += [memory_from(row) for row in db.execute(SQL["about"], (p, topic))]
        return sorted(found, key=lambda record: record.id)

    def happening(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, MemoryRecord]]:
        """Memories of events between two times."""
        first, last = micros(since), micros(until)
        found = []
        with self._pool.reading() as db:
            for partition in partitions:
                p = items.partition_id(db, partition)
                rows = db.execute(SQL["happening"], (p, last, first, first))
                found += [(partition, memory_from(row)) for row in rows]
        return sorted(found, key=lambda one: (one[1].happens_from or since, one[1].id))

    def decisions(
        self,
        partitions: Sequence[Partition],
        *,
        item: str | None = None,
        waiting: bool = False,
        after: int = 0,
        limit: int | None = None,
    ) -> list[tuple[Partition, Decision]]:
        """Decisions behind a number, in order."""
        asked = (after, int(waiting), -1 if limit is None else limit)
        query = "decisions" if item is None else "decisions_of"
        named = () if item is None else (item,)
        found = []
        with self._pool.reading() as db:
            for partition in partitions:
                p = items.partition_id(db, partition)
                rows = db.execute(SQL[query], (p, *asked, *named))
                found += [(partition, decision_from(row)) for row in rows]
        return sorted(found, key=lambda one: one[1].id)[:limit]

    def decide(self, partition: Partition, decisions: Sequence[Decision]) -> None:
        """Note decisions; one with an id replaces that one."""
        with self._pool.writing() as db:
            items.decide(db, items.made_partition(db, partition), decisions)

    def changed(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, HistoryEvent]]:
        """Changes of memories between two times."""
        with self._pool.reading() as db:
            rows = items.between(db, "changed", partitions, since, until)
        return sorted(((p, event_from(row)) for p, row in rows), key=lambda one: one[1].at)

    def note(self, partition: Partition, events: Sequence[Event]) -> None:
        """Keep events for the log."""
        with self._pool.writing() as db:
            p = items.made_partition(db, partition)
            db.executemany(SQL["add_event"], [(p, *log_row(event)) for event in events])
            db.execute(SQL["trim_events"], (EVENTS_KEPT,))

    def events(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, Event]]:
        """Events between two times."""
        with self._pool.reading() as db:
            rows = items.between(db, "events", partitions, since, until)
        return sorted(((p, log_from(row)) for p, row in rows), key=lambda one: one[1].at)

    # --- the index's feed

    def partitions(self, user: str | None = None) -> list[Partition]:
        """The partitions that exist."""
        with self._pool.glancing() as db:
            if user is None:
                rows = db.execute(SQL["partitions"]).fetchall()
            else:
                rows = db.execute(SQL["partitions_of"], (user,)).fetchall()
        return [Partition(*row) for row in rows]

    def counter(self, partition: Partition) -> int:
        """Raised by every write to the partition."""
        with self._pool.glancing() as db:
            row = db.execute(SQL["partition"], (partition.user, partition.agent)).fetchone()
        return 0 if row is None else row[1]

    def changes(self, partition: Partition, since: Cursor, space: str, limit: int) -> Changes:
        """What came since a cursor."""
        with self._pool.reading() as db:
            return feed.changes(db, partition, since, space, limit)

    def passages(self, partition: Partition, seqs: Sequence[int]) -> dict[int, Passage]:
        """Passages with their items by seq."""
        with self._pool.reading() as db:
            return feed.passages(db, partition, seqs)

    # --- vectors

    def use_space(self, space: str) -> None:
        """Make `space` the one that passages wait for."""
        with self._pool.glancing() as db:
            row = db.execute(SQL["meta"], ("space",)).fetchone()
        if row is None or row[0] != space:
            with self._pool.writing() as db:
                feed.use_space(db, space)

    def pending(
        self, partitions: Sequence[Partition] | None, limit: int
    ) -> list[tuple[Partition, int]]:
        """Passages that wait for vectors, newest first."""
        with self._pool.reading() as db:
            return feed.pending(db, partitions, limit)

    def put_vectors(
        self, partition: Partition, space: str, rows: Iterable[tuple[int, bytes]]
    ) -> int:
        """Store vectors of passages; they no longer wait."""
        with self._pool.writing() as db:
            return feed.put_vectors(db, partition, space, rows)

    def drop_spaces(self, keep: str) -> int:
        """Erase the vectors of every other space."""
        with self._pool.writing() as db:
            return db.execute(SQL["delete_other_spaces"], (keep,)).rowcount

    # --- the whole

    def counts(self, partitions: Sequence[Partition]) -> Counts:
        """Counts over these partitions."""
        totals = [0] * 6
        with self._pool.reading() as db:
            for partition in partitions:
                row = db.execute(SQL["counts"], (items.partition_id(db, partition),)).fetchone()
                totals = [a + b for a, b in zip(totals, row, strict=True)]
        return Counts(*totals)

    def size(self) -> int:
        """Bytes on disk."""
        files = (self._pool.path, Path(f"{self._pool.path}-wal"))
        with self._pool.glancing():  # a closed store says so here too
            return sum(file.stat().st_size for file in files if file.exists())

    def stale(self, needles: Sequence[bytes]) -> bool:
        """Whether any of these bytes is still in a file of the store, or may be."""
        return sweep.stale(self._pool, needles)

    def sweep(self) -> bool:
        """Rewrite the files without stale bytes. False where somebody else holds them open."""
        return sweep.sweep(self._pool)

    def backup(self, path: Path) -> Mapping[str, int]:
        """Write a copy of this moment, and read it."""
        return copies.backup(self._pool, path)

    def opened(self, path: Path) -> SqliteStore:
        """A copy, as a store."""
        copies.checked(path)
        return SqliteStore(path, busy_seconds=self._pool.busy_seconds)
