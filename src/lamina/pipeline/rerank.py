"""A model that reads question and texts hands the best places out anew."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lamina.errors import RerankerError
from lamina.pipeline.found import Found
from lamina.ports.reranker import Reranker
from lamina.text.redact import mask
from lamina.types import Message

RERANKED = 50  # best results that are put in order: an answer is seldom lower, and each costs time


def reranked(
    found: Sequence[Found], question: str, reranker: Reranker, *, masking: bool
) -> list[Found]:
    """The results with the best of them in the reranker's order; equal scores keep theirs.

    The raw scores stay with the places, so that they mean what they meant: who gets a place has a
    signal `rerank` of what that adds to or takes from its own.

    Raises:
        RerankerError: the reranker failed, or its answer cannot be.
    """
    best = found[:RERANKED]
    if not best:
        return []
    asked = mask(question).text if masking else question
    scores = checked(reranker, asked, [_shown(one) for one in best])
    order = sorted(range(len(best)), key=lambda i: -scores[i])
    moved = [
        best[i].at(best[place].raw, "rerank", told=scores[i], rank=place + 1)
        for place, i in enumerate(order)
    ]
    return [*moved, *found[RERANKED:]]


def checked(reranker: Reranker, question: str, texts: Sequence[str]) -> list[float]:
    """A reranker's scores, if it gives one finite number for each text.

    Raises:
        RerankerError: it failed, or did not.
    """
    try:
        given = [float(score) for score in reranker.rerank(question, texts)]
    except RerankerError:
        raise
    except Exception as fault:
        raise RerankerError(
            f"the reranker failed: {type(fault).__name__}: {fault}; see which reranker is set"
        ) from fault
    bad = sum(not math.isfinite(score) for score in given)
    if bad or len(given) != len(texts):
        raise RerankerError(
            f"the reranker gave {len(given)} scores for {len(texts)} texts, {bad} of them not "
            "finite; none of them is used. Check rerank_url and rerank_model"
        )
    return given


def _shown(one: Found) -> str:
    """The text as it is shown, with who says it: a turn seldom names its speaker."""
    item = one.passage.item
    name = item.name if isinstance(item, Message) else None
    return f"{name}: {one.text}" if name else one.text
