"""The end of a conversation: what was noted for it is promoted to long term, or expires."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from lamina.engine.core import Core
from lamina.engine.reading import known_about, value_of
from lamina.pipeline.dedupe import OWN, decide
from lamina.pipeline.settle import Written, settle
from lamina.pipeline.write import prepare_memory
from lamina.plain import to_plain
from lamina.replies import Ended
from lamina.types import (
    Action,
    Candidate,
    Decision,
    HistoryEvent,
    Kind,
    Layer,
    MemoryRecord,
    Partition,
)

IMPORTANT = 0.75
PINNED, WEIGHTY, SAID, EXPIRED = "pinned", "important", "said", "expired"


def end_session(core: Core, partition: Partition, session_id: str) -> Ended:
    """Promote or let expire every note of a conversation."""
    notes = [
        record
        for _, record in core.store.notes([partition])
        if record.session_id == session_id and record.expires_at is None
    ]
    return end_notes(core, partition, notes)


def end_idle(core: Core, days: float) -> int:
    """End the notes of conversations in which nothing was said for so long. Returns how many."""
    before = core.clock.now() - timedelta(days=days)
    ended = 0
    for partition, record in core.store.notes(core.store.partitions()):
        if record.expires_at is not None or max(record.created_at, record.said_at) > before:
            continue
        session = record.session_id and core.store.session(partition, record.session_id)
        if not session or session.updated_at <= before:
            end_notes(core, partition, [record])
            ended += 1
    return ended


def end_notes(core: Core, partition: Partition, notes: Iterable[MemoryRecord]) -> Ended:
    """Promote or let expire these notes."""
    promoted: list[str] = []
    expired: list[str] = []
    with core.reading:
        for note in notes:
            reason = worth(note)
            is_kept = bool(reason) and _promoted(core, partition, note, reason)
            if not is_kept:
                _expire(core, partition, note)
            (promoted if is_kept else expired).append(note.id)
    return Ended(tuple(promoted), tuple(expired))


def worth(note: MemoryRecord) -> str:
    """Why a note is worth keeping beyond its conversation, by code; "" where it is not."""
    if note.pinned:
        return PINNED
    if note.importance >= IMPORTANT:
        return WEIGHTY
    return SAID if note.origin in OWN and any(source.quote for source in note.sources) else ""


def _promoted(core: Core, partition: Partition, note: MemoryRecord, reason: str) -> bool:
    """Make a note a long-term memory; False where one says it already, or says more."""
    candidate = Candidate(
        content=note.content,
        category=note.category,
        sources=note.sources,
        said_at=note.said_at,
        topic=note.topic,
        value=value_of(note),
        importance=note.importance,
        origin=note.origin,
        abstract=note.abstract,
        overview=note.overview,
        session_id=note.session_id,
        project=note.project,
        metadata=note.metadata,
    )
    out, now = Written(), core.clock.now()
    known = known_about(core, partition, candidate, out, deliberate=True)
    others = [record for record in known.near if record.id != note.id]
    about = [(record, value) for record, value in known.about if record.id != note.id]
    verdict = decide(candidate, replace(known, near=others, about=about))
    if verdict.action is Action.CREATE:
        after = replace(
            note, layer=Layer.LONG_TERM, valid_from=note.said_at, updated_at=now,
            version=note.version + 1,
        )  # fmt: skip
        _write(core, partition, note, after, reason=reason)
        return True
    settle(candidate, verdict, out, id=core.ids.new(now), now=now)
    rows = [
        (record, prepare_memory(record, core.indexing).passages, event)
        for record, event in out.records.values()
    ]
    core.store.exchange(partition, (), rows, decisions=out.decisions)
    return False


def _expire(core: Core, partition: Partition, note: MemoryRecord) -> None:
    now = core.clock.now()
    after = replace(note, expires_at=now, updated_at=now, version=note.version + 1)
    _write(core, partition, note, after, reason=EXPIRED)


def _write(
    core: Core, partition: Partition, before: MemoryRecord, after: MemoryRecord, *, reason: str
) -> None:
    source = next((s.id for s in before.sources if s.kind is Kind.MESSAGE), None)
    name, action = ("expire", Action.SKIP) if reason == EXPIRED else ("promote", Action.CREATE)
    now = core.clock.now()
    event = HistoryEvent(
        after.id, name, after.origin, now, before=to_plain(before), after=to_plain(after)
    )
    decision = Decision(now, action, reason, before.content, before.id, message=source)
    row = (after, prepare_memory(after, core.indexing).passages, event)
    core.store.exchange(partition, (), [row], decisions=[decision])
