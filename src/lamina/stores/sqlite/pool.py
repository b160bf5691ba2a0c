"""Connections to one database file: a small pool, one writer at a time within a process."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lamina.errors import ClosedError
from lamina.stores.sqlite.faults import translated

Connect = Callable[[str], sqlite3.Connection]
MOST_IDLE = 8
STATEMENTS = 128  # prepared ones kept by a connection: all of ours fit


def plain_connect(path: str) -> sqlite3.Connection:
    """A connection as the standard library makes it."""
    return sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=STATEMENTS
    )


class Pool:
    """Lends connections to threads. A forked child gets its own, never its parent's."""

    def __init__(self, path: Path, busy_seconds: float, connect: Connect | None) -> None:
        self.path = path
        self.busy_seconds = busy_seconds
        self._connect = connect or plain_connect
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._parents: list[sqlite3.Connection] = []  # kept from being closed in a forked child
        self._pid = os.getpid()
        self._closed = False

    def _made(self) -> sqlite3.Connection:
        db = self._connect(str(self.path))
        try:
            db.execute(f"pragma busy_timeout = {int(self.busy_seconds * 1000)}")
            db.execute("pragma synchronous = full")
            db.execute("pragma foreign_keys = on")
            db.execute("pragma secure_delete = on")
            if sys.platform == "darwin":  # there, fsync alone does not reach the disk
                db.execute("pragma fullfsync = on")
                db.execute("pragma checkpoint_fullfsync = on")
        except BaseException:
            db.close()
            raise
        return db

    def _take(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            self._parents += self._idle
            self._idle, self._pid = [], os.getpid()
            self._lock, self._writing = threading.Lock(), threading.Lock()
        with self._lock:
            if self._closed:
                raise ClosedError(f"the store {self.path.parent} is closed; open it again")
            if self._idle:
                return self._idle.pop()
        return self._made()

    def _give(self, db: sqlite3.Connection) -> None:
        if db.in_transaction:
            db.execute("rollback")
        with self._lock:
            if not self._closed and len(self._idle) < MOST_IDLE:
                self._idle.append(db)
                return
        db.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading; everything read within is of one moment."""
        with translated(self.path):
            db = self._take()
            try:
                db.execute("begin")
                yield db
            finally:
                self._give(db)

    @contextmanager
    def glancing(self) -> Iterator[sqlite3.Connection]:
        """A connection for a single statement."""
        with translated(self.path):
            db = self._take()
            try:
                yield db
            finally:
                self._give(db)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in a write transaction: durable when this ends, or nothing of it."""
        with translated(self.path):
            db = self._take()
            try:
                with self._writing:  # own threads queue here, not at the busy timeout
                    db.execute("begin immediate")
                    yield db
                    db.execute("commit")
            finally:
                self._give(db)

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """A connection outside any transaction, with this process's writers held back."""
        with translated(self.path):
            db = self._take()
            try:
                with self._writing:
                    yield db
            finally:
                self._give(db)

    def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed
