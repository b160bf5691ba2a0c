"""What becomes of a model's answer, whatever it is, when a conversation is added to be read."""

from __future__ import annotations

import builtins
from collections import Counter
from typing import Any

import pytest

import lamina
from lamina.testing.fakes import FakeClock
from lamina.testing.scripted import ScriptedLLM
from lamina.types import Action, Kind

MADE = {Action.CREATE, Action.MERGE, Action.SUPERSEDE}


def model(answer: Any) -> ScriptedLLM:
    if isinstance(answer, dict) and set(answer) == {"raises"}:
        return ScriptedLLM(getattr(builtins, answer["raises"])("on purpose"))
    return ScriptedLLM(answer)


def told(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": each["role"], "content": each["text"]}
        | ({"created_at": each["at"]} if "at" in each else {})
        for each in case["messages"]
    ]


def allowed(value: int | bool, expected: Any) -> bool:
    if expected in ("any", None):
        return True
    return value in expected if isinstance(expected, list) else value == expected


@pytest.mark.family("llm_answers")
def test_an_answer_becomes_what_its_case_expects(case: dict[str, Any]) -> None:
    expect = case["expect"]
    clock = FakeClock(zone="Asia/Shanghai")
    with lamina.open(
        "unused", store="memory", embedder="none", llm=model(case["answer"]), extract="model",
        background=False, clock=clock,
    ) as memory:  # fmt: skip
        added = memory.add(told(case), session_id="talk", infer=True)
        made = [decision for decision in added.decisions if decision.action in MADE]
        records = memory.list()
        texts = [f"{r.abstract}\n{r.overview}\n{r.content}" for r in records]
        assert allowed(len(made), expect.get("accepted")), added.decisions
        assert len(records) == Counter(d.action for d in made)[Action.CREATE], added.decisions
        rejected = len(added.decisions) - len(made)
        assert allowed(rejected, expect.get("rejected")), added.decisions
        waits = any("wait for the model" in said for said in memory.admin.status().degraded)
        assert allowed(waits, expect.get("queued")), memory.admin.status()
        for record in records:
            assert 0 <= record.importance <= 1
            assert record.sources
        hits = memory.search(" ".join(expect.get("not_stored", ["."])))
        found = [hit.text for hit in hits if hit.kind is Kind.MEMORY]
        for word in expect.get("not_stored", ()):
            assert not any(word in text for text in [*texts, *found])
        for word in expect.get("stored_has", ()):
            assert any(word in text for text in texts)
        for word, most in expect.get("stored_at_most", {}).items():
            assert sum(word in text for text in texts) <= most
