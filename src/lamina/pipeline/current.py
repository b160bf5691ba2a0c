"""What is true stands above what was: of results about one thing, those that still hold first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lamina.pipeline.alike import resembles
from lamina.pipeline.found import Found
from lamina.types import MemoryRecord, Message

STEP = 1e-3  # of the raw score: just below
Same = tuple[Found, Sequence[Found]]  # a result, and those that say the same


def valid_first(found: Sequence[Same], now: datetime) -> list[Same]:
    """What is past below what holds about the same thing, and below what was true later.

    A signal `superseded` says by how much it had to go down. Messages of which no memory says
    whether they hold stay where they are: they tell what was said, not what is so.
    """
    ends = [true_until(items_of(same), now) for same in found]
    past = sorted((end, place) for place, end in enumerate(ends) if end is not None)
    if not past:
        return list(found)
    out = list(found)
    above = [
        place
        for place, same in enumerate(found)
        if ends[place] is None and any(isinstance(i, MemoryRecord) for i in items_of(same))
    ]
    for _, place in reversed(past):
        one, others = out[place]
        low = [out[other][0].raw for other in above if _one_thing(out[other], out[place])]
        if low and min(low) <= one.raw:
            out[place] = one.at(min(low) - STEP, "superseded"), others
        above.append(place)
    return sorted(out, key=lambda same: -same[0].raw)


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


def items_of(same: Same) -> list[Message | MemoryRecord]:
    """The items of a result and of those that say the same."""
    one, others = same
    return [found.passage.item for found in (one, *others)]


def _one_thing(a: Same, b: Same) -> bool:
    """Whether two results are about the same thing: one topic, or else much the same words."""
    first, second = _topics(a), _topics(b)
    if first and second:
        return bool(first & second)
    return resembles(a[0].text, b[0].text)


def _topics(same: Same) -> set[tuple[str, str]]:
    """What its memories are about, and whose they are."""
    one, others = same
    return {
        (found.passage.partition.user, found.passage.item.topic)
        for found in (one, *others)
        if isinstance(found.passage.item, MemoryRecord) and found.passage.item.topic
    }
