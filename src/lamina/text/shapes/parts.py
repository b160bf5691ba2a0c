"""What a message is made of, whichever API's form it came in: a view, the message stays as it is.

`place` of a part is its block's place in the content, or WHOLE where the part is the content as a
whole (a tool's message, a text) or stands beside it (OpenAI's tool calls).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lamina.types import Json, Message, Role

WHOLE = -1


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str
    place: int = WHOLE


@dataclass(frozen=True, slots=True)
class Thinking:
    """What a model thought before it answered; `raw` holds its signature, or its cipher."""

    text: str
    raw: Json
    place: int = WHOLE


@dataclass(frozen=True, slots=True)
class Media:
    """An image, sound, film or file: by address, by an id, or with its bytes in base64."""

    kind: str  # image, audio, video or file
    raw: Json
    mime: str = ""
    url: str = ""
    data: str = ""
    file_id: str = ""
    name: str = ""
    place: int = WHOLE


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that is to be used. `arguments` as they came: JSON text, or its value."""

    id: str
    name: str
    arguments: Json
    place: int = WHOLE

    @property
    def as_text(self) -> str:
        """The arguments as JSON text."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)

    @property
    def as_object(self) -> Mapping[str, Json] | None:
        """The arguments as a mapping; None where they are no JSON object."""
        if not isinstance(self.arguments, str):
            return self.arguments if isinstance(self.arguments, Mapping) else None
        try:
            value = json.loads(self.arguments or "{}")
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back. `content` as it came: text, or blocks."""

    call_id: str
    content: str | Sequence[Json]
    name: str = ""
    failed: bool = False
    place: int = WHOLE

    @property
    def text(self) -> str:
        """Its words, blocks joined by line ends."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(p.text for p in inner(self) if isinstance(p, Text) and p.text)


@dataclass(frozen=True, slots=True)
class Other:
    """A block of a kind of which nothing is known."""

    raw: Json
    place: int = WHOLE

    @property
    def kind(self) -> str:
        """What it calls itself."""
        return str(self.raw.get("type", "")) if isinstance(self.raw, Mapping) else "?"


Part = Text | Thinking | Media | Call | Result | Other

_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_MEDIA = {
    "image": "image", "image_url": "image", "input_image": "image",
    "audio": "audio", "input_audio": "audio", "video": "video",
    "document": "file", "file": "file", "input_file": "file",
}  # fmt: skip
_CALLS = ("tool_use", "function_call")
_RESULTS = ("tool_result", "function_call_output")


def parts(message: Message) -> tuple[Part, ...]:
    """Everything in a message, in order; tool calls beside the content come last."""
    return tuple(_of_message(message))


def calls(message: Message) -> tuple[Call, ...]:
    """The tools that it wants used."""
    return tuple(part for part in parts(message) if isinstance(part, Call))


def results(message: Message) -> tuple[Result, ...]:
    """The results that it brings."""
    return tuple(part for part in parts(message) if isinstance(part, Result))


def inner(result: Result) -> tuple[Part, ...]:
    """What a result is made of."""
    if isinstance(result.content, str):
        return (Text(result.content),) if result.content else ()
    return tuple(part_of(block, place) for place, block in enumerate(result.content))


def _of_message(message: Message) -> Iterator[Part]:
    extra, content = message.extra, message.content
    thought = extra.get("reasoning_content") or extra.get("reasoning")
    if isinstance(thought, str):
        yield Thinking(thought, thought)
    if message.role is Role.TOOL and not _holds_results(content):
        name = str(message.name or extra.get("name") or "")
        yield Result(str(extra.get("tool_call_id") or ""), content, name)
    elif isinstance(content, str):
        if content:
            yield Text(content)
    else:
        for place, block in enumerate(content):
            yield part_of(block, place)
    if isinstance(extra.get("refusal"), str):
        yield Text(extra["refusal"])
    yield from _calls_beside(extra)


def _holds_results(content: str | Sequence[Json]) -> bool:
    return not isinstance(content, str) and any(_type(block) in _RESULTS for block in content)


def _calls_beside(extra: Mapping[str, Json]) -> Iterator[Call]:
    listed = extra.get("tool_calls")
    for call in listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ():
        if not isinstance(call, Mapping):
            continue
        body = call.get("function") or call.get("custom") or {}
        body = body if isinstance(body, Mapping) else {}
        arguments = body.get("arguments", body.get("input", ""))
        yield Call(str(call.get("id") or ""), str(body.get("name") or ""), arguments)
    old = extra.get("function_call")
    if isinstance(old, Mapping):
        yield Call("", str(old.get("name") or ""), old.get("arguments", ""))


def _type(block: Json) -> str:
    return str(block.get("type", "")) if isinstance(block, Mapping) else ""


def part_of(block: Json, place: int = WHOLE) -> Part:
    """A content block of any API as a part."""
    if isinstance(block, str):
        return Text(block, place)
    kind = _type(block)
    if kind in _TEXTS and isinstance(block.get(_TEXTS[kind]), str):
        return Text(block[_TEXTS[kind]], place)
    if kind in {"thinking", "redacted_thinking", "reasoning"}:
        return Thinking(_thought(block), block, place)
    if kind in _CALLS:
        return _call(block, place)
    if kind in _RESULTS:
        return _result(block, place)
    if kind in _MEDIA:
        return _media(_MEDIA[kind], block, place)
    return Other(block, place)


def _thought(block: Mapping[str, Json]) -> str:
    told = block.get("thinking") or block.get("text")
    if isinstance(told, str):
        return told
    listed = block.get("summary") or block.get("content") or ()
    if isinstance(listed, str):
        return listed
    return "\n".join(str(one.get("text", "")) for one in listed if isinstance(one, Mapping))


def _call(block: Mapping[str, Json], place: int) -> Call:
    id = str(block.get("call_id") or block.get("id") or "")
    arguments = block.get("input", block.get("arguments", {}))
    return Call(id, str(block.get("name") or ""), arguments, place)


def _result(block: Mapping[str, Json], place: int) -> Result:
    id = block.get("tool_use_id") or block.get("call_id") or block.get("id") or ""
    content = block.get("content", block.get("output"))
    if not isinstance(content, str) and not isinstance(content, Sequence):
        content = "" if content is None else json.dumps(content, ensure_ascii=False)
    return Result(
        str(id), content, str(block.get("name") or ""), block.get("is_error") is True, place
    )


def _media(kind: str, block: Mapping[str, Json], place: int) -> Media:
    """Where its bytes are, from any of the fields in which APIs put that."""
    held = block.get("source") or block.get("image_url") or block.get("input_audio")
    held = held or block.get("file") or block
    if isinstance(held, str):
        held = {"url": held}
    if not isinstance(held, Mapping):
        return Media(kind, block, place=place)
    text = {key: value for key, value in held.items() if isinstance(value, str)}
    url = text.get("url") or text.get("file_url") or ""
    data = text.get("data") or text.get("file_data") or ""
    mime = text.get("media_type", "")
    if "format" in text:
        mime = f"{kind}/{text['format']}"
    for address in (url, data):
        if address.startswith("data:") and ";base64," in address[:100]:
            head, data = address.split(";base64,", 1)
            mime, url = head.removeprefix("data:"), ""
    name = text.get("filename") or str(block.get("title") or block.get("filename") or "")
    return Media(kind, block, mime, url, data, text.get("file_id", ""), name, place)
