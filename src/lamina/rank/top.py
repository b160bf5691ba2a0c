"""The best of many scores, without sorting them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEAPS = 4  # heaps for each place that is asked for: more make the bound closer


def top(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Places of the `count` largest scores, best first, the earlier first among equals.

    Dealt out to heaps, the count-th largest maximum of a heap is a lower bound of the count-th
    score, so only what reaches it needs sorting. Scores of minus infinity are never returned.
    """
    bound = np.float32(-np.inf)
    if len(scores) > count:
        rounds = max(1, len(scores) // (count * HEAPS))
        heaps = len(scores) // rounds
        maxima = scores[: rounds * heaps].reshape(rounds, heaps).max(axis=0)
        bound = np.partition(maxima, heaps - count)[heaps - count]
    places = np.flatnonzero(scores >= bound if bound > -np.inf else scores > bound)
    return places[np.argsort(-scores[places], kind="stable")][:count]


def best_of_each(
    scores: NDArray[np.float32], owners: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Like `top`, with at most one place for each owner: its best."""
    asked = count * 2 + 8
    while True:
        places = top(scores, asked)
        _, first = np.unique(owners[places], return_index=True)
        if len(first) >= count or len(places) < asked:
            return places[np.sort(first)][:count]
        asked *= 4
