"""Vectors of passages as float32 rows in blocks, so that growing never copies what is there.

Each passage has two views: the text alone, and the text with the end of the turn before it.
Readers hold a `Vectors` and need no lock: a row is written before `have` says that it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALONE, WINDOW = 0, 1
VIEWS = 2
SMALLEST, LARGEST = 256, 8192  # rows of a block: small stores stay small, large ones have few


@dataclass(frozen=True, slots=True)
class Vectors:
    """Blocks of shape (views, rows, dimensions) for `size` passages; `have` marks those filled."""

    dimensions: int
    size: int = 0
    blocks: tuple[NDArray[np.float32], ...] = ()
    have: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def extended(self, size: int) -> Vectors:
        """With room for `size` passages, the new ones without a vector."""
        blocks, room = list(self.blocks), sum(block.shape[1] for block in self.blocks)
        while room < size:
            rows = min(max(SMALLEST, room, min(size - room, LARGEST)), LARGEST)
            blocks.append(np.zeros((VIEWS, rows, self.dimensions), np.float32))
            room += rows
        have = np.zeros(size, np.bool_)
        have[: self.size] = self.have
        return replace(self, size=size, blocks=tuple(blocks), have=have)

    def filled(self, numbers: NDArray[np.int64], vectors: Sequence[bytes]) -> Vectors:
        """With the vectors of these passages; a blob is one view, or both, in float16.

        A blob of another length is of another space and passed over.
        """
        have = self.have.copy()
        sizes = np.fromiter(map(len, vectors), np.int64, len(vectors))
        for views in range(1, VIEWS + 1):
            chosen = np.flatnonzero(sizes == views * self.dimensions * 2)
            if len(chosen):
                joined = np.frombuffer(b"".join(vectors[i] for i in chosen.tolist()), np.float16)
                rows = joined.reshape(len(chosen), views, self.dimensions).swapaxes(0, 1)
                self._put(numbers[chosen], rows)
                have[numbers[chosen]] = True
        return replace(self, have=have)

    def _put(self, numbers: NDArray[np.int64], rows: NDArray[np.floating[Any]]) -> None:
        for block, start in self._starts():
            here = (numbers >= start) & (numbers < start + block.shape[1])
            if here.all():
                block[:, numbers - start] = rows
            elif here.any():
                block[:, numbers[here] - start] = rows[:, here]

    def cosines(self, view: int, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """The best cosine of one view of every passage with unit vectors, shape (some, dimensions).

        NaN where a passage has no vector, or the queries are of other dimensions.
        """
        out = np.full(self.size, np.nan, np.float32)
        if queries.shape[1] != self.dimensions:
            return out
        for block, start in self._starts():
            rows = block[view, : max(0, self.size - start)]
            if len(queries) == 1:
                np.vecdot(rows, queries[0], out=out[start : start + len(rows)])
            else:
                np.max(rows @ queries.T, axis=1, out=out[start : start + len(rows)])
        out[~self.have] = np.nan
        return out

    def kept(self, alive: NDArray[np.bool_]) -> Vectors:
        """Without the passages that are not alive, numbered anew in order."""
        new = Vectors(self.dimensions).extended(int(np.count_nonzero(alive)))
        at = 0
        for block, start in self._starts():
            chosen = block[:, : max(0, self.size - start)][:, alive[start : start + block.shape[1]]]
            numbers = np.arange(at, at + chosen.shape[1])
            new._put(numbers, chosen)  # noqa: SLF001 - filling a fresh one of our own kind
            at += chosen.shape[1]
        return replace(new, have=self.have[alive])

    def _starts(self) -> list[tuple[NDArray[np.float32], int]]:
        """The blocks, each with the number of its first passage."""
        starts, total = [], 0
        for block in self.blocks:
            starts.append((block, total))
            total += block.shape[1]
        return starts

    @property
    def nbytes(self) -> int:
        """Bytes held by the blocks."""
        return sum(block.nbytes for block in self.blocks) + self.have.nbytes
