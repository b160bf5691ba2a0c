from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lamina.errors import NotAStoreError, StoreTooNewError
from lamina.stores.sql import loader
from lamina.stores.sqlite import SqliteStore
from lamina.stores.sqlite.opening import APPLICATION
from lamina.testing.samples import ANN, NOON, noted, put

KEY = b"0123456789abcdef"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as db:
        yield db
        db.commit()


def written_by(path: Path, version: int) -> None:
    """A store as the Lamina of this schema version left it, empty."""
    with database(path) as db:
        for number, script in loader.migrations("sqlite"):
            if number <= version:
                db.executescript(script)
        db.execute("insert into meta values ('key', ?)", (KEY,))
        db.execute(f"pragma application_id = {APPLICATION}")
        db.execute(f"pragma user_version = {version}")


def schema(path: Path) -> dict[str, Any]:
    """What a database can hold, however its tables were written down."""
    with database(path) as db:
        tables = db.execute("select name, sql from sqlite_schema where type = 'table'").fetchall()
        return {name: table(db, name, sql) for name, sql in tables}


def table(db: sqlite3.Connection, name: str, sql: str) -> dict[str, Any]:
    indexes = db.execute(
        "select name, [unique], origin, partial from pragma_index_list(?)", (name,)
    ).fetchall()
    return {
        "columns": sorted(row[1:] for row in db.execute(f"pragma table_xinfo({name})")),
        "indexes": sorted(
            (*index, tuple(db.execute("select * from pragma_index_xinfo(?)", (index[0],))))
            for index in indexes
        ),
        "references": sorted(row[2:] for row in db.execute(f"pragma foreign_key_list({name})")),
        "kind": db.execute("select wr, strict from pragma_table_list where name = ?", (name,))
        .fetchone(),
        "autoincrement": bool(re.search(r"\bautoincrement\b", sql, re.IGNORECASE)),
    }  # fmt: skip


def test_a_fresh_schema_equals_each_migrated_one(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "fresh.db").close()
    fresh = schema(tmp_path / "fresh.db")
    assert {"message", "memory", "passage", "vector"} < fresh.keys()
    for version, _ in loader.migrations("sqlite"):
        path = tmp_path / f"{version}.db"
        written_by(path, version)
        SqliteStore(path).close()
        assert schema(path) == fresh


def test_migrations_are_numbered_without_holes() -> None:
    numbers = [number for number, _ in loader.migrations("sqlite")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_an_old_store_keeps_its_key_and_works(tmp_path: Path) -> None:
    written_by(tmp_path / "old.db", 1)
    with closing(SqliteStore(tmp_path / "old.db")) as store:
        assert store.key == KEY
        put(store, noted("m"))
    with closing(SqliteStore(tmp_path / "old.db")) as store:
        assert store.memories([ANN]) == [(ANN, noted("m"))]


def test_what_an_old_store_holds_is_there_with_nothing_to_read(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    written_by(path, 1)
    with database(path) as db:
        db.execute("insert into partition values (1, 'ann', '', 2, 0)")
        db.execute("insert into session (seq, partition, id, created) values (1, 1, 's', 0)")
        db.execute(
            "insert into message (seq, partition, session, id, role, content, blocks, at, zone, "
            "passage, passages) values (1, 1, 1, 'a', 'user', 'Tea', 0, 0, 'UTC', 1, 0)"
        )
        db.execute(
            "insert into memory (seq, partition, id, layer, category, origin, importance, pinned, "
            "content, abstract, overview, created, version, passage, passages, content_hash) "
            "values (1, 1, 'm', 'long_term', 'note', 'user', 0.5, 0, 'Tea', '', '', 0, 1, 1, 0, 0)"
        )
    with closing(SqliteStore(path)) as store:
        assert store.messages(ANN, "s")[0].text == "Tea"
        assert store.memories([ANN]) == [(ANN, replace(noted("m", "Tea"), created_at=EPOCH))]
        assert store.unread(None, 9) == []
        assert store.decisions([ANN]) == []
        assert store.happening([ANN], EPOCH, NOON) == []


def test_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "lamina.db"
    with closing(SqliteStore(path)) as store:
        put(store, noted("m"))
    newest = loader.migrations("sqlite")[-1][0]
    with database(path) as db:
        db.execute(f"pragma user_version = {newest + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreTooNewError, match=f"has schema {newest + 1}.*upgrade Lamina"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with database(path) as db:
        db.execute("create table bookmarks (url text)")
    before = path.read_bytes()
    with pytest.raises(NotAStoreError, match="another program's database"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text = tmp_path / "notes.db"
    text.write_text("Dear diary, today I drank oat milk. " * 50, "utf-8")
    before = text.read_bytes()
    with pytest.raises(NotAStoreError, match="no SQLite database"):
        SqliteStore(text)
    assert text.read_bytes() == before
    with pytest.raises(NotAStoreError, match="is a folder"):
        SqliteStore(tmp_path)
