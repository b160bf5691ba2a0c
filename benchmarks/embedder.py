"""An embedder that costs next to nothing, so that what is measured is Lamina."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lamina import Space

DIMENSIONS = 384
POOL = 1 << 20


class Chance:
    """Unit vectors drawn by a text's checksum out of one pool of seeded chance.

    `kept` collects what it made of passages, as long as `keep` says so.
    """

    def __init__(self, space: Space | None = None, *, keep: bool = False) -> None:
        self.space = space or Space("chance", "pool", DIMENSIONS)
        self.keep = keep
        self.kept: list[NDArray[np.float32]] = []
        self._pool = np.random.default_rng(0).standard_normal(POOL, np.float32)

    def embed(self, texts: Sequence[str], purpose: str) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions)."""
        width = self.space.dimensions
        out = np.empty((len(texts), width), np.float32)
        for row, text in zip(out, texts, strict=True):
            start = zlib.crc32(text.encode()) % (POOL - width)
            row[:] = self._pool[start : start + width]
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        if self.keep and purpose == "passage":
            self.kept.append(out)
        return out

    def close(self) -> None:
        """Nothing to release."""
