"""How sound the memories are: what a person can look into, with the ids behind it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from lamina.engine.core import Core
from lamina.engine.echo import is_echo, near_memories
from lamina.engine.reading import value_of
from lamina.filters import is_current
from lamina.index.partition import PartitionIndex
from lamina.pipeline.wording import statement
from lamina.pipeline.write import masked_text
from lamina.replies import Audit
from lamina.text.redact import mask
from lamina.types import Candidate, Kind, Layer, MemoryRecord, Message, Partition

FIFTHS = 5


def audit(core: Core) -> Audit:
    """Look at every memory that still holds, of all users."""
    now, partitions = core.clock.now(), core.store.partitions()
    found: defaultdict[str, list[str]] = defaultdict(list)
    fifths = [0] * FIFTHS
    for partition in partitions:
        records = [record for _, record in core.store.memories([partition])]
        current = [r for r in records if r.document is None and is_current(r, now)]
        for record in current:
            fifths[min(int(record.importance * FIFTHS), FIFTHS - 1)] += 1
            if record.expires_at is not None and record.expires_at <= now:
                found["stale"].append(record.id)
            for kind in _faults(core, partition, record):
                found[kind].append(record.id)
        found["contradictions"] += _contradicting(current)
    decided = [one for _, one in core.store.decisions(partitions)]
    return Audit(
        memories=sum(fifths),
        duplicates=tuple(found["duplicates"]),
        contradictions=tuple(found["contradictions"]),
        unsupported=tuple(found["unsupported"]),
        orphans=tuple(found["orphans"]),
        stale=tuple(found["stale"]),
        secrets=tuple(found["secrets"]),
        loops=tuple(found["loops"]),
        importance=(fifths[0], fifths[1], fifths[2], fifths[3], fifths[4]),
        decisions=dict(Counter(f"{one.action} {one.reason}" for one in decided).most_common()),
        waiting=sum(one.waiting for one in decided),
    )


def _faults(core: Core, partition: Partition, record: MemoryRecord) -> Iterator[str]:
    """What is wrong with a memory, by kind."""
    (index,) = core.indexes([partition])
    if _is_duplicate(core, index, record):
        yield "duplicates"
    if any(mask(text).counts for text in (record.content, record.abstract, record.overview)):
        yield "secrets"
    if not record.sources:
        return
    items = [core.store.get([partition], source.id) for source in record.sources]
    if not any(items):
        yield "orphans"
    for source, item in zip(record.sources, items, strict=True):
        if item is not None and isinstance(item[1], Message) and source.quote:
            said = masked_text(item[1], masking=core.indexing.masking)
            if source.quote not in said:
                yield "unsupported"
                break
    if record.sources[0].kind is Kind.MESSAGE and record.sources[0].quote:
        drawn = Candidate(record.content, record.category, record.sources, record.said_at)
        if is_echo(core, index, drawn):
            yield "loops"


def _is_duplicate(core: Core, index: PartitionIndex, record: MemoryRecord) -> bool:
    """Whether an older memory that still holds says the same."""
    mine, now = statement(record.content), core.clock.now()
    return any(
        other.id < record.id
        and other.layer is record.layer
        and (record.layer is not Layer.SESSION or other.session_id == record.session_id)
        and is_current(other, now)
        and statement(other.content) == mine
        for other in near_memories(core, index, record.content)
    )


def _contradicting(current: Sequence[MemoryRecord]) -> list[str]:
    """Memories of one topic that give it different values."""
    by_topic: defaultdict[str, list[MemoryRecord]] = defaultdict(list)
    for record in current:
        if record.topic:
            by_topic[record.topic].append(record)
    return [
        record.id
        for records in by_topic.values()
        if len({value_of(record) for record in records}) > 1
        for record in records
    ]
