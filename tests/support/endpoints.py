"""An HTTP endpoint on this machine that answers what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from serving import serving

Json = dict[str, Any]
Answer = tuple[int, Json | bytes, dict[str, str]]  # status, body, headers
Answering = Callable[[Json], Answer]


class Endpoint(ThreadingHTTPServer):
    """Answers what the script says, then `otherwise`; keeps what it was asked."""

    daemon_threads = True

    def __init__(self, otherwise: Answering) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer | Answering] = []
        self.otherwise = otherwise
        self.asked: list[tuple[str, str, Json]] = []  # path, key, body
        self.lock = threading.Lock()

    def url(self, base: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{base}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization") or self.headers.get("X-Api-Key") or ""
        with self.server.lock:
            self.server.asked.append((self.path, key, body))
            step = self.server.script.pop(0) if self.server.script else self.server.otherwise
        status, answer, headers = step(body) if callable(step) else step
        held = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(held)))
        self.end_headers()
        self.wfile.write(held)

    def log_message(self, *_: object) -> None:
        pass


def answering(otherwise: Answering) -> AbstractContextManager[Endpoint]:
    """An endpoint that runs while this holds."""
    return serving(Endpoint(otherwise))


def chat(text: object, **more: Any) -> Json:
    """A chat completion as OpenAI's API gives it."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m"}
    return {**head, "choices": [choice], "usage": usage, **more}


def message(text: str, **more: Any) -> Json:
    """A message as Anthropic's API gives it."""
    usage = {"input_tokens": 11, "output_tokens": 7}
    head = {"id": "m1", "type": "message", "role": "assistant", "model": "m"}
    content = [{"type": "text", "text": text}]
    return {**head, "content": content, "stop_reason": "end_turn", "usage": usage, **more}
