"""Plain SQLite: FTS5, the words of a question joined by OR, ranked by its bm25().

English is stemmed (porter); a conversation that is mostly Chinese is cut into threes of characters
(trigram), because FTS5 has no words of Chinese.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.ask import main
from lamina.evals.conversations import said
from lamina.ports.embedder import Embedder

WORD = re.compile(r"\w+")
HAN = re.compile(r"[一-鿿]")


class Fts5:
    """One table."""

    def __init__(self, folder: Path, _: Embedder) -> None:
        self._db = sqlite3.connect(folder / "turns.db")
        self._trigram = False

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        rows = [(turn["id"], said(turn)) for turn in turns]
        letters = "".join(char for turn in turns for char in turn["text"] if char.isalpha())
        self._trigram = len(HAN.findall(letters)) * 2 > len(letters)
        cut = "trigram" if self._trigram else "porter unicode61"
        with self._db:
            self._db.execute(
                f"create virtual table turn using fts5(id unindexed, text, tokenize='{cut}')"
            )
            self._db.executemany("insert into turn values (?, ?)", rows)

    def search(self, question: str, limit: int) -> list[str]:
        words = WORD.findall(question)
        if self._trigram:
            words = [word[i : i + 3] for word in words for i in range(len(word) - 2)]
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "select id from turn where turn match ? order by rank limit ?"
        return [id for (id,) in self._db.execute(sql, (match, limit))] if match else []

    def close(self) -> None:
        self._db.close()


if __name__ == "__main__":
    main(Fts5)
