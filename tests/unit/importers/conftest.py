import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina

Write = Callable[..., Path]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[lamina.Memory]:
    with lamina.open(tmp_path / "store", embedder="none", zone="Asia/Shanghai") as memory:
        yield memory


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of records: one a line, or as they are where they are bytes."""

    def written(name: str, *records: Any, encoding: str = "utf-8", end: str = "\n") -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        parts = [
            part if isinstance(part, bytes) else json.dumps(part, ensure_ascii=False).encode()
            for part in records
        ]
        data = end.encode().join(parts) + (end.encode() if parts else b"")
        if encoding != "utf-8":
            data = data.decode().encode(encoding)
        file.write_bytes(data)
        return file

    return written
