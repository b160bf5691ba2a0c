"""Messages as a provider takes them: in its form, and within its rules on turns, ids and blanks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lamina.text.shapes.reading import Shape
from lamina.text.shapes.writing import Lost, Written, write
from lamina.types import Json, Message

GOES_ON = "(The conversation goes on.)"  # where Anthropic wants a user's turn and there is none
_BAD_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")


def sendable(messages: Sequence[Message], shape: Shape | str) -> Written:
    """The messages in a provider's form, turns joined and mended as it wants them.

    Every call must have its results right behind it already. For Anthropic, turns of one speaker
    become one, results come first in theirs, texts of blanks leave, and ids are made single; for
    OpenAI, a message that says nothing gets an empty text. AgentScope and text are as by `write`.

    Raises:
        InvalidInputError: the shape cannot be written.
    """
    written = write(messages, shape)
    if Shape(shape) is Shape.OPENAI:
        return replace(written, messages=tuple(map(_with_content, written.messages)))
    if Shape(shape) is not Shape.ANTHROPIC:
        return written
    lost = list(written.lost)
    turns = _single_ids(_turns(written.messages))
    if turns and turns[0]["role"] != "user":
        turns.insert(0, {"role": "user", "content": GOES_ON})
        lost.append(Lost("", "begin", "the conversation begins with the assistant"))
    if turns and turns[-1]["role"] == "assistant":
        turns[-1] = _without_end(turns[-1])
    return Written(tuple(turns), written.system or None, tuple(lost))


def _with_content(message: dict[str, Json]) -> dict[str, Json]:
    if message.get("content") is None and not message.get("tool_calls"):
        return {**message, "content": ""}
    if message.get("content") == []:
        return {**message, "content": None if message.get("tool_calls") else ""}
    return message


def _turns(messages: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    made: list[dict[str, Json]] = []
    for message in messages:
        content = _said(message.get("content"))
        if not content:
            continue
        if made and made[-1]["role"] == message["role"]:
            made[-1]["content"] = _results_first([*_blocks(made[-1]["content"]), *_blocks(content)])
        else:
            made.append({"role": message["role"], "content": _results_first(content)})
    return made


def _said(content: Json) -> Json:
    """The content without what says nothing; empty where nothing is left."""
    if isinstance(content, str):
        return content if content.strip() else ""
    return [_result_said(block) for block in content or () if not _is_blank(block)]


def _result_said(block: Json) -> Json:
    """A result without the blanks in it; any other block as it is."""
    inside = block.get("content") if _type(block) == "tool_result" else None
    if inside is None or isinstance(inside, str) or not any(map(_is_blank, inside)):
        return block
    return {**block, "content": _said(inside)}


def _is_blank(block: Json) -> bool:
    """Whether a provider refuses it as empty: a text of blanks, a thought with no signature."""
    if not isinstance(block, Mapping):
        return not str(block or "").strip()
    if block.get("type") == "thinking":
        return not block.get("signature")
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _blocks(content: Json) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _results_first(content: Json) -> Json:
    if isinstance(content, str):
        return content
    return sorted(content, key=lambda b: _type(b) != "tool_result")


def _type(block: Json) -> str:
    return str(block.get("type", "")) if isinstance(block, Mapping) else ""


def _single_ids(turns: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Ids of calls made legal and single; each result follows its call by place."""
    taken: set[str] = set()
    now: dict[str, str] = {}  # ids of the calls just before, as they will be
    made = []
    for turn in turns:
        content = turn["content"]
        if isinstance(content, str):
            made.append(turn)
            continue
        if turn["role"] == "assistant":
            now = {}
        blocks = []
        for block in content:
            if _type(block) == "tool_use":
                id = str(block.get("id"))
                now[id] = _new_id(id, taken)
                blocks.append(block if now[id] == id else {**block, "id": now[id]})
            elif _type(block) == "tool_result":
                id = str(block.get("tool_use_id"))
                wanted = now.get(id, id)
                blocks.append(block if wanted == id else {**block, "tool_use_id": wanted})
            else:
                blocks.append(block)
        made.append({**turn, "content": blocks})
    return made


def _new_id(id: str, taken: set[str]) -> str:
    base = _BAD_IN_ID.sub("_", id) or "call"
    made, number = base, 2
    while made in taken:
        made, number = f"{base}_{number}", number + 1
    taken.add(made)
    return made


def _without_end(turn: dict[str, Json]) -> dict[str, Json]:
    """The last assistant's words without blanks at their end, which a provider refuses."""
    content = turn["content"]
    if isinstance(content, str):
        return {**turn, "content": content.rstrip()}
    last = content[-1]
    if _type(last) != "text" or last["text"] == last["text"].rstrip():
        return turn
    return {**turn, "content": [*content[:-1], {**last, "text": last["text"].rstrip()}]}
