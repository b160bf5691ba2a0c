"""The working layer: what holds for one turn of a conversation. In memory, never on disk."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from lamina.forks import renew_in_child
from lamina.pipeline.trust import WEAK, score, trust
from lamina.text.words import index_words, query_words
from lamina.types import Hit, Kind, Layer, MemoryRecord, Partition, Source


@dataclass(slots=True)
class Turn:
    """What a turn is about, and what was noted for it."""

    goal: str = ""
    focus: tuple[str, ...] = ()  # what is spoken of: names, things
    options: tuple[str, ...] = ()  # what was offered last
    notes: dict[str, MemoryRecord] = field(default_factory=dict)

    @property
    def said(self) -> list[str]:
        """What a question that points at something may point at."""
        return [part for part in (self.goal, *self.focus, *self.options) if part]


class Working:
    """The turns of all open conversations. Threads share it."""

    def __init__(self) -> None:
        self._turns: dict[tuple[Partition, str], Turn] = {}
        self.forked()
        renew_in_child(self)

    def forked(self) -> None:
        """The lock anew."""
        self._lock = threading.Lock()

    def begin(self, partition: Partition, session_id: str, turn: Turn) -> None:
        """A turn begins; what the last one held is gone."""
        with self._lock:
            self._turns[partition, session_id] = turn

    def end(self, partition: Partition, session_id: str) -> int:
        """A turn ends. Returns how many notes went with it."""
        with self._lock:
            turn = self._turns.pop((partition, session_id), None)
        return 0 if turn is None else len(turn.notes)

    def note(self, partition: Partition, record: MemoryRecord) -> None:
        """Keep a note until the turn ends."""
        with self._lock:
            turn = self._turns.setdefault((partition, record.session_id or ""), Turn())
            turn.notes[record.id] = record

    def drop(self, partition: Partition, id: str) -> None:
        """Let a note go before the turn ends."""
        with self._lock:
            for (owner, _), turn in self._turns.items():
                if owner == partition:
                    turn.notes.pop(id, None)

    def notes(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """What is noted now, newest first."""
        with self._lock:
            found = [
                (partition, record)
                for (partition, _), turn in self._turns.items()
                if partition in partitions
                for record in turn.notes.values()
            ]
        return sorted(found, key=lambda one: one[1].id, reverse=True)

    def said(self, partition: Partition, session_id: str) -> list[str]:
        """What the turn of a conversation is about."""
        with self._lock:
            turn = self._turns.get((partition, session_id))
            return [] if turn is None else turn.said


def found_among(records: Sequence[MemoryRecord], question: str) -> list[Hit]:
    """The notes that share a word with a question, best first."""
    words = set(query_words(question))
    hits = []
    for record in records:
        covered = len(words & set(index_words(record.content))) / len(words) if words else 0.0
        if covered:
            value = score(trust(None, covered, len(records)), 0.0, 0.0)
            hits.append(_hit(record, value))
    return sorted(hits, key=lambda hit: -hit.score)


def _hit(record: MemoryRecord, value: float) -> Hit:
    return Hit(
        id=record.id,
        kind=Kind.MEMORY,
        text=record.content,
        date=record.said_at,
        score=value,
        source=record.sources or (Source(Kind.MEMORY, record.id, record.session_id),),
        role=str(record.origin),
        layer=Layer.WORKING,
        weak=value < WEAK,
    )
