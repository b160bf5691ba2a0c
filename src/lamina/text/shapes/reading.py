"""Messages as an API has them, read into `Message`; nothing is changed and nothing left out.

What a `Message` has no place for is in `extra` under its own name. Where that would not give back
the very same object (its fields in another order, no `content` at all), `metadata["keys"]` has the
order; `metadata["shape"]` names the API.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

from lamina.errors import InvalidInputError
from lamina.text.shapes.parts import Result, parts
from lamina.types import Json, Message, Role

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Shape(StrEnum):
    """Whose form messages are in."""

    TEXT = "text"  # role and plain text, the same for all
    OPENAI = "openai"  # chat completions
    ANTHROPIC = "anthropic"
    AGENTSCOPE = "agentscope"  # of AgentScope and QwenPaw
    RESPONSES = "responses"  # items of OpenAI's newer API; read only


_ITEMS = {"function_call", "function_call_output", "reasoning", "item_reference"}
_OPENAI_BLOCKS = {"image_url", "input_audio", "refusal"}
_ANTHROPIC_BLOCKS = {"document", "redacted_thinking", "server_tool_use", "search_result"}
_ROLES = {"function": Role.TOOL, "model": Role.ASSISTANT, "ai": Role.ASSISTANT, "human": Role.USER}
_HELD = ("role", "content", "name")
_KNOWN = frozenset(map(str, Role))
_SHAPES = frozenset(map(str, Shape))


def detect(given: Iterable[Json]) -> Shape:
    """Whose form these messages are in; TEXT where it could be anybody's."""
    votes = {_vote(one) for one in given}
    order = (Shape.RESPONSES, Shape.AGENTSCOPE, Shape.ANTHROPIC, Shape.OPENAI)
    return next((shape for shape in order if shape in votes), Shape.TEXT)


def shape_of(message: Message) -> Shape:
    """Whose form a message is in, by what it was read as or else by its looks."""
    known = message.metadata.get("shape")
    if isinstance(known, str) and known in _SHAPES:
        return Shape(known)
    return _vote(own(message))


def own(message: Message) -> dict[str, Json]:
    """A message in the form in which it came."""
    fields: dict[str, Json] = {"role": str(message.role), "content": message.content}
    if message.name:
        fields["name"] = message.name
    fields.update(message.extra)
    keys = message.metadata.get("keys")
    return fields if keys is None else {key: fields[key] for key in keys if key in fields}


def _vote(given: Json) -> Shape:
    if not isinstance(given, Mapping):
        return Shape.TEXT
    content = given.get("content")
    if given.get("type") in _ITEMS or (given.get("type") == "message" and "role" in given):
        return Shape.RESPONSES
    blocks = content if isinstance(content, Sequence) and not isinstance(content, str) else ()
    votes = {_block_vote(block) for block in blocks if isinstance(block, Mapping)}
    if Shape.RESPONSES in votes:
        return Shape.RESPONSES
    if Shape.AGENTSCOPE in votes or {"id", "name", "timestamp"} <= set(given):
        return Shape.AGENTSCOPE
    if given.get("role") in {"tool", "function", "developer"} or "tool_calls" in given:
        return Shape.OPENAI
    if "function_call" in given or Shape.OPENAI in votes:
        return Shape.OPENAI
    return Shape.ANTHROPIC if Shape.ANTHROPIC in votes else Shape.TEXT


def _block_vote(block: Mapping[str, Json]) -> Shape | None:
    kind = block.get("type")
    if kind in {"input_text", "output_text", "input_image", "input_file"}:
        return Shape.RESPONSES
    if kind == "tool_result":
        return Shape.ANTHROPIC if "tool_use_id" in block else Shape.AGENTSCOPE
    if kind == "tool_use":
        return Shape.AGENTSCOPE if "raw_input" in block else Shape.ANTHROPIC
    if kind == "file":
        return Shape.OPENAI if "file" in block else Shape.AGENTSCOPE
    if kind in {"audio", "video"}:
        return Shape.AGENTSCOPE
    if kind in {"thinking", "image"} or kind in _ANTHROPIC_BLOCKS:
        return Shape.ANTHROPIC
    return Shape.OPENAI if kind in _OPENAI_BLOCKS else None


def read(
    given: str | Sequence[Json],
    shape: Shape | str | None = None,
    *,
    system: Json = None,
    session_id: str = "",
    at: datetime = EPOCH,
    start: int = 0,
) -> tuple[Message, ...]:
    """Messages of any API's form, told apart by their looks where no `shape` is given.

    `system` is what Anthropic takes apart. A text alone is one user message. Ids are m0, m1, ...
    from `start` on, and `system`; `at` is everybody's time.

    Raises:
        InvalidInputError: one of them is no message.
    """
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    form = detect(given) if shape is None else Shape(shape)
    made = []
    if system:
        held = {"role": "system", "content": system}
        made.append(_message(held, "system", form, session_id, at))
    whole = _gathered(given) if form is Shape.RESPONSES else given
    for place, one in enumerate(whole, start):
        if not isinstance(one, Mapping) or not isinstance(one.get("role"), str):
            raise InvalidInputError(f"message {place} is no mapping with a role; give it one")
        made.append(_message(one, f"m{place}", form, session_id, at))
    return tuple(made)


def _message(
    given: Mapping[str, Json], id: str, shape: Shape, session_id: str, at: datetime
) -> Message:
    role, content, name = given["role"], given.get("content"), given.get("name")
    extra = {key: value for key, value in given.items() if key not in _HELD}
    named = name if isinstance(name, str) and name else None
    if "name" in given and named is None:
        extra["name"] = name
    if "content" in given and not isinstance(content, str | list | tuple):
        extra["content"], content = content, ""
    known = Role(role) if role in _KNOWN else _ROLES.get(role, Role.USER)
    kept = "" if content is None else content
    made = Message(id, session_id, known, kept, at, named, extra)
    if known is Role.SYSTEM and _brings_results(made):
        made = replace(made, role=Role.TOOL)
    if made.role != role:
        made = replace(made, extra={**extra, "role": role})
    exact = {} if list(own(made)) == list(given) else {"keys": list(given)}
    return replace(made, metadata={"shape": str(shape), **exact})


def _brings_results(message: Message) -> bool:
    return any(isinstance(part, Result) for part in parts(message))


def _gathered(items: Sequence[Json]) -> list[dict[str, Json]]:
    """Items as messages: what an assistant thinks, says and calls in one go is one message."""
    made: list[dict[str, Json]] = []
    for item in items:
        if not isinstance(item, Mapping):
            raise InvalidInputError(f"an item is a {type(item).__name__}; give a mapping")
        kind = item.get("type", "message")
        if kind == "function_call_output":
            made.append({"role": "tool", "content": [item]})
        elif kind == "message" and item.get("role") != "assistant":
            made.append({**item, "role": item.get("role", "user")})
        else:
            if not made or made[-1]["role"] != "assistant":
                made.append({"role": "assistant", "content": []})
            said = item.get("content") if kind == "message" else None
            blocks = [{"type": "output_text", "text": said}] if isinstance(said, str) else said
            made[-1]["content"].extend([item] if blocks is None else blocks)
    return made


def is_plain(message: Message) -> bool:
    """Whether every API takes it as it is: a user's or assistant's words and nothing beside."""
    if message.role not in {Role.USER, Role.ASSISTANT} or message.extra or message.name:
        return False
    return isinstance(message.content, str) or all(map(_is_text, message.content))


def _is_text(block: Json) -> bool:
    return isinstance(block, Mapping) and set(block) == _TEXT and block["type"] == "text"


_TEXT = {"type", "text"}
