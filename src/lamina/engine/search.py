"""A search of one scope, from the question to the hits: what all doors of recall share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lamina.engine.core import Core
from lamina.pipeline import accept
from lamina.pipeline.plan import plan
from lamina.pipeline.recall import Question, recall, waiting_in_archive
from lamina.plain import to_time
from lamina.types import Filter, Hit, Layer, Partition, Scope


def searched(
    core: Core,
    scope: Scope,
    query: str,
    *,
    limit: int,
    filter: Filter,
    now: datetime | None,
    without: frozenset[str] = frozenset(),
    explain: bool = False,
) -> tuple[Sequence[Hit], tuple[str, ...], int | None]:
    """Hits best first, what was missing, and how many matches wait in the archival layer."""
    query = accept.checked_query(query)
    limit = accept.checked_limit(limit)
    filter = accept.checked_filter(filter)
    now = core.clock.now() if now is None else to_time(now, "now")
    partitions = core.visible(scope)
    if not partitions or not query.strip():
        return [], (), None
    missing = core.catch_up(partitions)
    indexes = core.indexes(partitions)
    asked = plan(query, {name for index in indexes for name in list(index.codes.names)})
    vectors = core.query_vectors([asked.text, *asked.sentences])
    question = Question(
        asked,
        vectors,
        limit,
        now,
        filter,
        masking=core.indexing.masking,
        without=without,
        sessions=_sessions_of(core, partitions, filter.project),
        explain=explain,
    )
    hits = recall(core.store, indexes, question, core.indexing.hasher)
    archival = None
    if filter.layers is None or Layer.ARCHIVAL not in filter.layers:
        archival = waiting_in_archive(indexes, asked, core.indexing.hasher)
    sentences = (missing, core.degraded if vectors is None else "")
    return hits, tuple(dict.fromkeys(s for s in sentences if s)), archival


def _sessions_of(
    core: Core, partitions: Sequence[Partition], project: str | None
) -> frozenset[str] | None:
    """The names of a project's sessions, which is how a message comes by its project."""
    if project is None:
        return None
    sessions = core.store.sessions(partitions)
    return frozenset(info.id for _, info in sessions if info.project == project)
