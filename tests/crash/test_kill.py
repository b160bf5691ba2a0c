"""What was acknowledged survives `kill -9` in the middle of the appends that follow."""

import random
import subprocess
import sys
from pathlib import Path

import lamina

ROUNDS = 20
CHILD = """
import os, sys
import lamina

sys.stdin.readline()
memory = lamina.open(sys.argv[1], embedder="none", background=False)
session = memory.session("talk")
for turn in range(1_000_000):
    if turn % 3 == 2:
        id = memory.add(f"note {sys.argv[2]} {turn} zebra").id
    else:
        id = session.append("user", f"turn {sys.argv[2]} {turn} zebra").id
    os.write(1, f"{id}\\n".encode())
"""


def started(store: Path, number: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", CHILD, str(store), str(number)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def acknowledged_until_killed(child: subprocess.Popen[bytes], count: int) -> list[str]:
    assert child.stdin is not None
    assert child.stdout is not None
    with child:
        child.stdin.write(b"go\n")
        child.stdin.flush()
        lines = [child.stdout.readline() for _ in range(count)]
        child.kill()
        lines += child.stdout.readlines()
    return [line.decode().strip() for line in lines if line.endswith(b"\n")]


def test_every_append_that_returned_is_there_after_kill_9(tmp_path: Path) -> None:
    chance = random.Random(9)
    acknowledged: list[str] = []
    following = started(tmp_path, 0)
    for number in range(ROUNDS):
        child, following = following, started(tmp_path, number + 1)  # imports meanwhile
        found = acknowledged_until_killed(child, chance.randrange(1, 40))
        assert found
        acknowledged += found
        with lamina.open(tmp_path, embedder="none", background=False) as memory:
            kept = {message.id for message in memory.session("talk").messages()}
            kept |= {record.id for record in memory.list(limit=100_000)}
            assert set(acknowledged) <= kept
            assert len(kept) <= len(acknowledged) + number + 1  # at most one in flight a round
            hits = memory.search(f"turn {number} zebra", limit=5)
            assert len(hits) == min(5, len(kept))
    with following:
        following.kill()
    assert len(set(acknowledged)) == len(acknowledged)
