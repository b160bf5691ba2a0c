"""The memories whose words are nearest to a text's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lamina.index.bm25 import bm25
from lamina.index.partition import SAID, PartitionIndex
from lamina.rank.top import best_of_each
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
