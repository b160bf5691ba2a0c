"""What is nearest to a text by its words alone: no plan, no vectors, no neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lamina.index.bm25 import bm25
from lamina.index.partition import SAID, PartitionIndex
from lamina.rank.top import best_of_each, top
from lamina.types import Kind


def nearest_memories(index: PartitionIndex, terms: Sequence[int], most: int) -> list[int]:
    """Numbers of the first passages of the memories that share most with these terms."""
    group = index.groups[SAID]
    if not group.live or not terms:
        return []
    (scores,), _ = bm25([group], terms, neighbours=False)
    memory = group.codes.kinds.known(str(Kind.MEMORY))
    columns = group.columns
    mine = np.where(columns.kind[: group.count] == memory, scores, np.float32(0))
    places = best_of_each(mine, columns.item[: group.count], most)
    return [int(columns.seq[place]) for place in places if mine[place] > 0]


def nearest_texts(index: PartitionIndex, group: str, terms: Sequence[int], most: int) -> list[int]:
    """Numbers of the passages of a group that share most with these terms."""
    where = index.groups[group]
    if not where.live or not terms:
        return []
    (scores,), _ = bm25([where], terms, neighbours=False)
    return [int(where.columns.seq[place]) for place in top(scores, most) if scores[place] > 0]
