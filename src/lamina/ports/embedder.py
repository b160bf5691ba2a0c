"""Text to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lamina.types import Space

Purpose = Literal["query", "passage"]


class Embedder(Protocol):
    """Turns texts into unit vectors of one space. Used by several threads at once."""

    @property
    def space(self) -> Space:
        """The space its vectors live in. May load the model, or ask the endpoint once."""
        ...

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), space.dimensions).

        Raises:
            EmbedderError: the model failed or the endpoint did not answer; nothing is padded,
                cut or made up in its place.
        """
        ...

    def close(self) -> None:
        """Release the model, connections and memory; closing twice is fine."""
        ...
