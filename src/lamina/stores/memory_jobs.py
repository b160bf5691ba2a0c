"""What the reference store stands on: one lock, numbers that only grow, and its jobs."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lamina.errors import ClosedError
from lamina.ports.store import Job
from lamina.stores import rows as row
from lamina.stores.dicts import checked
from lamina.types import Json

START = row.from_micros(0)


@dataclass(slots=True)
class Task:
    """A job, when it is due, and who holds it until when."""

    job: Job
    due: datetime = START
    owner: str | None = None
    leased: datetime = START


class Jobs:
    """The jobs of a store in memory, under the lock of the whole store."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._last: Counter[str] = Counter()  # the last number given, by table
        self._tasks: dict[int, Task] = {}
        self._spent: Counter[str] = Counter()  # tokens by day

    @contextmanager
    def _held(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise ClosedError("the store in memory is closed; make another one")
            yield

    def _next(self, table: str, count: int = 1) -> range:
        first = self._last[table] + 1
        self._last[table] += count
        return range(first, first + count)

    def close(self) -> None:
        """Nothing can be read or written from here on."""
        with self._lock:
            self._closed = True

    def enqueue(self, kind: str, key: str, payload: Mapping[str, Json]) -> bool:
        """Add a job, unless one of this kind and key waits already."""
        with self._held():
            text = row.to_json(dict(payload))
            checked((kind, key, text))
            if any((kind, key) == (one.job.kind, one.job.key) for one in self._tasks.values()):
                return False
            (id,) = self._next("job")
            self._tasks[id] = Task(Job(id, kind, key, row.from_json(text)))
            return True

    def lease(
        self,
        kinds: Sequence[str],
        owner: str,
        now: datetime,
        seconds: float,
        *,
        key: str | None = None,
    ) -> Job | None:
        """Take the oldest job that is due, or the one of this key, if no living lease holds it."""
        with self._held():
            for task in self._tasks.values():
                wanted = task.due <= now if key is None else task.job.key == key
                if wanted and task.job.kind in kinds and task.leased <= now:
                    task.owner = row.checked_unicode(owner)
                    task.leased = now + timedelta(seconds=seconds)
                    task.job = replace(task.job, attempts=task.job.attempts + 1)
                    return task.job
        return None

    def renew(self, job: Job, owner: str, now: datetime, seconds: float) -> bool:
        """Hold the job longer; False where the lease was lost."""
        with self._held():
            task = self._tasks.get(job.id)
            if task is None or task.owner != owner:
                return False
            task.leased = now + timedelta(seconds=seconds)
            return True

    def finish(self, job: Job, owner: str) -> bool:
        """The job is done; False where the lease was lost."""
        with self._held():
            task = self._tasks.get(job.id)
            if task is None or task.owner != owner:
                return False
            del self._tasks[job.id]
            return True

    def retry(self, job: Job, owner: str, at: datetime, error: str) -> bool:
        """Give the job back; False where the lease was lost."""
        with self._held():
            task = self._tasks.get(job.id)
            if task is None or task.owner != owner:
                return False
            given_back = replace(task.job, error=row.checked_unicode(error))
            self._tasks[job.id] = Task(given_back, due=at)
            return True

    def jobs(self) -> list[Job]:
        """All jobs that are not done."""
        with self._held():
            return [task.job for task in self._tasks.values()]

    def spent(self, day: str, tokens: int = 0) -> int:
        """The tokens of a day, after these are counted."""
        with self._held():
            self._spent[row.checked_unicode(day)] += tokens
            return self._spent[day]
