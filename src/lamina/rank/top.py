"""The best of many scores, without sorting them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 128


def top(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Places of the `count` largest scores, best first, the earlier first among equals.

    The count-th largest maximum of the blocks is a lower bound of the count-th score, so only what
    reaches it needs sorting. Scores of minus infinity are never returned.
    """
    blocks = len(scores) // BLOCK
    if blocks > count:
        maxima = scores[: blocks * BLOCK].reshape(blocks, BLOCK).max(axis=1)
        bound = np.partition(maxima, blocks - count)[blocks - count]
        places = np.flatnonzero(scores >= bound)
        places = places[scores[places] > -np.inf]
    else:
        places = np.flatnonzero(scores > -np.inf)
    return places[np.lexsort((places, -scores[places]))][:count]


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
