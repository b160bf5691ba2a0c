"""A document is replaced as a whole, whoever is killed or comes between."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import lamina
from lamina import Archived, Filter, Layer, Memory


def texts(memory: Memory) -> list[str]:
    asked = Filter(layers=(Layer.ARCHIVAL,))
    return [record.content for record in memory.list(filter=asked, limit=10_000)]


def test_two_who_add_the_same_at_once_leave_one_document(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# One\n\ntext\n\n" * 60, "utf-8")
    handles = [lamina.open(tmp_path / "store", embedder="none", background=False) for _ in "ab"]
    done: list[Archived] = []

    def work(memory: Memory) -> None:
        done.extend(memory.archive.add(file, metadata={"n": n}) for n in range(8))

    threads = [threading.Thread(target=work, args=(memory,)) for memory in handles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 16
    (document,) = handles[0].archive.list()
    assert len(texts(handles[1])) == document.passages == 60
    for memory in handles:
        memory.close()


CHILD = """
import os, sys
from pathlib import Path
import lamina

store, file = sys.argv[1], Path(sys.argv[2])
memory = lamina.open(store, embedder="none", background=False)
for turn in range(1, 1_000_000):
    file.write_text("".join(f"## Part {n}\\n\\nturn {turn} zebra\\n\\n" for n in range(40)))
    memory.archive.add(file)
    os.write(1, b"done\\n")
"""


def test_after_a_kill_a_document_is_old_or_new_and_never_both(tmp_path: Path) -> None:
    file, store = tmp_path / "a.md", tmp_path / "store"
    for turns in range(1, 6):
        command = [sys.executable, "-c", CHILD, str(store), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            for _ in range(turns):
                assert child.stdout.readline() == b"done\n"
            child.kill()
        with lamina.open(store, embedder="none", background=False) as memory:
            kept = texts(memory)
            assert len(kept) == 40
            assert len({text.split("\n")[-1] for text in kept}) == 1
