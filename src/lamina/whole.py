"""Writing a file as a whole: whoever reads it finds the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from lamina.errors import StoreError


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in place: written beside it, synced, and moved over it.

    Raises:
        StoreError: it cannot be written; what was there is as it was.
    """
    written: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            written = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        written.replace(path)
    except OSError as fault:
        if written is not None:
            with suppress(OSError):
                written.unlink()
        raise StoreError(f"{path} cannot be written: {fault}; look at its folder") from fault
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """The folder's entry of a new file must be on disk too, where the system can do that."""
    with suppress(OSError, AttributeError):  # Windows opens no folders
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
