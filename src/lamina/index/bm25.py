"""BM25F over the groups of several partitions, whose statistics are taken together.

A turn is read with its neighbours: what the turns around it say counts for it too, in part, since
an answer often lacks the words of its question. The neighbours' words are not stored again: a
posting reaches its neighbours through the session's links.
"""

from __future__ import annotations

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
) -> list[NDArray[np.float32]]:
    """Scores of every passage of each group; 0 for the dead and those without a word."""
    live = sum(group.live for group in groups)
    average = max(sum(group.length for group in groups) / max(live, 1), 1e-9)
    found = [[_living(group, term) for group in groups] for term in terms]
    out = [np.zeros(group.count, np.float32) for group in groups]
    norms = [K1 * (1 - B + B * group.words.lengths[: group.count] / average) for group in groups]
    scratch = [np.zeros(len(group.columns.after) + 1, np.float32) for group in groups]
    for postings in found:
        living = sum(len(owners) for owners, _ in postings)
        if not living:
            continue
        weight = np.float32(np.log1p((live - living + 0.5) / (living + 0.5)) * (K1 + 1))
        for i, (group, (owners, counts)) in enumerate(zip(groups, postings, strict=True)):
            if len(owners):
                share = np.divide(counts, UNIT, dtype=np.float32)
                at, tf = (
                    _spread(group, owners, share, scratch[i]) if neighbours else (owners, share)
                )
                out[i][at] += weight * tf / (tf + norms[i][at])
    return [scores * group.alive for group, scores in zip(groups, out, strict=True)]


def _living(group: Group, term: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """A word's postings without the dead, whose links still lead to those who live."""
    owners, counts = group.words.postings(term)
    alive = group.alive[owners]
    return (owners, counts) if alive.all() else (owners[alive], counts[alive])


def _spread(
    group: Group,
    owners: NDArray[np.uint32],
    counts: NDArray[np.float32],
    scratch: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Counts of one word with what spills over to neighbours: passages, each once or more often.

    Links lead one to one, so each step may add by plain indexing; whoever stands twice in the
    result stands there with the same, complete count. `scratch` is zero before and after; its
    last place takes what has no neighbour.
    """
    count, columns = group.count, group.columns
    nowhere = len(scratch) - 1
    lengths = np.maximum(group.words.lengths[owners], 1.0)
    spilled = counts * np.minimum(1.0, LONG / lengths)
    touched = [owners.astype(np.int64)]
    scratch[owners] += counts
    for links in (columns.before, columns.after):
        at = touched[0]
        for share in (NEAR, FAR):
            at = np.where(at < count, links[np.minimum(at, count - 1)], nowhere).astype(np.int64)
            at[(at < 0) | (at >= count)] = nowhere
            scratch[at] += np.float32(share) * spilled
            touched.append(at)
    everywhere = np.concatenate(touched)
    everywhere = everywhere[everywhere < count]
    total = scratch[everywhere]
    scratch[everywhere] = 0
    scratch[nowhere] = 0
    return everywhere, total
