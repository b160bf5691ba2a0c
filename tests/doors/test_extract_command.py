"""`lamina extract`, with rules alone and with a model behind an endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from endpoints import Answer, Endpoint, Json, answering, chat
from parrots import lines, repeated
from typer.testing import Result

from lamina.stores.sqlite import SqliteStore

pytest.importorskip("openai", reason="the openai package is not installed")

FACT = "The red boat belongs to Mirela."


def parrot(asked: Json) -> Answer:
    return 200, chat(repeated(asked["messages"][1]["content"])), {}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with answering(parrot) as server:
        yield server


@pytest.fixture
def model(endpoint: Endpoint) -> dict[str, str]:
    return {
        "LAMINA_LLM": "openai", "LAMINA_LLM_URL": endpoint.url("/v1"), "LAMINA_LLM_MODEL": "m",
        "LAMINA_LLM_KEY": "sk-secret",
    }  # fmt: skip


def said(run: Any, *texts: str, **environment: str) -> None:
    for text in texts:
        run("add", text, "--role", "user", "--session", "talk", **environment)


def test_rules_read_an_imported_conversation(run: Any, answer: Any, tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    turns = [{"role": "user", "content": "I live in Porto."}, {"role": "user", "content": FACT}]
    file.write_text(json.dumps({"id": "old", "messages": turns}))
    assert run("import", str(file)).exit_code == 0
    assert answer("list") == []
    (session,) = {hit["source"][0]["session_id"] for hit in answer("search", "boat")["hits"]}
    dry = answer("extract", "--session", session, "--dry-run")
    assert [record["content"] for record in dry["memories"]] == ["User lives in Porto"]
    assert dry["dry_run"]
    assert answer("list") == []
    done = run("extract", "--session", session)
    assert "User lives in Porto" in done.stdout
    assert "2 messages read, 1 memories kept" in done.stdout
    assert [record["content"] for record in answer("list")] == ["User lives in Porto"]


def test_the_model_reads_what_was_added_by_commands(
    run: Any, answer: Any, endpoint: Endpoint, model: dict[str, str]
) -> None:
    said(run, FACT, "The oars are new.", **model)
    assert endpoint.asked == [], "no command but this one asks"
    done = answer("extract", "--session", "talk", **model)
    assert [record["content"] for record in done["memories"]] == [FACT, "The oars are new."]
    assert (done["messages"], done["tokens"], done["waiting"]) == (2, 18, 0)
    ((path, key, body),) = endpoint.asked
    assert (path, key, body["model"]) == ("/v1/chat/completions", "Bearer sk-secret", "m")
    assert [text for _, text in lines(body["messages"][1]["content"])] == [
        FACT,
        "The oars are new.",
    ]
    assert answer("extract", "--session", "talk", **model)["messages"] == 0
    assert len(endpoint.asked) == 1
    assert "18 tokens today" in run("status", **model).stdout


def test_a_model_that_fails_is_said_and_the_rest_waits(
    run: Any, answer: Any, endpoint: Endpoint, model: dict[str, str]
) -> None:
    endpoint.otherwise = lambda _: (401, {"error": {"message": "revoked: sk-secret"}}, {})
    said(run, "I live in Porto.", **model)
    done: Result = run("extract", "--session", "talk", **model)
    assert done.exit_code == 0
    assert "llm_key" in done.stderr
    assert "sk-secret" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert "1 messages wait for the model" in done.stdout
    status = answer("status", **model)
    assert (status["unheard"], status["tokens"]) == (1, 0)
    assert any("llm_key" in sentence for sentence in status["degraded"])
    endpoint.otherwise = parrot
    assert answer("extract", "--session", "talk", **model)["waiting"] == 0
    assert answer("status", **model)["unheard"] == 0


def test_a_conversation_that_is_not_there_is_refused(run: Any, refused: Any) -> None:
    refused(run("extract", "--session", "nowhere"), 3, "nowhere")


def test_who_is_forgotten_waits_for_no_model(
    run: Any, endpoint: Endpoint, model: dict[str, str], folder: Path
) -> None:
    endpoint.otherwise = lambda _: (401, {"error": {"message": "no"}}, {})
    for session in ("talk", "other"):
        run("add", FACT, "--role", "user", "--session", session, "--user", "zoe", **model)
        run("extract", "--session", session, "--user", "zoe", **model)
    run("add", FACT, "--role", "user", "--session", "talk", "--user", "ann", **model)
    run("extract", "--session", "talk", "--user", "ann", **model)
    assert waiting(folder) == [("ann", "talk"), ("zoe", "other"), ("zoe", "talk")]
    assert run("forget", "--session", "other", "--user", "zoe", "--yes").exit_code == 0
    assert waiting(folder) == [("ann", "talk"), ("zoe", "talk")]
    assert run("forget", "--everything", "--user", "zoe", "--yes").exit_code == 0
    assert waiting(folder) == [("ann", "talk")]


def waiting(folder: Path) -> list[tuple[str, str]]:
    store = SqliteStore(folder / "lamina.db")
    jobs = [job.payload for job in store.jobs() if job.kind == "extract"]
    store.close()
    return sorted((job["user"], job["session"]) for job in jobs)
