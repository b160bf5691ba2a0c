from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lamina.stores.memory import MemoryStore
from lamina.stores.sqlite import SqliteStore
from lamina.testing.contracts import StoreContract


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
