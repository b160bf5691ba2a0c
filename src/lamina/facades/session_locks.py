"""A lock for one file, among threads and among processes."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lamina.errors import StoreBusyError, StoreError

WAIT_SECONDS, STEP_SECONDS = 30.0, 0.01
_threads: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_guard = threading.Lock()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which lies beside it under `.<name>.lock`.

    Raises:
        StoreBusyError: somebody else holds it for too long.
    """
    with _guard:
        mine = _threads[str(path.absolute())]
    if not mine.acquire(timeout=WAIT_SECONDS):
        raise StoreBusyError(f"{path} is held by another thread; try again")
    try:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path.parent / f".{path.name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as fault:
            raise StoreError(f"{path} cannot be locked: {fault}; look at its folder") from fault
        try:
            _take(handle, path)
            yield
        finally:
            os.close(handle)  # which gives the lock back
    finally:
        mine.release()


def _take(handle: int, path: Path) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            _try(handle)
        except OSError:
            if time.monotonic() >= end:
                raise StoreBusyError(f"{path} is held by another process; try again") from None
            time.sleep(STEP_SECONDS)
        else:
            return


if sys.platform == "win32":
    import msvcrt

    def _try(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
