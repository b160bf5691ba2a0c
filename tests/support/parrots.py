"""A model that finds a memory in every line that a user says, word for word."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from lamina.ports.llm import Completion

LINE = re.compile(r"^\[(\d+)\] (\w+)[^\n]*:\n  ([^\n]*)$", re.MULTILINE)
PATIENCE = 60.0  # seconds until a test gives up waiting for what must come


def lines(prompt: str, role: str = "user") -> list[tuple[int, str]]:
    """What a role says in a prompt, with the numbers of the messages."""
    return [(int(n), text) for n, who, text in LINE.findall(prompt) if who == role]


def item(number: int, text: str, **changes: Any) -> dict[str, Any]:
    given = {"category": "entities", "importance": 0.5, "overview": "", "content": ""}
    return {**given, "abstract": text, "sources": [{"message": number, "quote": text}], **changes}


def repeated(prompt: str) -> str:
    return json.dumps({"memories": [item(n, text) for n, text in lines(prompt)]})


class Parrot:
    """Answers so, or as `answer` says; keeps its prompts. `meanwhile` is done before it answers."""

    def __init__(
        self,
        answer: Callable[[str], str] = repeated,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        self.name = "parrot"
        self.prompts: list[str] = []
        self.systems: list[str] = []
        self.answer, self.meanwhile = answer, meanwhile
        self._lock = threading.Lock()

    @property
    def heard(self) -> list[str]:
        """All that users said in its prompts, in order."""
        return [text for prompt in self.prompts for _, text in lines(prompt)]

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        max_tokens: int,  # noqa: ARG002
    ) -> Completion:
        with self._lock:
            self.prompts.append(user)
            self.systems.append(system)
        self.meanwhile()
        return Completion(self.answer(user), 100, 20)

    def close(self) -> None:
        pass


def until(holds: Callable[[], object]) -> None:
    """Wait for what must come."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)
