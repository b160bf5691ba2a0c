"""What a provider would refuse: a strict reading of its rules on messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lamina.errors import InvalidInputError
from lamina.types import Json

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_SPEAKER = re.compile(r"[^\s<|\\/>]{1,64}")
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_OPENAI_PARTS = {
    "system": {"text"},
    "developer": {"text"},
    "user": {"text", "image_url", "input_audio", "file"},
    "assistant": {"text", "refusal"},
    "tool": {"text"},
}
_OPENAI_KEYS = {
    "user": {"role", "content", "name"},
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "refusal", "audio", "tool_calls", "function_call"},
    "tool": {"role", "content", "tool_call_id"},
}
_ANTHROPIC_PARTS = {
    "user": {
        "text", "image", "document", "search_result", "tool_result", "container_upload",
        "web_search_tool_result",
    },
    "assistant": {
        "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "compaction",
        "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "image",
    },
}  # fmt: skip
_IN_RESULT = {"text", "image", "document", "search_result"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that a provider would refuse."""

    place: int  # of the message, from 0; -1 for the request as a whole
    rule: str  # a code
    sentence: str


def is_valid_for(provider: str, messages: Sequence[Json], *, system: Json = None) -> list[Fault]:
    """What `provider` (openai, anthropic) would refuse of these messages; empty when nothing.

    Raises:
        InvalidInputError: a provider whose rules are not known.
    """
    checks = {"openai": _openai, "anthropic": _anthropic}
    if provider not in checks:
        raise InvalidInputError(
            f"the rules of provider {provider!r} are not known; take openai or anthropic"
        )
    if not messages:
        return [Fault(-1, "empty", "a request needs at least one message")]
    for place, message in enumerate(messages):
        if not isinstance(message, Mapping):
            return [Fault(place, "form", "a message is a mapping")]
    faults = list(checks[provider](messages))
    if provider == "anthropic" and system is not None:
        faults += _anthropic_system(system)
    return faults


def _openai(messages: Sequence[Mapping[str, Json]]) -> Iterator[Fault]:
    waiting: dict[str, int] = {}  # ids of calls that wait for their results, and who called
    for place, message in enumerate(messages):
        role = message.get("role")
        if role not in _OPENAI_PARTS:
            yield Fault(place, "role", f"no such role: {role!r}")
            continue
        if role == "tool":
            id = message.get("tool_call_id")
            if id not in waiting:
                yield Fault(place, "orphan_result", f"no call just before it has the id {id!r}")
            else:
                del waiting[id]
        else:
            yield from _unanswered(waiting)
            waiting = {}
        yield from _openai_fields(place, str(role), message)
        if role == "assistant":
            called = message.get("tool_calls") or ()
            waiting = {str(c.get("id")): place for c in called if isinstance(c, Mapping)}
    yield from _unanswered(waiting)


def _unanswered(waiting: Mapping[str, int]) -> Iterator[Fault]:
    for id, place in waiting.items():
        yield Fault(place, "unanswered_call", f"the call {id!r} has no result right behind it")


def _openai_fields(place: int, role: str, message: Mapping[str, Json]) -> Iterator[Fault]:
    odd = set(message) - _OPENAI_KEYS[role]
    if odd:
        yield Fault(place, "field", f"unknown fields: {sorted(odd)}")
    name = message.get("name")
    if name is not None and not (isinstance(name, str) and _SPEAKER.fullmatch(name)):
        yield Fault(place, "name", f"not a legal name: {name!r}")
    content, called = message.get("content"), message.get("tool_calls")
    if content is None:
        if role != "assistant" or not (called or message.get("refusal") or message.get("audio")):
            yield Fault(place, "content", "content is missing")
    elif not isinstance(content, str):
        yield from _openai_parts(place, role, content)
    if called is not None:
        yield from _openai_calls(place, called)


def _openai_parts(place: int, role: str, content: Json) -> Iterator[Fault]:
    if not isinstance(content, Sequence) or not content:
        yield Fault(place, "content", "content is neither text nor a list of parts")
        return
    for part in content:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in _OPENAI_PARTS[role]:
            yield Fault(place, "part", f"a {role} message takes no part of type {kind!r}")
        elif kind == "text" and not isinstance(part.get("text"), str):
            yield Fault(place, "part", "a text part needs a text")
        elif kind == "image_url" and not _has_url(part):
            yield Fault(place, "part", "an image needs a url")


def _has_url(part: Mapping[str, Json]) -> bool:
    held = part.get("image_url")
    return isinstance(held, Mapping) and bool(held.get("url"))


def _openai_calls(place: int, called: Json) -> Iterator[Fault]:
    if not isinstance(called, Sequence) or isinstance(called, str) or not called:
        yield Fault(place, "calls", "tool_calls is a list of at least one call")
        return
    seen = set()
    for call in called:
        body = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(body, Mapping) or call.get("type") != "function":
            yield Fault(place, "calls", "a call is {id, type: function, function}")
            continue
        id = call.get("id")
        if not isinstance(id, str) or not id:
            yield Fault(place, "calls", f"a call needs an id, not {id!r}")
        if id in seen:
            yield Fault(place, "twin_ids", f"two calls of one message have the id {id!r}")
        seen.add(id)
        if not _NAME.fullmatch(str(body.get("name") or "")):
            yield Fault(place, "calls", f"not a tool's name: {body.get('name')!r}")
        if not isinstance(body.get("arguments"), str):
            yield Fault(place, "calls", "arguments are a JSON text")


def _anthropic(messages: Sequence[Mapping[str, Json]]) -> Iterator[Fault]:
    if messages[0].get("role") != "user":
        yield Fault(0, "first", "the first message is not the user's")
    before: Json = None
    last: Mapping[str, Json] = {}
    waiting, seen = set[str](), set[str]()
    for place, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in _ANTHROPIC_PARTS:
            yield Fault(place, "role", f"no such role: {role!r}")
            continue
        if role == before:
            yield Fault(place, "turns", f"two messages of the {role} in a row")
        before = role
        if set(message) != {"role", "content"}:
            yield Fault(place, "field", f"fields are role and content, not {sorted(message)}")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, Sequence) or not blocks:
            yield Fault(place, "content", "content is empty, or neither text nor blocks")
            continue
        listed = [block if isinstance(block, Mapping) else {} for block in blocks]
        yield from _anthropic_blocks(place, str(role), listed)
        yield from _anthropic_results(place, listed, waiting)
        used = [str(b.get("id")) for b in listed if b.get("type") == "tool_use"]
        for id in used:
            if id in seen:
                yield Fault(place, "twin_ids", f"two calls have the id {id!r}")
            seen.add(id)
        waiting = set(used)
        last = listed[-1]
    for id in sorted(waiting):
        yield Fault(len(messages) - 1, "unanswered_call", f"the call {id!r} has no result")
    if before == "assistant" and str(last.get("text") or "x")[-1].isspace():
        yield Fault(len(messages) - 1, "end", "the last assistant message ends in a blank")


def _anthropic_blocks(
    place: int, role: str, blocks: Sequence[Mapping[str, Json]]
) -> Iterator[Fault]:
    for block in blocks:
        kind = block.get("type")
        if kind not in _ANTHROPIC_PARTS[role]:
            yield Fault(place, "block", f"the {role}'s message takes no block of type {kind!r}")
        elif kind == "text" and not str(block.get("text") or "").strip():
            yield Fault(place, "blank", "a text block of blanks")
        elif kind == "thinking" and not block.get("signature"):
            yield Fault(place, "thinking", "a thinking block without a signature")
        elif kind in {"image", "document"} and not isinstance(block.get("source"), Mapping):
            yield Fault(place, "block", f"the {kind} has no source")
        elif kind == "tool_use":
            if not _ID.fullmatch(str(block.get("id") or "")):
                yield Fault(place, "calls", f"not a legal id: {block.get('id')!r}")
            if not _TOOL_NAME.fullmatch(str(block.get("name") or "")):
                yield Fault(place, "calls", f"not a tool's name: {block.get('name')!r}")
            if not isinstance(block.get("input"), Mapping):
                yield Fault(place, "calls", "the input of a call is an object")


def _anthropic_results(
    place: int, blocks: Sequence[Mapping[str, Json]], waiting: set[str]
) -> Iterator[Fault]:
    """Results answer the calls of the message before, each once, ahead of all other blocks."""
    found: set[str] = set()
    others = False
    for block in blocks:
        if block.get("type") != "tool_result":
            others = True
            continue
        id = str(block.get("tool_use_id"))
        if id not in waiting:
            yield Fault(place, "orphan_result", f"no call of the message before has the id {id!r}")
        if id in found:
            yield Fault(place, "twin_results", f"two results for the call {id!r}")
        if others:
            yield Fault(place, "result_late", "a result stands behind other blocks")
        found.add(id)
        yield from _anthropic_result(place, block)
    for id in sorted(waiting - found):
        yield Fault(place, "unanswered_call", f"the call {id!r} has no result right behind it")


def _anthropic_result(place: int, block: Mapping[str, Json]) -> Iterator[Fault]:
    content = block.get("content")
    if content is None or isinstance(content, str):
        return
    for part in content if isinstance(content, Sequence) else [None]:
        held = part if isinstance(part, Mapping) else {}
        if held.get("type") not in _IN_RESULT:
            yield Fault(place, "block", f"a result takes no block of type {held.get('type')!r}")
        elif held["type"] == "text" and not str(held.get("text") or "").strip():
            yield Fault(place, "blank", "a text of blanks in a result")


def _anthropic_system(system: Json) -> Iterator[Fault]:
    if isinstance(system, str):
        return
    for block in system if isinstance(system, Sequence) else [None]:
        text = block.get("text") if isinstance(block, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            yield Fault(-1, "system", f"not a system block: {json.dumps(block, default=str)[:80]}")
