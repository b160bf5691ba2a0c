"""An answer by the store's own model: what it is given, what it costs, and how it fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from modelled import Open, opening

from lamina.errors import LLMError
from lamina.testing.fakes import FakeClock
from lamina.testing.scripted import ScriptedLLM


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with opening(tmp_path, FakeClock()) as opens:
        yield opens


def test_it_is_given_the_prompt_and_its_answer_is_kept(opened: Open) -> None:
    model = ScriptedLLM("assistant: To Mirela.")
    memory = opened(model)
    assert memory.model == "scripted"
    memory.add("The red boat belongs to Mirela.")
    chat = memory.session("s")
    chat.append("user", "Good morning.")
    chat.append("assistant", "Good morning!")
    chat.append("user", "Who owns the red boat?")
    assert chat.reply(system="Be brief.", answer_tokens=70).text == "To Mirela."
    assert [m.text for m in chat.messages()][-1] == "To Mirela."
    (asked,) = model.asked
    assert (asked.system, asked.max_tokens) == ("Be brief.", 70)
    assert "belongs to Mirela" in asked.user
    assert asked.user.index("user: Good morning.") < asked.user.index("assistant: Good morning!")
    assert memory.admin.status().tokens > 0


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (None, "set llm"),
        (ScriptedLLM(LLMError("the endpoint is gone; see llm_url")), "llm_url"),
        (ScriptedLLM(ValueError("odd")), "ValueError: odd"),
        (ScriptedLLM("  "), "no text"),
        (ScriptedLLM(None), "no text"),
    ],
)
def test_what_fails_is_said_and_nothing_is_kept(
    opened: Open, model: ScriptedLLM | None, told: str
) -> None:
    chat = opened(model).session("s")
    chat.append("user", "Hello?")
    with pytest.raises(LLMError, match=told):
        chat.reply()
    assert [m.text for m in chat.messages()] == ["Hello?"]


def test_it_ends_with_the_days_budget(opened: Open) -> None:
    memory = opened(ScriptedLLM("Yes."), llm_daily_tokens=5)
    chat = memory.session("s")
    chat.append("user", "Are you there, and do you hear what I say to you?")
    assert chat.reply().text == "Yes."
    chat.append("user", "Still?")
    with pytest.raises(LLMError, match="llm_daily_tokens"):
        chat.reply()
