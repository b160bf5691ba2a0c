from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.doors import wire
from lamina.errors import NotFoundError
from lamina.pipeline.compact.values import Limits

KNOWN = {
    "append_call",
    "append_result",
    "compact",
    "add",
    "add_document",
    "append",
    "append_many",
    "delete",
    "correct",
    "delete_all",
    "delete_matching",
    "delete_session",
    "export",
    "dream",  # passed over: where it is but a chance for a deleted text to come back
    "extract",
    "update",
    "reopen",
    "search",
}


NEEDS_DREAM = {"del-merged"}


class Story:
    """A case's steps, played on a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys: dict[str, str] = {}
        self.documents: set[str] = set()  # keys
        self.memory = lamina.open(folder, embedder="none")

    def of(self, step: dict[str, Any]) -> lamina.Memory:
        return self.memory.for_user(step.get("user_id", "someone"))

    def say(self, step: dict[str, Any]) -> None:
        match step["op"]:
            case "append":
                session = self.of(step).session(step["session_id"])
                self.keys[step["key"]] = session.append(step["role"], step["text"]).id
            case "append_many":
                session = self.of(step).session(step["session_id"])
                for number in range(1, step["count"] + 1):
                    session.append("user", step["text"].replace("{n}", str(number)))
            case "append_call":
                session = self.of(step).session(step["session_id"])
                call = {"name": step["name"], "arguments": "{}"}
                calls = [{"id": step["key"], "type": "function", "function": call}]
                made = session.append("assistant", "", extra={"tool_calls": calls})
                self.keys[step["key"]] = made.id
            case "append_result":
                session = self.of(step).session(step["session_id"])
                extra = {"tool_call_id": step["for"]}
                self.keys[step["key"]] = session.append("tool", step["text"], extra=extra).id

    def play(self, step: dict[str, Any]) -> None:
        if step["op"].startswith("append"):
            self.say(step)
            return
        match step["op"]:
            case "add":
                self.keys[step["key"]] = self.of(step).add(step["text"]).id
            case "add_document":
                added = self.of(step).archive.add(step["text"], title=step["key"])
                self.keys[step["key"]] = added.id
                self.documents.add(step["key"])
            case "update":
                self.of(step).update(self.keys[step["key"]], step["text"])
            case "correct":
                self.of(step).correct(self.keys[step["key"]], step["text"])
            case "extract":
                self.of(step).list()
            case "delete" if step["key"] in self.documents:
                assert not self.of(step).archive.remove(self.keys[step["key"]]).pending
            case "delete" if step.get("derived"):
                assert self.of(step).forget(self.keys[step["key"]]).done
            case "delete_matching":
                memory = self.of(step)
                for record in memory.list():
                    if all(word in record.content for word in step["words"]):
                        if step.get("with_sources"):
                            assert memory.forget(record.id).done
                        else:
                            memory.delete(record.id)
            case "delete_session":
                assert self.of(step).forget(session_id=step["session_id"]).done
            case "delete_all":
                assert self.of(step).forget(everything=True).done
            case "delete":
                self.of(step).delete(self.keys[step["key"]])
            case "compact":
                told = step.get("summariser", {}).get("returns")
                self.of(step).session(step["session_id"]).compact(
                    limits=Limits(max_input_tokens=1000),
                    summariser=None if told is None else lambda *_: told,
                )
            case "export":
                self.memory.admin.export(self.folder.parent / "export.jsonl")
            case "search":
                self.of(step).search(step["query"])
            case "reopen":
                self.memory.close()
                self.memory = lamina.open(self.folder, embedder="none")


@pytest.mark.family("delete")
def test_deleted_is_gone(case: dict[str, Any], tmp_path: Path) -> None:
    steps = case["steps"]
    unknown = sorted({step["op"] for step in steps} - KNOWN)
    if case["id"] in NEEDS_DREAM:
        unknown = ["dream"]
    if unknown:
        pytest.skip(f"{case['id']} waits for {', '.join(unknown)}")
    story = Story(tmp_path / "store")
    for step in steps:
        story.play(step)
    memory = story.of(steps[0])
    others = story.of(
        {"user_id": case["expect"].get("still_user", steps[0].get("user_id", "someone"))}
    )
    for words in case["expect"].get("still_there", []):
        assert any(words in hit.text for hit in others.search(words)), words
    for words in case["expect"]["gone"]:
        for place, text in places(memory, words).items():
            assert words not in text, place
    if "handle_of" in case["expect"]:
        for handle in (id := story.keys[case["expect"]["handle_of"]], f"{id}#"):
            with pytest.raises(NotFoundError):
                memory.session("any").expand(handle)
    log = wire.to_json(story.memory.admin.log(content=True))
    assert not [words for words in case["expect"]["gone"] if words in log]
    story.memory.close()
    exported = tmp_path / "export.jsonl"
    if exported.exists():
        assert not [w for w in case["expect"]["gone"] if w in exported.read_text("utf-8")]
    for file in (tmp_path / "store").rglob("*"):
        if file.is_file():
            for words in case["expect"]["gone"]:
                assert words.encode() not in file.read_bytes(), file.name


def places(memory: lamina.Memory, words: str) -> dict[str, str]:
    """Everything that a user can be shown, as text, by where it is shown."""
    ids = [record.id for record in memory.list()]
    sessions = memory.sessions.list()
    archive = lamina.Filter(layers=(lamina.Layer.ARCHIVAL,))
    return {
        "search": wire.to_json(memory.search(words)),
        "archive": wire.to_json(memory.search(words, filter=archive)),
        "documents": wire.to_json([memory.archive.list(), memory.list(filter=archive)]),
        "list": wire.to_json(memory.list()),
        "context": memory.context(words).text,
        "windows": wire.to_json([memory.sessions.get(one.id).window() for one in sessions]),
        "history": wire.to_json([memory.history(id) for id in ids]),
    }
