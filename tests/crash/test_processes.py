"""Processes share a store: several write, others search, and a fork keeps working on both sides."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import lamina
from lamina import Memory, Space

WRITERS, EACH = 4, 500
WRITER = """
import sys
import lamina

memory = lamina.open(sys.argv[1], embedder="none")
session = memory.session(f"talk {sys.argv[2]}")
for turn in range(int(sys.argv[3])):
    session.append("user", f"zebra w{sys.argv[2]} {turn}", id=f"w{sys.argv[2]}-{turn}")
memory.close()
"""
READER = """
import sys
import lamina

memory = lamina.open(sys.argv[1], embedder="none")
last, searches = 0, 0
while last < int(sys.argv[2]):
    found = len(memory.search("zebra", limit=10_000))
    assert found >= last, (found, last)
    last, searches = found, searches + 1
print(last, searches)
"""


def run(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_four_processes_append_while_a_fifth_searches(tmp_path: Path) -> None:
    reader = run(READER, tmp_path, WRITERS * EACH)
    writers = [run(WRITER, tmp_path, number, EACH) for number in range(WRITERS)]
    for writer in writers:
        _, errors = writer.communicate()
        assert (writer.returncode, errors) == (0, "")
    found, errors = reader.communicate()
    assert (reader.returncode, errors) == (0, "")
    assert int(found.split()[0]) == WRITERS * EACH
    with lamina.open(tmp_path, embedder="none") as memory:
        for number in range(WRITERS):
            ids = [message.id for message in memory.session(f"talk {number}").messages()]
            assert ids == [f"w{number}-{turn}" for turn in range(EACH)]


def in_child(work: Callable[[], None]) -> None:
    """Run in a forked child, which must end well and within a minute."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            threading.Timer(60, os._exit, [2]).start()
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
single = pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")


@needs_fork
@single
def test_after_a_fork_both_sides_append_and_search(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none") as memory:
        session = memory.session("talk")
        for turn in range(20):
            session.append("user", f"zebra before {turn}")
        assert len(memory.search("zebra", limit=100)) == 20

        def work() -> None:
            for turn in range(50):
                memory.session("child").append("user", f"zebra child {turn}")
            memory.add("a zebra note of the child")
            assert len(memory.search("zebra", limit=1000)) >= 71
            memory.close()

        child = threading.Thread(target=in_child, args=[work])
        child.start()
        for turn in range(50):
            session.append("user", f"zebra parent {turn}")
        child.join()
        assert len(memory.search("zebra", limit=1000)) == 121
        assert len(memory.session("child").messages()) == 50
    with lamina.open(tmp_path, embedder="none") as memory:
        assert len(memory.search("zebra", limit=1000)) == 121


@needs_fork
@single
def test_forks_amid_other_threads_writes_and_searches_never_hang(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none") as memory:
        memory.add("zebra at the start")
        stop = threading.Event()
        faults: list[BaseException] = []

        def busy(number: int) -> None:
            turn = 0
            try:
                while not stop.is_set():
                    memory.session(f"t{number}").append("user", f"zebra {number} {turn}")
                    memory.search("zebra", limit=3)
                    turn += 1
            except BaseException as fault:  # noqa: BLE001 - whatever it is, the test shows it
                faults.append(fault)

        threads = [threading.Thread(target=busy, args=[number]) for number in range(3)]
        for thread in threads:
            thread.start()
        for number in range(8):

            def work(number: int = number) -> None:
                memory.add(f"zebra from child {number}")
                assert len(memory.search(f"child {number}", limit=3)) == 3

            in_child(work)
        stop.set()
        for thread in threads:
            thread.join()
        assert faults == []
        assert len(memory.list(limit=100)) == 9


class Slow:
    """An embedder whose first use waits until it is let go: a model that loads."""

    def __init__(self) -> None:
        self.entered, self.go = threading.Event(), threading.Event()

    @property
    def space(self) -> Space:
        self.entered.set()
        self.go.wait(30)
        return Space("test", "slow", 4)

    def embed(self, texts: Sequence[str], purpose: str) -> NDArray[np.float32]:  # noqa: ARG002
        return np.full((len(texts), 4), 0.5, np.float32)

    def close(self) -> None:
        self.go.set()


@needs_fork
@single
def test_a_fork_while_the_model_loads_leaves_the_child_free(tmp_path: Path) -> None:
    embedder = Slow()
    memory: Memory = lamina.open(tmp_path, embedder=embedder)
    with memory:
        memory.add("zebra")  # wakes the work behind, which loads the model
        assert embedder.entered.wait(30)

        def work() -> None:
            embedder.go = threading.Event()
            embedder.go.set()
            assert len(memory.search("zebra")) == 1

        in_child(work)
        embedder.go.set()
        assert len(memory.search("zebra")) == 1
