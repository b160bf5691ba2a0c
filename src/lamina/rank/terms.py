"""What speaks for a passage beside its words and vectors, each as one pure function."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from lamina.rank.top import top

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEST_OF_SESSION = 3  # passages of a session whose mean says how well it fits as a whole
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
