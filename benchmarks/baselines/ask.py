"""What the baselines have in common: read conversations, add their turns, put their questions.

    cd benchmarks && python -m baselines.ask_chromadb --data DIR [--sets NAME ...]

prints the ranking of each question as a JSON line: {"set", "conversation", "question", "ids"}.
`compare.py` runs the baselines and scores what they print.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from baselines.vectors import Kept
from lamina.embedders.e5 import E5
from lamina.evals.conversations import names, read
from lamina.ports.embedder import Embedder

K = 50  # as many as recall.py asks for
VECTORS = Path(tempfile.gettempdir()) / "lamina-benchmark-vectors.db"
QUIET = {  # nothing may be fetched or told to anybody; each is read when its library is loaded
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "MEM0_DIR": str(Path(tempfile.gettempdir()) / "lamina-benchmark-mem0"),
    "HF_HUB_OFFLINE": "1",
}


class Store(Protocol):
    """One conversation in some product."""

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None: ...

    def search(self, question: str, limit: int) -> list[str]:
        """The ids of turns, best first."""
        ...

    def close(self) -> None: ...


def main(opened: Callable[[Path, Embedder], Store]) -> None:
    """Put every question that has evidence to a store of its conversation."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="folder of conversations")
    parser.add_argument("--sets", nargs="*", help="which sets (default: all)")
    parser.add_argument("--vectors", type=Path, default=VECTORS, help="file that keeps vectors")
    chosen = parser.parse_args()
    os.environ.update(QUIET)
    embedder = Kept(E5(), chosen.vectors)
    for name in chosen.sets or names(chosen.data):
        start = time.monotonic()
        for talk in read(chosen.data, name):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                store = opened(Path(folder), embedder)
                store.add(talk.turns)
                for question in talk.questions:
                    if question.evidence:
                        ids = store.search(question.text, K)
                        row = {"set": name, "conversation": talk.id, "question": question.id}
                        print(json.dumps(row | {"ids": ids}), flush=True)
                store.close()
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
