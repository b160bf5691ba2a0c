"""A search of one scope, from the question to the hits: what all doors of recall share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lamina.engine.core import Core
from lamina.engine.reading import catch_up
from lamina.engine.working import found_among
from lamina.filters import matches
from lamina.index.partition import PartitionIndex
from lamina.pipeline import accept
from lamina.pipeline.plan import plan
from lamina.pipeline.recall import Answer, Question, recall, waiting_in_archive
from lamina.plain import to_time
from lamina.types import Filter, Hit, Json, Layer, Partition, Results, Scope


@dataclass(frozen=True, slots=True)
class Asked:
    """A question put to a scope: all that recall needs, and what was missing."""

    question: Question
    indexes: Sequence[PartitionIndex]
    degraded: tuple[str, ...]


def ask(
    core: Core,
    scope: Scope,
    query: str,
    *,
    limit: int,
    filter: Filter,
    now: datetime | None,
    turns: Sequence[Json] = (),
) -> Asked | None:
    """Plan a question and bring its scope's indexes up to date; None where there is nothing."""
    query = accept.checked_query(query)
    limit = accept.checked_limit(limit)
    filter = accept.checked_filter(filter)
    said = accept.checked_turns(turns)
    now = core.clock.now() if now is None else to_time(now, "now")
    partitions = core.visible(scope)
    if not partitions or not query.strip():
        return None
    unread = catch_up(core, partitions)
    missing = core.catch_up(partitions)
    indexes = core.indexes(partitions)
    speakers = {name for index in indexes for name in list(index.codes.names)}
    asked = plan(query, speakers, now=now, zone=core.clock.zone, turns=said)
    vectors = core.query_vectors([asked.text, *asked.sentences])
    question = Question(
        asked,
        vectors,
        limit,
        now,
        filter,
        masking=core.indexing.masking,
        sessions=_sessions_of(core, partitions, filter.project),
    )
    without = core.degraded if vectors is None else ""
    sentences = (unread, missing, without, core.asking.used_up)
    return Asked(question, indexes, tuple(dict.fromkeys(s for s in sentences if s)))


def answered(core: Core, asked: Asked) -> tuple[list[Answer], tuple[str, ...]]:
    """The answers to a question, best first, and sentences on what was missing."""
    question, missing = asked.question, list(asked.degraded)
    rerank = core.reranking.step(question.plan.question, missing, masking=question.masking)
    hasher = core.indexing.hasher
    answers = recall(core.store, asked.indexes, question, hasher, rerank=rerank)
    return answers, tuple(missing)


def of_this_turn(core: Core, scope: Scope, query: str, where: Filter, limit: int) -> list[Hit]:
    """Hits of the working layer, where the filter names it."""
    if where.layers is None or Layer.WORKING not in where.layers:
        return []
    now = core.clock.now()
    notes = core.working.notes([scope.home, *core.visible(scope)])
    chosen = [record for _, record in notes if matches(record, where, now)]
    return found_among(chosen, query)[:limit]


def searched(core: Core, asked: Asked | None, *, explain: bool = False) -> Results:
    """Hits best first, what was missing, and how many matches wait in the archival layer."""
    if asked is None:
        return Results()
    asked = replace(asked, question=replace(asked.question, explain=explain))
    answers, degraded = answered(core, asked)
    archival = None
    where = asked.question.filter
    if where.layers is None or Layer.ARCHIVAL not in where.layers:
        hasher = core.indexing.hasher
        archival = waiting_in_archive(asked.indexes, asked.question.plan, hasher)
    return Results(tuple(answer.hit for answer in answers), degraded, archival)


def _sessions_of(
    core: Core, partitions: Sequence[Partition], project: str | None
) -> frozenset[str] | None:
    """The names of a project's sessions, which is how a message comes by its project."""
    if project is None:
        return None
    sessions = core.store.sessions(partitions)
    return frozenset(info.id for _, info in sessions if info.project == project)
