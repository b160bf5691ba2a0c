"""What tests of bad input offer, and how they see that nothing came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from lamina import Memory

AT = datetime(2026, 5, 4, tzinfo=UTC)
NAIVE = datetime(2026, 5, 4)  # noqa: DTZ001 - the bad input itself


def answers(memory: Memory, extra: int = 0) -> None:
    """What was there is still found, and nothing else (but `extra` more) came."""
    hits = memory.search("zebra", limit=100)
    assert len(hits) == 2 + extra
    assert hits.degraded == ("no embedder is set: words alone answer",)
    assert memory.context("zebra").text
    assert memory.session("talk").messages()[0].id == "first"
    assert memory.list()
    assert len(memory.session("talk").messages()) + len(memory.list()) == 2 + extra


def deep(levels: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for _ in range(levels):
        out = {"in": out}
    return out


def cyclic() -> dict[str, Any]:
    out: dict[str, Any] = {}
    out["self"] = out
    return out
