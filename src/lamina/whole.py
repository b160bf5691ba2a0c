"""Writing a file as a whole: whoever reads it finds the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lamina.errors import StoreError


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` at the end, synced, or not at all.

    Raises:
        StoreError: it cannot be written; what was there is as it was.
    """
    written: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name[:100]}.", delete=False
        ) as file:
            written = Path(file.name)
            yield file
            file.flush()
            os.fsync(file.fileno())
        written.replace(path)
        written = None
    except OSError as fault:
        raise StoreError(f"{path} cannot be written: {fault}; look at its folder") from fault
    finally:
        if written is not None:
            with suppress(OSError):
                written.unlink()
    sync_folder(path.parent)


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place.

    Raises:
        StoreError: it cannot be written; what was there is as it was.
    """
    with whole(path) as file:
        file.write(data)


def sync_folder(folder: Path) -> None:
    """The folder's entry of a new file must be on disk too, where the system can do that."""
    with suppress(OSError, AttributeError):  # Windows opens no folders
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
