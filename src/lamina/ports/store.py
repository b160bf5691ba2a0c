"""Where rows live. No cursor, no row id, no SQL shows through.

A store keeps messages, memories, sessions and jobs by partition, and derived from them passages
with their word blobs and vectors. Every method that writes is one transaction and durable when it
returns. Every write to a partition raises its counter by at least one, so that an index above can
ask one cheap question (`counter`) and then fetch what is new (`changes`). Decisions, events,
compactions, and messages that are read, may leave it: no index keeps them.

Numbers called `seq` are given by the store, only ever grow, and are never used twice.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

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

EVENTS_KEPT = 100_000  # of the log: a year of a few hundred a day
VECTORS_FEWER = 8  # vectors are so many times larger than the rest of a passage, about


@dataclass(frozen=True, slots=True)
class NewPassage:
    """What is indexed of one message or memory: the masked text from `start` to `end`.

    `terms` are packed term records (see index/terms.py). `embed` false means words only.
    """

    start: int
    end: int
    terms: bytes
    embed: bool = True
    redactor: int = 0  # version of the redactor that masked the text
    script: str = ""  # of the text (see text/script.py)


# A memory as it is written; None for passages keeps those it has.
New = tuple[MemoryRecord, Sequence[NewPassage] | None, HistoryEvent]


@dataclass(frozen=True, slots=True)
class Passage:
    """A stored passage with the item that it is part of. Its text is cut from the masked item."""

    seq: int
    partition: Partition
    item: Message | MemoryRecord
    start: int
    end: int
    embed: bool
    redactor: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Passages as columns, in the order of `seq`; all columns have one length."""

    seq: Sequence[int]
    item: Sequence[int]  # the same number for the passages of one item; grows in order of arrival
    kind: Sequence[str]  # a Kind
    layer: Sequence[str]  # a Layer; messages are of the session layer
    role: Sequence[str]  # a message's role, a memory's origin
    name: Sequence[str | None]  # the speaker
    session: Sequence[str | None]
    at: Sequence[float]  # when it was said, seconds since 1970 (UTC)
    importance: Sequence[float]
    script: Sequence[str]
    category: Sequence[str]  # of a memory; "" for a message
    terms: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a reader of `changes` has come."""

    counter: int = 0
    passage: int = 0
    vector: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """What came since a cursor, read in one snapshot.

    `rebuild`: the log of deletions no longer reaches back; forget all and start at Cursor().
    `more`: the limit was reached; ask again with `cursor`.
    """

    cursor: Cursor
    rows: Rows
    vectors: Sequence[tuple[int, bytes]] = ()  # (passage seq, float16 rows of its views)
    gone: Sequence[int] = ()  # passage seqs
    rebuild: bool = False
    more: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """Work to be done once, by whoever holds its lease."""

    id: int
    kind: str
    key: str
    payload: Mapping[str, Json] = field(default_factory=dict)
    attempts: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is, of the partitions asked for."""

    sessions: int = 0
    messages: int = 0
    memories: int = 0
    passages: int = 0
    vectors: int = 0
    pending: int = 0


class Store(Protocol):
    """One store. Threads share it; other processes may write to the same one."""

    @property
    def key(self) -> bytes:
        """16 random bytes of this store, for keyed hashes of terms and claims."""
        ...

    def close(self) -> None:
        """Release connections; closing twice is fine, any other call afterwards is ClosedError."""
        ...

    # --- messages and sessions

    def append(
        self,
        partition: Partition,
        items: Sequence[tuple[Message, Sequence[NewPassage]]],
        *,
        unread: Container[str] = (),
        unheard: Container[str] = (),
    ) -> Sequence[bool]:
        """Append messages in order; creates and touches their sessions.

        Those whose ids are in `unread` wait to be read for facts by rule, in `unheard` by a model.
        Returns for each whether it is new: one whose id is there already is left as it is.
        """
        ...

    def unheard(
        self, partition: Partition, session_id: str, *, waiting: bool = False
    ) -> list[Message]:
        """A session's messages that no model has read, in order; `waiting`: that wait for one."""
        ...

    def to_hear(self, least: int) -> list[tuple[Partition, str]]:
        """Sessions with at least so many user messages that wait for a model, oldest first."""
        ...

    def unread(
        self, partitions: Sequence[Partition] | None, limit: int
    ) -> list[tuple[Partition, Message]]:
        """Messages that wait to be read, oldest first: of these partitions, or of all."""
        ...

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
        """A session's messages in order, of those with `after` < seq < `before` the first `limit`.

        `newest` takes the last `limit` instead.
        """
        ...

    def neighbours(
        self, partition: Partition, ids: Sequence[str], before: int, after: int
    ) -> dict[str, list[Message]]:
        """For each message id: the messages around it in its session, itself included, in order."""
        ...

    def put_session(self, partition: Partition, info: SessionInfo) -> None:
        """Create a session, or set its title, project and state (its times stay)."""
        ...

    def session(self, partition: Partition, session_id: str) -> SessionInfo | None:
        """One session, or None."""
        ...

    def sessions(self, partitions: Sequence[Partition]) -> list[tuple[Partition, SessionInfo]]:
        """All sessions, the most recently used first."""
        ...

    def compaction(
        self, partition: Partition, session_id: str
    ) -> tuple[int, Mapping[str, Json]] | None:
        """What was decided about what of a session is sent, and how often; None where nothing."""
        ...

    def put_compaction(
        self, partition: Partition, session_id: str, state: Mapping[str, Json], version: int
    ) -> None:
        """Decide about a session; it goes with the session. No index needs to know.

        Raises:
            ConflictError: `version` is not the stored one plus one (1 where there is none), or
                there is no such session.
        """
        ...

    # --- memories

    def put(
        self,
        partition: Partition,
        record: MemoryRecord,
        passages: Sequence[NewPassage] | None,
        event: HistoryEvent,
    ) -> None:
        """Write a memory, its passages in place of the old ones, and a line of history.

        With None for passages those that it has stay, with their vectors: then nothing may have
        changed of what `Rows` tell of it.

        Raises:
            ConflictError: `record.version` is not the stored version plus one (1 where there is
                none).
        """
        ...

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
        """Erase memories by id, as `delete` does, and write others, as `put` does: all or nothing.

        Messages whose ids are in `read` wait to be read until now, those in `heard` were read by a
        model, those in `unsaid` are erased. Decisions are noted first, so that those about what is
        erased go with it; one with an `id` replaces that one. `claims` stay as tombstones.

        Raises:
            AlreadyReadError: a message of `read` does not wait: another reader was faster.
            ConflictError: as `put`, of any of them; or a message of `heard` is gone, or was heard
                before.
        """
        ...

    def delete(
        self, partition: Partition, kind: Kind, ids: Sequence[str], claims: Sequence[bytes] = ()
    ) -> int:
        """Erase items with their passages, vectors and history; keep `claims` as tombstones.

        Decisions about them go too. Of a deleted message the next one in its session waits for its
        vectors anew (they held its end). Returns how many there were.
        """
        ...

    def drop_session(self, partition: Partition, session_id: str) -> int:
        """Erase a session with all its messages, as `delete` does. Returns how many they were."""
        ...

    def drop_partition(self, partition: Partition) -> None:
        """Erase all of a partition, tombstones and itself included."""
        ...

    def claimed(self, partition: Partition, claims: Sequence[bytes]) -> set[bytes]:
        """Which of these tombstones exist."""
        ...

    def get(
        self, partitions: Sequence[Partition], id: str
    ) -> tuple[Partition, Message | MemoryRecord] | None:
        """A memory or message by id: from the first of these partitions that has it."""
        ...

    def memories(
        self, partitions: Sequence[Partition], *, after: str | None = None, limit: int | None = None
    ) -> list[tuple[Partition, MemoryRecord]]:
        """Memories, newest first (by id); `after` goes on behind that id."""
        ...

    def twins(self, partition: Partition, content: str) -> list[MemoryRecord]:
        """Memories with exactly this content."""
        ...

    def standing(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """Memories that are pinned or of the category `profile`, newest first (by id)."""
        ...

    def notes(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """Memories of the session layer, newest first (by id)."""
        ...

    def about(self, partition: Partition, topics: Sequence[str]) -> list[MemoryRecord]:
        """Memories with one of these topics, oldest first."""
        ...

    def happening(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, MemoryRecord]]:
        """Memories of events that touch `since` <= t < `until`, by the time when they begin."""
        ...

    def history(self, partition: Partition, id: str) -> list[HistoryEvent]:
        """All changes of a memory, oldest first; empty where there is none."""
        ...

    def decisions(
        self,
        partitions: Sequence[Partition],
        *,
        item: str | None = None,
        waiting: bool = False,
        after: int = 0,
        limit: int | None = None,
    ) -> list[tuple[Partition, Decision]]:
        """Decisions with `id` > `after`, in order; with `waiting` only those to be reviewed.

        With `item` only those that name this memory (also as their target) or message.
        """
        ...

    def decide(self, partition: Partition, decisions: Sequence[Decision]) -> None:
        """Note decisions; one with an `id` replaces that one, if it is still there."""
        ...

    def changed(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, HistoryEvent]]:
        """Changes of memories with `since` <= at < `until`, in order of time."""
        ...

    def note(self, partition: Partition, events: Sequence[Event]) -> None:
        """Keep events for the log; of all partitions the newest 100,000 stay."""
        ...

    def events(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, Event]]:
        """Events with `since` <= at < `until`, in order of time."""
        ...

    # --- the index's feed

    def partitions(self, user: str | None = None) -> list[Partition]:
        """The partitions that exist: of one user, or all."""
        ...

    def counter(self, partition: Partition) -> int:
        """Raised by every write to the partition; 0 where nothing was written."""
        ...

    def changes(self, partition: Partition, since: Cursor, space: str, limit: int) -> Changes:
        """What came since: at most `limit` passages, or an eighth as many vectors of `space`."""
        ...

    def passages(self, partition: Partition, seqs: Sequence[int]) -> dict[int, Passage]:
        """Passages with their items by seq; those that are gone meanwhile are missing."""
        ...

    # --- vectors

    def use_space(self, space: str) -> None:
        """Make `space` the one that passages wait for; all embeddable ones without it now wait."""
        ...

    def pending(
        self, partitions: Sequence[Partition] | None, limit: int
    ) -> list[tuple[Partition, int]]:
        """Passages that wait for vectors, newest first: of these partitions, or of all."""
        ...

    def put_vectors(
        self, partition: Partition, space: str, rows: Iterable[tuple[int, bytes]]
    ) -> int:
        """Store vectors of passages (those gone meanwhile are skipped); they no longer wait.

        Returns how many were stored.
        """
        ...

    def drop_spaces(self, keep: str) -> int:
        """Erase the vectors of every other space. Returns how many."""
        ...

    # --- jobs

    def enqueue(self, kind: str, key: str, payload: Mapping[str, Json]) -> bool:
        """Add a job, unless one of this kind and key waits already."""
        ...

    def lease(
        self,
        kinds: Sequence[str],
        owner: str,
        now: datetime,
        seconds: float,
        *,
        key: str | None = None,
    ) -> Job | None:
        """Take the oldest job that is due and not held by a living lease.

        With `key` only the job of that key, also before it is due.
        """
        ...

    def renew(self, job: Job, owner: str, now: datetime, seconds: float) -> bool:
        """Hold the job so long from now on; False where the lease was lost to somebody else."""
        ...

    def finish(self, job: Job, owner: str) -> bool:
        """The job is done; False where the lease was lost to somebody else."""
        ...

    def retry(self, job: Job, owner: str, at: datetime, error: str) -> bool:
        """Give the job back, to be tried again from `at` on; False where the lease was lost."""
        ...

    def jobs(self) -> list[Job]:
        """All jobs that are not done."""
        ...

    def spent(self, day: str, tokens: int = 0) -> int:
        """The tokens that models took on a day, after `tokens` more are counted."""
        ...

    # --- the whole

    def counts(self, partitions: Sequence[Partition]) -> Counts:
        """Counts over these partitions."""
        ...

    def size(self) -> int:
        """Bytes on disk; 0 for a store in memory."""
        ...


@runtime_checkable
class SupportsSweep(Protocol):
    """A store whose files may keep stale copies of deleted bytes."""

    def stale(self, needles: Sequence[bytes]) -> bool:
        """Whether any of these bytes is still in a file of the store, or may be."""
        ...

    def sweep(self) -> bool:
        """Rewrite the files without stale bytes. False where somebody else holds them open."""
        ...


@runtime_checkable
class SupportsBackup(Protocol):
    """A store that can be copied while it is used."""

    def backup(self, path: Path) -> Mapping[str, int]:
        """Write a copy of this moment; how many `message` and `memory` it holds, by reading it.

        Raises:
            StoreError: the copy cannot be written, or does not read.
        """
        ...

    def opened(self, path: Path) -> Store:
        """A copy, as a store."""
        ...
