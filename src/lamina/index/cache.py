"""Indexes in memory: built on demand, refreshed before use, the least recently used dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict

from lamina.forks import renew_in_child
from lamina.index.partition import PartitionIndex
from lamina.ports.store import Store
from lamina.types import Partition

STRIPES = 64  # locks for refreshing: enough that two users' searches seldom wait for each other


class IndexCache:
    """The loaded partitions of one store, within a bound of bytes. Shared by threads.

    Readers get an index that never changes under them; only refreshing takes turns.
    """

    def __init__(self, store: Store, max_bytes: int) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._loaded: OrderedDict[Partition, PartitionIndex] = OrderedDict()
        self.forked()
        renew_in_child(self)

    def forked(self) -> None:
        """All locks anew, whoever held them."""
        self._lock = threading.Lock()
        self._refreshing = [threading.Lock() for _ in range(STRIPES)]

    def get(self, partition: Partition, space: str, dimensions: int) -> PartitionIndex:
        """The index of a partition as the store has it now, with vectors of this space."""
        counter = self._store.counter(partition)
        with self._lock:
            index = self._loaded.get(partition)
            if index is not None and index.space == space and index.cursor.counter >= counter:
                self._loaded.move_to_end(partition)
                return index
        with self._refreshing[hash(partition) % STRIPES]:
            with self._lock:
                index = self._loaded.pop(partition, None)  # a failed refresh leaves nothing behind
            if index is None or index.space != space:
                index = PartitionIndex.empty(partition, space, dimensions)
            if index.cursor.counter < counter:
                index = index.refreshed(self._store)
            self._keep(index)
        return index

    def _keep(self, index: PartitionIndex) -> None:
        with self._lock:
            self._loaded[index.partition] = index
            self._loaded.move_to_end(index.partition)
            total = sum(one.nbytes for one in self._loaded.values())
            while total > self._max_bytes and len(self._loaded) > 1:
                _, dropped = self._loaded.popitem(last=False)
                total -= dropped.nbytes

    def forget(self) -> None:
        """Drop everything; the next search loads anew."""
        with self._lock:
            self._loaded.clear()

    @property
    def nbytes(self) -> int:
        """Bytes held by the loaded indexes."""
        with self._lock:
            return sum(index.nbytes for index in self._loaded.values())
