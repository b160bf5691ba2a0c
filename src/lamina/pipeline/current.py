"""What is true stands above what was: of memories about one thing, those that still hold first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lamina.pipeline.alike import resembles
from lamina.pipeline.found import Found
from lamina.types import MemoryRecord, Message

STEP = 1e-3  # of the raw score: just below


def valid_first(found: Sequence[Found], now: datetime) -> list[Found]:
    """Each past memory below those about the same thing, of later past ones too.

    A signal `superseded` says by how much it had to go down. Messages stay where they are: they
    tell what was said, not what is so.
    """
    past = sorted(
        (place for place, one in enumerate(found) if one.is_past(now)),
        key=lambda place: _end(found[place]),
        reverse=True,
    )
    if not past:
        return list(found)
    out = list(found)
    above = [
        place
        for place, one in enumerate(found)
        if isinstance(one.passage.item, MemoryRecord) and not one.is_past(now)
    ]
    for place in past:
        low = [out[other].raw for other in above if same_thing(out[other], out[place])]
        if low and min(low) <= out[place].raw:
            out[place] = out[place].at(min(low) - STEP, "superseded")
        above.append(place)
    return sorted(out, key=lambda one: -one.raw)


def _end(one: Found) -> datetime:
    item = one.passage.item
    assert isinstance(item, MemoryRecord)
    assert item.valid_to is not None
    return item.valid_to


def same_thing(a: Found, b: Found) -> bool:
    """Whether two memories are about the same thing: one topic, or much the same words."""
    first, second = a.passage.item, b.passage.item
    if isinstance(first, MemoryRecord) and isinstance(second, MemoryRecord):
        if first.id == second.id:
            return False
        if first.topic and second.topic:
            return first.topic == second.topic and a.passage.partition == b.passage.partition
    return resembles(a.text, b.text)


def true_until(same: Sequence[Message | MemoryRecord], now: datetime) -> datetime | None:
    """Until when it was true what these items all say; None where it is, or nobody knows.

    A memory may know an end. One that knows none, and a message from behind it, speak against it.
    """
    ends = [item.valid_to for item in same if isinstance(item, MemoryRecord)]
    known = [end for end in ends if end is not None and end <= now]
    if not known or len(known) < len(ends):
        return None
    said = [item.created_at for item in same if isinstance(item, Message)]
    return max(known) if max(said, default=max(known)) <= max(known) else None
