from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from expected import check_times, current

import lamina
from lamina.testing.fakes import FakeClock
from lamina.types import Action, Decision

START = datetime.fromisoformat("2026-01-01T00:00:00Z")


class Story:
    """What is known, and what is then held against it."""

    def __init__(self, case: dict[str, Any], folder: Path, embedder: Any) -> None:
        self.clock = FakeClock(START, case.get("zone", "UTC"))
        self.memory = lamina.open(folder, embedder=embedder, clock=self.clock, background=False)
        self.keys: dict[str, str] = {}
        for given in case["existing"]:
            self.set_clock(given["at"])
            fields = {name: given[name] for name in ("category", "origin") if name in given}
            added = self.memory.add(given["text"], **fields)
            self.keys[added.id] = given["key"]
            if given.get("pinned"):
                self.memory.update(added.id, pinned=True)
            if "corrected" in given:
                self.set_clock(given["corrected"]["at"])
                self.memory.correct(added.id, given["corrected"]["to"])
        self.decisions = self.held(case["candidate"])
        times = [case["candidate"]["at"], *(given["at"] for given in case["existing"])]
        self.set_clock(max(times, key=datetime.fromisoformat))  # what came late is known by then

    def set_clock(self, at: str) -> None:
        now = datetime.fromisoformat(at)
        self.clock.advance(seconds=(now - self.clock.now()).total_seconds())

    def held(self, candidate: dict[str, Any]) -> tuple[Decision, ...]:
        self.set_clock(candidate["at"])
        fields = {name: candidate[name] for name in ("category", "origin") if name in candidate}
        return self.memory.add(candidate["text"], infer=True, **fields).decisions


@pytest.mark.family("dedupe")
@pytest.mark.parametrize("by", ["words", "vectors"])
def test_what_is_known_meets_what_is_new(
    case: dict[str, Any], by: str, tmp_path: Path, e5: Any
) -> None:
    if "source_quote" in case["candidate"]:
        pytest.skip(f"{case['id']} waits for claims that come without their source")
    if case.get("needs", by) != by:
        pytest.skip(f"{case['id']} needs {case['needs']}")
    story = Story(case, tmp_path / "s", "none" if by == "words" else e5)
    expect, (decision,) = case["expect"], story.decisions
    known = [(record.id, record.content) for record in story.memory.list(limit=1000)]
    assert decision.action in expect.get("decision", list(Action)), (decision, known)
    assert decision.action not in expect.get("never", []), decision
    target = story.keys.get(decision.target or "")
    if decision.action in {Action.SKIP, Action.MERGE, Action.SUPERSEDE}:
        assert target in expect.get("target", [target]), decision
    assert target not in expect.get("not_target", []), decision
    if "count" in expect:
        assert len(current(story.memory)) == expect["count"], known
    check_times(story.memory, expect)
    if any(given.get("pinned") for given in case["existing"]):
        assert any(record.pinned for record in current(story.memory)), known
    story.memory.close()
