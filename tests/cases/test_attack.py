from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.doors import wire
from lamina.pipeline.inject import FRAMES
from lamina.text.fence import CLOSE, OPEN

KNOWN = {
    "add",
    "append",
    "context",
    "delete",
    "delete_all",
    "dream",  # passed over: where it is but a chance for what came back to be learned
    "extract",
    "get",
    "glob",
    "grep",
    "history",
    "read_uri",
    "repeat",
    "search",
}
NEEDS_NOTEBOOK = {"not_in_notebook", "notebook_sections_unchanged_except"}


class Story:
    """A case's steps, played; what each one answered."""

    def __init__(self, folder: Path) -> None:
        self.store = lamina.open(folder, embedder="none")
        self.keys: dict[str, str] = {}
        self.answers: list[str] = []
        self.errors: list[lamina.LaminaError] = []
        self.contexts: list[lamina.Context] = []
        self.users: set[str] = set()

    def play(self, step: dict[str, Any]) -> None:
        if step["op"] == "repeat":
            for _ in range(step["times"]):
                for inner in step["steps"]:
                    self.play(inner)
            return
        self.users.add(step["user_id"])
        try:
            memory = self.store.for_user(step["user_id"])
            answer = self.answer(memory, step)
        except lamina.LaminaError as error:
            self.errors.append(error)
            self.answers.append(str(error))
            return
        if step["op"] not in {"add", "append"}:
            self.answers.append(wire.to_json(answer))

    def memories(self, user: str) -> Sequence[lamina.MemoryRecord]:
        return self.store.for_user(user).list()

    def answer(self, memory: lamina.Memory, step: dict[str, Any]) -> object:
        match step["op"]:
            case "add":
                fields = {key: step[key] for key in ("origin", "metadata") if key in step}
                added = memory.add(written(step["text"]), **fields)
                self.keys[step["key"]] = added.id
                return added
            case "append":
                text = written(step["text"], self.contexts)
                return memory.session(step["session_id"]).append(step["role"], text)
            case "extract":
                return memory.list()
            case "dream":
                return None
            case "delete_all":
                return memory.forget(everything=True)
            case "context":
                self.contexts.append(memory.context(step["query"]))
                return self.contexts[-1]
            case "search":
                where = lamina.Filter(metadata=step.get("filters"))
                return memory.search(step["query"], filter=where)
            case "read_uri":
                return read(memory, step["uri"])
            case "glob":
                return memory.entries.glob(step["pattern"])
            case "grep":
                options = {key: step[key] for key in ("uri", "regex") if key in step}
                return memory.entries.grep(step["pattern"], **options)
            case operation:
                return getattr(memory, operation)(self.keys[step["key"]])


def read(memory: lamina.Memory, uri: str) -> object:
    """What a URI leads to: a text, or what is in a folder."""
    try:
        return memory.entries.read(uri)
    except lamina.InvalidInputError:
        return memory.entries.ls(uri)


def written(spec: Any, contexts: Sequence[lamina.Context] = ()) -> str:
    """A text in which the product's own fence may stand, or the block it gave last."""
    if isinstance(spec, str):
        return spec
    if "join" in spec:
        return "".join(written(part, contexts) for part in spec["join"])
    if "last_context" in spec:
        return contexts[-1].text
    line = FRAMES[spec.get("lang", "en")][0 if spec["fence"] == "open" else 1]
    if spec.get("variant") == "upper":
        line = line.upper()
    half = len(line) // 2
    return {"first": line[:half], "rest": line[half:]}.get(spec.get("part", ""), line)


@pytest.mark.family("attack")
def test_an_attack_gains_nothing(case: dict[str, Any], tmp_path: Path) -> None:
    unknown = sorted({step["op"] for step in case["steps"]} - KNOWN)
    if any(NEEDS_NOTEBOOK & set(expected) for expected in case["expect"]):
        unknown.append("the notebook")
    if unknown:
        pytest.skip(f"{case['id']} waits for {', '.join(unknown)}")
    story = Story(tmp_path / "store")
    for step in case["steps"]:
        story.play(step)
    for expected in case["expect"]:
        for name, wanted in expected.items():
            check(story, name, wanted)
    story.store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def check(story: Story, name: str, wanted: Any) -> None:
    items = [items_of(context) for context in story.contexts]
    match name:
        case "fence_intact":
            assert all(items)
        case "inside_fence":
            for words in wanted:
                assert all(any(words in item for item in found) for found in items)
        case "labelled":
            id = story.keys[wanted["key"]]
            for found in items:
                (item,) = [item for item in found if f"[{id}]" in item]
                assert f"({wanted['origin']}" in item.splitlines()[0]
        case "one_item":
            assert [len(found) for found in items] == [1] * len(items)
        case "message_count":
            assert {len(context.messages()) for context in story.contexts} == {wanted}
        case "no_block_type":
            blocks = [block for context in story.contexts for block in context.blocks()]
            assert not {block["type"] for block in blocks} & set(wanted)
        case "nowhere_in_answers":
            assert not [w for w in wanted for answer in story.answers if w in answer]
        case "answers_have":
            assert all(any(w in answer for answer in story.answers) for w in wanted)
        case "ends_within_s":
            assert story.answers  # it ended
        case "no_error":
            assert not story.errors
        case "error_or_empty":
            assert all('"hits": []' in a or "hits" not in a for a in story.answers)
        case "still_there":
            story.store.for_user(wanted["user_id"]).get(story.keys[wanted["key"]])
        case "memory_count":
            assert [len(story.memories(user)) for user in story.users] == [wanted]
        case "count_of":
            texts = [m.content for user in story.users for m in story.memories(user)]
            holding = [text for text in texts if all(word in text for word in wanted["words"])]
            assert len(holding) <= wanted["at_most"]
        case "other_users_unchanged" | "no_file_outside":
            pass  # nobody else is in this store; files are looked for when it is closed
        case _:
            pytest.fail(f"nobody knows how to check {name}")


def items_of(context: lamina.Context) -> list[str]:
    """The items of a block whose fence is whole: its lines stand first and last, and only there."""
    lines = context.text.split("\n")
    assert (lines[0], lines[-1]) in FRAMES.values()
    assert context.text.count(OPEN) == context.text.count(CLOSE) == 2
    items: list[str] = []
    for line in lines[1:-1]:
        if line.startswith("- "):
            items.append(line)
        else:
            assert line.startswith("  ")
            items[-1] += f"\n{line}"
    return items
