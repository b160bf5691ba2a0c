"""A language model that answers what a test tells it to."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lamina.errors import LLMError
from lamina.ports.llm import Completion
from lamina.text.tokens import count_tokens
from lamina.types import Json


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt that a model was given."""

    system: str
    user: str
    schema: Mapping[str, Json] | None
    max_tokens: int


class ScriptedLLM:
    """Gives its answers one after the other, the last one again and again. Thread-safe.

    An answer is the text of a completion; an exception is raised. Anything else (None, a number, a
    list) stands where the text should be, as from a model object that keeps no contract. `asked`
    is what it was given, `closed` how often it was closed.
    """

    def __init__(self, *answers: object, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Asked] = []
        self.closed = 0
        self._answers: Sequence[Any] = answers
        self._lock = threading.Lock()

    def complete(
        self, system: str, user: str, *, schema: Mapping[str, Json] | None = None, max_tokens: int
    ) -> Completion:
        """The next answer."""
        with self._lock:
            self.asked.append(Asked(system, user, schema, max_tokens))
            if not self._answers:
                raise LLMError("the scripted model has no answer; give it one")
            answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        if isinstance(answer, BaseException):
            raise answer
        written = count_tokens(answer) if isinstance(answer, str) else 0
        return Completion(answer, count_tokens(system) + count_tokens(user), written)

    def close(self) -> None:
        """Count it; nothing to release."""
        self.closed += 1
