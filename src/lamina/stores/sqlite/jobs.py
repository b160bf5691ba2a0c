"""Jobs in a table: each done once, by whoever holds its lease."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from lamina.ports.store import Job
from lamina.stores.rows import Row, from_json, to_json, to_micros
from lamina.stores.sql import loader
from lamina.types import Json

SQL = loader.queries("sqlite")


def _job(row: Row) -> Job:
    return Job(row[0], row[1], row[2], from_json(row[3]), row[4], row[5])


def enqueue(db: sqlite3.Connection, kind: str, key: str, payload: Mapping[str, Json]) -> bool:
    """Add a job, unless it waits already."""
    return db.execute(SQL["add_job"], (kind, key, to_json(dict(payload)))).rowcount == 1


def lease(
    db: sqlite3.Connection,
    kinds: Sequence[str],
    owner: str,
    now: datetime,
    seconds: float,
    *,
    key: str | None = None,
) -> Job | None:
    """Take the oldest job that is due and not held; with a key that one, due or not."""
    at = to_micros(now)
    if key is None:
        rows = db.execute(SQL["due_jobs"], (at, at)).fetchall()
    else:
        rows = [
            row
            for kind in kinds
            for row in db.execute(SQL["named_job"], (kind, key, at)).fetchall()
        ]
    for row in rows:
        if row[1] in kinds:
            until = to_micros(now + timedelta(seconds=seconds))
            db.execute(SQL["lease_job"], (owner, until, row[0]))
            job = _job(row)
            return Job(job.id, job.kind, job.key, job.payload, job.attempts + 1, job.error)
    return None


def renew(db: sqlite3.Connection, job: Job, owner: str, now: datetime, seconds: float) -> bool:
    """Hold the job longer."""
    until = to_micros(now + timedelta(seconds=seconds))
    return db.execute(SQL["hold_job"], (until, job.id, owner)).rowcount == 1


def finish(db: sqlite3.Connection, job: Job, owner: str) -> bool:
    """The job is done."""
    return db.execute(SQL["finish_job"], (job.id, owner)).rowcount == 1


def retry(db: sqlite3.Connection, job: Job, owner: str, at: datetime, error: str) -> bool:
    """Give the job back."""
    return db.execute(SQL["retry_job"], (to_micros(at), error, job.id, owner)).rowcount == 1


def spent(db: sqlite3.Connection, day: str) -> int:
    """Tokens of a day."""
    row = db.execute(SQL["spent"], (day,)).fetchone()
    return 0 if row is None else row[0]


def jobs(db: sqlite3.Connection) -> list[Job]:
    """All jobs that are not done."""
    return [_job(row) for row in db.execute(SQL["jobs"])]
