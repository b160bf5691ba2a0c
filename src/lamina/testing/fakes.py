"""A clock that stands still and an embedder without a model."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from lamina.plain import to_time
from lamina.types import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lamina.ports.embedder import Purpose

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+")  # Chinese is not spaced: each character counts


class FakeClock:
    """Tells the time that it was given, until it is advanced. Thread-safe."""

    def __init__(
        self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC), zone: ZoneInfo | str = "UTC"
    ) -> None:
        self._lock = threading.Lock()
        self._now = to_time(now, "now")
        self.zone = ZoneInfo(zone) if isinstance(zone, str) else zone

    def now(self) -> datetime:
        """The instant it was set to, in UTC."""
        with self._lock:
            return self._now

    def advance(
        self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0
    ) -> datetime:
        """Let time pass (backwards where negative). Returns the new instant."""
        with self._lock:
            self._now += timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
            return self._now


class HashEmbedder:
    """Bags of words as unit vectors: texts are alike as far as they share words.

    The same text has the same vector in every process. A text without words has one too.
    """

    def __init__(self, dimensions: int = 64) -> None:
        self.space = Space("fake", "hashed-words", dimensions)

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:  # noqa: ARG002
        """Unit vectors, shape (len(texts), dimensions)."""
        vectors = np.zeros((len(texts), self.space.dimensions), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.casefold()) or [""]:
                digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                vector[int.from_bytes(digest, "little") % self.space.dimensions] += 1
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / lengths

    def close(self) -> None:
        """Nothing to release."""
