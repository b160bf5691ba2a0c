from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from endpoints import Endpoint, answering, chat

EXAMPLE = Path(__file__).parents[2] / "examples" / "chatbot.py"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with answering(lambda _: (500, {}, {})) as server:
        yield server


def replying(endpoint: Endpoint, *texts: str) -> None:
    endpoint.script = [(200, chat(text), {}) for text in texts]


def talk(endpoint: Endpoint, folder: Path, user: str, said: str) -> str:
    environment = {
        **os.environ,
        "OPENAI_BASE_URL": endpoint.url("/v1"),
        "OPENAI_API_KEY": "none",
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, str(EXAMPLE), "some-model", user]
    done = subprocess.run(
        command, input=said.encode(), capture_output=True, cwd=folder, env=environment, check=True
    )
    return done.stdout.decode()


def test_a_second_run_remembers_the_first(endpoint: Endpoint, tmp_path: Path) -> None:
    replying(endpoint, "记住了。", "你对花生过敏。")
    assert "记住了" in talk(endpoint, tmp_path, "zhang", "我对花生过敏\n")
    out = talk(endpoint, tmp_path, "zhang", "晚饭有什么要避开的？\n")
    assert "花生" in out
    path, _, body = endpoint.asked[1]
    assert path == "/v1/chat/completions"
    assert body["messages"][0]["role"] == "system"
    assert "花生" in json.dumps(body["messages"], ensure_ascii=False)


def test_another_user_is_told_nothing(endpoint: Endpoint, tmp_path: Path) -> None:
    replying(endpoint, "ok", "ok")
    talk(endpoint, tmp_path, "zhang", "我对花生过敏\n")
    talk(endpoint, tmp_path, "li", "晚饭有什么要避开的？\n")
    assert "花生" not in json.dumps(endpoint.asked[1][2], ensure_ascii=False)
