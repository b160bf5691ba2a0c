"""A conversation: word for word, its window, and prompts whose beginning stays the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import lamina
from lamina.pipeline.window import FRAMING
from lamina.text.tokens import count_tokens

BUDGET = 1200
SYSTEM = "You are a helpful companion."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[lamina.Memory]:
    with lamina.open(tmp_path, embedder="none") as opened:
        yield opened


def talk(chat: lamina.Session, turns: int) -> Iterator[lamina.Prompt]:
    """A long conversation, with a prompt before each answer."""
    for number in range(turns):
        chat.append("user", f"第{number}次：what about heron {number % 17} and reed {number % 5}?")
        yield chat.prompt(max_tokens=BUDGET, system=SYSTEM)
        chat.append("assistant", f"Heron {number % 17} stands in pond {number % 7}. " * 3)


def before_last_user(prompt: lamina.Prompt) -> str:
    last = max(i for i, m in enumerate(prompt.messages) if m["role"] == "user")
    return json.dumps(prompt.messages[:last], ensure_ascii=False)[:-1]


def test_prompts_begin_alike_but_for_cuts_of_a_quarter(memory: lamina.Memory) -> None:
    prompts = list(talk(memory.session("long"), 200))
    begins = [before_last_user(prompt) for prompt in prompts]
    cuts = [not b.startswith(a) for a, b in pairwise(begins)]
    messages = memory.session("long").messages()
    said = sum(count_tokens(m.text) + FRAMING for m in messages)
    window = (BUDGET - count_tokens(SYSTEM)) * 3 / 4  # the rest is for what is recalled
    assert any(cuts)
    assert sum(cuts) <= said / (window / 4) + 1


def test_a_prompt_keeps_within_its_budget_and_holds_the_last_user_message(
    memory: lamina.Memory,
) -> None:
    for number, prompt in enumerate(talk(memory.session("long"), 40)):
        assert prompt.tokens <= BUDGET
        assert prompt.messages[0] == {"role": "system", "content": SYSTEM}
        assert f"第{number}次" in prompt.messages[-1]["content"]


def test_what_is_recalled_is_not_in_the_window_and_not_stored(memory: lamina.Memory) -> None:
    memory.session("old").append("user", "The heron is called Balthasar", id="old")
    chat = memory.session("new")
    chat.append("user", "What is the heron called?", id="asked")
    prompt = chat.prompt(system=SYSTEM)
    assert [hit.id for hit in prompt.context.hits] == ["old"]
    assert "Balthasar" in prompt.messages[-1]["content"]
    assert [m.text for m in chat.messages()] == ["What is the heron called?"]


def test_other_sessions_of_the_user_are_recalled_and_other_users_are_not(
    memory: lamina.Memory,
) -> None:
    memory.for_user("li").session("s").append("user", "The heron is called Kunigunde")
    memory.for_user("zhang").session("s").append("user", "The heron is called Balthasar")
    chat = memory.for_user("zhang").session("t")
    chat.append("user", "What is the heron called?")
    text = chat.context().text
    assert "Balthasar" in text
    assert "Kunigunde" not in text


def test_messages_keep_blocks_calls_names_and_order(memory: lamina.Memory) -> None:
    chat = memory.session("s", project="pond", title="Herons")
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    chat.append("user", [{"type": "text", "text": "look"}], name="Ada")
    chat.append("assistant", "", extra={"tool_calls": [call]})
    chat.append("tool", "three herons", extra={"tool_call_id": "c1"})
    first, second, third = chat.messages()
    assert (first.name, first.content) == ("Ada", [{"type": "text", "text": "look"}])
    assert second.extra == {"tool_calls": [call]}
    assert third.extra == {"tool_call_id": "c1"}
    assert [m["role"] for m in chat.prompt().messages] == ["user", "assistant", "tool"]
    assert (chat.info().project, chat.info().title, chat.info().messages) == ("pond", "Herons", 3)


def test_state_lasts(memory: lamina.Memory, tmp_path: Path) -> None:
    memory.session("s").state = {"step": 3, "names": ["欧阳"]}
    memory.close()
    with lamina.open(tmp_path, embedder="none") as again:
        assert again.session("s").state == {"step": 3, "names": ["欧阳"]}


def test_a_message_given_again_is_left_as_it_is(memory: lamina.Memory) -> None:
    chat = memory.session("s")
    chat.append("user", "first", id="one")
    added = memory.add([{"role": "user", "content": "second", "id": "one"}], session_id="s")
    assert added.skipped == ("one",)
    assert [m.text for m in chat.messages()] == ["first"]
