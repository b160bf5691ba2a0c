"""The index against brute force: counted naively, multiplied by NumPy, built anew."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from lamina.index.partition import PartitionIndex
from lamina.index.terms import Hasher
from lamina.pipeline.write import Indexing, prepare_memory, prepare_messages
from lamina.stores.sqlite import SqliteStore
from lamina.text.words import index_words
from lamina.types import (
    HistoryEvent,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Partition,
    Role,
)

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeo" for c in ("mp", "rt", "lk", "st")]
START = datetime(2026, 5, 4, tzinfo=UTC)
SPACE, DIMENSIONS = "fake/words/24/1", 24


@dataclass
class Corpus:
    """A real store, filled at random, and what was put into it, in the order of arrival."""

    store: SqliteStore
    seed: int
    home: Partition = field(default_factory=Partition)
    items: list[Message | MemoryRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.hasher = Hasher(self.store.key)
        self.indexing = Indexing(self.hasher)
        self.made = 0
        self.store.use_space(SPACE)

    def text(self) -> str:
        rare_last = [1 / (1 + rank) for rank in range(len(WORDS))]
        count = self.chance.choice([1, 3, 8, 20, 60])
        return " ".join(self.chance.choices(WORDS, rare_last, k=count))

    def say(self, count: int) -> None:
        """Turns of five sessions, in one transaction."""
        turns = []
        for _ in range(count):
            self.made += 1
            turns.append(
                Message(
                    f"m{self.made}",
                    f"s{self.chance.randrange(5)}",
                    self.chance.choice([Role.USER, Role.ASSISTANT, Role.USER, Role.TOOL]),
                    self.text(),
                    START + timedelta(minutes=self.made),
                    name=self.chance.choice([None, None, "Ann", "Bob"]),
                )
            )
        prepared = prepare_messages(turns, self.indexing)
        pairs = [(turn, one.passages) for turn, one in zip(turns, prepared, strict=True)]
        self.store.append(self.home, pairs)
        self.items += turns

    def note(self) -> None:
        self.made += 1
        record = MemoryRecord(
            f"n{self.made}",
            self.text(),
            START,
            layer=self.chance.choice([Layer.LONG_TERM, Layer.SESSION, Layer.ARCHIVAL]),
            abstract=self.chance.choice(["", self.text()]),
            overview=self.chance.choice(["", self.text()]),
            importance=self.chance.random(),
            metadata=self.chance.choice([{}, {"topic": self.text()}]),
            session_id=self.chance.choice([None, "s1"]),
        )
        self._put(record)

    def _put(self, record: MemoryRecord) -> None:
        event = HistoryEvent(record.id, "add", Origin.USER, START)
        self.store.put(self.home, record, prepare_memory(record, self.indexing).passages, event)
        self.items.append(record)

    def change(self) -> None:
        records = [item for item in self.items if isinstance(item, MemoryRecord)]
        if records:
            record = self.chance.choice(records)
            self.items.remove(record)
            self._put(replace(record, content=self.text(), version=record.version + 1))

    def erase(self, count: int) -> None:
        gone = self.chance.sample(self.items, min(count, len(self.items)))
        for kind in (Message, MemoryRecord):
            ids = [item.id for item in gone if isinstance(item, kind)]
            self.store.delete(self.home, Kind.MESSAGE if kind is Message else Kind.MEMORY, ids)
        left = {item.id for item in self.items} - {item.id for item in gone}
        self.items = [item for item in self.items if item.id in left]

    def embed(self) -> None:
        """Give every passage that waits two random unit vectors."""
        random_numbers = np.random.default_rng(self.chance.randrange(1 << 30))
        waiting = self.store.pending([self.home], 100_000)
        rows = random_numbers.standard_normal((len(waiting), 2, DIMENSIONS))
        rows /= np.linalg.norm(rows, axis=2, keepdims=True)
        blobs = [row.astype(np.float16).tobytes() for row in rows]
        pairs = [(seq, blob) for (_, seq), blob in zip(waiting, blobs, strict=True)]
        self.store.put_vectors(self.home, SPACE, pairs)

    def at_random(self) -> None:
        step = self.chance.randrange(10)
        if step < 4:
            self.say(self.chance.randrange(1, 12))
        elif step < 6:
            self.note()
        elif step < 7:
            self.change()
        elif step < 9:
            self.erase(self.chance.randrange(1, 6))
        else:
            self.embed()

    def fresh(self) -> PartitionIndex:
        return PartitionIndex.empty(self.home, SPACE, DIMENSIONS).refreshed(self.store)

    def terms(self, words: Sequence[str]) -> list[int]:
        return [self.hasher[token] for word in words for token in index_words(word)]
