"""A result on its way out: a place in a ranking, its item and its text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from lamina.pipeline.score import Ranked
from lamina.ports.store import Passage
from lamina.types import MemoryRecord, Signal


@dataclass(frozen=True, slots=True, eq=False)  # its arrays have no truth value
class Found:
    """What was found at a place of a ranking. `raw` is the sum of its signals."""

    ranked: Ranked
    place: int
    passage: Passage
    text: str
    raw: float
    later: tuple[Signal, ...] = ()  # what steps after the ranking added

    def is_own(self, script: str) -> bool:
        """Whether it is in the question's script, as far as that is known."""
        known = self.ranked.found.codes.scripts.known(script)
        return not script or int(self.ranked.found.script[self.place]) == known

    def signals(self) -> tuple[Signal, ...]:
        """What its raw score is made of."""
        return self.ranked.signals(self.place) + self.later

    def at(self, raw: float, name: str, *, told: float = 0.0, rank: int | None = None) -> Found:
        """The same with another raw score, and a signal of this name that makes up for it."""
        if raw == self.raw and not told:
            return self
        signal = Signal(name, value=raw - self.raw, weight=1.0, raw=told, rank=rank)
        return replace(self, raw=raw, later=(*self.later, signal))

    def is_past(self, now: datetime) -> bool:
        """Whether it is a memory of what is no longer true."""
        item = self.passage.item
        return isinstance(item, MemoryRecord) and item.valid_to is not None and item.valid_to <= now
