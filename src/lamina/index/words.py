"""An inverted index in NumPy: sorted hashes -> passage numbers and weighted counts.

Passages are numbered from 0 in the order of their arrival. New ones go to an unsorted tail that is
scanned, and merged into the sorted part when it grows large. A `WordIndex` never changes: `added`
gives a new one that shares what it can. What it shares it only ever writes behind the end that
older ones know of, so readers need no lock; writers take turns (see index/cache.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lamina.index.terms import unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAIL_PASSAGES = 1024  # a longer tail costs a query more than its merge saves

_Scalar = TypeVar("_Scalar", bound=np.generic)


def _none(kind: type[_Scalar]) -> NDArray[_Scalar]:
    return np.zeros(0, kind)


def appended(array: NDArray[_Scalar], used: int, more: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """`more` written behind the used part: in place where there is room, else in a larger copy."""
    size = used + len(more)
    if size > len(array):
        larger = np.zeros(max(size, len(array) * 3 // 2, 64), array.dtype)
        larger[:used] = array[:used]
        array = larger
    array[used:size] = more
    return array


@dataclass(frozen=True, slots=True)
class WordIndex:
    """Postings of `count` passages; `lengths` are their weighted numbers of words."""

    count: int = 0
    lengths: NDArray[np.float32] = field(default_factory=lambda: _none(np.float32))
    terms: NDArray[np.uint32] = field(default_factory=lambda: _none(np.uint32))
    starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    owners: NDArray[np.uint32] = field(default_factory=lambda: _none(np.uint32))
    counts: NDArray[np.uint8] = field(default_factory=lambda: _none(np.uint8))
    tail_terms: NDArray[np.uint32] = field(default_factory=lambda: _none(np.uint32))
    tail_owners: NDArray[np.uint32] = field(default_factory=lambda: _none(np.uint32))
    tail_counts: NDArray[np.uint8] = field(default_factory=lambda: _none(np.uint8))
    tail: int = 0  # postings in the tail
    merged: int = 0  # passages in the sorted part

    def added(self, blobs: Sequence[bytes]) -> WordIndex:
        """With the passages of these blobs behind the ones there are."""
        terms, owners, counts, lengths = unpack(blobs, self.count)
        longer = replace(
            self,
            count=self.count + len(blobs),
            tail=self.tail + len(terms),
            lengths=appended(self.lengths, self.count, lengths),
            tail_terms=appended(self.tail_terms, self.tail, terms),
            tail_owners=appended(self.tail_owners, self.tail, owners),
            tail_counts=appended(self.tail_counts, self.tail, counts),
        )
        return longer.merged_all() if longer.count - self.merged > TAIL_PASSAGES else longer

    def merged_all(self) -> WordIndex:
        """The tail sorted into the rest. Numbers only grow, so each goes to its term's end."""
        t = self.tail
        terms, starts, owners, counts = _sorted(
            self.tail_terms[:t], self.tail_owners[:t], self.tail_counts[:t]
        )
        if len(self.owners):
            sizes = np.diff(starts)
            ends = self.starts[np.searchsorted(self.terms, terms, side="right")]
            at = np.repeat(ends, sizes)
            owners, counts = np.insert(self.owners, at, owners), np.insert(self.counts, at, counts)
            place = np.searchsorted(self.terms, terms)
            known = place < len(self.terms)
            known[known] = self.terms[place[known]] == terms[known]
            totals = np.diff(self.starts)
            totals[place[known]] += sizes[known]
            totals = np.insert(totals, place[~known], sizes[~known])
            terms = np.insert(self.terms, place[~known], terms[~known])
            starts = np.concatenate([[0], np.cumsum(totals)])
        return WordIndex(self.count, self.lengths, terms, starts, owners, counts, merged=self.count)

    def kept(self, alive: NDArray[np.bool_]) -> WordIndex:
        """Without the passages that are not alive; the others are numbered anew, in order."""
        whole = self.merged_all() if self.tail else self
        alive = alive[: self.count]
        numbers = (np.cumsum(alive) - 1).astype(np.uint32)
        keep = alive[whole.owners]
        sums = np.concatenate([[0], np.cumsum(keep)])[whole.starts]
        some = sums[1:] > sums[:-1]
        count = int(np.count_nonzero(alive))
        return WordIndex(
            count,
            self.lengths[: self.count][alive],
            whole.terms[some],
            np.concatenate([[0], sums[1:][some]]),
            numbers[whole.owners[keep]],
            whole.counts[keep],
            merged=count,
        )

    def postings(self, term: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Numbers of the passages that hold a word, ascending, and its weighted counts there."""
        i = int(np.searchsorted(self.terms, np.uint32(term)))
        if i < len(self.terms) and self.terms[i] == term:
            a, b = self.starts[i], self.starts[i + 1]
            owners, counts = self.owners[a:b], self.counts[a:b]
        else:
            owners, counts = self.owners[:0], self.counts[:0]
        if self.tail:
            at = np.flatnonzero(self.tail_terms[: self.tail] == np.uint32(term))
            if len(at):
                owners = np.concatenate([owners, self.tail_owners[at]])
                counts = np.concatenate([counts, self.tail_counts[at]])
        return owners, counts

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays."""
        arrays = (
            self.lengths, self.terms, self.starts, self.owners, self.counts,
            self.tail_terms, self.tail_owners, self.tail_counts,
        )  # fmt: skip
        return sum(array.nbytes for array in arrays)


def _sorted(
    terms: NDArray[np.uint32], owners: NDArray[np.uint32], counts: NDArray[np.uint8]
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    """Postings by term: unique terms, where each one's postings start, and the postings."""
    order = _order(terms)
    terms = terms[order]
    at = np.flatnonzero(terms[1:] != terms[:-1]) + 1
    end = np.array([len(terms)]) if len(terms) else at
    starts = np.concatenate([np.zeros(1, np.int64), at, end])
    return terms[starts[:-1]], starts, owners[order], counts[order]


def _order(terms: NDArray[np.uint32]) -> NDArray[np.int64]:
    """A stable order in two passes of 16 bits, which NumPy sorts by radix: linear, not n log n."""
    first = np.argsort(terms.astype(np.uint16), kind="stable")
    return first[np.argsort((terms >> np.uint32(16)).astype(np.uint16)[first], kind="stable")]
