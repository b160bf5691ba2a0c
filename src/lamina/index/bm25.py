"""BM25F over the groups of several partitions, whose statistics are taken together.

A turn is read with its neighbours: what the turns around it say counts for it too, in part, since
an answer often lacks the words of its question. The neighbours' words are not stored again: a
posting reaches its neighbours through the session's links.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lamina.index.terms import UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lamina.index.group import Group

K1 = 0.9  # turns are short: a word said twice says little more than once
B = 0.6
NEAR = 0.5  # what a word one turn away counts
FAR = 0.25  # and two turns away
LONG = 40.0  # words: a longer neighbour is shared out, so that an essay does not speak for a "yes"


def bm25(
    groups: Sequence[Group], terms: Sequence[int], *, neighbours: bool = True
) -> tuple[list[NDArray[np.float32]], list[float]]:
    """Scores of every passage of each group, and how rare each word is.

    The score is 0 for the dead and those without a word.
    """
    live = sum(group.live for group in groups)
    average = max(sum(group.length for group in groups) / max(live, 1), 1e-9)
    out = [np.zeros(group.count, np.float32) for group in groups]
    norms = [K1 * (1 - B + B * group.words.lengths[: group.count] / average) for group in groups]
    rarity = []
    for term in terms:
        found = [_living(group, term) for group in groups]
        living = sum(len(owners) for owners, _ in found)
        rarity.append(math.log1p((live - living + 0.5) / (living + 0.5)))
        weight = np.float32(rarity[-1] * (K1 + 1))
        for i, (group, (owners, counts)) in enumerate(zip(groups, found, strict=True)):
            if len(owners):
                tf = _counted(group, owners, counts, neighbours=neighbours)
                out[i] += weight * tf / (tf + norms[i])
    alive = [scores * group.alive for group, scores in zip(groups, out, strict=True)]
    return alive, rarity


def _living(group: Group, term: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """A word's postings without the dead, whose links still lead to those who live."""
    owners, counts = group.words.postings(term)
    alive = group.alive[owners]
    return (owners, counts) if alive.all() else (owners[alive], counts[alive])


def _counted(
    group: Group, owners: NDArray[np.uint32], counts: NDArray[np.uint8], *, neighbours: bool
) -> NDArray[np.float32]:
    """How often every passage holds a word, with what spills over from its neighbours."""
    at = owners.astype(np.intp)
    share = np.divide(counts, UNIT, dtype=np.float32)
    if neighbours:
        lengths = np.maximum(group.words.lengths[at], 1.0)
        spilled = share * np.minimum(1.0, LONG / lengths)
        near, far = NEAR * spilled, FAR * spilled
        at = np.concatenate([at, group.around[:, at].ravel()])
        share = np.concatenate([share, near, far, near, far])
    # the last place takes what has no neighbour
    return np.bincount(at, share, group.count + 1)[: group.count].astype(np.float32)
