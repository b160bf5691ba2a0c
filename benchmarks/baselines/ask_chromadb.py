"""ChromaDB, persistent, given the vectors of Lamina's embedder (a passage's and a question's)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.ask import main
from lamina.evals.conversations import said
from lamina.ports.embedder import Embedder

BATCH = 1000


class Chroma:
    """A collection by cosine."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        import chromadb  # noqa: PLC0415 - reads the environment as it loads

        self._embedder = embedder
        self._client = chromadb.PersistentClient(
            folder, chromadb.Settings(anonymized_telemetry=False)
        )
        self._turns = self._client.create_collection(
            "turns", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        for start in range(0, len(turns), BATCH):
            part = turns[start : start + BATCH]
            texts = [said(turn) for turn in part]
            ids = [turn["id"] for turn in part]
            self._turns.add(
                ids=ids, embeddings=self._embedder.embed(texts, "passage"), documents=texts
            )

    def search(self, question: str, limit: int) -> list[str]:
        found = self._turns.query(
            query_embeddings=self._embedder.embed([question], "query"),
            n_results=min(limit, self._turns.count()),
            include=[],
        )
        return list(found["ids"][0])

    def close(self) -> None:
        self._client.close()


if __name__ == "__main__":
    main(Chroma)
