from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import lamina
from lamina.build import DATABASE
from lamina.stores.sqlite import SqliteStore
from lamina.testing.samples import decided
from lamina.types import Decision, Partition

COUNT = 150
HOME = Partition()


def about(i: int, name: str, padding: int) -> Decision:
    """Something decided about an item: in turn it is a message, a memory, or a target."""
    made = replace(
        decided(f'On day {i} she wrote "tapir{i:03}"\nand left.', waiting=True),
        detail={"sources": [{"quote": f"okapi{i:03} eats 燕麦"}], "padding": "." * padding},
    )
    match i % 3:
        case 0:
            return replace(made, message=name)
        case 1:
            return replace(made, memory=name)
        case _:
            return replace(made, target=name)


def decide(folder: Path, names: list[str], chance: random.Random) -> None:
    """Decisions that grow and shrink, so that SQLite moves them from page to page."""
    with closing(SqliteStore(folder / DATABASE)) as store:
        store.decide(HOME, [about(i, name, 40) for i, name in enumerate(names)])
        kept = [decision for _, decision in store.decisions([HOME])]
        for _ in range(2 * COUNT):
            i = chance.randrange(COUNT)
            grown = about(i, names[i], chance.choice([5, 50, 300, 1500]))
            store.decide(HOME, [replace(grown, id=kept[i].id)])


def test_what_was_decided_goes_from_the_bytes_with_what_it_is_about(tmp_path: Path) -> None:
    chance = random.Random(1)
    with lamina.open(tmp_path, embedder="none", background=False) as memory:
        session = memory.session("s")
        names = [
            memory.add(f"{i:03} zebras").id if i % 3 else session.append("user", f"{i:03} lions").id
            for i in range(COUNT)
        ]
    decide(tmp_path, names, chance)
    with lamina.open(tmp_path, embedder="none", background=False) as memory:
        for i in chance.sample(range(COUNT), COUNT):
            assert not memory.delete(names[i]).pending
            found = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
            assert b"tapir%03d" % i not in found
            assert b"okapi%03d" % i not in found
