from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lamina.errors import InvalidInputError, NotFoundError, StoreError
from lamina.facades.qwenpaw import InMemoryMemory, SafeJSONSession

WRITER = """
import asyncio, sys
from lamina.facades.qwenpaw import SafeJSONSession
async def main(folder, who):
    sessions = SafeJSONSession(folder)
    for n in range(20):
        await sessions.update_session_state("s", f"agent.counts.{who}-{n}", n, "u")
asyncio.run(main(*sys.argv[1:]))
"""


class Agent:
    def __init__(self) -> None:
        self.memory = InMemoryMemory()

    def state_dict(self) -> dict[str, Any]:
        return {"memory": self.memory.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.memory.load_state_dict(state_dict["memory"])


def said(id: str, text: str = "hello") -> dict[str, Any]:
    return {"id": id, "name": "user", "role": "user", "content": [{"type": "text", "text": text}]}


def test_what_is_saved_is_loaded_with_its_marks(tmp_path: Path) -> None:
    async def walk() -> None:
        sessions, agent = SafeJSONSession(tmp_path), Agent()
        await agent.memory.add([said("a"), said("b")])
        await agent.memory.add(said("c"), marks="hint")
        await agent.memory.add(said("a"))
        await agent.memory.update_compressed_summary("About hello.")
        await sessions.save_session_state("monday", "zhang", agent=agent)
        assert (tmp_path / "zhang_monday.json").exists()
        other = Agent()
        await sessions.load_session_state("monday", "zhang", agent=other)
        assert other.state_dict() == agent.state_dict()
        assert await other.memory.size() == 3
        hints = await other.memory.get_memory(mark="hint", prepend_summary=False)
        assert [one["id"] for one in hints] == ["c"]
        assert (await other.memory.get_memory(exclude_mark="hint"))[0]["content"] == "About hello."
        assert await other.memory.delete(["b", "none"]) == 1
        assert await other.memory.update_messages_mark("old", msg_ids=["a"]) == 1
        await other.memory.clear()
        assert await other.memory.size() == 0
        assert sessions.list_sessions() == [("zhang", "monday")]
        assert sessions.reports == []

    asyncio.run(walk())


def test_what_is_not_there_is_empty_or_refused(tmp_path: Path) -> None:
    sessions = SafeJSONSession(tmp_path)
    assert asyncio.run(sessions.get_session_state_dict("none")) == {}
    with pytest.raises(NotFoundError):
        asyncio.run(sessions.load_session_state("none", allow_not_exist=False))
    with pytest.raises(NotFoundError):
        asyncio.run(sessions.update_session_state("none", "a", 1, create_if_not_exist=False))
    for bad in ("", [], [""], [1]):
        with pytest.raises(InvalidInputError):
            asyncio.run(sessions.update_session_state("s", bad, 1))  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        asyncio.run(sessions.get_session_state_dict(""))


def test_one_value_is_set_by_its_path_and_the_rest_stays(tmp_path: Path) -> None:
    sessions = SafeJSONSession(tmp_path)
    asyncio.run(sessions.update_session_state("s", "agent.plan.step", 2))
    asyncio.run(sessions.update_session_state("s", ["agent", "dotted.key"], "x"))
    asyncio.run(sessions.update_session_state("s", "agent.plan.note", ["燕麦"]))
    assert asyncio.run(sessions.get_session_state_dict("s")) == {
        "agent": {"plan": {"step": 2, "note": ["燕麦"]}, "dotted.key": "x"}
    }
    before = (tmp_path / "s.json").read_bytes()
    with pytest.raises(InvalidInputError, match="no mapping"):
        asyncio.run(sessions.update_session_state("s", "agent.plan.step.deeper", 1))
    with pytest.raises(InvalidInputError, match="JSON"):
        asyncio.run(sessions.update_session_state("s", "agent.odd", float("nan")))
    assert (tmp_path / "s.json").read_bytes() == before


def test_twenty_coroutines_and_four_processes_lose_nothing(tmp_path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"p{n}"]) for n in range(4)
    ]

    async def many() -> None:
        sessions = SafeJSONSession(tmp_path)
        await asyncio.gather(
            *(sessions.update_session_state("s", f"agent.counts.c-{n}", n, "u") for n in range(20))
        )

    asyncio.run(many())
    assert [process.wait() for process in started] == [0] * 4
    counts = asyncio.run(SafeJSONSession(tmp_path).get_session_state_dict("s", "u"))
    assert len(counts["agent"]["counts"]) == 20 + 4 * 20


def test_a_damaged_file_is_kept_once_and_never_written_over(tmp_path: Path) -> None:
    sessions, agent = SafeJSONSession(tmp_path), Agent()
    asyncio.run(agent.memory.add([said("a", "第一句"), said("b", "second")]))
    asyncio.run(sessions.save_session_state("s", agent=agent))
    path = tmp_path / "s.json"
    cut = path.read_bytes()[:-60]
    path.write_bytes(cut)
    for _ in range(3):
        loaded = Agent()
        asyncio.run(sessions.load_session_state("s", agent=loaded))
    kept = [message["id"] for message, _ in loaded.state_dict()["memory"]["content"]]
    assert kept in (["a"], ["a", "b"])
    aside = [one for one in tmp_path.iterdir() if ".corrupt-" in one.name]
    assert [one.read_bytes() for one in aside] == [cut]
    assert any("kept as" in sentence for sentence in sessions.reports)
    asyncio.run(sessions.update_session_state("s", "agent.note", 1))
    assert json.loads(path.read_bytes())["agent"]["note"] == 1
    assert aside[0].read_bytes() == cut


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(StoreError):
        asyncio.run(SafeJSONSession(tmp_path / "file").save_session_state("s", agent=Agent()))
