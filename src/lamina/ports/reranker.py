"""How well texts answer a question, judged by a model that reads both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores texts for a question. Used by several threads at once."""

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite score a text, in their order, higher for better; on any scale.

        Raises:
            RerankerError: the model failed or the endpoint did not answer.
        """
        ...

    def close(self) -> None:
        """Release what it holds; closing twice is fine."""
        ...
