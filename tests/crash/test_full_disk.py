"""A full disk: a named error, nothing of the failed write, everything from before, and on again."""

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import lamina
from lamina import Message, Partition, Role, StoreFullError
from lamina.stores.sqlite import SqliteStore
from lamina.stores.sqlite.pool import plain_connect

CHILD = """
import resource, signal, sys
from pathlib import Path
import lamina
from lamina import StoreFullError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = Path(sys.argv[1])
with lamina.open(folder, embedder="none") as memory:
    session = memory.session("talk")
    kept = [session.append("user", f"zebra before {turn}").id for turn in range(20)]
    largest = max(file.stat().st_size for file in folder.iterdir())
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 50_000, hard))
    faults = 0
    for turn in range(400):
        try:
            kept.append(session.append("user", f"zebra {turn} " + "filler " * 40).id)
        except StoreFullError as fault:
            faults += 1
            assert "lamina.db" in str(fault), fault
    assert faults, "the disk never filled"
    for write in (
        lambda: memory.add("quagga note " * 9000),
        lambda: session.append("tool", "quagga " * 90_000, id="large"),
        lambda: memory.add([{"role": "user", "content": f"quagga {n}" * 99} for n in range(99)]),
    ):
        try:
            write()
        except StoreFullError:
            pass
        else:
            raise AssertionError("a write larger than the disk passed")
    assert len(memory.search("zebra", limit=1000)) == len(kept)  # reading goes on
    assert len(memory.search("quagga", limit=1000)) == 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    kept.append(session.append("user", "zebra after").id)
    kept.append(session.append("user", "zebra " * 90_000, id="large").id)
    assert [message.id for message in session.messages()] == kept
with lamina.open(folder, embedder="none") as memory:
    assert [message.id for message in memory.session("talk").messages()] == kept
    assert len(memory.search("zebra", limit=1000)) == len(kept)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="this system limits no file's size")
def test_a_disk_that_fills_refuses_by_name_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "background work pauses" not in line]
    assert (done.returncode, said) == (0, [])


def test_a_database_at_its_largest_says_full_and_takes_writes_when_there_is_room(
    tmp_path: Path,
) -> None:
    pages = [1 << 30]

    def connect(path: str) -> sqlite3.Connection:
        db = plain_connect(path)
        db.execute(f"pragma max_page_count = {pages[0]}")
        return db

    def message(number: int) -> Message:
        at = datetime(2026, 5, 4, tzinfo=UTC)
        return Message(f"m{number}", "talk", Role.USER, "zebra " * 200, at)

    file, home = tmp_path / "lamina.db", Partition()
    store = SqliteStore(file)
    store.append(home, [(message(0), [])])
    store.close()
    pages[0] = 60
    store = SqliteStore(file, connect=connect)
    kept = ["m0"]
    with pytest.raises(StoreFullError, match=r"lamina\.db.* full"):  # noqa: PT012 - fills up
        for number in range(1, 1000):
            store.append(home, [(message(number), [])])
            kept.append(f"m{number}")
    assert [m.id for m in store.messages(home, "talk")] == kept
    with pytest.raises(StoreFullError):
        store.append(home, [(message(number), []) for number in range(2000, 2100)])
    assert [m.id for m in store.messages(home, "talk")] == kept
    store.close()
    pages[0] = 1 << 30
    store = SqliteStore(file, connect=connect)
    store.append(home, [(message(5000), [])])
    assert [m.id for m in store.messages(home, "talk")] == [*kept, "m5000"]
    store.close()


def test_a_store_that_cannot_even_begin_says_so_and_can_begin_later(tmp_path: Path) -> None:
    def connect(path: str) -> sqlite3.Connection:
        db = plain_connect(path)
        db.execute("pragma max_page_count = 3")
        return db

    with pytest.raises(StoreFullError):
        SqliteStore(tmp_path / "lamina.db", connect=connect)
    with lamina.open(tmp_path, embedder="none") as memory:
        memory.add("there is room again")
        assert len(memory.search("room")) == 1
