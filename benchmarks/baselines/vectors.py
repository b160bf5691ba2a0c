"""An embedder that keeps each vector in a file, so that several processes embed a text once."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from lamina.ports.embedder import Embedder, Purpose

BATCH = 64  # texts whose vectors are kept at once


class Kept:
    """Another embedder's vectors. The file holds them by the hash of text and purpose alone."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self.space = embedder.space
        self._embedder = embedder
        self._lock = Lock()
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=60)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute(
            "create table if not exists vector (key blob primary key, data blob) without rowid"
        )

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions)."""
        keys = [self._key(text, purpose) for text in texts]
        with self._lock:
            missing = {k: t for k, t in zip(keys, texts, strict=True) if self._read(k) is None}
            todo = sorted(missing.items(), key=lambda pair: len(pair[1]))
            for start in range(0, len(todo), BATCH):
                part = todo[start : start + BATCH]
                made = self._embedder.embed([text for _, text in part], purpose)
                self._db.execute("begin immediate")
                self._db.executemany(
                    "insert or ignore into vector values (?, ?)",
                    [(key, row.tobytes()) for (key, _), row in zip(part, made, strict=True)],
                )
                self._db.execute("commit")
            rows = [self._read(key) for key in keys]
        joined = b"".join(row for row in rows if row is not None)
        return np.frombuffer(joined, np.float32).reshape(len(texts), self.space.dimensions)

    def _key(self, text: str, purpose: Purpose) -> bytes:
        said = "\0".join((repr(self.space), purpose, text))
        return hashlib.blake2b(said.encode(), digest_size=16).digest()

    def _read(self, key: bytes) -> bytes | None:
        row = self._db.execute("select data from vector where key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Release the model. Stores that share it close it in turn: the file stays open."""
        self._embedder.close()
