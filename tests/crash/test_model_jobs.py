"""What a model reads is read once: through `kill -9` in the middle, and by several processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from endpoints import Answer, Endpoint, Json, answering, chat
from parrots import lines, repeated

import lamina
from lamina import Memory
from lamina.testing.fakes import FakeClock

pytest.importorskip("openai", reason="the openai package is not installed")

LONG = "lanterns and " * 900  # two such messages are more than the model is given at once
SAID = [f"Crate {i} of Mirela holds {LONG}ropes." for i in range(4)]
CHILD = """
import sys
import threading
import lamina

memory = lamina.open(sys.argv[1], embedder="none", extract="model", extract_every=4,
                     llm="openai", llm_url=sys.argv[2], llm_model="m")
for line in sys.stdin:
    memory.session("talk").append("user", line.strip())
threading.Event().wait()
"""
FLUSH = """
import sys
import lamina
from lamina.testing.fakes import HashEmbedder

memory = lamina.open(sys.argv[1], embedder=HashEmbedder(), extract="model", background=False,
                     llm="openai", llm_url=sys.argv[2], llm_model="m")
memory.admin.flush()
memory.close()
"""


def parrot(asked: Json) -> Answer:
    return 200, chat(repeated(asked["messages"][1]["content"])), {}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with answering(parrot) as server:
        yield server


def heard(endpoint: Endpoint) -> list[str]:
    """What users said in all that the model was asked, in order."""
    prompts = [body["messages"][1]["content"] for _, _, body in endpoint.asked]
    return [text for prompt in prompts for _, text in lines(prompt)]


def opened(folder: Path, endpoint: Endpoint, *, later: float = 0) -> Memory:
    settings: dict[str, Any] = {
        "llm": "openai", "llm_url": endpoint.url("/v1"), "llm_model": "m", "extract": "model",
    }  # fmt: skip
    clock = FakeClock(datetime.now(UTC) + timedelta(minutes=later))
    return lamina.open(folder, embedder="none", background=False, clock=clock, **settings)


def test_a_job_whose_process_was_killed_is_done_once_by_the_next(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    reached, killed = threading.Event(), threading.Event()

    def hang(asked: Json) -> Answer:
        reached.set()
        killed.wait(60)
        return parrot(asked)

    endpoint.script = [parrot, hang]
    command = [sys.executable, "-c", CHILD, str(tmp_path), endpoint.url("/v1")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write("\n".join(SAID).encode())
        child.stdin.close()
        came = reached.wait(60)
        child.kill()
    killed.set()
    assert came
    first = heard(endpoint)
    done, lost = first[: len(first) // 2], first[len(first) // 2 :]
    assert done
    with opened(tmp_path, endpoint) as memory:
        assert [record.content for record in reversed(memory.list())] == done
        memory.session("talk").extract()
        assert heard(endpoint) == first, "the dead process holds it for a while"
    with opened(tmp_path, endpoint, later=11) as memory:
        memory.session("talk").extract()
        assert heard(endpoint) == [*first, *lost, *SAID[len(first) :]]
        assert sorted(record.content for record in memory.list()) == SAID
        memory.session("talk").extract()
        assert heard(endpoint) == [*first, *lost, *SAID[len(first) :]]
        assert not memory.admin.status().degraded[1:]


def test_two_processes_ask_once_about_each_conversation(endpoint: Endpoint, tmp_path: Path) -> None:
    facts = [f"The boat number {number} belongs to Mirela." for number in range(12)]
    with opened(tmp_path, endpoint) as memory:
        for number, fact in enumerate(facts):
            memory.session(str(number)).append("user", fact)
    command = [sys.executable, "-c", FLUSH, str(tmp_path), endpoint.url("/v1")]
    children = [subprocess.Popen(command) for _ in range(2)]
    assert [child.wait() for child in children] == [0, 0]
    assert sorted(heard(endpoint)) == sorted(facts)
    with opened(tmp_path, endpoint) as memory:
        assert sorted(record.content for record in memory.list()) == sorted(facts)
        memory.session("0").extract()
    assert len(endpoint.asked) == len(facts)
