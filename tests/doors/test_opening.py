"""What is no store, or may not be one now, is refused by name and left as it was."""

import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

import lamina
from lamina import (
    EmbedderError,
    LaminaError,
    NotAStoreError,
    SettingsError,
    StoreDamagedError,
    StoreNotWritableError,
    StoreTooNewError,
)

NOBODY = 65534


def a_store(folder: Path, messages: int = 3) -> Path:
    """A store with a few turns in it; its database file."""
    with lamina.open(folder, embedder="none") as memory:
        session = memory.session("talk")
        for turn in range(messages):
            session.append("user", f"zebra {turn} " + "filler " * 30)
        with suppress(EmbedderError):
            memory.admin.flush()  # so that nothing is still to be written when it is opened
    return folder / "lamina.db"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")}


def refused(kind: type[LaminaError], path: str | Path, *, remedy: str) -> str:
    """Opening fails with exactly this class; the message names the path and a remedy."""
    with pytest.raises(kind) as caught:
        lamina.open(path, embedder="none")
    assert type(caught.value) is kind
    message = str(caught.value)
    assert str(path) in message
    assert re.search(remedy, message), message
    return message


def test_a_path_that_is_a_file_is_no_store_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine", "utf-8")
    refused(NotAStoreError, file, remedy="another path")
    assert contents(tmp_path) == {"notes.txt": b"mine"}


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    refused(StoreNotWritableError, tmp_path / "notes.txt" / "store", remedy="another place")
    assert contents(tmp_path) == {"notes.txt": b"mine"}


@pytest.mark.parametrize("name", ["a\0b", "x" * 4000])
def test_a_path_that_no_folder_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreNotWritableError, match="another place"):
        lamina.open(tmp_path / name, embedder="none")


def test_a_folder_named_as_the_database_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "lamina.db").mkdir()
    with pytest.raises(NotAStoreError, match=re.escape(str(tmp_path))):
        lamina.open(tmp_path, embedder="none")


@contextmanager
def without_rights(folder: Path, files: int = 0o444) -> Iterator[None]:
    """For a while this process is somebody who may write nothing here."""
    root = os.geteuid() == 0
    paths = [folder, *folder.iterdir()]
    modes = [path.stat().st_mode & 0o777 for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else files)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may look into: those of pytest are their owner's alone."""
    for base in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        way = [Path(base).resolve(), *Path(base).resolve().parents]
        if all(part.exists() and part.stat().st_mode & 0o001 for part in way):
            break
    else:
        pytest.skip("every folder for temporary files is closed to other users here")
    folder = Path(tempfile.mkdtemp(prefix="lamina-", dir=base))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


no_rights = pytest.mark.skipif(sys.platform == "win32", reason="rights work otherwise here")


@no_rights
def test_a_folder_that_may_not_be_made_is_refused(public: Path) -> None:
    with without_rights(public):
        refused(StoreNotWritableError, public / "new", remedy="another place")
    assert list(public.iterdir()) == []


@no_rights
def test_an_empty_folder_that_may_not_be_written_is_refused(public: Path) -> None:
    with without_rights(public):
        refused(StoreNotWritableError, public, remedy="rights")
    assert list(public.iterdir()) == []


@no_rights
def test_a_store_that_may_not_be_written_is_refused_and_stays(public: Path) -> None:
    a_store(public)
    before = contents(public)
    with without_rights(public):
        refused(StoreNotWritableError, public, remedy="rights")
    assert contents(public) == before
    assert len(lamina.open(public, embedder="none").search("zebra")) == 3


@no_rights
def test_settings_that_may_not_be_read_are_named(public: Path) -> None:
    file = public / "lamina.toml"
    file.write_text('embedder = "none"', "utf-8")
    with (
        without_rights(public, 0o000),
        pytest.raises(SettingsError, match=r"lamina\.toml cannot be read"),
    ):
        lamina.open(public)


def test_settings_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "lamina.toml").write_bytes(b"\xff\xfe\x00bad")
    with pytest.raises(SettingsError, match=r"lamina\.toml"):
        lamina.open(tmp_path)


def test_a_newer_schema_is_refused_and_stays(tmp_path: Path) -> None:
    file = a_store(tmp_path)
    with closing(sqlite3.connect(file)) as db:
        db.execute("pragma user_version = 99")
    before = contents(tmp_path)
    message = refused(StoreTooNewError, tmp_path, remedy="upgrade Lamina")
    assert "99" in message
    assert contents(tmp_path) == before


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("version", [0, 1, 7])
def test_another_programs_database_is_refused_and_stays(
    tmp_path: Path, journal: str, version: int
) -> None:
    with closing(sqlite3.connect(tmp_path / "lamina.db")) as db:
        db.execute(f"pragma journal_mode = {journal}")
        db.execute("create table invoices (id integer primary key, total)")
        db.execute("insert into invoices (total) values (12)")
        db.execute(f"pragma user_version = {version}")
        db.commit()
    before = contents(tmp_path)
    refused(NotAStoreError, tmp_path, remedy="another folder")
    assert contents(tmp_path) == before


def test_another_programs_application_id_is_enough_to_be_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "lamina.db")) as db:
        db.execute("pragma application_id = 1196444487")
        db.execute("vacuum")
    before = contents(tmp_path)
    refused(NotAStoreError, tmp_path, remedy="another folder")
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "garbage",
    [b"xy", b"not a database at all\n", bytes(range(256)) * 64, b"SQLite format 3", b"\0" * 5000],
    ids=["two bytes", "a line", "16 KB", "half a header", "zeros"],
)
def test_garbage_bytes_are_refused_and_stay(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "lamina.db").write_bytes(garbage)
    refused(NotAStoreError, tmp_path, remedy="another folder")
    assert contents(tmp_path) == {"lamina.db": garbage}


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "lamina.db").touch()
    with lamina.open(tmp_path, embedder="none") as memory:
        memory.add("a zebra")
        assert len(memory.search("zebra")) == 1


def test_a_store_left_in_another_journal_mode_is_opened_as_ever(tmp_path: Path) -> None:
    file = a_store(tmp_path)
    with closing(sqlite3.connect(file)) as db:
        db.execute("pragma journal_mode = delete")
    with lamina.open(tmp_path, embedder="none") as memory:
        memory.add("another zebra")
        assert len(memory.search("zebra")) == 4
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)


def spoilt_page(data: bytearray, page: int) -> None:
    size = int.from_bytes(data[16:18], "big")
    data[page * size : (page + 1) * size] = b"\xa5" * size


def spoilt_schema(data: bytearray) -> None:
    data[100:400] = b"\xa5" * 300


def cut_short(data: bytearray) -> None:
    del data[len(data) // 2 :]


def everything_read(folder: Path) -> None:
    with lamina.open(folder, embedder="none") as memory:
        memory.search("zebra")
        memory.list()
        memory.session("talk").messages()
        memory.admin.status()


@pytest.mark.parametrize("spoil", [spoilt_schema, cut_short])
def test_a_damaged_database_is_named_and_stays(
    tmp_path: Path, spoil: Callable[[bytearray], None]
) -> None:
    file = a_store(tmp_path, 300)
    data = bytearray(file.read_bytes())
    spoil(data)
    file.write_bytes(data)
    with pytest.raises(StoreDamagedError, match="restore a backup") as caught:
        everything_read(tmp_path)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == bytes(data)


def test_any_one_damaged_page_is_named_or_unread_and_the_file_stays(tmp_path: Path) -> None:
    file = a_store(tmp_path / "good", 60)
    good = file.read_bytes()
    pages = len(good) // int.from_bytes(good[16:18], "big")
    named = 0
    for page in range(1, pages):
        folder = tmp_path / str(page)
        folder.mkdir()
        data = bytearray(good)
        spoilt_page(data, page)
        (folder / "lamina.db").write_bytes(data)
        try:
            everything_read(folder)
        except StoreDamagedError as fault:
            named += str(folder / "lamina.db") in str(fault)
        assert (folder / "lamina.db").read_bytes() == bytes(data), page
    assert named > pages // 4


@pytest.mark.parametrize(
    "damage",
    [
        "update message set content = cast(x'ff' as text)",
        "update message set role = 'nobody'",
        """update message set metadata = '{"cut": '""",
    ],
)
def test_a_value_that_does_not_read_is_named_as_damage(tmp_path: Path, damage: str) -> None:
    file = a_store(tmp_path)
    with closing(sqlite3.connect(file)) as db:
        db.execute(damage)
        db.commit()
    with lamina.open(tmp_path, embedder="none") as memory:
        with pytest.raises(StoreDamagedError, match="restore a backup") as caught:
            memory.session("talk").messages()
        assert str(file) in str(caught.value)
        with pytest.raises(StoreDamagedError):
            memory.search("zebra")
        memory.add("writing goes on")


def test_a_store_that_lost_its_key_is_named(tmp_path: Path) -> None:
    file = a_store(tmp_path)
    with closing(sqlite3.connect(file)) as db:
        db.execute("delete from meta where name = 'key'")
        db.commit()
    refused(StoreDamagedError, tmp_path, remedy="restore a backup")


def test_a_refusal_leaves_no_handle_behind(tmp_path: Path) -> None:
    (tmp_path / "lamina.db").write_bytes(b"garbage" * 1000)
    for _ in range(50):
        with pytest.raises(NotAStoreError):
            lamina.open(tmp_path, embedder="none")
    (tmp_path / "lamina.db").unlink()
    with lamina.open(tmp_path, embedder="none") as memory:
        assert memory.search("zebra").hits == ()
