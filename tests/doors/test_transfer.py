from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.build import restore_store
from lamina.errors import (
    InvalidInputError,
    NotAStoreError,
    NotFoundError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
)
from lamina.testing.fakes import FakeClock


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Memory]:
    """A store with something of everything."""
    clock = FakeClock()
    with lamina.open(tmp_path / "full", embedder="none", background=False, clock=clock) as memory:
        ann = memory.for_user("ann")
        chat = ann.session("s", project="apollo", title="Plans")
        chat.state = {"step": 2, "words": ["燕麦", "oats"]}
        chat.append("user", "I live in Porto.", name="Ann", metadata={"n": 1})
        call = {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
        chat.append("assistant", [{"type": "text", "text": "Hm."}], extra=call)
        ann.list()
        clock.advance(days=1)
        chat.append("user", "I live in Braga now. Maybe I live in Faro.")
        id = ann.add("The key is under the mat", metadata={"tags": ["a"]}, importance=0.9).id
        ann.update(id, "The key is under the pot")
        ann.correct(id, "The key is with Odile")
        memory.for_user("ann", agent_id="coach").add("The coach's own")
        memory.for_everyone().add("The house is blue")
        memory.archive.add("# Harbour\n\nThe berth is OSPREY.\n\n" * 30, title="harbour")
        gone = memory.add("gone").id
        memory.delete(gone)
        ann.search("key")
        memory.admin.log()
        chat.append("user", "I like tea.")  # and this one waits to be read
        yield memory


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_an_export_reads_back_as_it_was(full: Memory, tmp_path: Path) -> None:
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    done = full.admin.export(first)
    assert (done.messages, done.sessions) == (4, 1)
    assert {line["kind"] for line in lines(first)[1:]} == {
        "session", "message", "memory", "history", "decision", "event",
    }  # fmt: skip
    with lamina.open(tmp_path / "new", embedder="none", background=False) as other:
        came = other.import_(first)
        assert (came.messages, came.memories, came.unread) == (4, done.memories, ())
        other.admin.export(second)
        assert lines(second) == lines(first)
        again = other.import_(first)
        assert (again.messages, again.memories) == (0, 0)
        ann = other.for_user("ann")
        assert ann.search("who has the key")[0].text == "The key is with Odile"
        assert "User likes tea" in [record.content for record in ann.list()]
        assert len(ann.history(ann.search("who has the key")[0].id)) == 3
        assert [one.text for one in ann.review.list()] == ["User lives in Faro"]
        archive = lamina.Filter(layers=(lamina.Layer.ARCHIVAL,))
        assert other.search("osprey berth", filter=archive)
        assert other.archive.list()[0].title == "harbour"


def test_one_user_moves_into_another_store(full: Memory, tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    full.admin.export(path, user_id="ann")
    assert {line["user"] for line in lines(path)[1:]} == {"ann"}
    whole = tmp_path / "whole.jsonl"
    full.admin.export(whole)
    with lamina.open(tmp_path / "new", embedder="none", background=False) as other:
        eve = other.for_user("eve")
        eve.import_(path)
        assert other.admin.users() == ["eve"]
        assert len(eve.session("s").messages()) == 4
        with pytest.raises(InvalidInputError, match="users"):
            eve.import_(whole)
        with pytest.raises(NotFoundError):
            other.admin.export(tmp_path / "none.jsonl", user_id="nobody")
    assert not (tmp_path / "none.jsonl").exists()


def test_secrets_are_counted_and_masked_where_that_is_asked_for(tmp_path: Path) -> None:
    secret = "password: hunter2-and-more"
    with lamina.open(tmp_path / "s", embedder="none", background=False) as memory:
        memory.session("s").append("user", secret)
        done = memory.admin.export(tmp_path / "exact.jsonl")
        assert sum(done.secrets.values()) == 1
        assert "hunter2" in (tmp_path / "exact.jsonl").read_text("utf-8")
        assert memory.admin.export(tmp_path / "masked.jsonl", mask=True).masked
        assert "hunter2" not in (tmp_path / "masked.jsonl").read_text("utf-8")


def test_what_cannot_be_read_is_reported_and_the_rest_comes(full: Memory, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    full.admin.export(path)
    texts = path.read_text("utf-8").splitlines()
    broken = [
        texts[0], "not json", '{"user": "ann"}', '{"kind": "moon", "user": "ann"}',
        '{"kind": "message", "user": "ann", "id": "x"}', *texts[1:],
    ]  # fmt: skip
    path.write_text("\n".join(broken), "utf-8")
    with lamina.open(tmp_path / "new", embedder="none", background=False) as other:
        came = other.import_(path)
        assert [sentence.split(":")[0] for sentence in came.unread] == [
            "line 2", "line 3", "line 4", "line 5",
        ]  # fmt: skip
        assert came.messages == 4
        path.write_text('{"lamina": 99}\n', "utf-8")
        with pytest.raises(InvalidInputError, match="upgrade Lamina"):
            other.import_(path)


def test_an_export_that_cannot_be_written_leaves_the_old_one(full: Memory, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        full.admin.export(tmp_path / "file" / "out.jsonl")
    full.admin.export(tmp_path / "file")
    assert lines(tmp_path / "file")[0] == {"lamina": 1}
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


# --- backups


def test_a_backup_under_load_holds_all_that_was_acknowledged(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "s", embedder="none") as memory:
        stop, said = threading.Event(), list[str]()

        def talk() -> None:
            chat = memory.session("talk")
            while not stop.is_set():
                said.append(chat.append("user", f"zebra {len(said)}").id)

        thread = threading.Thread(target=talk)
        thread.start()
        try:
            while len(said) < 50:
                stop.wait(0.01)
            before = list(said)
            done = memory.admin.backup()
        finally:
            stop.set()
            thread.join()
    assert Path(done.path).parent == tmp_path / "s" / "backups"
    assert done.messages >= len(before)
    counts = restore_store(done.path, tmp_path / "back")
    assert counts["message"] == done.messages
    with lamina.open(tmp_path / "back", embedder="none") as memory:
        found = {message.id for message in memory.session("talk").messages()}
        assert found >= set(before)
        assert memory.search("zebra 7")


def test_a_restore_never_writes_over_a_store(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "s", embedder="none") as memory:
        memory.add("old")
        path = memory.admin.backup(tmp_path / "old.db").path
        memory.add("new")
        with pytest.raises(StoreError, match="holds a store already"):
            restore_store(path, tmp_path / "s")
        with pytest.raises(StoreBusyError, match="close it there first"):
            restore_store(path, tmp_path / "s", replace=True)
        assert len(memory.list()) == 2
    restore_store(path, tmp_path / "s", replace=True)
    with lamina.open(tmp_path / "s", embedder="none") as memory:
        assert [record.content for record in memory.list()] == ["old"]
    (aside,) = (tmp_path / "s").glob("lamina.db.before-*")
    restore_store(aside, tmp_path / "second")
    with lamina.open(tmp_path / "second", embedder="none") as memory:
        assert {record.content for record in memory.list()} == {"old", "new"}


def test_only_a_sound_backup_is_restored(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("Dear diary " * 99, "utf-8")
    with pytest.raises((NotAStoreError, StoreDamagedError)):
        restore_store(tmp_path / "text", tmp_path / "new")
    with pytest.raises(NotAStoreError):
        restore_store(tmp_path / "none", tmp_path / "new")
    with lamina.open(tmp_path / "s", embedder="none") as memory:
        for number in range(50):
            memory.add(f"note {number} " * 50)
        path = Path(memory.admin.backup().path)
        with pytest.raises(StoreError, match="cannot be written"):
            memory.admin.backup(path / "below")
    data = bytearray(path.read_bytes())
    data[8192:16384] = b"\xff" * 8192
    path.write_bytes(data)
    with pytest.raises(StoreDamagedError):
        restore_store(path, tmp_path / "new")
    assert not (tmp_path / "new" / "lamina.db").exists()


def test_what_is_forgotten_goes_from_the_backups_too(tmp_path: Path) -> None:
    store = tmp_path / "s"
    with lamina.open(store, embedder="none", background=False) as memory:
        chat = memory.session("s")
        chat.append("user", "Remember that the choir meets on Mondays in the crypt.")
        more = "Remember that the choir meets on Mondays in the crypt at QUARTER-EIGHT."
        told = chat.append("user", more).id
        memory.for_user("ann").add("VERMILION")
        memory.list()
        memory.admin.backup()
        memory.admin.backup()
        assert memory.forget(told).done
        assert memory.for_user("ann").forget(everything=True).done
    found = b"".join(file.read_bytes() for file in store.rglob("*") if file.is_file())
    assert b"QUARTER-EIGHT" not in found
    assert b"VERMILION" not in found
    backup = min((store / "backups").glob("*.db"))
    restore_store(backup, tmp_path / "back")
    with lamina.open(tmp_path / "back", embedder="none") as memory:
        assert [r.content for r in memory.list()] == ["the choir meets on Mondays in the crypt"]


def test_a_store_in_memory_makes_no_copies(tmp_path: Path) -> None:
    memory = lamina.open(tmp_path, embedder="none", store="memory")
    with memory, pytest.raises(StoreError, match="use export"):
        memory.admin.backup()


# --- the commands


def test_the_commands(run: Any, answer: Any, refused: Any, tmp_path: Path) -> None:
    answer("add", "Our boat is called Petrel")
    out = tmp_path / "out.jsonl"
    assert "0 messages in 0 sessions, 1 memories" in run("export", str(out)).stdout
    assert answer("export", str(out))["memories"] == 1
    done = answer("backup")
    assert done["memories"] == 1
    refused(run("restore", done["path"]), 8, "already")
    told = run("restore", done["path"], "--store", str(tmp_path / "new"))
    assert told.stdout.endswith("0 messages, 1 memories\n")
    assert answer("restore", done["path"], "--replace")["memories"] == 1
    other = str(tmp_path / "third")
    assert answer("import", str(out), "--store", other)["memories"] == 1
    assert answer("list", "--store", other)[0]["content"] == "Our boat is called Petrel"
    assert datetime.fromisoformat(answer("list")[0]["created_at"]) < datetime.now(UTC)
