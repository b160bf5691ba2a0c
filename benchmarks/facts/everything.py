"""Add-everything, as stores do that judge nothing: every message of the user's is a memory.

    cd benchmarks && python -m facts.everything --store chromadb|mem0 < turns.jsonl

reads {"id", "text", "name"} lines, stores them with vectors of no meaning (what is stored does not
depend on them), and prints what the store then holds, as lines of the same form. It runs in an
environment of its own (requirements in ../baselines), which `facts.py --venvs` names.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import lamina
from facts.measure import Stored
from facts.talk import Turn
from lamina.testing.fakes import HashEmbedder

Row = dict[str, Any]
USER = "one"


def rows_of(turns: Iterable[Turn]) -> list[Row]:
    """What such a store is given: the user's messages."""
    return [{"id": t.id, "text": t.text, "name": t.name} for t in turns if t.role == "user"]


def stored(rows: Iterable[Row]) -> list[Stored]:
    """What it holds, as the measure takes it; a name given stands before the text."""
    return [Stored(said(row), frozenset({row["id"]})) for row in rows]


def said(row: Row) -> str:
    """The text, its speaker before it where it has one."""
    return f"{row['name']}: {row['text']}" if row["name"] else str(row["text"])


def ours(rows: Sequence[Row]) -> list[Row]:
    """Lamina's own `add` of each text: exact twins once, secrets masked."""
    with (
        tempfile.TemporaryDirectory() as folder,
        lamina.open(folder, embedder="none", background=False) as memory,
    ):
        for row in rows:
            memory.add(row["text"], metadata={"turn": row["id"], "name": row["name"]})
        kept = memory.list(limit=100_000)
        return [
            {"id": one.metadata["turn"], "text": one.content, "name": one.metadata["name"]}
            for one in kept
        ]


def chromadb(rows: Sequence[Row], folder: Path) -> list[Row]:
    """A persistent collection of all texts."""
    import chromadb as chroma  # noqa: PLC0415 - of another environment

    client = chroma.PersistentClient(folder, chroma.Settings(anonymized_telemetry=False))
    turns = client.create_collection("turns", embedding_function=None)
    texts = [row["text"] for row in rows]
    vectors = HashEmbedder().embed(texts, "passage")
    turns.add(ids=[row["id"] for row in rows], embeddings=vectors, documents=texts)
    names = {row["id"]: row["name"] for row in rows}
    kept = turns.get(include=["documents"])
    return [
        {"id": id, "text": text, "name": names[id]}
        for id, text in zip(kept["ids"], kept["documents"], strict=True)
    ]


def mem0(rows: Sequence[Row], folder: Path) -> list[Row]:
    """Mem0 without a model, `infer=False`."""
    from baselines.ask_mem0 import Mem0  # noqa: PLC0415 - of another environment

    store = Mem0(folder, HashEmbedder())
    memory = store._memory  # noqa: SLF001 - made as the baseline of recall makes it
    for row in rows:
        message = {"role": "user", "content": row["text"]}
        memory.add([message], user_id=USER, metadata={"turn": row["id"]}, infer=False)
    names = {row["id"]: row["name"] for row in rows}
    found = memory.get_all(filters={"user_id": USER}, top_k=100_000)["results"]
    store.close()
    return [
        {"id": id, "text": one["memory"], "name": names[id]}
        for one in found
        for id in [one["metadata"]["turn"]]
    ]


STORES: dict[str, Callable[[Sequence[Row], Path], list[Row]]] = {
    "chromadb": chromadb,
    "mem0": mem0,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--store", choices=STORES, required=True)
    chosen = parser.parse_args()
    os.environ |= {"ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False"}
    rows = [json.loads(line) for line in sys.stdin]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["MEM0_DIR"] = folder
        for row in STORES[chosen.store](rows, Path(folder)):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
