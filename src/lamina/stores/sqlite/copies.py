"""Backups: a copy of one moment, opened and counted before it is called one; and back."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from lamina.errors import NotAStoreError, StoreBusyError, StoreDamagedError, StoreError
from lamina.stores.sqlite.opening import APPLICATION
from lamina.stores.sqlite.pool import Pool
from lamina.whole import sync_folder

SIDES = ("-wal", "-shm", "-journal")


def backup(pool: Pool, path: Path) -> dict[str, int]:
    """Copy the store as it is at this moment, while others read and write.

    Returns how many messages and memories the copy holds.

    Raises:
        StoreError: the copy cannot be written, or does not read.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        with pool.glancing() as db:
            db.execute("vacuum into ?", (str(unfinished),))
        counts = checked(unfinished)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as fault:
        raise StoreError(f"{path} cannot be written: {fault}; look at its folder") from fault
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    sync_folder(path.parent)
    return counts


def checked(path: Path) -> dict[str, int]:
    """How many messages and memories a copy holds, every page of it read.

    Raises:
        NotAStoreError: it is none of Lamina's.
        StoreDamagedError: it does not read.
    """
    if not path.is_file():
        raise NotAStoreError(f"{path} is no file; give a backup, such as backups/….db")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            if db.execute("pragma application_id").fetchone()[0] != APPLICATION:
                raise NotAStoreError(f"{path} is no backup of Lamina's; give another file")
            told = db.execute("pragma quick_check(1)").fetchone()[0]
            if told != "ok":
                raise StoreDamagedError(f"{path} is damaged: {told}; take another backup")
            return {
                table: db.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608
                for table in ("message", "memory")
            }
    except sqlite3.Error as fault:
        raise StoreDamagedError(f"{path} does not read: {fault}; take another backup") from fault


def restore(path: Path, database: Path, aside: Path | None) -> dict[str, int]:
    """Put a backup in the place of a database, which is moved `aside` first.

    Returns how many messages and memories it holds.

    Raises:
        StoreError: there is a database and no `aside`; or a file cannot be written.
        StoreBusyError: somebody has the database open.
    """
    counts = checked(path)
    if database.exists():
        if aside is None:
            raise StoreError(
                f"{database.parent} holds a store already; restore into another folder, or replace "
                "it, which keeps the old one beside the new one"
            )
        _must_be_closed(database)
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        if database.exists() and aside is not None:
            database.replace(aside)
        unfinished = database.with_name(f".{database.name}.unfinished")
        with path.open("rb") as source, unfinished.open("wb") as file:
            while piece := source.read(1 << 20):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(database)
    except OSError as fault:
        raise StoreError(f"{database} cannot be written: {fault}; look at its folder") from fault
    sync_folder(database.parent)
    return counts


def _must_be_closed(database: Path) -> None:
    """Nobody else may have it open; what stood in its log is moved into it."""
    try:
        with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as db:
            db.execute("pragma locking_mode = exclusive")
            db.execute("begin exclusive")
            db.execute("commit")
            db.execute("pragma wal_checkpoint(truncate)")
    except sqlite3.OperationalError as fault:
        raise StoreBusyError(
            f"{database} is open in another process ({fault}); close it there first"
        ) from fault
    except sqlite3.DatabaseError:  # damaged: that is why it is restored
        pass
    for side in SIDES:
        with suppress(OSError):
            Path(f"{database}{side}").unlink(missing_ok=True)
