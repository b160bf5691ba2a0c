"""SQL by name: every query of a `.sql` file stands under `-- name: x` and a sentence."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_NAMED = re.compile(r"^-- name: (\w+)\n((?:--.*\n)+)", re.MULTILINE)


def text(dialect: str, name: str) -> str:
    """The text of one file."""
    return files("lamina.stores.sql").joinpath(dialect, name).read_text("utf-8")


@cache
def queries(dialect: str) -> dict[str, str]:
    """All named queries of a dialect."""
    parts = _NAMED.split(text(dialect, "queries.sql"))
    return {name: sql.strip() for name, sql in zip(parts[1::3], parts[3::3], strict=True)}


def migrations(dialect: str) -> list[tuple[int, str]]:
    """The migrations of a dialect, by the version that each leads to."""
    folder = files("lamina.stores.sql").joinpath(dialect, "migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), text(dialect, f"migrations/{name}")) for name in names]
