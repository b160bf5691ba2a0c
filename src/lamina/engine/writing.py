"""Memories that somebody writes, changes, corrects or erases on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lamina.engine.core import Core
from lamina.engine.erase import swept, texts_of
from lamina.engine.extracting import hear_session, unheard_of
from lamina.engine.forget import write
from lamina.engine.lineage import of_one
from lamina.engine.log import note, scrub_exported
from lamina.engine.reading import TRIES, claims_of, read_now, take, unread_of, value_of
from lamina.engine.session import new_messages
from lamina.errors import ConflictError, InvalidInputError
from lamina.pipeline import accept
from lamina.pipeline.dedupe import OWN
from lamina.pipeline.extract.rules import stated
from lamina.pipeline.levels import leveled
from lamina.pipeline.write import passages_of, prepare_messages, total
from lamina.plain import to_plain
from lamina.replies import Added, Deleted
from lamina.types import (
    Action,
    Candidate,
    Decision,
    HistoryEvent,
    Json,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Partition,
)


def keep(core: Core, home: Partition, record: MemoryRecord) -> Added:
    """Keep a record as it is; a text that is there already is skipped."""
    record, masked, removed = core.cleaned(record)
    if record.layer is Layer.WORKING:
        core.working.note(home, record)
        return Added((record.id,), (), masked, removed)
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


def keep_messages(
    core: Core,
    home: Partition,
    messages: Sequence[Mapping[str, Json]],
    session_id: str | None,
    metadata: Mapping[str, Json] | None,
    *,
    infer: bool | None,
) -> Added:
    """Append messages to a session; with `infer` they are read for facts at once."""
    name = core.ids.new(core.clock.now()) if session_id is None else session_id
    accept.checked_id(name, "session id")
    made, cleaner = new_messages(core, name, messages, accept.checked_metadata(metadata))
    prepared = prepare_messages(made, core.indexing)
    items = [(m, p.passages) for m, p in zip(made, prepared, strict=True)]
    unread = unread_of(core, home, made, infer=infer)
    unheard = unheard_of(core, home, made, infer=infer)
    new = core.store.append(home, items, unread=unread, unheard=unheard)
    decisions: list[Decision] = []
    if infer:
        decisions += read_now(core, home, [m.id for m in made if m.id in unread])
        decisions += hear_session(core, home, name).decisions
    return Added(
        tuple(message.id for message in made),
        skipped=tuple(m.id for m, is_new in zip(made, new, strict=True) if not is_new),
        masked=total([cleaner.masked, *(p.masked for p in prepared)]),
        replaced=cleaner.replaced,
        decisions=tuple(decisions),
    )


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
    core.store.put(partition, record, passages_of(record, before, core.indexing), event)
    return record


def correct(
    core: Core, partition: Partition, before: MemoryRecord, text: str, origin: Origin
) -> MemoryRecord:
    """Put what is right in place of what is wrong, and keep the wrong claim from coming back.

    Raises:
        ConflictError: somebody else changed it since `before` was read.
    """
    now = core.clock.now()
    changed = replace(before, content=text, abstract="", overview="", origin=origin)
    record, _, _ = core.cleaned(changed)
    topic = stated(record.content)[0]
    record = replace(record, version=before.version + 1, updated_at=now, confirmed_at=now)
    record = leveled(replace(record, topic=topic))
    is_same = topic and (topic, value_of(record)) == (before.topic, value_of(before))
    wrong = [] if is_same or text == before.content else claims_of(before, core.store.key)
    new = [(record, before)]
    for other in core.store.about(partition, [topic]) if topic else ():
        if other.id != record.id and other.valid_to is None and other.origin in OWN:
            ended = replace(other, valid_to=now, updated_at=now, version=other.version + 1)
            new.append((ended, other))
    rows = [
        (
            after,
            passages_of(after, old, core.indexing),
            HistoryEvent(after.id, "correct" if old is before else "supersede", origin, now,
                         before=_plain(old), after=_plain(after)),
        )
        for after, old in new
    ]  # fmt: skip
    core.store.exchange(partition, (), rows, claims=wrong)
    return record


def erase(core: Core, partition: Partition, item: Message | MemoryRecord) -> Deleted:
    """Erase a message, or a memory with its versions and what was decided about it."""
    if isinstance(item, MemoryRecord) and item.layer is Layer.WORKING:
        core.working.drop(partition, item.id)
        return Deleted(item.id)
    texts = texts_of(core.store, partition, item)
    scrub_exported(core, texts)
    if isinstance(item, Message):
        core.store.delete(partition, Kind.MESSAGE, [item.id])
        note(core, partition, "message_delete", {"id": item.id})
        return Deleted(item.id, (), pending=not swept(core.store, texts))
    for attempt in range(TRIES):
        try:
            write(core, of_one(core, partition, item))
            break
        except ConflictError:
            if attempt == TRIES - 1:
                raise
    note(core, partition, "memory_delete", {"id": item.id})
    still = tuple(s.id for s in item.sources if s.kind is Kind.MESSAGE)
    return Deleted(item.id, still, pending=not swept(core.store, texts))


def _plain(record: MemoryRecord | None) -> Mapping[str, Json] | None:
    """A record as JSON for its history."""
    return None if record is None else to_plain(record)
