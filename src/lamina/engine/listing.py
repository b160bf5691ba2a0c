"""A scope's memories and documents, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lamina.filters import matches
from lamina.pipeline.archive import FIRST, LAST, behind, document_of
from lamina.pipeline.known import as_known
from lamina.ports.store import Store
from lamina.types import Document, Filter, Layer, MemoryRecord, Partition

PAGE = 100  # memories that are read at a time, at least
PASSAGES = 500  # of a document that are read at a time


def listed(
    store: Store,
    partitions: Sequence[Partition],
    where: Filter,
    *,
    now: datetime,
    limit: int,
    after: str | None,
) -> list[MemoryRecord]:
    """What a filter leaves, newest first; passages of documents where it names their layer."""
    out: list[MemoryRecord] = []
    archival = where.layers is not None and Layer.ARCHIVAL in where.layers
    size = max(limit, PAGE)
    while len(out) < limit:
        page = store.memories(partitions, after=after, limit=size)
        for partition, row in page:
            record = as_known(store, partition, row, where.known_at)
            wanted = archival or record.document is None
            if wanted and _chosen(record, where) and matches(record, where, now):
                out.append(record)
        if len(page) < size:
            break
        last = page[-1][1]  # of a document whose passages are not wanted, the rest is left out
        after = last.id if archival or last.document is None else last.document.id
    return out[:limit]


def _chosen(record: MemoryRecord, where: Filter) -> bool:
    """What `matches` leaves to its caller: the layer and the project."""
    return (where.layers is None or record.layer in where.layers) and (
        where.project is None or record.project == where.project
    )


def documents(store: Store, partitions: Sequence[Partition]) -> list[tuple[Partition, Document]]:
    """All documents, by the last passage of each."""
    out = []
    for partition in partitions:
        after = LAST
        while page := store.memories([partition], after=after, limit=1):
            ((_, record),) = page
            after = record.id
            if record.document is not None:
                out.append((partition, document_of(record)))
                after = record.document.id
            elif not record.id.startswith(FIRST):
                break
    return out


def passages_of(store: Store, partition: Partition, id: str) -> list[MemoryRecord]:
    """What is kept of a document, the last passage first."""
    out: list[MemoryRecord] = []
    after = behind(id)
    while True:
        page = [r for _, r in store.memories([partition], after=after, limit=PASSAGES)]
        own = [record for record in page if is_of(record, id)]
        out += own
        if len(own) < PASSAGES:
            return out
        after = own[-1].id


def is_of(record: MemoryRecord, id: str) -> bool:
    """Whether a memory is a passage of this document."""
    return record.document is not None and record.document.id == id
