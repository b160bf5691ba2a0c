from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from serving import serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "chatbot.py"


class Scripted(BaseHTTPRequestHandler):
    """Answers every chat request with what is next, and keeps what was asked."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        server: Any = self.server
        server.asked.append((self.path, json.loads(body)))
        text = server.replies[len(server.asked) - 1]
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        answer = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]
        }  # fmt: skip
        payload = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    server.asked, server.replies = [], []
    with serving(server):
        yield server


def talk(endpoint: Any, folder: Path, user: str, said: str) -> str:
    environment = {
        **os.environ,
        "OPENAI_BASE_URL": f"http://127.0.0.1:{endpoint.server_port}/v1",
        "OPENAI_API_KEY": "none",
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, str(EXAMPLE), "some-model", user]
    done = subprocess.run(
        command, input=said.encode(), capture_output=True, cwd=folder, env=environment, check=True
    )
    return done.stdout.decode()


def test_a_second_run_remembers_the_first(endpoint: Any, tmp_path: Path) -> None:
    endpoint.replies = ["记住了。", "你对花生过敏。"]
    assert "记住了" in talk(endpoint, tmp_path, "zhang", "我对花生过敏\n")
    out = talk(endpoint, tmp_path, "zhang", "晚饭有什么要避开的？\n")
    assert "花生" in out
    path, body = endpoint.asked[1]
    assert path == "/v1/chat/completions"
    assert body["messages"][0]["role"] == "system"
    assert "花生" in json.dumps(body["messages"], ensure_ascii=False)


def test_another_user_is_told_nothing(endpoint: Any, tmp_path: Path) -> None:
    endpoint.replies = ["ok", "ok"]
    talk(endpoint, tmp_path, "zhang", "我对花生过敏\n")
    talk(endpoint, tmp_path, "li", "晚饭有什么要避开的？\n")
    assert "花生" not in json.dumps(endpoint.asked[1][1], ensure_ascii=False)
