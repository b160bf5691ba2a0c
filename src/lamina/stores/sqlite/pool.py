"""Connections to one database file: a small pool, one writer at a time within a process."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lamina.errors import ClosedError
from lamina.forks import keep_for_ever, rest_at_fork
from lamina.stores.sqlite.faults import decoded, translated

Connect = Callable[[str], sqlite3.Connection]
MOST_IDLE = 8
STATEMENTS = 128  # prepared ones kept by a connection: all of ours fit


def plain_connect(path: str) -> sqlite3.Connection:
    """A connection as the standard library makes it."""
    return sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=STATEMENTS
    )


class Pool:
    """Lends connections to threads. None is open while a fork happens: SQLite bears no sharing."""

    def __init__(self, path: Path, busy_seconds: float, connect: Connect | None) -> None:
        self.path = path
        self.busy_seconds = busy_seconds
        self._connect = connect or plain_connect
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._unlocked()
        rest_at_fork(self)

    def _unlocked(self) -> None:
        self._change = threading.Condition()
        self._writing = threading.Lock()
        self._lent = 0
        self._forking = False

    def _made(self) -> sqlite3.Connection:
        db = self._connect(str(self.path))
        try:
            self._set_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _set_up(self, db: sqlite3.Connection) -> None:
        db.execute(f"pragma busy_timeout = {int(self.busy_seconds * 1000)}")
        db.execute("pragma synchronous = full")
        db.execute("pragma foreign_keys = on")
        db.execute("pragma secure_delete = on")
        if sys.platform == "darwin":  # there, fsync alone does not reach the disk
            db.execute("pragma fullfsync = on")
            db.execute("pragma checkpoint_fullfsync = on")

    def _take(self) -> sqlite3.Connection:
        with self._change:
            self._change.wait_for(lambda: not self._forking)
            if self._closed:
                raise ClosedError(f"the store {self.path.parent} is closed; open it again")
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._made()
        except BaseException:
            self._returned()
            raise

    def _give(self, db: sqlite3.Connection) -> None:
        spare: sqlite3.Connection | None = db
        try:
            if db.in_transaction:
                db.execute("rollback")
            with self._change:
                if not self._closed and not self._forking and len(self._idle) < MOST_IDLE:
                    self._idle.append(db)
                    spare = None
        finally:
            try:
                if spare is not None:
                    spare.close()
            finally:
                self._returned()

    def _returned(self) -> None:
        with self._change:
            self._lent -= 1
            self._change.notify_all()

    def hold(self) -> None:
        """Before a fork: lend nothing more, wait for what is lent, close all."""
        with self._change:
            self._forking = True
            self._change.wait_for(lambda: not self._lent)
            while self._idle:
                self._idle.pop().close()

    def release(self) -> None:
        """After a fork, in the parent."""
        with self._change:
            self._forking = False
            self._change.notify_all()

    def forked(self) -> None:
        """In the child. What a fork from C left open here is the parent's: not even closed."""
        keep_for_ever(self._idle)
        self._idle = []
        self._unlocked()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading; everything read within is of one moment."""
        with translated(self.path), decoded(self.path):
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
        with self._change:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed
