"""The index of one partition: three groups of passages, and how far it has read.

What people said, what tools returned, and what documents hold are counted apart: a page of log
must not decide which words are rare in a conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from lamina.index.columns import Vocabulary
from lamina.index.group import Group
from lamina.index.vectors import Vectors
from lamina.ports.store import Changes, Cursor, Store
from lamina.types import Kind, Layer, Partition

if TYPE_CHECKING:
    from lamina.ports.store import Rows

SAID, TOOL, ARCHIVAL = "said", "tool", "archival"
GROUPS = (SAID, TOOL, ARCHIVAL)
AT_ONCE = 20_000  # passages read at a time: bounds what a large partition needs while it loads


@cache
def group_of(kind: str, layer: str, role: str) -> str:
    """The group that a passage belongs to."""
    if layer == Layer.ARCHIVAL:
        return ARCHIVAL
    return TOOL if kind == Kind.MESSAGE and role == "tool" else SAID


@dataclass(frozen=True, slots=True)
class PartitionIndex:
    """An index that never changes for its reader."""

    partition: Partition
    codes: Vocabulary
    groups: dict[str, Group]
    space: str
    cursor: Cursor

    @classmethod
    def empty(cls, partition: Partition, space: str, dimensions: int) -> PartitionIndex:
        """An index that has read nothing yet."""
        codes = Vocabulary()
        groups = {name: Group(Vectors(dimensions), codes) for name in GROUPS}
        return cls(partition, codes, groups, space, Cursor())

    def refreshed(self, store: Store) -> PartitionIndex:
        """With everything that the store has by now. One writer at a time."""
        index = self
        while True:
            changes = store.changes(self.partition, index.cursor, self.space, AT_ONCE)
            if changes.rebuild:
                dimensions = self.groups[SAID].vectors.dimensions
                index = PartitionIndex.empty(self.partition, self.space, dimensions)
                continue
            index = index.with_changes(changes)
            if not changes.more:
                return index

    def with_changes(self, changes: Changes) -> PartitionIndex:
        """With these changes: new passages first, then vectors, then what is gone."""
        groups = dict(self.groups)
        for name, chosen in _by_group(changes.rows).items():
            groups[name] = groups[name].added(changes.rows, chosen)
        if changes.vectors:
            seqs = np.fromiter((seq for seq, _ in changes.vectors), np.int64, len(changes.vectors))
            blobs = [blob for _, blob in changes.vectors]
            groups = {name: group.filled(seqs, blobs) for name, group in groups.items()}
        if changes.gone:
            gone = np.fromiter(changes.gone, np.int64, len(changes.gone))
            groups = {name: group.removed(gone) for name, group in groups.items()}
        return replace(self, groups=groups, cursor=changes.cursor)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(group.nbytes for group in self.groups.values())


def _by_group(rows: Rows) -> dict[str, list[int]]:
    chosen: dict[str, list[int]] = {}
    for i, which in enumerate(map(group_of, rows.kind, rows.layer, rows.role)):
        chosen.setdefault(which, []).append(i)
    return chosen
