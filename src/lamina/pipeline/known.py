"""How a memory read at a time in the past, by its history."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from lamina.plain import from_plain
from lamina.ports.store import Store
from lamina.types import MemoryRecord, Message, Partition

Item = TypeVar("Item", Message, MemoryRecord)


def as_known(store: Store, partition: Partition, item: Item, at: datetime | None) -> Item:
    """An item as the store had it then; without a time as it is. A message never changes."""
    if at is None or isinstance(item, Message):
        return item
    if item.updated_at is None or item.updated_at <= at:
        return item
    known = [event for event in store.history(partition, item.id) if event.at <= at]
    last = known[-1].after if known else None
    return item if last is None else from_plain(MemoryRecord, last)
