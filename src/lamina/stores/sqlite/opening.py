"""Making, recognising and migrating a store's database."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from lamina.errors import NotAStoreError, StoreBusyError, StoreDamagedError, StoreTooNewError
from lamina.stores.sql import loader
from lamina.stores.sqlite.pool import Pool
from lamina.whole import sync_folder

APPLICATION = 0x4C414D41  # "LAMA": marks the file as ours
KEY_BYTES = 16
RETRY_SECONDS = 0.01


def prepare(pool: Pool) -> bytes:
    """Make or migrate the schema; gives the store's key.

    Raises:
        NotAStoreError: the file is something else's.
        StoreTooNewError: a newer version wrote it.
        StoreDamagedError: it has lost its key.
    """
    if pool.path.is_dir():
        raise NotAStoreError(f"{pool.path} is a folder, where the database should be a file")
    fresh = not pool.path.exists()
    with pool.reading() as db:  # of one moment: another process may be making it right now
        version = _version(db, pool.path)
    newest = loader.migrations("sqlite")[-1][0]
    if version > newest:
        raise StoreTooNewError(
            f"{pool.path.parent} has schema {version}, this Lamina knows {newest}; "
            "upgrade Lamina to open it"
        )
    _use_log(pool)  # only now: another program's database keeps its own mode
    if version < newest:
        with pool.writing() as db:
            _migrate(db, _version(db, pool.path), newest)
    if fresh:
        sync_folder(pool.path.parent)
    with pool.glancing() as db:
        row = db.execute(loader.queries("sqlite")["meta"], ("key",)).fetchone()
    if row is None:
        raise StoreDamagedError(
            f"{pool.path} is damaged (it has lost its key); restore a backup, "
            "the file is left as it is"
        )
    key: bytes = row[0]
    return key


def _version(db: sqlite3.Connection, path: Path) -> int:
    """The schema's version; 0 for an empty file."""
    application: int = db.execute("pragma application_id").fetchone()[0]
    version: int = db.execute("pragma user_version").fetchone()[0]
    tables: int = db.execute("select count(*) from sqlite_master").fetchone()[0]
    if application != APPLICATION and (tables or version or application):
        raise NotAStoreError(f"{path} is another program's database; give another folder")
    return version


def _use_log(pool: Pool) -> None:
    """Turn on the write-ahead log. SQLite does not wait for others here, so we do."""
    deadline = time.monotonic() + pool.busy_seconds
    while True:
        try:
            with pool.alone() as db:
                db.execute("pragma journal_mode = wal")
        except StoreBusyError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _migrate(db: sqlite3.Connection, version: int, newest: int) -> None:
    """Within the caller's transaction: the whole way, or none of it."""
    if version == 0:
        _run(db, loader.text("sqlite", "schema.sql"))
        set_meta = loader.queries("sqlite")["set_meta"]
        db.execute(set_meta, ("key", os.urandom(KEY_BYTES)))
    else:
        for number, script in loader.migrations("sqlite"):
            if number > version:
                _run(db, script)
    db.execute(f"pragma application_id = {APPLICATION}")
    db.execute(f"pragma user_version = {newest}")


def _run(db: sqlite3.Connection, script: str) -> None:
    """Statement by statement: `executescript` would commit the transaction it finds."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            db.execute(statement)
            statement = ""
