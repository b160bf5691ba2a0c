"""SQLite's errors as Lamina's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lamina.errors import (
    InvalidInputError,
    LaminaError,
    NotAStoreError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreNotWritableError,
)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Whatever sqlite3 raises inside, as an error of ours that says what to do."""
    try:
        yield
    except UnicodeEncodeError as fault:
        raise InvalidInputError(f"a lone surrogate cannot be stored: {fault.reason}") from None
    except sqlite3.Error as fault:
        raise _translate(fault, path) from fault


@contextmanager
def decoded(path: Path) -> Iterator[None]:
    """A stored value that does not read as what it was written as, as damage to the file."""
    try:
        yield
    except (LaminaError, UnicodeEncodeError):  # what was asked is wrong, not what is stored
        raise
    except ValueError as fault:
        raise _damaged(path, fault) from fault


def _damaged(path: Path, fault: Exception) -> StoreDamagedError:
    return StoreDamagedError(
        f"{path} is damaged ({fault}); restore a backup, the file is left as it is"
    )


def _translate(fault: sqlite3.Error, path: Path) -> StoreError:
    code = getattr(fault, "sqlite_errorcode", 0) or 0
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusyError(
                f"another process holds {path} too long; try again, or raise busy_seconds"
            )
        case sqlite3.SQLITE_FULL:
            return StoreFullError(
                f"the disk of {path} is full; nothing of this write was kept. Free some space"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreNotWritableError(f"{path} may not be written ({fault}); mend its rights")
        case sqlite3.SQLITE_CANTOPEN:
            return StoreNotWritableError(
                f"{path} cannot be opened or made ({fault}); mend the folder's rights"
            )
        case sqlite3.SQLITE_NOTADB:
            return NotAStoreError(f"{path} is no SQLite database; give another folder")
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(path, fault)
        case sqlite3.SQLITE_IOERR:
            return StoreFullError(
                f"the disk of {path} failed a write or read ({fault}); nothing of it was kept. "
                "Look at its space and health"
            )
        case _ if "decode" in str(fault):  # the module's own error, without a code
            return _damaged(path, fault)
        case _:
            return StoreError(f"{path}: {fault}")
