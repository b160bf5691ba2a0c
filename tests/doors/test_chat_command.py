"""`lamina chat`, driven line by line through its input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from endpoints import Answer, Endpoint, Json, answering, chat

FACT = "The red boat belongs to Mirela."


def said(run: Any, *lines: str, session: str = "talk", **environment: str) -> Any:
    done = run("chat", "--session", session, input="\n".join([*lines, ""]), **environment)
    assert done.exit_code == 0, done.stderr
    return done


def test_without_a_model_it_shows_what_would_be_sent_and_recalls(run: Any) -> None:
    done = said(run, f"/remember {FACT}", "Who owns the red boat?")
    assert "no model is set" in done.stdout
    told = done.stdout.split("Would be sent, ", 1)[1]
    assert FACT in told
    assert told.rstrip().endswith("Who owns the red boat?")


def test_the_layers_are_shown_at_work(run: Any, answer: Any) -> None:
    done = said(run, "I live in Porto.", f"/remember {FACT}", "/sem", "/layers", "/ctx red boat")
    assert "profile      User lives in Porto" in done.stdout
    assert "long_term     2 memories" in done.stdout
    assert "1 messages, word for word" in done.stdout
    assert "⟦Memory" in done.stdout.split("archival")[1]
    assert "User lives in Porto" in [hit["text"] for hit in answer("search", "Porto")["hits"]]
    again = said(run, "/layers", session="another")
    assert "0 messages, word for word" in again.stdout
    assert "long_term     2 memories" in again.stdout


def test_recall_and_why_go_by_the_last_list(run: Any) -> None:
    done = said(
        run, f"/remember {FACT}", "/recall red boat", "/why 1", "/why 1 blue whale", "/sem boat"
    )
    assert done.stdout.count(FACT) == 2
    assert "returned: it is result 1" in done.stdout
    assert done.stderr == ""


def test_it_forgets_once_that_is_confirmed(run: Any, answer: Any) -> None:
    done = said(run, f"/remember {FACT}", "/sem", "/forget 1", "no", "/sem", "/forget 1", "yes")
    assert "Nothing is forgotten." in done.stdout
    assert done.stdout.rstrip().endswith("Forgotten.")
    assert answer("list") == []
    said(run, f"/remember {FACT}", "/sem", "/forget 1")
    assert len(answer("list")) == 1, "the end of the input is no yes"


def test_compact_makes_a_summary_of_old_turns(run: Any) -> None:
    turns = [f"Part {n} of the machine is sound; it bears the number {n * 37}." for n in range(300)]
    turns = [" ".join(turns[n : n + 6]) for n in range(0, 300, 6)]
    for text in turns:
        run("add", text, "--role", "user", "--session", "talk")
    done = said(run, "/compact", "/layers")
    assert "by rule" in done.stdout
    assert "Part 0 of the machine" in done.stdout
    assert "summary       yes" in done.stdout


@pytest.mark.parametrize(
    ("line", "told"),
    [("/nothing", "/help"), ("/why", "number"), ("/forget x", "'x'"), ("/remember", "remember")],
)
def test_a_wrong_line_is_said_and_the_talk_goes_on(run: Any, line: str, told: str) -> None:
    done = said(run, line, f"/remember {FACT}", "/quit", "/remember Not any more.")
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("Remembered as") == 1


def test_help_names_all_commands(run: Any) -> None:
    done = said(run, "/help")
    for name in ["remember", "recall", "ctx", "sem", "why", "forget", "layers", "compact", "quit"]:
        assert f"/{name}" in done.stdout


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    def told(asked: Json) -> Answer:
        return 200, chat(f"You asked: {asked['messages'][-1]['content'].count('user:')}"), {}

    pytest.importorskip("openai", reason="the openai package is not installed")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with answering(told) as server:
        yield server


def test_with_a_model_it_talks(run: Any, endpoint: Endpoint) -> None:
    model = {
        "LAMINA_LLM": "openai", "LAMINA_LLM_URL": endpoint.url("/v1"), "LAMINA_LLM_MODEL": "m",
        "LAMINA_EXTRACT": "rules",
    }  # fmt: skip
    first = said(run, f"/remember {FACT}", "Who owns the red boat?", "And the blue one?", **model)
    assert "with m" in first.stdout
    assert "You asked: 1" in first.stdout
    assert "You asked: 2" in first.stdout
    prompt = endpoint.asked[0][2]["messages"][-1]["content"]
    assert FACT in prompt
    assert "assistant: You asked: 1" in endpoint.asked[1][2]["messages"][-1]["content"]
    again = said(run, "Still there?", **model)
    assert "You asked: 3" in again.stdout, "a conversation goes on where it was left"
    endpoint.otherwise = lambda _: (401, {"error": {"message": "no"}}, {})
    failed = said(run, "Hello?", "/recall red boat", **model)
    assert "llm_key" in failed.stderr
    assert FACT in failed.stdout
