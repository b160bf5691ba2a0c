"""Words as packed records of hashed terms: what a passage row carries for the index.

One record is five bytes: the keyed 32-bit hash of the word, then field << 5 | min(count, 31).
Hashes are no secrecy; the key only keeps two stores' hashes apart.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECORD = np.dtype([("hash", "<u4"), ("code", "u1")])
MOST = 31  # the largest count a record can say
UNIT = 4  # weighted counts are kept in quarters, at most 63.75


class Field(IntEnum):
    """Which part of an item a word stands in."""

    CONTENT = 0
    ABSTRACT = 1
    OVERVIEW = 2
    METADATA = 3
    TITLE = 4
    NAME = 5
    CHARACTER = 6  # single Han characters, asked for only by one-character queries


# The proportions 10 : 5 : 3 : 2 : 1 of abstract, overview, content, metadata and address are those
# of the layered stores that people know; content is the unit. A speaker's name counts as a word.
WEIGHTS = {
    Field.CONTENT: 1.0,
    Field.ABSTRACT: 10 / 3,
    Field.OVERVIEW: 5 / 3,
    Field.METADATA: 2 / 3,
    Field.TITLE: 1 / 3,
    Field.NAME: 1.0,
    Field.CHARACTER: 1.0,
}
_codes = np.arange(256)
WEIGHT_OF_CODE = np.zeros(256, np.uint16)
LENGTH_OF_CODE = np.zeros(256, np.uint16)
for _field, _weight in WEIGHTS.items():
    _of_field = (_codes >> 5) == _field
    WEIGHT_OF_CODE[_of_field] = np.maximum(1, np.round(_weight * (_codes & MOST) * UNIT))[_of_field]
    if _field is not Field.CHARACTER:  # characters repeat the words: they must not lengthen a text
        LENGTH_OF_CODE[_of_field] = WEIGHT_OF_CODE[_of_field]


class Hasher(dict[str, int]):
    """word -> keyed 32-bit hash, remembered for the words met so far (bounded)."""

    def __init__(self, key: bytes, limit: int = 1 << 17) -> None:
        super().__init__()
        self._base = hashlib.blake2b(key=key, digest_size=4)
        self._limit = limit

    def __missing__(self, word: str) -> int:
        hashed = self._base.copy()
        hashed.update(word.encode("utf-8", "surrogatepass"))
        if len(self) >= self._limit:
            self.clear()
        self[word] = number = int.from_bytes(hashed.digest(), "little")
        return number


Words = Sequence[tuple[Field, Sequence[str]]]  # the words of one passage, by field


def pack(words: Words, hasher: Hasher) -> bytes:
    """The records of one passage."""
    return pack_many([words], hasher)[0] if _is_long(words) else _pack_short(words, hasher)


def _is_long(words: Words) -> bool:
    return any(len(part) > 256 for _, part in words)


def _pack_short(words: Words, hasher: Hasher) -> bytes:
    out = bytearray()
    for field, part in words:
        for number, count in Counter(map(hasher.__getitem__, part)).items():
            out += number.to_bytes(4, "little")
            out.append(field << 5 | min(count, MOST))
    if len(words) > 1:
        records = np.frombuffer(bytes(out), RECORD)
        return records[np.argsort(records["hash"], kind="stable")].tobytes()
    return bytes(out)


def pack_many(passages: Sequence[Words], hasher: Hasher) -> list[bytes]:
    """The records of many passages, each in the order that `pack` gives up to equal hashes."""
    owners = [i << 35 | field for i, words in enumerate(passages) for field, _ in words]
    parts = [part for words in passages for _, part in words]
    counts = np.fromiter(map(len, parts), np.int64, len(parts))
    numbers = map(hasher.__getitem__, chain.from_iterable(parts))
    hashes = np.fromiter(numbers, np.uint64, int(counts.sum()))
    key = np.repeat(np.array(owners, np.uint64), counts) | hashes << np.uint64(3)
    key.sort()
    new = np.concatenate([[True], key[1:] != key[:-1]]) if len(key) else np.zeros(0, bool)
    at = np.flatnonzero(new)
    unique = key[at]
    count = np.minimum(np.diff(np.append(at, len(key))), MOST).astype(np.uint8)
    records = np.empty(len(unique), RECORD)
    records["hash"] = (unique >> np.uint64(3)).astype(np.uint32)
    records["code"] = ((unique & np.uint64(7)) << np.uint64(5)).astype(np.uint8) | count
    edges = np.arange(len(passages) + 1, dtype=np.uint64) << np.uint64(35)
    cuts = (np.searchsorted(unique, edges) * RECORD.itemsize).tolist()
    packed = records.tobytes()
    return [packed[a:b] for a, b in pairwise(cuts)]


def unpack(
    blobs: Sequence[bytes], first: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.float32]]:
    """Postings of passages numbered from `first`: hashes, passage numbers, weighted counts.

    The fourth array holds the passages' weighted lengths.
    """
    counts = np.fromiter(map(len, blobs), np.int64, len(blobs)) // RECORD.itemsize
    records = np.frombuffer(b"".join(blobs), RECORD)
    hashes = np.ascontiguousarray(records["hash"])
    codes = np.ascontiguousarray(records["code"])
    weights = WEIGHT_OF_CODE[codes].astype(np.int64)
    owners = np.repeat(np.arange(first, first + len(blobs), dtype=np.uint32), counts)
    ends = np.cumsum(counts)
    sums = np.concatenate([[0], np.cumsum(LENGTH_OF_CODE[codes], dtype=np.int64)])
    lengths = ((sums[ends] - sums[ends - counts]) / UNIT).astype(np.float32)
    if len(codes) and codes.max() > MOST:  # several fields: one posting a word and passage
        starts = np.flatnonzero(
            np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])])
        )
        hashes, owners = hashes[starts], owners[starts]
        weights = np.add.reduceat(weights, starts)
    return hashes, owners, np.minimum(weights, 255).astype(np.uint8), lengths
