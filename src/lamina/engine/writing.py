"""Memories that somebody writes, changes, corrects or erases on purpose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lamina.engine.core import Core
from lamina.engine.erase import swept, texts_of
from lamina.engine.reading import claims_of, take
from lamina.errors import InvalidInputError
from lamina.pipeline.dedupe import OWN
from lamina.pipeline.extract.rules import stated
from lamina.pipeline.levels import leveled
from lamina.pipeline.write import prepare_memory
from lamina.plain import to_plain
from lamina.types import (
    Action,
    Added,
    Candidate,
    Deleted,
    HistoryEvent,
    Json,
    Kind,
    MemoryRecord,
    Message,
    Partition,
)


def keep(core: Core, home: Partition, record: MemoryRecord) -> Added:
    """Keep a record as it is; a text that is there already is skipped."""
    record, masked, removed = core.cleaned(record)
    found = core.store.get([home], record.id)
    before = None if found is None else found[1]
    if isinstance(before, Message):
        raise InvalidInputError(f"{record.id!r} is the id of a message; give another id")
    if before is not None:
        put(core, home, record, before)
        return Added((record.id,), (), masked, removed)
    twins = [
        twin
        for twin in core.store.twins(home, record.content)
        if (twin.layer, twin.session_id) == (record.layer, record.session_id)
    ]
    if twins:
        return Added((twins[0].id,), (twins[0].id,), masked, removed)
    put(core, home, replace(record, version=1), None)
    return Added((record.id,), (), masked, removed)


def infer(core: Core, home: Partition, record: MemoryRecord) -> Added:
    """Hold a text against what is known: it becomes a memory, enriches one, or replaces one."""
    record, masked, removed = core.cleaned(record)
    topic, value = stated(record.content)
    candidate = Candidate(
        content=record.content,
        category=record.category,
        sources=record.sources,
        said_at=record.said_at,
        topic=topic,
        value=value,
        importance=record.importance,
        origin=record.origin,
        session_id=record.session_id,
        project=record.project,
        metadata=record.metadata,
    )
    with core.reading:
        (decision,) = take(core, home, [candidate], deliberate=record.origin in OWN)
    ids = (decision.memory,) if decision.memory is not None else ()
    skipped = ids if decision.action is Action.SKIP else ()
    return Added(ids, skipped, masked, removed, (decision,))


def put(
    core: Core,
    partition: Partition,
    record: MemoryRecord,
    before: MemoryRecord | None,
) -> MemoryRecord:
    """Write a memory and a line of its history.

    Raises:
        ConflictError: somebody else changed it since `before` was read.
    """
    now = core.clock.now()
    if before is not None:
        record = replace(record, version=before.version + 1, updated_at=now)
    if before is None:
        record = replace(record, topic=record.topic or stated(record.content)[0])
    elif before.content != record.content:  # levels that it had before are the old content's
        record = replace(
            record,
            topic=stated(record.content)[0],
            abstract="" if record.abstract == before.abstract else record.abstract,
            overview="" if record.overview == before.overview else record.overview,
        )
    record = leveled(record)
    event = HistoryEvent(
        record.id,
        "add" if before is None else "update",
        record.origin,
        now,
        before=_plain(before),
        after=_plain(record),
    )
    prepared = prepare_memory(record, core.indexing)
    core.store.put(partition, record, prepared.passages, event)
    return record


def erase(core: Core, partition: Partition, item: Message | MemoryRecord) -> Deleted:
    """Erase a message, or a memory with its versions and what was decided about it."""
    store = core.store
    texts = texts_of(store, partition, item)
    if isinstance(item, Message):
        store.delete(partition, Kind.MESSAGE, [item.id])
        return Deleted(item.id, (), pending=not swept(store, texts))
    store.delete(partition, Kind.MEMORY, [item.id], claims_of(item, store.key))
    still = tuple(s.id for s in item.sources if s.kind is Kind.MESSAGE)
    return Deleted(item.id, still, pending=not swept(store, texts))


def _plain(record: MemoryRecord | None) -> Mapping[str, Json] | None:
    """A record as JSON for its history."""
    return None if record is None else to_plain(record)
