"""Messages written out in an API's form.

A message that came in the same form, or in one that every API has, is written as it came, to the
byte. Of any other everything is carried over that the form can carry; the rest is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lamina.errors import InvalidInputError
from lamina.text.shapes.parts import Call, Media, Other, Part, Result, Text, Thinking, inner, parts
from lamina.text.shapes.reading import Shape, is_plain, own, shape_of
from lamina.types import Json, Message, Role


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that the form could not carry."""

    message: str  # its id
    what: str  # thinking, image, audio, video, file, name, arguments, failed, field, place,
    # structure, or the type of a block
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """Messages in an API's form. `system` is apart where the API has it apart (Anthropic)."""

    messages: tuple[dict[str, Json], ...]
    system: Json = None
    lost: tuple[Lost, ...] = ()


# Fields beside the content that are read as parts, or that only say how a message came.
_CARRIED = {
    "content", "function_call", "id", "reasoning", "reasoning_content", "refusal", "role", "status",
    "timestamp", "tool_call_id", "tool_calls", "type",
}  # fmt: skip


@dataclass(slots=True)
class _Writer:
    """What is being written, and what had to stay behind."""

    lost: list[Lost] = field(default_factory=list)

    def lose(self, message: Message, what: str, detail: str = "") -> None:
        self.lost.append(Lost(message.id, what, detail))


def write(messages: Sequence[Message], shape: Shape | str) -> Written:
    """The messages in this form.

    Raises:
        InvalidInputError: Responses items are read only, or the shape is none.
    """
    target = _target(shape)
    writer = _Writer()
    if target is Shape.ANTHROPIC:
        return _anthropic_whole(messages, writer)
    convert = _CONVERTERS[target]
    made: list[dict[str, Json]] = []
    for message in messages:
        if _is_own(message, target):
            made.append(own(message))
        else:
            made.extend(convert(message, writer))
            _lose_fields(message, writer)
    return Written(tuple(made), None, tuple(writer.lost))


def _target(shape: Shape | str) -> Shape:
    try:
        target = Shape(shape)
    except ValueError:
        target = Shape.RESPONSES
    if target is Shape.RESPONSES:
        raise InvalidInputError(
            f"messages cannot be written as {str(shape)!r}; "
            "take openai, anthropic, agentscope or text"
        )
    return target


def _is_own(message: Message, target: Shape) -> bool:
    """Whether it can stand as it came."""
    came = shape_of(message)
    if target is Shape.TEXT:
        return came is Shape.TEXT and isinstance(message.content, str)
    if came is Shape.TEXT and target is Shape.OPENAI:
        return True
    return came is target or (is_plain(message) and target is not Shape.AGENTSCOPE)


def _openai(message: Message, writer: _Writer) -> Iterator[dict[str, Json]]:
    whole = parts(message)
    for result in (p for p in whole if isinstance(p, Result)):
        words = _result_words(message, result, writer)
        yield {"role": "tool", "tool_call_id": result.call_id, "content": words}
    called = [part for part in whole if isinstance(part, Call)]
    blocks = [b for p in whole if (b := _openai_block(message, p, writer)) is not None]
    if not blocks and (message.role is Role.TOOL or (not called and _only_results(whole))):
        return
    content: Json = blocks
    if all(block["type"] == "text" for block in blocks) and len(blocks) <= 1:
        content = blocks[0]["text"] if blocks else (None if called else "")
    made: dict[str, Json] = {"role": _spoken(message), "content": content}
    if message.name:
        made["name"] = message.name
    if called:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.as_text},
            }
            for call in called
        ]
    yield made


def _only_results(whole: Sequence[Part]) -> bool:
    return bool(whole) and all(isinstance(part, Result) for part in whole)


def _spoken(message: Message) -> str:
    return str(Role.USER if message.role is Role.TOOL else message.role)


def _openai_block(message: Message, part: Part, writer: _Writer) -> dict[str, Json] | None:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Media) and message.role is not Role.ASSISTANT:
        return _openai_media(message, part, writer)
    if isinstance(part, Call | Result):
        return None
    _lose(message, part, writer)
    return None


def _openai_media(message: Message, media: Media, writer: _Writer) -> dict[str, Json] | None:
    address = media.url or (f"data:{media.mime};base64,{media.data}" if media.data else "")
    if media.kind == "image" and address:
        return {"type": "image_url", "image_url": {"url": address}}
    if media.kind == "audio" and media.data:
        form = media.mime.partition("/")[2] or "wav"
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": form}}
    if media.kind == "file" and (media.file_id or media.data):
        held = {"file_id": media.file_id} if media.file_id else {"file_data": address}
        named = {"filename": media.name} if media.name and media.data else {}
        return {"type": "file", "file": {**held, **named}}
    _lose(message, media, writer)
    return None


def _result_words(message: Message, result: Result, writer: _Writer) -> str:
    """A result's text; what else is in it cannot go where only text may stand."""
    for part in inner(result):
        if not isinstance(part, Text):
            _lose(message, part, writer, "in a tool's result")
    if result.failed:
        writer.lose(message, "failed", f"that the result of {result.call_id} is an error")
    return result.text


def _lose(message: Message, part: Part, writer: _Writer, detail: str = "") -> None:
    if isinstance(part, Thinking):
        writer.lose(message, "thinking", detail)
    elif isinstance(part, Media | Other):
        writer.lose(message, part.kind or "block", detail)


def _lose_fields(message: Message, writer: _Writer) -> None:
    """What stands beside the parts: fields of the message and of its texts that are no words."""
    for key, value in message.extra.items():
        if key not in _CARRIED and value is not None:
            writer.lose(message, "field", key)
    for block in () if isinstance(message.content, str) else message.content:
        if isinstance(block, Mapping) and block.get("type") in {"text", "output_text"}:
            for key in set(block) - {"type", "text"}:
                if block[key]:
                    writer.lose(message, "field", key)


def _anthropic_whole(messages: Sequence[Message], writer: _Writer) -> Written:
    system: list[Json] = []
    made: list[dict[str, Json]] = []
    for message in messages:
        if message.role in {Role.SYSTEM, Role.DEVELOPER}:
            if made:
                writer.lose(message, "place", "a system message stands before all others")
            system.append(message.content)
        elif _is_own(message, Shape.ANTHROPIC):
            made.append(own(message))
        else:
            made.extend(_anthropic(message, writer))
            _lose_fields(message, writer)
    if len(system) > 1:
        joined = [block for content in system for block in _as_blocks(content)]
        return Written(tuple(made), joined, tuple(writer.lost))
    return Written(tuple(made), system[0] if system else None, tuple(writer.lost))


def _as_blocks(content: str | Sequence[Json]) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _anthropic(message: Message, writer: _Writer) -> Iterator[dict[str, Json]]:
    whole = parts(message)
    # Results must be the first blocks of the user's turn.
    whole = tuple(sorted(whole, key=lambda part: not isinstance(part, Result)))
    if message.name and not any(isinstance(part, Result) for part in whole):
        writer.lose(message, "name", message.name)
    blocks = [b for part in whole if (b := _anthropic_block(message, part, writer)) is not None]
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    if len(blocks) == 1 and blocks[0]["type"] == "text" and set(blocks[0]) == {"type", "text"}:
        yield {"role": role, "content": blocks[0]["text"]}
    elif blocks:
        yield {"role": role, "content": blocks}


def _anthropic_block(message: Message, part: Part, writer: _Writer) -> dict[str, Json] | None:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text} if part.text.strip() else None
    if isinstance(part, Call):
        arguments = part.as_object
        if arguments is None:
            writer.lose(message, "arguments", f"of {part.name} are no JSON object: kept as text")
            arguments = {"text": part.as_text}
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": arguments}
    if isinstance(part, Result):
        return _anthropic_result(message, part, writer)
    if isinstance(part, Media):
        return _anthropic_media(message, part, writer)
    if isinstance(part, Thinking) and isinstance(part.raw, Mapping) and part.raw.get("signature"):
        return dict(part.raw)
    _lose(message, part, writer)
    return None


def _anthropic_result(message: Message, result: Result, writer: _Writer) -> dict[str, Json]:
    content: Json = result.content
    if not isinstance(content, str):
        made = (_anthropic_block(message, part, writer) for part in inner(result))
        content = [block for block in made if block is not None]
    failed = {"is_error": True} if result.failed else {}
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": content, **failed}


def _anthropic_media(message: Message, media: Media, writer: _Writer) -> dict[str, Json] | None:
    kind = {"image": "image", "file": "document"}.get(media.kind)
    source = _source(media)
    if kind is None or source is None:
        _lose(message, media, writer)
        return None
    return {"type": kind, "source": source}


def _source(media: Media) -> dict[str, Json] | None:
    if media.data:
        return {"type": "base64", "media_type": media.mime or "image/png", "data": media.data}
    if media.file_id:
        return {"type": "file", "file_id": media.file_id}
    return {"type": "url", "url": media.url} if media.url else None


def _agentscope(message: Message, writer: _Writer) -> Iterator[dict[str, Json]]:
    blocks = [b for p in parts(message) if (b := _agentscope_block(message, p, writer)) is not None]
    role = {Role.TOOL: "system", Role.DEVELOPER: "system"}.get(message.role, str(message.role))
    if any(block["type"] == "tool_result" for block in blocks):
        role = "system"
    content: Json = blocks
    if isinstance(message.content, str) and len(blocks) <= 1 and not message.extra:
        content = message.content
    yield {
        "id": message.id,
        "name": message.name or role,
        "role": role,
        "content": content,
        "metadata": None,
        "timestamp": message.created_at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
    }


def _agentscope_block(message: Message, part: Part, writer: _Writer) -> dict[str, Json] | None:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Thinking) and part.text:
        return {"type": "thinking", "thinking": part.text}
    if isinstance(part, Call):
        made = {"type": "tool_use", "id": part.id, "name": part.name}
        return {**made, "input": dict(part.as_object or {}), "raw_input": part.as_text}
    if isinstance(part, Result):
        output = part.content
        if not isinstance(output, str):
            listed = (_agentscope_block(message, one, writer) for one in inner(part))
            output = [block for block in listed if block is not None]
        return {"type": "tool_result", "id": part.call_id, "name": part.name, "output": output}
    if isinstance(part, Media) and part.kind != "file" and (source := _source(part)) is not None:
        return {"type": part.kind, "source": source}
    _lose(message, part, writer)
    return None


def _text(message: Message, writer: _Writer) -> Iterator[dict[str, Json]]:
    lines = []
    for part in parts(message):
        if isinstance(part, Text):
            lines.append(part.text)
        elif isinstance(part, Call):
            lines.append(f"[{part.name} {part.as_text}]")
        elif isinstance(part, Result):
            lines.append(f"[{part.name or part.call_id}] {_result_words(message, part, writer)}")
        else:
            _lose(message, part, writer)
        if isinstance(part, Call | Result):
            writer.lose(message, "structure", "a call or result stands as text")
    if message.name:
        lines.insert(0, f"{message.name}:")
    yield {"role": _spoken(message), "content": "\n".join(lines)}


_CONVERTERS: Mapping[Shape, Callable[[Message, _Writer], Iterator[dict[str, Json]]]] = {
    Shape.OPENAI: _openai,
    Shape.AGENTSCOPE: _agentscope,
    Shape.TEXT: _text,
}
