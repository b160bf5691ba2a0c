"""Every passage's score for a question: a sum of weighed terms, each on a scale of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from lamina.index.gather import Gathered
from lamina.index.partition import TOOL
from lamina.index.vectors import ALONE, WINDOW
from lamina.pipeline.plan import Plan
from lamina.rank.fuse import USUAL_COSINE, USUAL_WORDS, standard
from lamina.rank.terms import date_fit, one_of, order_in_time, recency, session_support
from lamina.types import Category, Filter, Origin, Role, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What each term is worth: of words and vectors a standard deviation, of the others a plain yes.
WEIGHTS = {
    "words": 1.0,
    "turn": 2.0,
    "window": 1.5,  # a turn alone often lacks what it is about
    "speaker": 3.0,  # who is asked about is mostly who said it
    "self": 2.0,  # "what did I ...": the user's own words
    "assistant": 1.0,  # "what did you suggest ...": the assistant's
    "date": 5.0,  # said at the time that the question names
    "profile": 8.0,  # "who am I": whatever words it shares with the question
    "newest": 4.0,  # "where do I live now": the later of what answers it
    "oldest": 4.0,  # "what was it first"
    "recent": 0.2,  # a tie goes to the later,
    "important": 0.5,  # and to what is more important than most here
    "session": 0.5,  # a good conversation vouches for its turns
    "tool": -1.0,  # what a tool returned stands below what people said
}


@dataclass(frozen=True, slots=True)
class Ranked:
    """The passages of one group with the terms of their scores, all aligned."""

    found: Gathered
    raw: Mapping[str, NDArray[np.float32]]
    terms: Mapping[str, NDArray[np.float32]]  # on a common scale, not yet weighed
    total: NDArray[np.float32]  # of all terms
    allowed: NDArray[np.bool_]  # which passages may be returned

    @property
    def scores(self) -> NDArray[np.float32]:
        """The totals, minus infinity where a passage may not be returned."""
        return np.where(self.allowed, self.total, np.float32(-np.inf))

    def signals(self, place: int) -> tuple[Signal, ...]:
        """What the score of one passage is made of."""
        return tuple(
            Signal(
                name,
                value=float(values[place]),
                weight=WEIGHTS[name],
                raw=float(self.raw[name][place]),
                rank=int(np.count_nonzero(values[self.allowed] > values[place])) + 1,
            )
            for name, values in self.terms.items()
        )


def ranked(found: Gathered, group: str, plan: Plan, where: Filter, now: datetime) -> Ranked:
    """Score a group's passages."""
    raw: dict[str, NDArray[np.float32]] = {"words": found.words}
    vectors: dict[str, NDArray[np.float32]] = {}
    for name, view in (("turn", ALONE), ("window", WINDOW)):
        if view in found.views:
            raw[name] = found.views[view]
            embedded = found.alive & np.isfinite(raw[name])
            vectors[name] = standard(raw[name], embedded, USUAL_COSINE)
    terms = {"words": _words(found, plan, list(vectors.values())), **vectors}
    terms.update(_plain_terms(found, group, plan))
    terms["recent"] = recency(found.at, now.timestamp())
    terms["important"] = _importance(found)
    scores = np.zeros(len(found.seq), np.float32)
    for name, values in terms.items():
        scores += np.float32(WEIGHTS[name]) * values
    allowed = _allowed(found, plan, where)
    within = np.where(allowed, scores, np.float32(-np.inf))
    for name, wanted in (("newest", plan.newest), ("oldest", plan.oldest)):
        if wanted:
            terms[name] = order_in_time(within, found.at, newest=name == "newest")
            scores += np.float32(WEIGHTS[name]) * terms[name]
    terms["session"] = session_support(within, found.session)
    scores += np.float32(WEIGHTS["session"]) * terms["session"]
    return Ranked(found, {**terms, **raw}, terms, scores, allowed)


def _words(
    found: Gathered, plan: Plan, vectors: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The words' term. Where question and passage share no script, its vectors may speak for it.

    There a missing word says nothing: taken for a low score, it would bury every answer that was
    given in another language.
    """
    own = standard(found.words, found.alive, USUAL_WORDS)
    foreign = found.script != found.codes.scripts.known(plan.script)
    if not plan.script or not vectors or not foreign.any():
        return own
    spoken = sum(vectors[1:], vectors[0]) / np.float32(len(vectors))
    return np.where(foreign, np.maximum(own, spoken), own)


def _plain_terms(found: Gathered, group: str, plan: Plan) -> dict[str, NDArray[np.float32]]:
    """What is simply so or not: who speaks, when, and what kind of thing it is."""
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
    if plan.identity:
        terms["profile"] = one_of(found.category, {_profile(found)})
    if plan.dates:
        spans = [(date.start.timestamp(), date.end.timestamp()) for date in plan.dates]
        terms["date"] = date_fit(found.at, spans)
    if group == TOOL:
        terms["tool"] = np.ones(len(found.seq), np.float32)
    return terms


def _profile(found: Gathered) -> int:
    return found.codes.categories.known(Category.PROFILE)


def _importance(found: Gathered) -> NDArray[np.float32]:
    """Importance over the mean here: who rates everything 5 rates nothing."""
    alive = found.importance[found.alive]
    mean = np.float32(alive.mean(dtype=np.float64)) if len(alive) else np.float32(0)
    return found.importance - mean


def _allowed(found: Gathered, plan: Plan, where: Filter) -> NDArray[np.bool_]:
    """Which passages may be returned, as far as the index can tell."""
    allowed = found.alive.copy()
    if not found.views:  # words alone: what shares none with the question is no answer
        hit = found.words > 0
        allowed &= (hit | (found.category == _profile(found))) if plan.identity else hit
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
