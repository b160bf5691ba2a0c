"""The passages of one kind in one partition, which share their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from lamina.index.columns import Columns, Vocabulary
from lamina.index.vectors import Vectors
from lamina.index.words import WordIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lamina.ports.store import Rows

FEWEST_DEAD = 1024  # dead passages worth a rewrite, and at least an eighth of all


@dataclass(frozen=True, slots=True)
class Group:
    """An index that never changes for its reader. `last` belongs to the writer alone."""

    vectors: Vectors
    codes: Vocabulary
    words: WordIndex = field(default_factory=WordIndex)
    columns: Columns = field(default_factory=Columns)
    alive: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    live: int = 0
    length: float = 0.0  # sum of the lengths of the living
    last: dict[int, int] = field(default_factory=dict)
    _around: list[NDArray[np.intp]] = field(init=False, default_factory=list)

    @property
    def count(self) -> int:
        """Passages, dead ones included."""
        return self.columns.count

    @property
    def around(self) -> NDArray[np.intp]:
        """Each passage's neighbours, shape (4, count + 1): one and two before, one and two after.

        `count` stands for nobody. Made at the first search of a group, which never changes.
        """
        if not self._around:
            self._around.append(self.columns.around())
        return self._around[0]

    def added(self, rows: Rows, chosen: Sequence[int]) -> Group:
        """With these rows behind the ones there are."""
        words = self.words.added([rows.terms[i] for i in chosen])
        lengths = words.lengths[self.count : words.count]
        return replace(
            self,
            words=words,
            columns=self.columns.added(rows, chosen, self.codes, self.last),
            vectors=self.vectors.extended(words.count),
            alive=np.concatenate([self.alive, np.ones(len(chosen), np.bool_)]),
            live=self.live + len(chosen),
            length=self.length + float(lengths.sum(dtype=np.float64)),
        )

    def numbers(self, seqs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of those living passages that are here, of these seqs."""
        mine = self.columns.seq[: self.count]
        at = np.searchsorted(mine, seqs)
        inside = at < self.count
        at, seqs = at[inside], seqs[inside]
        found: NDArray[np.int64] = at[mine[at] == seqs]
        return found[self.alive[found]]

    def removed(self, seqs: NDArray[np.int64]) -> Group:
        """Without these passages, if they are here."""
        gone = self.numbers(seqs)
        if not len(gone):
            return self
        alive = self.alive.copy()
        alive[gone] = False
        self.columns.unlinked(gone.tolist(), self.last)
        smaller = replace(
            self,
            alive=alive,
            live=self.live - len(gone),
            length=self.length - float(self.words.lengths[gone].sum(dtype=np.float64)),
        )
        dead = smaller.count - smaller.live
        return smaller.compacted() if dead > max(FEWEST_DEAD, self.count // 8) else smaller

    def compacted(self) -> Group:
        """Without its dead."""
        numbers = np.cumsum(self.alive) - 1
        return replace(
            self,
            words=self.words.kept(self.alive),
            columns=self.columns.kept(self.alive),
            vectors=self.vectors.kept(self.alive),
            alive=np.ones(self.live, np.bool_),
            last={session: int(numbers[number]) for session, number in self.last.items()},
        )

    def filled(self, seqs: NDArray[np.int64], vectors: Sequence[bytes]) -> Group:
        """With the vectors of those of these passages that are here."""
        if not self.count:
            return self
        mine = self.columns.seq[: self.count]
        at = np.searchsorted(mine, seqs)
        here = np.flatnonzero((at < self.count) & (mine[np.minimum(at, self.count - 1)] == seqs))
        if not len(here):
            return self
        chosen = [vectors[i] for i in here.tolist()]
        return replace(self, vectors=self.vectors.filled(at[here], chosen))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return (
            self.words.nbytes + self.columns.nbytes + self.vectors.nbytes + int(self.alive.nbytes)
        )
