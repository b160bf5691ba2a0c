"""A model's summary is written once: through `kill -9` in the middle, and by several processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from endpoints import Answer, Endpoint, Json, answering, chat
from parrots import until

import lamina
from lamina import Memory
from lamina.pipeline.compact.values import Limits
from lamina.testing.fakes import FakeClock

pytest.importorskip("openai", reason="the openai package is not installed")

FULLER = "## Facts\n- 1: Vessel Kittiwake sails from Faro, says the model."
FLUSH = """
import sys
import lamina
from lamina.testing.fakes import HashEmbedder

memory = lamina.open(sys.argv[1], embedder=HashEmbedder(), extract="rules", background=False,
                     llm="openai", llm_url=sys.argv[2], llm_model="m")
memory.admin.flush()
memory.close()
"""


def told(_: Json) -> Answer:
    return 200, chat(FULLER), {}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with answering(told) as server:
        yield server


def opened(folder: Path, endpoint: Endpoint, *, later: float = 0) -> Memory:
    return lamina.open(
        folder, embedder="none", background=later > 0, extract="rules", llm="openai",
        llm_url=endpoint.url("/v1"), llm_model="m",
        clock=FakeClock(datetime.now(UTC) + timedelta(minutes=later)),
    )  # fmt: skip


def compacted(folder: Path, endpoint: Endpoint, sessions: int) -> None:
    with opened(folder, endpoint) as memory:
        for session in map(str, range(sessions)):
            talk = memory.session(session)
            for number in range(30):
                talk.append("user", f"Does part {number} of the machine hold water?")
                talk.append("assistant", f"Part {number} is sound; it is number {number * 37}.")
            done = talk.compact(limits=Limits(max_input_tokens=2000, summariser_tokens=16_000))
            assert done.made == "rule"
    assert endpoint.asked == []


def summaries(memory: Memory) -> list[str]:
    where = lamina.Filter(categories=(lamina.Category.SUMMARY,))
    return [record.content for record in memory.list(filter=where)]


def test_a_summary_whose_process_was_killed_is_written_by_the_next(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    compacted(tmp_path, endpoint, 1)
    reached, killed = threading.Event(), threading.Event()

    def hang(asked: Json) -> Answer:
        reached.set()
        killed.wait(60)
        return told(asked)

    endpoint.script = [hang]
    command = [sys.executable, "-c", FLUSH, str(tmp_path), endpoint.url("/v1")]
    with subprocess.Popen(command) as child:
        came = reached.wait(60)
        child.kill()
    killed.set()
    assert came
    with opened(tmp_path, endpoint) as memory:
        (by_rule,) = summaries(memory)
        assert "model" not in by_rule
    subprocess.run(command, check=True)
    assert len(endpoint.asked) == 1, "the dead process holds it for a while"
    with opened(tmp_path, endpoint, later=11) as memory:
        until(lambda: summaries(memory) == [FULLER])
        assert FULLER in memory.session("0").window(1500)[0].text
    subprocess.run(command, check=True)
    assert len(endpoint.asked) == 2


def test_two_processes_write_each_summary_once(endpoint: Endpoint, tmp_path: Path) -> None:
    compacted(tmp_path, endpoint, 8)
    command = [sys.executable, "-c", FLUSH, str(tmp_path), endpoint.url("/v1")]
    children = [subprocess.Popen(command) for _ in range(2)]
    assert [child.wait() for child in children] == [0, 0]
    assert len(endpoint.asked) == 8
    with opened(tmp_path, endpoint) as memory:
        assert summaries(memory) == [FULLER] * 8
