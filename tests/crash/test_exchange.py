"""`kill -9` amid an exchange: all of it is kept, what was read and decided too, or nothing."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from lamina.stores.sqlite import SqliteStore
from lamina.testing.samples import ANN
from lamina.types import Decision, MemoryRecord, Message

ROUNDS, EACH = 16, 40
CHILD = """
import os, sys
from pathlib import Path
from dataclasses import replace
from lamina.stores.sqlite import SqliteStore
from lamina.testing.samples import ANN, change, cut, decided, noted, said

round, each = sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
store = SqliteStore(Path(sys.argv[1]))
gone = [record.id for _, record in store.memories([ANN])]
for turn in range(1_000_000):
    ids = [f"{round}-{turn}-{n}" for n in range(each)]
    said_now = [f"said-{id}" for id in ids]
    facts = [replace(noted(f"fact-{id}"), topic="user/turn") for id in ids]
    new = [(fact, cut(2), change(fact.id)) for fact in facts]
    decisions = [
        decided(f"text {id}" * 30, f"fact-{id}", message=f"said-{id}") for id in ids
    ]
    store.append(ANN, [(said(id), cut(1)) for id in said_now], unread=said_now)
    os.write(1, b"begins\\n")
    store.exchange(ANN, gone, new, read=said_now, decisions=decisions)
    os.write(1, b"done\\n")
    gone = [fact.id for fact in facts]
"""


def started(file: Path, number: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", CHILD, str(file), str(number), str(EACH)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def killed_amid_an_exchange(child: subprocess.Popen[bytes], turns: int, wait: float) -> int:
    """How many exchanges it says were done, the one that it was killed in left out."""
    assert child.stdin is not None
    assert child.stdout is not None
    with child:
        child.stdin.write(b"go\n")
        child.stdin.flush()
        for _ in range(turns):
            assert child.stdout.readline() == b"begins\n"
            assert child.stdout.readline() == b"done\n"
        assert child.stdout.readline() == b"begins\n"
        time.sleep(wait)
        child.kill()
        return turns + child.stdout.readlines().count(b"done\n")


def number(text: str | None) -> str:
    assert text is not None
    return text.split("-", 1)[1]


def check(facts: list[MemoryRecord], decisions: list[Decision], unread: list[Message]) -> None:
    """One turn's facts with all their decisions; what is not read has neither."""
    known = {number(fact.id) for fact in facts}
    assert len(known) == EACH
    assert len({id.rsplit("-", 1)[0] for id in known}) == 1, "facts of two turns"
    assert {number(one.memory) for one in decisions} == known
    assert [number(one.message) for one in decisions] == [number(d.memory) for d in decisions]
    assert len(decisions) == EACH
    assert known.isdisjoint(number(message.id) for message in unread)


def test_after_a_kill_an_exchange_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    file, chance = tmp_path / "lamina.db", random.Random(9)
    following = started(file, 0)
    for turn in range(ROUNDS):
        child, following = following, started(file, turn + 1)  # imports meanwhile
        done = killed_amid_an_exchange(child, 1 + turn % 3, chance.uniform(0, 0.012))
        with closing(SqliteStore(file)) as store:
            facts = [record for _, record in store.memories([ANN])]
            unread = [message for _, message in store.unread(None, 10_000)]
            check(facts, [decision for _, decision in store.decisions([ANN])], unread)
            assert sorted(store.about(ANN, ["user/turn"]), key=lambda one: one.id) == facts[::-1]
            last = int(number(facts[0].id).split("-")[1])
            assert number(facts[0].id).startswith(f"{turn}-")
            assert last in {done - 1, done}, "what was done is kept"
            of_this = [one for one in unread if number(one.id).startswith(f"{turn}-")]
            assert len(of_this) in {0, EACH}
    with following:
        following.kill()
