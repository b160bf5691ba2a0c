"""What the reference store keeps of what was decided, changed and done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from lamina.ports.store import EVENTS_KEPT
from lamina.stores import rows as row
from lamina.stores.dicts import Part, checked, kept_decision
from lamina.stores.memory_jobs import Jobs
from lamina.types import Decision, Event, HistoryEvent, Partition


class Log(Jobs):
    """The partitions of a store in memory, and what is noted beside their items."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: dict[Partition, Part] = {}
        self._events: list[tuple[Partition, Event]] = []
        self._floor = 0  # where counters begin: behind those of all that were dropped

    def _seen(self, partition: Partition) -> Part:
        """A partition to read: an empty one where there is none."""
        return self._parts.get(partition) or Part()

    def _made(self, partition: Partition) -> Part:
        """A partition to write to; it comes to be with its first write."""
        checked((partition.user, partition.agent))
        return self._parts.setdefault(partition, Part(self._floor, self._floor))

    def decisions(
        self,
        partitions: Sequence[Partition],
        *,
        item: str | None = None,
        waiting: bool = False,
        after: int = 0,
        limit: int | None = None,
    ) -> list[tuple[Partition, Decision]]:
        """Decisions behind a number, in order."""
        with self._held():
            found = [
                (one, decision)
                for one in partitions
                for decision in self._seen(one).decisions.values()
                if decision.id > after and (decision.waiting or not waiting)
                if item is None or item in (decision.memory, decision.target, decision.message)
            ]
        return sorted(found, key=lambda one: one[1].id)[:limit]

    def decide(self, partition: Partition, decisions: Sequence[Decision]) -> None:
        """Note decisions; one with an id replaces that one."""
        with self._held():
            noted = list(map(kept_decision, decisions))
            self._note(self._made(partition), noted)

    def _note(self, part: Part, decisions: Sequence[Decision]) -> None:
        for decision in decisions:
            if not decision.id:
                (number,) = self._next("decision")
                part.decisions[number] = replace(decision, id=number)
            elif decision.id in part.decisions:
                part.decisions[decision.id] = decision

    def history(self, partition: Partition, id: str) -> list[HistoryEvent]:
        """All changes of a memory, oldest first."""
        with self._held():
            return list(self._seen(partition).history.get(id, ()))

    def changed(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, HistoryEvent]]:
        """Changes of memories between two times."""
        with self._held():
            found = [
                (one, event)
                for one in partitions
                for events in self._seen(one).history.values()
                for event in events
                if since <= event.at < until
            ]
        return sorted(found, key=lambda one: one[1].at)

    def note(self, partition: Partition, events: Sequence[Event]) -> None:
        """Keep events for the log."""
        with self._held():
            kept = [row.log_from(checked(row.log_row(event))) for event in events]
            self._made(partition)
            self._events += [(partition, event) for event in kept]
            del self._events[:-EVENTS_KEPT]

    def events(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, Event]]:
        """Events between two times."""
        with self._held():
            found = [one for one in self._events if one[0] in partitions]
        return sorted((one for one in found if since <= one[1].at < until), key=lambda o: o[1].at)
