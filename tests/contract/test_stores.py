from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lamina.stores.memory import MemoryStore
from lamina.stores.sqlite import SqliteStore
from lamina.testing.contracts import StoreContract
from lamina.testing.samples import ANN, NOON, change, cut, decided, noted, said


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[MemoryStore]:
        store = MemoryStore()
        yield store
        store.close()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path / "lamina.db")
        yield store
        store.close()

    def test_facts_are_there_when_the_store_is_opened_again(self, tmp_path: Path) -> None:
        path = tmp_path / "again.db"
        fact = replace(noted("m"), topic="user/home", happens_from=NOON)
        with closing(SqliteStore(path)) as store:
            store.append(ANN, [(said("a"), []), (said("b"), [])], unread="ab")
            new = [(fact, cut(1), change("m"))]
            store.exchange(ANN, [], new, read=["a"], decisions=[decided("made", "m")])
            (before,) = store.decisions([ANN])
        with closing(SqliteStore(path)) as store:
            assert [message.id for _, message in store.unread(None, 9)] == ["b"]
            assert store.about(ANN, ["user/home"]) == [fact]
            assert store.happening([ANN], NOON, NOON + timedelta(1)) == [(ANN, fact)]
            assert store.decisions([ANN]) == [before]
            store.decide(ANN, [decided("later")])
            assert store.decisions([ANN])[1][1].id > before[1].id
