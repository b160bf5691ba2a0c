"""Stores with a language model, and what tests of it say and look at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory
from lamina.testing.fakes import FakeClock, HashEmbedder
from lamina.testing.scripted import ScriptedLLM

Open = Callable[..., Memory]
FACTS = [f"The {colour} boat belongs to Mirela." for colour in ("red", "blue", "green", "grey")]
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@contextmanager
def opening(folder: Path, clock: FakeClock) -> Iterator[Open]:
    """Opens one store with a model, nothing behind; the last one opened stays open."""
    held: list[Memory] = []

    def opens(llm: Any, **settings: Any) -> Memory:
        for memory in held:
            memory.close()
        given = {
            "embedder": HashEmbedder(),
            "clock": clock,
            "background": False,
            "extract": "model",
        }
        held.append(lamina.open(folder, llm=llm, **{**given, **settings}))
        return held[-1]

    yield opens
    for memory in held:
        memory.close()


def tell(memory: Memory, *texts: str, session: str = "talk", role: str = "user") -> None:
    for text in texts:
        memory.session(session).append(role, text)


def texts(memory: Memory) -> list[str]:
    return sorted(record.content for record in memory.list())


def answering(*items: dict[str, Any]) -> ScriptedLLM:
    return ScriptedLLM(json.dumps({"memories": items}))
