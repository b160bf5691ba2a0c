from __future__ import annotations

import asyncio
import os
import re
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from lamina.facades.qwenpaw import InMemoryMemory, MessagesFile, SafeJSONSession
from lamina.facades.session_names import file_name

HERE = Path(__file__).parent / "own"
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


class Agent:
    """What has a memory, as the file has it."""

    def __init__(self) -> None:
        self.memory = InMemoryMemory()

    def state_dict(self) -> dict[str, Any]:
        return {"memory": self.memory.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.memory.load_state_dict(state_dict["memory"])


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def found(name: str) -> Path:
    folders = [HERE, *([Path(given)] if (given := os.environ.get("LAMINA_CASES")) else [])]
    return next(folder / name for folder in folders if (folder / name).exists())


def read(case: dict[str, Any], path: Path) -> tuple[list[dict[str, Any]], str, list[str]]:
    """The messages, the summary, and what was said of the file; then it is saved."""
    if case["form"] == "messages-jsonl":
        file = MessagesFile(path)
        messages = file.read()
        file.append({"id": "saved", "role": "user", "content": "saved"})
        return messages, "", file.reports
    sessions, agent = SafeJSONSession(path.parent), Agent()
    asyncio.run(sessions.load_session_state("s", None, agent=agent))
    messages = asyncio.run(agent.memory.get_memory(prepend_summary=False))
    summary = agent.memory.compressed_summary
    asyncio.run(sessions.save_session_state("s", None, agent=agent))
    again = Agent()
    asyncio.run(SafeJSONSession(path.parent).load_session_state("s", None, agent=again))
    assert again.state_dict() == agent.state_dict()
    return messages, summary, sessions.reports


@pytest.mark.family("sessions")
def test_a_damaged_file_gives_what_is_whole_and_loses_nothing(
    case: dict[str, Any], tmp_path: Path
) -> None:
    ending = ".jsonl" if case["form"] == "messages-jsonl" else ".json"
    path = tmp_path / f"s{ending}"
    shutil.copyfile(found(case["file"]), path)
    original, expect = path.read_bytes(), case["expect"]
    messages, summary, reports = read(case, path)
    ids = [message.get("id") for message in messages]
    if "messages" in expect:
        assert ids == expect["messages"]
    assert set(expect.get("messages_include", [])) <= set(ids)
    by_id = {message.get("id"): text_of(message) for message in messages}
    for id, text in expect.get("texts", {}).items():
        if isinstance(text, dict):
            assert by_id[id].startswith(text.get("starts", ""))
            assert by_id[id].endswith(text.get("ends", ""))
        else:
            assert by_id[id] == text
    if "summary" in expect:
        assert summary == expect["summary"]
    kept = [one for one in tmp_path.iterdir() if ".corrupt-" in one.name]
    if expect["quarantine"] != "any":
        assert bool(kept) == expect["quarantine"]
    if expect["reported"] != "any":
        assert bool(reports) == expect["reported"]
    if "lost_note" in expect:
        assert any(expect["lost_note"] in sentence for sentence in reports)
    if "replaced" in expect:
        assert any(f"{expect['replaced']} halves" in sentence for sentence in reports)
    if kept and original:
        assert any(one.read_bytes() == original for one in kept)
    if "append_then_reads" in expect:
        more = expect["append_then_reads"]
        MessagesFile(path).append({**more, "content": more["text"]})
        assert [*ids, "saved", more["id"]] == [m["id"] for m in MessagesFile(path).read()]


@pytest.mark.family("names")
def test_each_pair_has_a_name_of_its_own(case: dict[str, Any], tmp_path: Path) -> None:
    pairs = [(user, session) for user, session in case["pairs"]]
    names = [file_name(*pair) for pair in pairs]
    folded = {unicodedata.normalize("NFKC", name).casefold() for name in names}
    assert len(folded) == len(pairs)
    for name in names:
        assert len(name.encode()) <= 255
        assert len(name.encode("utf-16-le")) // 2 <= 255
        assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', name)
        assert not RESERVED.fullmatch(name.split(".")[0].strip())
        assert name == name.strip(" .")
        assert name[0] != "."
        assert (tmp_path / name).resolve().parent == tmp_path.resolve()
    sessions = SafeJSONSession(tmp_path)
    for user, session in pairs:
        asyncio.run(sessions.save_session_state(session, user, agent=Agent()))
    assert sorted(map(str, sessions.list_sessions())) == sorted(map(str, pairs))
