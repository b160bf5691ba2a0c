"""SQL by name: every query of a `.sql` file stands under `-- name: x` and a sentence."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
_NAMED = re.compile(r"^-- name: (\w+)\n((?:--.*\n)+)", re.MULTILINE)


def text(dialect: str, name: str) -> str:
    """The text of one file."""
    return (HERE / dialect / name).read_text("utf-8")


@cache
def queries(dialect: str) -> dict[str, str]:
    """All named queries of a dialect."""
    parts = _NAMED.split(text(dialect, "queries.sql"))
    return {name: sql.strip() for name, sql in zip(parts[1::3], parts[3::3], strict=True)}


def migrations(dialect: str) -> list[tuple[int, str]]:
    """The migrations of a dialect, by the version that each leads to."""
    files = sorted((HERE / dialect / "migrations").glob("*.sql"))
    return [(int(file.name[:4]), file.read_text("utf-8")) for file in files]
