from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lamina.errors import LaminaError
from lamina.plain import EARLIEST, LATEST
from lamina.ports.store import Job, NewPassage, Store
from lamina.stores.memory import MemoryStore
from lamina.stores.sqlite import SqliteStore
from lamina.testing import strategies as some
from lamina.testing.samples import NOON, SURROGATE, Reader, lines, said
from lamina.types import (
    Decision,
    Event,
    HistoryEvent,
    Kind,
    MemoryRecord,
    Message,
    Partition,
    SessionInfo,
)

PARTITIONS = [Partition("ann"), Partition("用户", "coder")]
SPACES = ["one/space", "two/space"]
KINDS = ["embed", "sweep"]
OWNERS = ["me", "you"]

partitions = st.sampled_from(PARTITIONS)
several = st.lists(partitions, max_size=3, unique=True)
spaces = st.sampled_from(SPACES)
item_ids = some.ids(most=4)
session_ids = some.ids(most=2)
batches = st.lists(
    st.tuples(some.messages(message_ids=item_ids, session_ids=session_ids), some.passages()),
    max_size=4,
)
seqs = st.lists(st.integers(1, 60), max_size=6)
moments = st.integers(0, 100).map(lambda n: NOON + timedelta(seconds=n))
limits = st.integers(1, 5)
maybe_limits = st.none() | st.integers(0, 5)
parts_of_a_session = st.fixed_dictionaries(
    {
        "limit": maybe_limits,
        "before": st.none() | st.integers(0, 40),
        "after": st.none() | st.integers(0, 40),
        "newest": st.booleans(),
    }
)
unread_ids = st.sets(item_ids, max_size=4)
verdicts = st.lists(
    some.decisions(item_ids=item_ids, numbers=st.sampled_from([0, 0, 0, 1, 2, 5])), max_size=3
)
claims = st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=2)


def outcome(call: Callable[[Store], Any], store: Store) -> tuple[type | None, Any]:
    try:
        return None, call(store)
    except LaminaError as fault:
        return type(fault), None


def nameless(job: Job | None) -> Job | None:
    return None if job is None else replace(job, id=0)  # a store may leave numbers out


class SqliteAgainstMemory(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.sqlite = SqliteStore(self.folder / "lamina.db")
        self.memory = MemoryStore()
        self.held: list[tuple[Job, Job]] = []  # of the one store and of the other
        self.readers = [(Reader(p, s), Reader(p, s)) for p in PARTITIONS for s in SPACES]

    def both(self, call: Callable[[Store], Any]) -> Any:
        ours, reference = outcome(call, self.sqlite), outcome(call, self.memory)
        assert ours == reference
        return reference[1]

    def teardown(self) -> None:
        self.sqlite.close()
        self.memory.close()
        shutil.rmtree(self.folder)

    @rule()
    def reopen(self) -> None:
        key = self.sqlite.key
        self.sqlite.close()
        self.sqlite = SqliteStore(self.folder / "lamina.db")
        assert self.sqlite.key == key

    # --- writes

    @rule(partition=partitions, items=batches, unread=unread_ids)
    def append(
        self,
        partition: Partition,
        items: list[tuple[Message, list[NewPassage]]],
        unread: set[str],
    ) -> None:
        self.both(lambda store: list(store.append(partition, items, unread=unread)))

    @rule(partition=partitions, items=batches, place=st.integers(0, 4))
    def append_what_cannot_be_kept(
        self, partition: Partition, items: list[tuple[Message, list[NewPassage]]], place: int
    ) -> None:
        bad = said("bad", SURROGATE)
        mixed = [*items[:place], (bad, []), *items[place:]]
        self.both(lambda store: list(store.append(partition, mixed, unread=["bad", "id-0"])))

    @rule(partition=partitions, info=some.sessions(session_ids=session_ids))
    def put_session(self, partition: Partition, info: SessionInfo) -> None:
        self.both(lambda store: store.put_session(partition, info))

    @rule(
        partition=partitions,
        record=some.memories(memory_ids=item_ids),
        parts=st.none() | some.passages(),
        event=item_ids.flatmap(some.events),
        ahead=st.sampled_from([0, 0, 0, 0, 1, -1]),
    )
    def put(
        self,
        partition: Partition,
        record: MemoryRecord,
        parts: list[NewPassage] | None,
        event: HistoryEvent,
        ahead: int,
    ) -> None:
        stored = next(
            (r.version for _, r in self.memory.memories([partition]) if r.id == record.id), 0
        )
        record = replace(record, version=stored + 1 + ahead)
        event = replace(event, memory=record.id)
        self.both(lambda store: store.put(partition, record, parts, event))

    @rule(
        partition=partitions,
        gone=st.lists(item_ids, max_size=3),
        new=st.lists(st.tuples(some.memories(memory_ids=item_ids), some.passages()), max_size=3),
        event=item_ids.flatmap(some.events),
        waited=st.integers(0, 3),
        strays=st.sampled_from([[], [], [], ["id-1"]]),
        noted=verdicts,
        kept=claims,
        unsaid=st.lists(item_ids, max_size=2),
    )
    def exchange(
        self,
        *,
        partition: Partition,
        gone: list[str],
        new: list[tuple[MemoryRecord, list[NewPassage]]],
        event: HistoryEvent,
        waited: int,
        strays: list[str],
        noted: list[Decision],
        kept: list[bytes],
        unsaid: list[str],
    ) -> None:
        # of an id that is neither new nor gone, version 1 is a conflict
        items = [
            (replace(record, version=1), parts, replace(event, memory=record.id))
            for record, parts in new
        ]
        read = [message.id for _, message in self.memory.unread([partition], waited)]
        read += strays
        more = {"read": read, "decisions": noted, "claims": kept, "unsaid": unsaid}
        self.both(lambda store: store.exchange(partition, gone, items, **more))  # type: ignore[arg-type]

    @rule(partition=partitions, noted=verdicts, bad=st.booleans())
    def decide(self, partition: Partition, noted: list[Decision], bad: bool) -> None:
        if bad:
            noted = [*noted, *(replace(decision, text=SURROGATE) for decision in noted[:1])]
        self.both(lambda store: store.decide(partition, noted))

    @rule(limit=limits)
    def read_what_waits(self, limit: int) -> None:
        def read(store: Store) -> None:
            for partition, message in store.unread(None, limit):
                store.exchange(partition, [], [], read=[message.id])

        self.both(read)

    @rule(
        partition=partitions,
        kind=st.sampled_from([Kind.MESSAGE, Kind.MEMORY]),
        ids=st.lists(item_ids, max_size=4),
        kept=claims,
    )
    def delete(self, partition: Partition, kind: Kind, ids: list[str], kept: list[bytes]) -> None:
        self.both(lambda store: store.delete(partition, kind, ids, kept))

    @rule(partition=partitions, session=session_ids)
    def drop_session(self, partition: Partition, session: str) -> None:
        self.both(lambda store: store.drop_session(partition, session))

    @rule(partition=partitions)
    def drop_partition(self, partition: Partition) -> None:
        self.both(lambda store: store.drop_partition(partition))

    @rule(partition=partitions, at=some.times(), name=some.texts())
    def note(self, partition: Partition, at: datetime, name: str) -> None:
        self.both(lambda store: store.note(partition, [Event(at, name, {"name": name})]))
        self.both(lambda store: store.events(PARTITIONS, EARLIEST, LATEST))
        self.both(lambda store: store.changed(PARTITIONS, EARLIEST, at))

    @rule(space=spaces)
    def use_space(self, space: str) -> None:
        self.both(lambda store: store.use_space(space))

    @rule(partition=partitions, space=spaces, chosen=seqs, data=st.binary(max_size=8))
    def put_vectors(
        self, partition: Partition, space: str, chosen: Sequence[int], data: bytes
    ) -> None:
        rows = [(seq, data) for seq in chosen]
        self.both(lambda store: store.put_vectors(partition, space, rows))

    @rule(space=spaces, limit=limits)
    def embed_what_waits(self, space: str, limit: int) -> None:
        self.both(
            lambda store: [
                store.put_vectors(partition, space, [(seq, b"vector %d" % seq)])
                for partition, seq in store.pending(None, limit)
            ]
        )

    @rule(space=spaces)
    def drop_spaces(self, space: str) -> None:
        self.both(lambda store: store.drop_spaces(space))

    # --- reads

    @rule(partition=partitions, session=session_ids, part=parts_of_a_session)
    def messages(self, partition: Partition, session: str, part: dict[str, Any]) -> None:
        self.both(lambda store: store.messages(partition, session, **part))

    @rule(
        partition=partitions,
        ids=st.lists(item_ids, max_size=3),
        before=st.integers(0, 3),
        after=st.integers(0, 3),
    )
    def neighbours(self, partition: Partition, ids: list[str], before: int, after: int) -> None:
        self.both(lambda store: store.neighbours(partition, ids, before, after))

    @rule(asked=several, after=st.none() | item_ids, limit=maybe_limits)
    def memories(self, asked: list[Partition], after: str | None, limit: int | None) -> None:
        self.both(lambda store: store.memories(asked, after=after, limit=limit))
        self.both(lambda store: store.standing(asked))
        self.both(lambda store: store.notes(asked))

    @rule(asked=several, id=item_ids, content=some.texts(), looked_for=claims)
    def items(self, asked: list[Partition], id: str, content: str, looked_for: list[bytes]) -> None:
        self.both(lambda store: store.get(asked, id))
        self.both(lambda store: [store.twins(p, content) for p in asked])
        self.both(lambda store: [store.history(p, id) for p in asked])
        self.both(lambda store: [store.session(p, id) for p in asked])
        self.both(lambda store: [store.claimed(p, looked_for) for p in asked])

    @rule(asked=several, topics=st.lists(some.topics(), max_size=3))
    def about(self, asked: list[Partition], topics: list[str]) -> None:
        self.both(lambda store: [store.about(p, topics) for p in asked])

    @rule(asked=several, since=some.times(), until=some.times())
    def happening(self, asked: list[Partition], since: datetime, until: datetime) -> None:
        first, last = sorted([since, until])
        self.both(lambda store: store.happening(asked, first, last))

    @rule(asked=several, which=st.integers(0, 3), by=st.sampled_from([-1, 0, 1]))
    def happening_at_an_edge(self, asked: list[Partition], which: int, by: int) -> None:
        records = [record for _, record in self.memory.memories(PARTITIONS)]
        edges = [at for r in records for at in (r.happens_from, r.happens_to) if at is not None]
        if which < len(edges):
            at, day = edges[which] + timedelta(microseconds=by), timedelta(days=1)
            self.both(lambda store: store.happening(asked, at, at + day))
            self.both(lambda store: store.happening(asked, at - day, at))

    @rule(
        asked=several,
        item=st.none() | item_ids,
        waiting=st.booleans(),
        after=st.integers(0, 6),
        limit=maybe_limits,
    )
    def decisions(
        self,
        asked: list[Partition],
        item: str | None,
        waiting: bool,
        after: int,
        limit: int | None,
    ) -> None:
        self.both(
            lambda store: store.decisions(
                asked, item=item, waiting=waiting, after=after, limit=limit
            )
        )

    @rule(asked=several, limit=maybe_limits)
    def unread(self, asked: list[Partition], limit: int | None) -> None:
        self.both(lambda store: store.unread(asked, 3 if limit is None else limit))

    @rule(asked=several)
    def sessions(self, asked: list[Partition]) -> None:
        def found(store: Store) -> list[tuple[Partition, SessionInfo]]:
            given = store.sessions(asked)
            times = [info.updated_at for _, info in given]
            assert times == sorted(times, reverse=True)
            return sorted(given, key=lambda one: (one[0].user, one[0].agent, one[1].id))

        self.both(found)

    @rule(partition=partitions, chosen=seqs)
    def passages(self, partition: Partition, chosen: list[int]) -> None:
        self.both(lambda store: store.passages(partition, chosen))

    @rule(which=st.integers(0, len(PARTITIONS) * len(SPACES) - 1), limit=limits)
    def one_page(self, which: int, limit: int) -> None:
        ours, reference = self.readers[which]

        def page(store: Store) -> tuple[object, ...]:
            reader = ours if store is self.sqlite else reference
            changes = store.changes(reader.partition, reader.cursor, reader.space, limit)
            rows, gone = lines(changes.rows), sorted(changes.gone)
            come = (changes.cursor.counter, changes.cursor.passage, changes.rebuild, changes.more)
            return come, rows, list(changes.vectors), gone

        self.both(page)

    @rule(which=st.integers(0, len(PARTITIONS) * len(SPACES) - 1))
    def follow(self, which: int) -> None:
        ours, reference = self.readers[which]
        ours.refresh(self.sqlite)
        reference.refresh(self.memory)
        assert (ours.rows, ours.vectors) == (reference.rows, reference.vectors)
        new = Reader(ours.partition, ours.space, limit=1).refresh(self.sqlite)
        assert new.rows == ours.rows

    # --- jobs

    @rule(kind=st.sampled_from(KINDS), key=some.ids(most=2), payload=some.json_objects())
    def enqueue(self, kind: str, key: str, payload: dict[str, Any]) -> None:
        self.both(lambda store: store.enqueue(kind, key, payload))

    @rule(
        kinds=st.lists(st.sampled_from(KINDS), unique=True),
        owner=st.sampled_from(OWNERS),
        now=moments,
        seconds=st.integers(0, 40),
    )
    def lease(self, kinds: list[str], owner: str, now: datetime, seconds: int) -> None:
        leased: dict[Store, Job] = {}

        def job_of(store: Store) -> Job | None:
            if job := store.lease(kinds, owner, now, seconds):
                leased[store] = job
            return nameless(job)

        self.both(job_of)
        if leased:
            self.held.append((leased[self.sqlite], leased[self.memory]))

    @rule(owner=st.sampled_from(OWNERS), at=moments, which=st.integers(0, 5), done=st.booleans())
    def give_back(self, owner: str, at: datetime, which: int, done: bool) -> None:
        if not self.held:
            return
        ours, reference = self.held[which % len(self.held)]

        def given(store: Store) -> bool:
            job = ours if store is self.sqlite else reference
            if done:
                return store.finish(job, owner)
            return store.retry(job, owner, at, "no answer")

        self.both(given)

    # --- after every step

    @invariant()
    def they_agree_on_the_whole(self) -> None:
        self.both(lambda store: store.counts(PARTITIONS))
        self.both(lambda store: [store.counter(partition) for partition in PARTITIONS])
        self.both(lambda store: (store.partitions(), store.partitions("ann")))
        self.both(lambda store: store.unread(None, 100))
        self.both(lambda store: store.decisions(PARTITIONS))
        self.both(lambda store: store.pending(None, 100))
        self.both(lambda store: store.pending(PARTITIONS[1:], 3))
        self.both(lambda store: [nameless(job) for job in store.jobs()])


SqliteAgainstMemory.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestSqliteAgainstMemory = SqliteAgainstMemory.TestCase
