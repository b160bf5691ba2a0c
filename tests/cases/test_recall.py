from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.testing.fakes import FakeClock
from lamina.types import Results

# Kinds of cases that wait for what they ask.
WAITING: dict[str, str] = {}
START = datetime.fromisoformat("2026-01-01T00:00:00Z")


@pytest.mark.family("recall")
def test_recall(case: dict[str, Any], tmp_path: Path, e5: Any) -> None:
    for prefix, what in WAITING.items():
        if prefix in case["id"]:
            pytest.skip(f"{case['id']} waits for {what}")
    found, keys = searched(case, tmp_path, e5)
    expect = case["expect"]
    order = [keys[hit.id] for hit in found]
    if "first" in expect:
        assert order[:1] == [expect["first"]], order
    if "in_top" in expect:
        assert set(expect["in_top"]) <= set(order[: expect["k"]]), order
    for better, worse in expect.get("above", []):
        assert better in order, order
        assert worse not in order or order.index(better) < order.index(worse), order
    if expect.get("none"):
        assert not order
    assert not set(expect.get("absent", [])) & set(order), order
    for alike in expect.get("one_hit_of", []):
        assert len(set(alike) & set(order)) <= 1, order


def searched(case: dict[str, Any], folder: Path, e5: Any) -> tuple[Results, dict[str, str]]:
    """The hits of a case's query, and the keys of its memories by their ids."""
    now = datetime.fromisoformat(case["now"]) if "now" in case else START
    clock = FakeClock(now, case.get("zone", "UTC"))
    embedder = "none" if case.get("needs") == "words" else e5
    keys = {}
    with lamina.open(folder / "s", clock=clock, embedder=embedder, background=False) as memory:
        for given in case["memories"]:
            at = datetime.fromisoformat(given["at"]) if "at" in given else now
            clock.advance(seconds=(at - clock.now()).total_seconds())
            added = memory.add(
                given["text"],
                layer=given.get("layer", "long_term"),
                importance=given.get("importance", 0.5),
                category=given.get("category", "note"),
            )
            keys[added.id] = given["key"]
        clock.advance(seconds=(now - clock.now()).total_seconds())
        layers = tuple(lamina.Layer(layer) for layer in case.get("layers", ())) or None
        found = memory.search(
            case["query"],
            filter=lamina.Filter(layers=layers),
            abstain=case.get("threshold") != "off",
            turns=case.get("turns", []),
        )
    return found, keys
