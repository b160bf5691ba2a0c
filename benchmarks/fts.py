"""The reference: the same messages in plain SQLite, found by FTS5."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

SCHEMA = """
create table message (
  seq integer primary key, id text not null unique, session text not null, role text not null,
  content text not null, at integer not null
);
create virtual table words using fts5(text, content='', tokenize='{tokenizer}');
create table vector (seq integer primary key, data blob not null);
"""


def connected(path: Path) -> sqlite3.Connection:
    """A database as durable as Lamina's."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = full")
    return db


class Fts:
    """`words` makes what FTS5 is fed with; without it FTS5 gets the raw text."""

    def __init__(self, path: Path, words: Callable[[str], Sequence[str]] | None = None) -> None:
        self.words = words
        self.db = connected(path)
        self.db.executescript(SCHEMA.format(tokenizer="ascii" if words else "unicode61"))
        self.count = 0

    def add(self, session: str, messages: Sequence[Mapping[str, Any]]) -> None:
        """One transaction."""
        rows, texts = [], []
        for message in messages:
            self.count += 1
            text = message["content"]
            rows.append((self.count, message["id"], session, message["role"], text, 0))
            texts.append((self.count, " ".join(self.words(text)) if self.words else text))
        self.db.execute("begin immediate")
        self.db.executemany("insert into message values (?, ?, ?, ?, ?, ?)", rows)
        self.db.executemany("insert into words (rowid, text) values (?, ?)", texts)
        self.db.execute("commit")

    def add_vectors(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """One transaction."""
        self.db.execute("begin immediate")
        self.db.executemany("insert into vector values (?, ?)", rows)
        self.db.execute("commit")

    def search(self, words: Sequence[str], limit: int = 10) -> list[tuple[str, str]]:
        """The messages that hold any of the words, best first."""
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
        found = self.db.execute(
            "select m.id, m.content from words join message m on m.seq = words.rowid "
            "where words match ? order by words.rank limit ?",
            (match, limit),
        )
        return found.fetchall()

    def close(self) -> None:
        """Release the connection."""
        self.db.close()
