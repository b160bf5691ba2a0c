"""The third step of a fact: from a verdict to what is written. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lamina.pipeline.dedupe import LATE, OWN, Verdict, last_said
from lamina.pipeline.levels import leveled
from lamina.plain import to_plain
from lamina.types import (
    Action,
    Candidate,
    Decision,
    HistoryEvent,
    Kind,
    Layer,
    MemoryRecord,
    Source,
)

MOST_SOURCES = 20  # of one memory: who says it a hundred times says no more by that
EDITS = {Action.SUPERSEDE: "supersede", Action.MERGE: "merge", Action.SKIP: "confirm"}


@dataclass(slots=True)
class Written:
    """What is to be written of one message, gathered until it is written at once."""

    records: dict[str, tuple[MemoryRecord, HistoryEvent]] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)
    before: dict[str, MemoryRecord] = field(default_factory=dict)  # what was there, by id

    def latest(self, record: MemoryRecord) -> MemoryRecord:
        """A memory as it will read."""
        return self.records[record.id][0] if record.id in self.records else record

    @property
    def memories(self) -> list[MemoryRecord]:
        """All memories that are made or changed."""
        return [record for record, _ in self.records.values()]


def settle(candidate: Candidate, verdict: Verdict, out: Written, *, id: str, now: datetime) -> None:
    """Note what a verdict makes of a candidate; `id` is that of a memory that may come of it."""
    made: str | None = None
    if verdict.action is Action.CREATE or verdict.action is Action.SUPERSEDE:
        record = _new(candidate, verdict, id, now)
        _put(out, None, record, "add", now)
        made = id
    for one in verdict.targets:
        before = out.latest(one)
        after = _changed(candidate, verdict, before)
        heard = candidate.origin in OWN or verdict.action is not Action.SKIP
        if heard and after != before:  # that an assistant says it again confirms nothing
            _put(out, before, after, EDITS[verdict.action], now)
    target = verdict.targets[0].id if verdict.targets else None
    if verdict.action in {Action.SKIP, Action.MERGE}:
        made = target
    source = candidate.sources[0] if candidate.sources else None
    waiting = verdict.action is Action.QUARANTINE
    out.decisions.append(
        Decision(
            at=now,
            action=verdict.action,
            reason=verdict.reason,
            text=candidate.content,
            memory=made,
            target=target,
            message=source.id if source is not None and source.kind is Kind.MESSAGE else None,
            detail=to_plain(candidate) if waiting else {},
            waiting=waiting,
        )
    )


def _new(candidate: Candidate, verdict: Verdict, id: str, now: datetime) -> MemoryRecord:
    source = candidate.sources[0] if candidate.sources else None
    return MemoryRecord(
        id=id,
        content=candidate.content,
        created_at=now,
        layer=Layer.LONG_TERM,
        category=candidate.category,
        abstract=candidate.abstract,
        overview=candidate.overview,
        importance=candidate.importance,
        pinned=any(target.pinned for target in verdict.targets),
        origin=candidate.origin,
        sources=candidate.sources,
        metadata=candidate.metadata,
        session_id=candidate.session_id or (source.session_id if source is not None else None),
        project=candidate.project,
        valid_from=candidate.said_at,
        valid_to=verdict.until if verdict.reason == LATE else None,
        topic=candidate.topic,
        happens_from=candidate.happens_from,
        happens_to=candidate.happens_to,
    )


def _changed(candidate: Candidate, verdict: Verdict, record: MemoryRecord) -> MemoryRecord:
    if verdict.action is Action.SUPERSEDE:
        return replace(record, valid_to=max(candidate.said_at, record.said_at))
    again = max(last_said(record), candidate.said_at)
    kept = replace(
        record,
        sources=_united(record.sources, candidate.sources),
        confirmed_at=again if again != record.said_at else record.confirmed_at,
    )
    if verdict.action is Action.MERGE:
        topic = candidate.topic or record.topic
        return replace(kept, content=candidate.content, topic=topic, abstract="", overview="")
    return kept


def _united(old: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
    known = {(source.kind, source.id) for source in old}
    more = [source for source in new if (source.kind, source.id) not in known]
    return (*old, *more)[:MOST_SOURCES]


def _put(
    out: Written, before: MemoryRecord | None, after: MemoryRecord, action: str, now: datetime
) -> None:
    """A new version; several within one message are one version with one line of history."""
    after = leveled(after)
    earlier = out.records[after.id][1] if after.id in out.records else None
    if before is not None and earlier is None:
        after = replace(after, version=before.version + 1, updated_at=now)
        out.before[after.id] = before
    first = to_plain(before) if before is not None else None
    event = HistoryEvent(
        after.id,
        action if earlier is None else earlier.action,
        after.origin,
        now,
        before=first if earlier is None else earlier.before,
        after=to_plain(after),
    )
    out.records[after.id] = (after, event)
