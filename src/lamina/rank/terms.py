"""What speaks for a passage beside its words and vectors, each as one pure function."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lamina.rank.top import top

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEST_OF_SESSION = 3  # passages of a session whose mean says how well it fits as a whole
COMPETING = 20  # best passages that are put in the order of time where a question asks for it
DAY = 86_400.0  # seconds
BLUR = 0.25  # of a span: people tell on Monday what was on Sunday
MONTH = 30 * DAY
LOOKED_AT = 1024  # best passages among which sessions are compared: the others cannot lead one


def one_of(codes: NDArray[np.int32], wanted: Collection[int]) -> NDArray[np.float32]:
    """1 where a code is among the wanted ones, else 0."""
    return np.isin(codes, list(wanted)).astype(np.float32)


def session_support(
    scores: NDArray[np.float32], sessions: NDArray[np.int32]
) -> NDArray[np.float32]:
    """For each passage the mean of its session's best three scores: good company.

    What belongs to no session (a negative code) is its own company. Sessions none of whose
    passages is among the best are taken to be as good as the worst of those.
    """
    best = top(scores, LOOKED_AT)
    if not len(best):
        return np.zeros(len(scores), np.float32)
    mine = sessions[best]
    order = np.argsort(mine, kind="stable")  # by session, the best first within each
    mine = mine[order]
    starts = np.flatnonzero(np.concatenate([[True], mine[1:] != mine[:-1]]))
    taken = np.minimum(np.diff(starts, append=len(mine)), BEST_OF_SESSION)
    sums = np.concatenate([[0.0], np.cumsum(scores[best[order]], dtype=np.float64)])
    means = (sums[starts + taken] - sums[starts]) / taken
    support = np.full(max(int(sessions.max()), 0) + 1, min(scores[best[-1]], 0.0), np.float32)
    known = mine[starts] >= 0
    support[mine[starts[known]]] = means[known]
    out = support[sessions]
    alone = np.flatnonzero(sessions < 0)
    out[alone] = np.where(np.isfinite(scores[alone]), scores[alone], 0)
    return out


def recency(at: NDArray[np.float64], now: float) -> NDArray[np.float32]:
    """1 for what was said just now, half for each month that has passed since; times in seconds.

    What claims to come from the future is as recent as now, and no more.
    """
    age = np.maximum(now - at, 0.0)
    return np.exp2(-age / MONTH).astype(np.float32)


def date_fit(at: NDArray[np.float64], spans: Sequence[tuple[float, float]]) -> NDArray[np.float32]:
    """1 within one of the spans of time, falling to 0 within a quarter of it, a day at least.

    Times are seconds, spans half open.
    """
    best = np.zeros(len(at), np.float32)
    for start, end in spans:
        away = np.maximum(np.maximum(start - at, at - end), 0.0)
        fit = 1 - away / max((end - start) * BLUR, DAY)
        best = np.maximum(best, np.maximum(fit, 0).astype(np.float32))
    return best


def order_in_time(
    scores: NDArray[np.float32], at: NDArray[np.float64], *, newest: bool
) -> NDArray[np.float32]:
    """Among the best by score: 1 for the newest (or oldest) down to 0 for the last of them."""
    best = top(scores, COMPETING)
    out = np.zeros(len(scores), np.float32)
    if len(best) > 1:
        times = at[best] if newest else -at[best]
        later = np.searchsorted(np.sort(times), times).astype(np.float32)
        out[best] = later / (len(best) - 1)
    return out
