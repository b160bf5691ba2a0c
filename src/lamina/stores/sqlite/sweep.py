"""Stale bytes of deleted texts: looking for them, and rewriting the files without them."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from lamina.errors import StoreBusyError
from lamina.stores.sqlite.pool import Pool

SLICE = 24  # bytes: a stale copy may be overwritten in part, so several slices are looked for
SLICES = 8
SHORTEST = 6  # bytes of a slice that still means something


def stale(pool: Pool, needles: Sequence[bytes]) -> bool:
    """Whether any of these bytes is in a file of the store, or may be."""
    if not _checkpointed(pool):
        return True
    wanted = [piece for needle in needles for piece in _slices(needle)]
    return any(
        _holds(file, wanted) for file in (pool.path, Path(f"{pool.path}-wal")) if file.exists()
    )


def sweep(pool: Pool) -> bool:
    """Rewrite the file; False where somebody else holds it open."""
    with suppress(StoreBusyError):
        with pool.alone() as db:
            db.execute("vacuum")
        return _checkpointed(pool)
    return False


def _checkpointed(pool: Pool) -> bool:
    """Everything moved out of the log, and the log emptied."""
    with pool.alone() as db:
        busy: int = db.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
    return not busy


def _slices(needle: bytes) -> Iterable[bytes]:
    if len(needle) <= SLICE:
        return [needle] if len(needle) >= SHORTEST else []
    last = len(needle) - SLICE
    step = max(SLICE, last // (SLICES - 1))
    return {needle[i : i + SLICE] for i in (*range(0, last, step), last)}


def _holds(file: Path, wanted: Sequence[bytes]) -> bool:
    if not wanted or file.stat().st_size == 0:
        return False
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(data.find(piece) >= 0 for piece in wanted)
