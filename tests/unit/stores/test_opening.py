from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from lamina.errors import StoreBusyError
from lamina.stores.sqlite import SqliteStore


def held_by_another(path: Path) -> sqlite3.Connection:
    # Somebody is about to write: SQLite refuses at once to change the mode, it does not wait.
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("begin immediate")
    return db


def test_opening_waits_until_another_is_done(tmp_path: Path) -> None:
    path = tmp_path / "lamina.db"
    with closing(held_by_another(path)) as other:
        timer = threading.Timer(0.2, other.execute, ["rollback"])
        timer.start()
        SqliteStore(path, busy_seconds=30).close()
        timer.join()


def test_opening_does_not_wait_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "lamina.db"
    with (
        closing(held_by_another(path)),
        pytest.raises(StoreBusyError, match="busy_seconds"),
    ):
        SqliteStore(path, busy_seconds=0.05)


def test_who_opens_a_new_store_together_shares_one_key(tmp_path: Path) -> None:
    def opened(_: int) -> bytes:
        with closing(SqliteStore(tmp_path / "lamina.db")) as store:
            return store.key

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(opened, range(8)))) == 1
