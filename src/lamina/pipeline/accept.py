"""The first stage of a write: check what came in, and say what is wrong with it.

Nothing is written by anything here. What is returned can be stored as it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from lamina.errors import (
    EmptyTextError,
    InvalidImportanceError,
    InvalidInputError,
    InvalidScopeError,
    TextTooLargeError,
    UnknownLayerError,
)
from lamina.text.clean import scrub
from lamina.text.redact import private_spans
from lamina.types import Category, Json, Layer, Origin, Role

_Value = TypeVar("_Value")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def checked_id(value: str, what: str) -> str:
    """An id as it came; refused where it is empty or holds control characters."""
    if not isinstance(value, str) or not value:
        raise InvalidScopeError(f"{what} is {value!r}; give a text that is not empty")
    if _CONTROL.search(value):
        raise InvalidScopeError(f"{what} {value!r:.80} holds a control character; leave it out")
    return value


def checked_text(text: str, max_bytes: int) -> str:
    """A memory's text: not empty, not over the limit."""
    if not isinstance(text, str):
        raise InvalidInputError(f"the text is a {type(text).__name__}; give a str")
    if not text.strip():
        raise EmptyTextError(f"the text {text!r:.40} is empty; there is nothing to remember")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise TextTooLargeError(
            f"the text has {size:,} bytes, over the limit of {max_bytes:,} for one memory; "
            "append it as a message of a session, or raise max_text_bytes"
        )
    return text


def checked_importance(value: float) -> float:
    """An importance of 0.0 to 1.0."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or math.isnan(value) or not 0.0 <= value <= 1.0:
        raise InvalidImportanceError(
            f"importance is {value!r}; give a number from 0.0 to 1.0 (of a 1-5 scale: (x - 1) / 4)"
        )
    return float(value)


def checked_layer(value: Layer | str) -> Layer:
    """A layer by its name."""
    try:
        return Layer(value)
    except ValueError:
        known = ", ".join(Layer)
        raise UnknownLayerError(f"there is no layer {value!r:.80}; one of: {known}") from None


def checked_category(value: Category | str) -> Category:
    """A category by its name."""
    try:
        return Category(value)
    except ValueError:
        known = ", ".join(Category)
        raise InvalidInputError(f"there is no category {value!r:.80}; one of: {known}") from None


def checked_origin(value: Origin | str) -> Origin:
    """An origin by its name."""
    try:
        return Origin(value)
    except ValueError:
        known = ", ".join(Origin)
        raise InvalidInputError(f"there is no origin {value!r:.80}; one of: {known}") from None


def checked_role(value: Role | str) -> Role:
    """A message's role by its name."""
    try:
        return Role(value)
    except ValueError:
        known = ", ".join(Role)
        raise InvalidInputError(f"there is no role {value!r:.80}; one of: {known}") from None


def checked_json(value: _Value, what: str) -> _Value:
    """A JSON value as it came; refused where it cannot be written as JSON."""
    try:
        json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError) as fault:
        raise InvalidInputError(f"{what} cannot be kept as JSON: {fault}") from None
    except RecursionError:
        raise InvalidInputError(f"{what} is nested too deep; flatten it") from None
    return value


def checked_metadata(value: Mapping[str, Json] | None) -> dict[str, Json]:
    """Metadata as a mapping of JSON values."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"metadata is a {type(value).__name__}; give a mapping")
    return dict(checked_json(dict(value), "metadata")) if value else {}


def empty_message(role: Json) -> EmptyTextError:
    """The error for a message that says nothing and calls nothing."""
    return EmptyTextError(f"the {role} message is empty; there is nothing to keep")


def clean_json(value: Mapping[str, Json]) -> dict[str, Json]:
    """A mapping of JSON values without lone surrogates and private spans."""
    if not value:
        return {}
    cleaned: dict[str, Json] = _clean_block(checked_json(dict(value), "the message"))[0]
    return cleaned


def clean_content(
    content: str | Sequence[Json],
) -> tuple[str | Sequence[Json], int]:
    """A message's content, word for word but for two things: and how many characters they cost.

    Lone surrogates, which no file can hold, become U+FFFD and are counted. `<private>` spans, by
    which the user says that something must not be stored, become a mark.
    """
    if isinstance(content, str):
        text, replaced = scrub(private_spans(content)[0])
        return text, replaced
    if not isinstance(content, list | tuple):
        raise InvalidInputError(f"content is a {type(content).__name__}; give text or blocks")
    blocks, replaced = [], 0
    for block in checked_json(list(content), "content"):
        cleaned, count = _clean_block(block)
        blocks.append(cleaned)
        replaced += count
    return blocks, replaced


def _clean_block(value: Json) -> tuple[Json, int]:
    if isinstance(value, str):
        text, replaced = scrub(private_spans(value)[0])
        return text, replaced
    if isinstance(value, Mapping):
        parts = {key: _clean_block(part) for key, part in value.items()}
        return {k: p for k, (p, _) in parts.items()}, sum(n for _, n in parts.values())
    if isinstance(value, list):
        items = [_clean_block(part) for part in value]
        return [p for p, _ in items], sum(n for _, n in items)
    return value, 0
