"""Where the items are in a model's answer, whatever it was put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lamina.pipeline.extract.loose import DEPTH, documents
from lamina.plain import shown

_FLAGS = re.DOTALL | re.IGNORECASE
_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", _FLAGS)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_BARE_NOTHING = re.compile(r"\s*(?:```\w*)?\s*\[\s*\]\s*(?:```)?\s*")


def unpacked(answer: object) -> tuple[list[Any], str]:
    """What stands where items should, and what is wrong with the answer as a whole ("": nothing).

    An empty list is an honest answer; an empty object is none.
    """
    if isinstance(answer, bytes | bytearray):
        answer = bytes(answer).decode("utf-8", "replace")
    if isinstance(answer, Mapping | list | tuple):
        found = _memories(answer)
        return (found, "") if found is not None else ([], "it holds no list of memories")
    if not isinstance(answer, str):
        return [], f"it is {shown(answer)}, no text"
    if not answer.strip():
        return [], "it is empty"
    text = _without_thought(answer)
    if _BARE_NOTHING.fullmatch(text):
        return [], ""
    given: list[Any] = []
    answered = cut = False
    for document in documents(text):
        found = _memories(document.value)
        cut = cut or not document.whole
        if found is not None and (found or not isinstance(document.value, list)):
            answered = True
            given += found
    if cut:
        return given, "it is cut"
    return given, "" if answered else "it holds no list of memories"


def _without_thought(text: str) -> str:
    text = _THOUGHT.sub("", text, count=1) if _THOUGHT.match(text) else text
    if not text.lstrip().startswith(("{", "[", "`")):
        end = _THOUGHT_END.search(text)  # the opening mark is part of some models' prompts
        text = text[end.end() :] if end else text
    return text


def _memories(value: object) -> list[Any] | None:
    """What a document gives as memories: its list of that name, or whatever looks like items."""
    if isinstance(value, str):  # JSON within JSON
        inner = next(documents(value), None)
        return _memories(inner.value) if inner else None
    named = _named(value, 0)
    if named is not None:
        return named
    if isinstance(value, list | tuple) and not value:
        return []
    return list(_looking_like_items(value, 0)) or None


def _named(value: object, depth: int) -> list[Any] | None:
    """The list under the name that the prompt gives, wherever it stands."""
    if depth > DEPTH or not isinstance(value, Mapping):
        return None
    if "memories" in value:
        under = value["memories"]
        if isinstance(under, list | tuple):
            return [part for each in under for part in _flat(each, 0)]
        return list(_looking_like_items(under, 0)) or None
    inner = (_named(part, depth + 1) for part in value.values())
    return next((found for found in inner if found is not None), None)


def _flat(value: object, depth: int) -> Iterator[object]:
    if isinstance(value, list | tuple) and depth < DEPTH:
        for part in value:
            yield from _flat(part, depth + 1)
    else:
        yield value


def _looking_like_items(value: object, depth: int) -> Iterator[object]:
    if depth > DEPTH:
        return
    if isinstance(value, Mapping):
        if "sources" in value and ("abstract" in value or "content" in value):
            yield value
            return
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _looking_like_items(part, depth + 1)
