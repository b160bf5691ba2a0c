from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from casefiles import cases

from lamina.pipeline.extract.answers import Read
from lamina.pipeline.extract.by_model import ask
from lamina.testing.scripted import ScriptedLLM
from lamina.types import Message, Role

FOUND = cases("llm_answers")
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def told(case: dict[str, Any]) -> list[Message]:
    return [
        Message(
            f"m{number}",
            "s",
            Role(each["role"]),
            each["text"],
            datetime.fromisoformat(each["at"]) if "at" in each else NOON,
            zone="Asia/Shanghai",
        )
        for number, each in enumerate(case["messages"])
    ]


def model(answer: Any) -> ScriptedLLM:
    if isinstance(answer, dict) and set(answer) == {"raises"}:
        return ScriptedLLM(getattr(builtins, answer["raises"])("on purpose"))
    return ScriptedLLM(answer)


def allowed(value: int | bool, expected: Any) -> bool:
    if expected in ("any", None):
        return True
    return value in expected if isinstance(expected, list) else value == expected


def texts(done: Read) -> Sequence[str]:
    return [f"{item.abstract}\n{item.overview}\n{item.content}" for item in done.items]


@pytest.mark.parametrize("case", FOUND, ids=[case["id"] for case in FOUND])
def test_an_answer_comes_to_what_its_case_expects(case: dict[str, Any]) -> None:
    expect = case["expect"]
    messages = told(case)
    done = ask(model(case["answer"]), messages)
    assert allowed(len(done.items), expect.get("accepted")), done
    assert allowed(len(done.refused), expect.get("rejected")), done
    assert allowed(done.failed, expect.get("queued")), done
    for item in done.items:
        assert 0 <= item.importance <= 1
        assert item.sources
        assert all(quote in messages[index].text for index, quote in item.sources)
    for word in expect.get("not_stored", ()):
        assert not any(word in text for text in texts(done))
    for word in expect.get("stored_has", ()):
        assert any(word in text for text in texts(done))
    for word, most in expect.get("stored_at_most", {}).items():
        assert sum(word in text for text in texts(done)) <= most
