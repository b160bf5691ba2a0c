"""Recall: plan, gather from the index, fuse, rank, cut, and fetch the texts of what is left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from lamina.filters import matches
from lamina.index.gather import Gathered, gather
from lamina.index.partition import ARCHIVAL, SAID, TOOL, PartitionIndex
from lamina.index.terms import Hasher
from lamina.index.vectors import ALONE, WINDOW
from lamina.pipeline.plan import Plan
from lamina.pipeline.write import masked_text
from lamina.ports.store import Passage, Store
from lamina.rank.fuse import USUAL_COSINE, USUAL_WORDS, standard
from lamina.rank.terms import one_of, session_support
from lamina.rank.top import best_of_each
from lamina.types import (
    Filter,
    Hit,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Role,
    Signal,
    Source,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What each term is worth: of words and vectors a standard deviation, of the others a plain yes.
WEIGHTS = {
    "words": 1.0,
    "turn": 1.0,
    "window": 1.5,  # the better vector: a turn alone often lacks what it is about
    "speaker": 3.0,  # who is asked about is mostly who said it
    "self": 2.0,  # "what did I ...": the user's own words
    "assistant": 1.0,  # "what did you suggest ...": the assistant's
    "session": 0.5,  # a good conversation vouches for its turns
    "tool": -1.0,  # what a tool returned stands below what people said
}
SPARE = 4  # times the limit that is fetched where a filter must look at the items themselves


@dataclass(frozen=True, slots=True)
class Question:
    """A search as recall takes it."""

    plan: Plan
    vectors: NDArray[np.float32] | None  # of the plan's text, then of its sentences; or words alone
    limit: int
    now: datetime
    filter: Filter = field(default_factory=Filter)
    masking: bool = True
    without: frozenset[str] = frozenset()  # ids that must not be returned
    sessions: frozenset[str] | None = None  # names of the sessions of the project asked for


def recall(
    store: Store, indexes: Sequence[PartitionIndex], question: Question, hasher: Hasher
) -> list[Hit]:
    """The best hits over these partitions, best first, with their signals."""
    terms = [hasher[word] for word in question.plan.words]
    if not terms and question.vectors is None:
        return []
    vectors = question.vectors
    queries = {} if vectors is None else {ALONE: vectors, WINDOW: vectors[:1]}
    hits: list[Hit] = []
    for group in _groups(question.filter):
        found = gather(indexes, group, terms, queries)
        if found.live:
            hits += _hits(store, indexes, question, _ranked(found, group, question))
    hits.sort(key=lambda hit: -hit.raw)
    return hits[: question.limit]


def waiting_in_archive(indexes: Sequence[PartitionIndex], plan: Plan, hasher: Hasher) -> int:
    """How many archival items hold a word of the question."""
    terms = [hasher[word] for word in plan.words]
    if not terms or not any(index.groups[ARCHIVAL].live for index in indexes):
        return 0
    found = gather(indexes, ARCHIVAL, terms, {})
    return len(np.unique(found.item[found.words > 0]))


def _groups(where: Filter) -> list[str]:
    if where.layers is None:
        return [SAID, TOOL]
    asked = set(where.layers)
    groups = [SAID, TOOL] if asked - {Layer.ARCHIVAL} else []
    return groups + ([ARCHIVAL] if Layer.ARCHIVAL in asked else [])


@dataclass(frozen=True, slots=True)
class Ranked:
    """The passages of one group with the terms of their scores, all aligned."""

    found: Gathered
    raw: Mapping[str, NDArray[np.float32]]
    terms: Mapping[str, NDArray[np.float32]]  # on a common scale, not yet weighted
    scores: NDArray[np.float32]  # minus infinity where a passage may not be returned


def _ranked(found: Gathered, group: str, question: Question) -> Ranked:
    raw: dict[str, NDArray[np.float32]] = {"words": found.words}
    terms = {"words": standard(found.words, found.alive, USUAL_WORDS)}
    for name, view in (("turn", ALONE), ("window", WINDOW)):
        if view in found.views:
            cosines = found.views[view]
            embedded = found.alive & np.isfinite(cosines)
            raw[name] = cosines
            terms[name] = standard(cosines, embedded, USUAL_COSINE)
    terms.update(_plain_terms(found, group, question.plan))
    scores = np.zeros(len(found.seq), np.float32)
    for name, values in terms.items():
        scores += np.float32(WEIGHTS[name]) * values
    scores[~_allowed(found, question)] = -np.inf
    terms["session"] = session_support(scores, found.session)
    scores += np.float32(WEIGHTS["session"]) * terms["session"]
    return Ranked(found, {**terms, **raw}, terms, scores)


def _plain_terms(found: Gathered, group: str, plan: Plan) -> dict[str, NDArray[np.float32]]:
    """What is simply so or not: who speaks, and what kind of thing it is."""
    terms: dict[str, NDArray[np.float32]] = {}
    names, roles = found.codes.names, found.codes.roles
    if plan.speaker is not None and plan.speaker in names:
        terms["speaker"] = one_of(found.name, {names[plan.speaker]})
    both = roles.known(Role.USER) >= 0 and roles.known(Role.ASSISTANT) >= 0
    if both and plan.about_self:
        mine = one_of(found.role, {roles.known(Role.USER), roles.known(Origin.PERSON)})
        terms["self"] = mine * (found.name < 0)
    if both and plan.about_assistant:
        terms["assistant"] = one_of(found.role, {roles.known(Role.ASSISTANT)})
    if group == TOOL:
        terms["tool"] = np.ones(len(found.seq), np.float32)
    return terms


def _allowed(found: Gathered, question: Question) -> NDArray[np.bool_]:
    """Which passages may be returned, as far as the index can tell."""
    where = question.filter
    allowed = found.alive.copy()
    if question.vectors is None:
        allowed &= found.words > 0
    if where.layers is not None:
        wanted = [found.codes.layers.known(layer) for layer in where.layers]
        allowed &= np.isin(found.layer, wanted)
    if where.since is not None:
        allowed &= found.at >= where.since.timestamp()
    if where.until is not None:
        allowed &= found.at < where.until.timestamp()
    if where.session_id is not None:
        allowed &= found.of_sessions([where.session_id])
    if where.min_importance is not None:
        allowed &= found.importance >= where.min_importance
    return allowed


def _hits(
    store: Store, indexes: Sequence[PartitionIndex], question: Question, ranked: Ranked
) -> list[Hit]:
    """Fetch the best items, leaving out what the filter refuses, until there are enough."""
    found = ranked.found
    asked = question.limit + len(question.without)
    while True:
        places = best_of_each(ranked.scores, found.item, asked)
        passages = _passages(store, indexes, found, places)
        kept = [
            (place, passage)
            for place, passage in zip(places.tolist(), passages, strict=True)
            if passage is not None
            and passage.item.id not in question.without
            and matches(passage.item, question.filter, question.now)
            and _of_project(passage.item, question)
        ]
        if len(kept) >= question.limit or len(places) < asked:
            break
        asked *= SPARE
    return [_hit(ranked, place, passage, question) for place, passage in kept[: question.limit]]


def _of_project(item: Message | MemoryRecord, question: Question) -> bool:
    if question.filter.project is None or question.sessions is None:
        return True
    if isinstance(item, MemoryRecord):
        return item.project == question.filter.project
    return item.session_id in question.sessions


def _passages(
    store: Store, indexes: Sequence[PartitionIndex], found: Gathered, places: NDArray[np.int64]
) -> list[Passage | None]:
    wanted: dict[int, list[int]] = {}
    for place in places.tolist():
        wanted.setdefault(int(found.owner[place]), []).append(int(found.seq[place]))
    got = {owner: store.passages(indexes[owner].partition, seqs) for owner, seqs in wanted.items()}
    return [got[int(found.owner[p])].get(int(found.seq[p])) for p in places.tolist()]


def _hit(ranked: Ranked, place: int, passage: Passage, question: Question) -> Hit:
    item = passage.item
    text = masked_text(item, masking=question.masking)
    if text[passage.start : passage.end].strip():
        text = text[passage.start : passage.end]
    raw = float(ranked.scores[place])
    return Hit(
        id=item.id,
        kind=_kind(item),
        text=text,
        date=item.created_at,
        score=calibrated(raw),
        source=_sources(item),
        role=str(item.role) if isinstance(item, Message) else str(item.origin),
        layer=Layer.SESSION if isinstance(item, Message) else item.layer,
        raw=raw,
        signals=tuple(
            Signal(
                name,
                value=float(values[place]),
                weight=WEIGHTS[name],
                raw=float(ranked.raw[name][place]),
                rank=_rank(values, place),
            )
            for name, values in ranked.terms.items()
        ),
    )


def _rank(values: NDArray[np.float32], place: int) -> int:
    return int(np.count_nonzero(values > values[place])) + 1


def _kind(item: Message | MemoryRecord) -> Kind:
    if isinstance(item, Message):
        return Kind.MESSAGE
    return Kind.MEMORY if item.document is None else Kind.DOCUMENT


def _sources(item: Message | MemoryRecord) -> tuple[Source, ...]:
    if isinstance(item, Message):
        return (Source(Kind.MESSAGE, item.id, item.session_id, item.name),)
    return item.sources or (Source(Kind.MEMORY, item.id, item.session_id),)


def calibrated(raw: float) -> float:
    """A raw score on a scale of 0 to 1, monotone in the raw score within one search."""
    return 1 / (1 + math.exp(-(raw - 6.0) / 2.5))
