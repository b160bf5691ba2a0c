"""The part of the store that keeps work: jobs, and what models cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from lamina.ports.store import Job
from lamina.stores.rows import checked_unicode
from lamina.stores.sql import loader
from lamina.stores.sqlite import jobs as job_rows
from lamina.stores.sqlite.pool import Pool
from lamina.types import Json

SQL = loader.queries("sqlite")


class SqliteJobs:
    """Jobs, each method a transaction on a pooled connection."""

    _pool: Pool

    def enqueue(self, kind: str, key: str, payload: Mapping[str, Json]) -> bool:
        """Add a job, unless one of this kind and key waits already."""
        with self._pool.writing() as db:
            return job_rows.enqueue(db, kind, key, payload)

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
        with self._pool.writing() as db:
            return job_rows.lease(db, kinds, owner, now, seconds, key=key)

    def renew(self, job: Job, owner: str, now: datetime, seconds: float) -> bool:
        """Hold the job longer; False where the lease was lost."""
        with self._pool.writing() as db:
            return job_rows.renew(db, job, owner, now, seconds)

    def finish(self, job: Job, owner: str) -> bool:
        """The job is done; False where the lease was lost."""
        with self._pool.writing() as db:
            return job_rows.finish(db, job, owner)

    def retry(self, job: Job, owner: str, at: datetime, error: str) -> bool:
        """Give the job back; False where the lease was lost."""
        with self._pool.writing() as db:
            return job_rows.retry(db, job, owner, at, error)

    def jobs(self) -> list[Job]:
        """All jobs that are not done."""
        with self._pool.reading() as db:
            return job_rows.jobs(db)

    def spent(self, day: str, tokens: int = 0) -> int:
        """The tokens of a day, after these are counted."""
        if tokens:
            with self._pool.writing() as db:
                db.execute(SQL["spend"], (checked_unicode(day), tokens))
                return job_rows.spent(db, day)
        with self._pool.glancing() as db:
            return job_rows.spent(db, day)
