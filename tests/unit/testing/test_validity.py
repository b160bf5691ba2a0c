from __future__ import annotations

from typing import Any

import pytest

from lamina.errors import InvalidInputError
from lamina.testing.validity import is_valid_for

U = {"role": "user", "content": "hi"}
A = {"role": "assistant", "content": "hello"}


def call(*ids: str, **more: Any) -> dict[str, Any]:
    function = {"name": "f", "arguments": "{}", **more}
    called = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": called}


def tool(id: str, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def use(*ids: str, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": id, "name": "f", "input": {}, **more} for id in ids]
    return {"role": "assistant", "content": blocks}


def brought(*ids: str, words: str = "", before: str = "") -> dict[str, Any]:
    blocks: list[Any] = [{"type": "text", "text": before}] if before else []
    blocks += [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in ids]
    return {
        "role": "user",
        "content": [*blocks, *([{"type": "text", "text": words}] * bool(words))],
    }


def text(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": words}]}


@pytest.mark.parametrize(
    "messages",
    [
        [U],
        [{"role": "system", "content": "x"}, U, A, U],
        [U, call("a", "b"), tool("b"), tool("a"), A],
        [U, call("a"), tool("a"), call("a"), tool("a", [{"type": "text", "text": "y"}])],
        [U, {"role": "assistant", "content": ""}, U, U],
    ],
)
def test_what_openai_takes(messages: list[Any]) -> None:
    assert is_valid_for("openai", messages) == []


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([], "empty"),
        ([7], "form"),
        ([{"role": "bot", "content": "x"}], "role"),
        ([U, tool("a")], "orphan_result"),
        ([U, call("a")], "unanswered_call"),
        ([U, call("a", "b"), tool("a"), U], "unanswered_call"),
        ([U, call("a"), U, tool("a")], "orphan_result"),
        ([U, call("a"), tool("a"), tool("a")], "orphan_result"),
        ([U, call("a", "a"), tool("a")], "twin_ids"),
        ([U, call("a", name="no name"), tool("a")], "calls"),
        ([U, call("a", arguments={}), tool("a")], "calls"),
        ([U, {"role": "assistant", "content": None}], "content"),
        ([{"role": "user", "content": None}], "content"),
        ([{"role": "user", "content": []}], "content"),
        ([U, {"role": "assistant", "content": "x", "tool_calls": []}], "calls"),
        ([{**U, "timestamp": "now"}], "field"),
        ([{**U, "name": "two words"}], "name"),
        ([{"role": "user", "content": [{"type": "tool_use"}]}], "part"),
        ([U, call("a"), tool("a", [{"type": "image_url", "image_url": {"url": "x"}}])], "part"),
    ],
)
def test_what_openai_refuses(messages: list[Any], rule: str) -> None:
    assert rule in {fault.rule for fault in is_valid_for("openai", messages)}


@pytest.mark.parametrize(
    "messages",
    [
        [U],
        [U, A, text("user", "so")],
        [U, use("a", "b"), brought("b", "a", words="and?"), A],
    ],
)
def test_what_anthropic_takes(messages: list[Any]) -> None:
    assert is_valid_for("anthropic", messages, system="x") == []


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([A, U], "first"),
        ([U, U], "turns"),
        ([U, {"role": "system", "content": "x"}], "role"),
        ([{**U, "name": "Ada"}], "field"),
        ([text("user", " ")], "blank"),
        ([{"role": "user", "content": ""}], "blank"),
        ([{"role": "user", "content": []}], "content"),
        ([U, use("a")], "unanswered_call"),
        ([U, use("a", "b"), brought("a")], "unanswered_call"),
        ([U, use("a"), U], "unanswered_call"),
        ([U, A, brought("a")], "orphan_result"),
        ([U, use("a"), brought("a", before="first")], "result_late"),
        ([U, use("a"), brought("a", "a")], "twin_results"),
        ([U, use("a"), brought("a"), use("a"), brought("a")], "twin_ids"),
        ([U, use("a b"), brought("a b")], "calls"),
        ([U, use("a", input="{}"), brought("a")], "calls"),
        ([U, text("assistant", "so ")], "end"),
        (
            [U, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}],
            "thinking",
        ),
        ([U, {"role": "assistant", "content": [{"type": "tool_result"}]}], "block"),
        ([{"role": "user", "content": [{"type": "image"}]}], "block"),
    ],
)
def test_what_anthropic_refuses(messages: list[Any], rule: str) -> None:
    assert rule in {fault.rule for fault in is_valid_for("anthropic", messages)}


def test_a_blank_system_and_an_unknown_provider_are_refused() -> None:
    assert is_valid_for("anthropic", [U], system=[{"type": "text", "text": ""}])
    with pytest.raises(InvalidInputError, match="openai or anthropic"):
        is_valid_for("other", [U])
