"""The block for a prompt: what always comes, and what recall finds, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lamina.engine.core import Core
from lamina.engine.log import retrieved
from lamina.engine.search import Asked, answered
from lamina.filters import is_current
from lamina.pipeline import accept
from lamina.pipeline.inject import Shape, context_block, language
from lamina.pipeline.recall import Question, refusal
from lamina.replies import Context
from lamina.types import Layer, Level, MemoryRecord, Origin, Partition, Scope, SessionInfo

# What a page, document or tool says of the user is no profile, unless somebody pins it.
AHEAD = timedelta(days=2)  # from the beginning of today: to the end of tomorrow
LASTS = timedelta(days=2)  # what lasts longer, such as a holiday, is upcoming when it begins only
ABOUT_TO_BEGIN = timedelta(days=1)
MOST_UPCOMING = 8
OUTSIDE = frozenset({Origin.TOOL, Origin.WEB, Origin.DOCUMENT})


def shaped(
    core: Core, query: str, *, max_tokens: int, level: Level | str | None, frame: str
) -> Shape:
    """How the block is to look, checked.

    Raises:
        InvalidInputError: one of these means nothing.
    """
    return Shape(
        accept.checked_limit(max_tokens, "max_tokens", 0),
        None if level is None else accept.checked_level(level),
        accept.checked_frame(frame),
        language(accept.checked_query(query)),
        core.clock.zone,
        masking=core.indexing.masking,
    )


def block(
    core: Core,
    scope: Scope,
    asked: Asked | None,
    shape: Shape,
    *,
    held: frozenset[str] = frozenset(),
    session: SessionInfo | None = None,
) -> Context:
    """The block for a question; `held` are the messages that the prompt has anyway."""
    if asked is None:
        return Context("")
    asked = replace(asked, question=replace(asked.question, without=held))
    answers, degraded = answered(core, asked)
    visible = core.visible(scope)
    records = [record for _, record in core.store.standing(visible)]
    standing = _standing(records, asked.question, session)
    soon = upcoming(core, visible, asked.question, session)
    made = context_block(soon, standing, answers, shape)
    retrieved(core, scope.home, [hit.id for hit in made.hits])
    return replace(made, degraded=degraded)


def upcoming(
    core: Core, partitions: Sequence[Partition], question: Question, session: SessionInfo | None
) -> list[MemoryRecord]:
    """Plans and appointments from the day before until they are over, the nearest first."""
    now, zone = question.now, core.clock.zone
    day = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    found = [record for _, record in core.store.happening(partitions, now, day + AHEAD)]
    return [
        record
        for record in found
        if _is_near(record, now) and _may_stand(record, question, session)
        if is_current(record, now) and record.origin not in OUTSIDE
    ][:MOST_UPCOMING]


def _is_near(record: MemoryRecord, now: datetime) -> bool:
    """Whether it is not over yet; of what lasts for many days, whether it is about to begin."""
    start, end = record.happens_from, record.happens_to
    if start is None or (end or start) <= now:
        return False
    return end is None or end - start <= LASTS or now <= start + ABOUT_TO_BEGIN


def _standing(
    records: Sequence[MemoryRecord], question: Question, session: SessionInfo | None
) -> list[MemoryRecord]:
    """What comes with every question: pinned before profile, important and new before others."""
    chosen = [record for record in records if _stands(record, question, session)]
    chosen.sort(key=lambda record: record.said_at, reverse=True)
    return sorted(chosen, key=lambda record: (not record.pinned, -record.importance))


def _stands(record: MemoryRecord, question: Question, session: SessionInfo | None) -> bool:
    return (
        _may_stand(record, question, session)
        and (record.pinned or record.origin not in OUTSIDE)
        and is_current(record, question.filter.as_of or question.now)
    )


def _may_stand(record: MemoryRecord, question: Question, session: SessionInfo | None) -> bool:
    """Whether it concerns this conversation and passes the filter."""
    where = question.filter
    noted_here = (
        session is not None and record.layer is Layer.SESSION and record.session_id == session.id
    )
    projects = {None, where.project, None if session is None else session.project}
    return (
        (record.layer is Layer.LONG_TERM or noted_here)
        and (where.layers is None or record.layer in where.layers)
        and record.project in projects
        and not refusal(record, question)
    )
