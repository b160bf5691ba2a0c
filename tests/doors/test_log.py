from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory, MemoryRecord, Source
from lamina.errors import ScopeError, StoreError
from lamina.testing.fakes import FakeClock, HashEmbedder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(zone="Asia/Shanghai")


@pytest.fixture
def mine(folder: Path, clock: FakeClock) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, clock=clock) as memory:
        yield memory


def names(memory: Memory, **asked: Any) -> list[str]:
    return [entry.event for entry in memory.admin.log(**asked)]


# --- the log


def test_it_tells_what_was_done_in_order_and_no_text(mine: Memory, clock: FakeClock) -> None:
    ann = mine.for_user("ann")
    id = ann.add("The alarm phrase is QUOKKA").id
    clock.advance(hours=1)
    half = clock.now()
    ann.update(id, importance=0.9)
    clock.advance(hours=1)
    ann.search("alarm phrase QUOKKA")
    ann.context("alarm phrase QUOKKA")
    clock.advance(hours=1)
    ann.delete(id)
    done = ["memory_add", "memory_update", "retrieve_ctx", "retrieve_ctx", "memory_delete"]
    assert names(mine) == done[2:]  # what is erased takes its history with it
    entries = mine.admin.log()
    assert {entry.user for entry in entries} == {"ann"}
    assert entries[0].payload == {"resultCount": 1, "ids": [id]}
    assert "QUOKKA" not in str(mine.admin.log(content=True))
    assert names(mine, until=half) == []
    assert names(mine, limit=1) == ["memory_delete"]
    assert names(mine, since=clock.now()) == ["memory_delete"]


def test_texts_come_where_they_are_asked_for(mine: Memory) -> None:
    mine.session("s").append("user", "I live in Porto.")
    mine.list()
    assert "Porto" not in str(mine.admin.log())
    added, decided = mine.admin.log(content=True)
    assert (added.event, added.payload["content"]) == ("memory_add", "User lives in Porto")
    assert (decided.event, decided.payload["reason"]) == ("decision", "new")


def test_searches_are_told_after_a_restart(folder: Path) -> None:
    with lamina.open(folder, embedder="none") as memory:
        memory.add("a boat")
        memory.search("boat")
        memory.for_user("nobody").search("boat")
    with lamina.open(folder, embedder="none", background=False) as memory:
        assert names(memory) == ["memory_add", "retrieve_ctx"]
        assert memory.admin.users() == [lamina.DEFAULT_USER]


def test_lines_are_one_file_a_day_and_lose_what_is_deleted(
    mine: Memory, clock: FakeClock, folder: Path, tmp_path: Path
) -> None:
    first = mine.add("The alarm phrase is 「QUOKKA」").id
    clock.advance(hours=20)
    mine.add("The phrase of the day is EMU")
    files = mine.admin.export_log(content=True)
    assert [file.name for file in files] == ["2026-01-01.jsonl", "2026-01-02.jsonl"]
    line = json.loads(files[0].read_text("utf-8"))
    assert line.keys() == {"ts", "event", "payload"}
    assert (line["ts"], line["event"]) == ("2026-01-01T00:00:00Z", "memory_add")
    assert line["payload"]["id"] == first
    assert mine.admin.export_log(content=True) == files
    assert len(files[0].read_text("utf-8").splitlines()) == 1
    mine.delete(first)
    found = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert b"QUOKKA" not in found
    assert b"EMU" in found
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        mine.admin.export_log(tmp_path / "file")


def test_searching_alone_writes_nothing(folder: Path) -> None:
    for number in range(2):
        with lamina.open(folder, embedder=HashEmbedder()) as memory:
            if number == 0:
                memory.add("a boat")
                memory.admin.flush()
                memory.search("boat")
        found = [(file.name, file.read_bytes()) for file in folder.iterdir()]
    with lamina.open(folder, embedder=HashEmbedder()) as memory:
        assert memory.search("boat")
    assert [(file.name, file.read_bytes()) for file in folder.iterdir()] == found


def test_it_is_the_openers_alone(mine: Memory) -> None:
    with pytest.raises(ScopeError):
        mine.for_user("ann").admin.log()


# --- the audit


def test_each_kind_of_fault_is_found(mine: Memory, clock: FakeClock) -> None:
    now = clock.now()
    mine.add("The user's boat is called Petrel", importance=0.1)
    twin = mine.add("the user's boat is called PETREL!", importance=1.0).id
    homes = [
        MemoryRecord(id, f"The user lives in {id}", now, topic="user/home")
        for id in ("Porto", "Braga")
    ]
    told = mine.session("s").append("user", "I like tea.")
    message = lamina.Kind.MESSAGE
    lost = Source(message, "gone", "s", None, "I like coffee.")
    wrong = Source(message, told.id, "s", None, "I like cocoa.")
    records = [
        *homes,
        MemoryRecord("orphan", "The user likes coffee", now, sources=(lost,)),
        MemoryRecord("unsupported", "The user likes cocoa", now, sources=(wrong,)),
        MemoryRecord("stale", "The offer of the week", now, expires_at=now),
        MemoryRecord("past", "The user lived in Faro", now, valid_to=now),
    ]
    for record in records:
        mine.add(record)
    found = mine.admin.audit()
    assert found.duplicates == (twin,)
    assert set(found.contradictions) == {"Porto", "Braga"}
    assert found.orphans == ("orphan",)
    assert found.unsupported == ("unsupported",)
    assert found.stale == ("stale",)
    assert found.secrets == found.loops == ()
    assert found.importance == (1, 0, 5, 0, 1)
    assert found.memories == 7
    assert found.rate(found.contradictions) == 2 / 7


def test_a_sound_store_has_no_faults(mine: Memory) -> None:
    assert mine.admin.audit().memories == 0
    chat = mine.session("s")
    for text in (
        "I live in Porto.",
        "I live in Braga now.",
        "Maybe I live in Faro.",
        "I like tea.",
    ):
        chat.append("user", text)
    mine.for_user("ann").session("s").append("user", "I live in Porto.")
    for memory in (mine, mine.for_user("ann")):
        memory.list()
    found = mine.admin.audit()
    assert (found.memories, found.waiting) == (3, 1)
    assert found.decisions["supersede newer"] == 1
    for kind in ("duplicates", "contradictions", "unsupported", "orphans", "stale", "loops"):
        assert getattr(found, kind) == (), kind


# --- the commands


def test_the_commands(run: Any, answer: Any, tmp_path: Path) -> None:
    assert run("log").stdout == "Nothing was done.\n"
    id = answer("add", "Our boat is called Petrel")["ids"][0]
    assert [entry["event"] for entry in answer("log")] == ["memory_add"]
    assert f"id={id}" in run("log").stdout
    assert "Petrel" in run("log", "--content").stdout
    (file,) = answer("log", "--out", str(tmp_path / "out"))
    assert "memory_add" in Path(file).read_text("utf-8")
    assert "memories that hold   1" in run("audit").stdout
    assert answer("audit")["memories"] == 1
