"""Embedders that fail, each in its own way, to see what is done about it.

Each wraps a good one (a HashEmbedder where none is given) and fails the first `times` calls, or
all of them; after that the good one answers.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lamina.errors import EmbedderError
from lamina.testing.fakes import HashEmbedder
from lamina.types import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lamina.ports.embedder import Embedder, Purpose


class FaultyEmbedder:
    """What the embedders here share. `calls` counts how often one was asked."""

    def __init__(self, inner: Embedder | None = None, *, times: int | None = None) -> None:
        self.inner: Embedder = inner or HashEmbedder()
        self.calls = 0
        self._times = times
        self._lock = threading.Lock()

    @property
    def space(self) -> Space:
        """The space of the good one."""
        return self.inner.space

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Fail, or answer as the good one does."""
        with self._lock:
            self.calls += 1
            good = self._times is not None and self.calls > self._times
        vectors = self.inner.embed(texts, purpose)
        return vectors if good else self.spoilt(vectors)

    def spoilt(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """What comes instead of these vectors."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the good one."""
        self.inner.close()


class RaisingEmbedder(FaultyEmbedder):
    """Raises an error: an EmbedderError, or the one it is given."""

    def __init__(
        self,
        inner: Embedder | None = None,
        *,
        times: int | None = None,
        error: Exception | None = None,
    ) -> None:
        super().__init__(inner, times=times)
        self._error = error or EmbedderError("the embedder fails on purpose; ask another one")

    def spoilt(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:  # noqa: ARG002
        """Nothing: it raises."""
        raise self._error


class WrongShapeEmbedder(FaultyEmbedder):
    """Gives vectors that are one number too short."""

    def spoilt(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Shape (n, dimensions - 1)."""
        return vectors[:, :-1]


class TooFewEmbedder(FaultyEmbedder):
    """Gives one vector too few."""

    def spoilt(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Shape (n - 1, dimensions)."""
        return vectors[:-1]


class NanEmbedder(FaultyEmbedder):
    """Gives a vector that holds NaN among good ones."""

    def spoilt(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The last number of the last vector is NaN."""
        broken = vectors.copy()
        broken[-1:, -1:] = np.nan
        return broken


class HangingEmbedder(FaultyEmbedder):
    """Does not answer for `seconds`, then raises EmbedderError, as a timeout does.

    `asked` is set when somebody waits for it; `release()` ends the waiting early, for good.
    """

    def __init__(
        self, inner: Embedder | None = None, *, times: int | None = None, seconds: float = 30.0
    ) -> None:
        super().__init__(inner, times=times)
        self.asked = threading.Event()
        self._released = threading.Event()
        self._seconds = seconds

    def spoilt(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:  # noqa: ARG002
        """Nothing: it hangs, then raises."""
        self.asked.set()
        self._released.wait(self._seconds)
        raise EmbedderError(f"the embedder did not answer within {self._seconds} s; ask it again")

    def release(self) -> None:
        """Whoever waits, now or later, gets the error at once."""
        self._released.set()
