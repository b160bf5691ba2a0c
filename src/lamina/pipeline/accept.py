"""The first stage of a write: check what came in, and say what is wrong with it.

Nothing is written by anything here. What is returned can be stored as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from lamina.errors import (
    EmptyTextError,
    InvalidImportanceError,
    InvalidInputError,
    InvalidScopeError,
    TextTooLargeError,
    UnknownLayerError,
)
from lamina.filters import check_metadata_filter
from lamina.plain import shown, to_time
from lamina.text.clean import scrub
from lamina.types import (
    Category,
    Filter,
    Json,
    Kind,
    Layer,
    Level,
    MemoryRecord,
    Message,
    Origin,
    Role,
    Source,
    block_text,
)

_Value = TypeVar("_Value")
_Made = TypeVar("_Made")
DEEPEST = 100  # levels of a JSON value: beyond any honest one, well under the call stack
FRAME_NAMES = ("auto", "en", "zh", "none")  # auto is the language of the query
LARGEST = 1 << 31  # of a limit: beyond any store
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def checked_id(value: str, what: str) -> str:
    """An id as it came; refused where it is empty or holds control characters."""
    if not isinstance(value, str) or not value:
        raise InvalidScopeError(f"{what} is {shown(value)}; give a text that is not empty")
    if _CONTROL.search(value):
        raise InvalidScopeError(f"{what} {shown(value)} holds a control character; leave it out")
    return value


def checked_text(text: str, max_bytes: int) -> str:
    """A memory's text: not empty, not over the limit."""
    if not isinstance(text, str):
        raise InvalidInputError(f"the text is a {type(text).__name__}; give a str")
    if not text.strip():
        raise EmptyTextError(f"the text {shown(text)} is empty; there is nothing to remember")
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
    if not number or not 0.0 <= value <= 1.0:  # NaN is not either
        raise InvalidImportanceError(
            f"importance is {shown(value)}; give a number from 0.0 to 1.0 "
            "(of a 1-5 scale: (x - 1) / 4)"
        )
    return float(value)


def checked_layer(value: Layer | str) -> Layer:
    """A layer by its name."""
    try:
        return Layer(value)
    except ValueError:
        known = ", ".join(Layer)
        raise UnknownLayerError(f"there is no layer {shown(value)}; one of: {known}") from None


def checked_category(value: Category | str) -> Category:
    """A category by its name."""
    try:
        return Category(value)
    except ValueError:
        known = ", ".join(Category)
        raise InvalidInputError(f"there is no category {shown(value)}; one of: {known}") from None


def checked_origin(value: Origin | str) -> Origin:
    """An origin by its name."""
    try:
        return Origin(value)
    except ValueError:
        known = ", ".join(Origin)
        raise InvalidInputError(f"there is no origin {shown(value)}; one of: {known}") from None


def checked_level(value: Level | str) -> Level:
    """A level of a memory by its name."""
    try:
        return Level(value)
    except ValueError:
        known = ", ".join(Level)
        raise InvalidInputError(f"there is no level {shown(value)}; one of: {known}") from None


def checked_frame(value: str) -> str:
    """The frame of a block by its name."""
    if not isinstance(value, str) or value not in FRAME_NAMES:
        known = ", ".join(FRAME_NAMES)
        raise InvalidInputError(f"there is no frame {shown(value)}; one of: {known}")
    return value


def checked_role(value: Role | str) -> Role:
    """A message's role by its name."""
    try:
        return Role(value)
    except ValueError:
        known = ", ".join(Role)
        raise InvalidInputError(f"there is no role {shown(value)}; one of: {known}") from None


def checked_json(value: _Value, what: str) -> _Value:
    """A JSON value as it came; refused where JSON would not give it back."""
    waiting: list[tuple[Json, int]] = [(value, 0)]
    while waiting:  # without recursion: it may be deep, or contain itself
        part, depth = waiting.pop()
        if depth > DEEPEST:
            raise InvalidInputError(f"{what} is over {DEEPEST} levels deep; flatten it")
        if isinstance(part, Mapping):
            for key in part:
                if not isinstance(key, str):
                    raise InvalidInputError(
                        f"{what} has the key {shown(key)}; JSON's keys are texts"
                    )
            waiting += ((one, depth + 1) for one in part.values())
        elif isinstance(part, list | tuple):
            waiting += ((one, depth + 1) for one in part)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as fault:
        raise InvalidInputError(f"{what} cannot be kept as JSON: {fault}") from None
    return value


def checked_metadata(value: Mapping[str, Json] | None) -> dict[str, Json]:
    """Metadata as a mapping of JSON values."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"metadata is a {type(value).__name__}; give a mapping")
    return dict(checked_json(dict(value), "metadata")) if value else {}


def checked_flag(value: bool, what: str) -> bool:  # noqa: FBT001 - it is what is checked
    """A yes or no."""
    if not isinstance(value, bool):
        raise InvalidInputError(f"{what} is {shown(value)}; give True or False")
    return value


def checked_limit(value: int, what: str = "limit", least: int = 1) -> int:
    """How many are asked for: a whole number."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidInputError(f"{what} is {shown(value)}; give a whole number, at least {least}")
    return min(value, LARGEST)


def checked_query(value: str) -> str:
    """A question, without lone surrogates."""
    if not isinstance(value, str):
        raise InvalidInputError(f"the query is a {type(value).__name__}; give a str")
    return scrub(value)[0]


def checked_turns(turns: Sequence[Json]) -> list[str]:
    """The texts of what was said before a question: messages, mappings of their form, or texts."""
    if isinstance(turns, str | Mapping) or not isinstance(turns, Sequence):
        raise InvalidInputError(f"turns are {shown(turns)}; give a list of messages or texts")
    said = []
    for turn in turns:
        part = turn
        if isinstance(turn, Mapping):
            part = turn.get("content", turn.get("text", ""))
            part = part if isinstance(part, str) else block_text({"content": part})
        elif isinstance(turn, Message):
            part = turn.text
        if not isinstance(part, str):
            raise InvalidInputError(f"a turn is {shown(turn)}; give a message or a text")
        said.append(scrub(part)[0])
    return said


def checked_key(value: str, what: str) -> str:
    """An id to look something up by: any text, found or not."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{what} is {shown(value)}; give a text")
    return value


def checked_record(record: MemoryRecord) -> MemoryRecord:
    """A record whose fields are what they should be, texts and importance apart."""
    for name in ("content", "abstract", "overview"):
        if not isinstance(getattr(record, name), str):
            kind = type(getattr(record, name)).__name__
            raise InvalidInputError(f"the record's {name} is a {kind}; give a str")
    return replace(
        record,
        id=checked_id(record.id, "id"),
        created_at=to_time(record.created_at, "created_at"),
        layer=checked_layer(record.layer),
        category=checked_category(record.category),
        pinned=checked_flag(record.pinned, "pinned"),
        origin=checked_origin(record.origin),
        sources=_each(record.sources, "sources", _checked_source),
        metadata=checked_metadata(record.metadata),
        session_id=_maybe_id(record.session_id, "session id"),
        project=_maybe_id(record.project, "project"),
        valid_from=_maybe_time(record.valid_from, "valid_from"),
        valid_to=_maybe_time(record.valid_to, "valid_to"),
        expires_at=_maybe_time(record.expires_at, "expires_at"),
        updated_at=_maybe_time(record.updated_at, "updated_at"),
    )


def checked_filter(where: Filter) -> Filter:
    """A filter of which every field means something."""
    if not isinstance(where, Filter):
        raise InvalidInputError(f"the filter is a {type(where).__name__}; give a lamina.Filter")
    if where.metadata is not None:
        given = where.metadata
        checked_json(dict(given) if isinstance(given, Mapping) else given, "the metadata filter")
        check_metadata_filter(given)
    for name in ("project", "session_id"):
        if getattr(where, name) is not None:
            checked_key(getattr(where, name), f"the filter's {name}")
    if where.current is not None:
        checked_flag(where.current, "the filter's current")
    least = where.min_importance
    return replace(
        where,
        layers=_maybe_each(where.layers, "layers", checked_layer),
        categories=_maybe_each(where.categories, "categories", checked_category),
        origins=_maybe_each(where.origins, "origins", checked_origin),
        since=_maybe_time(where.since, "since"),
        until=_maybe_time(where.until, "until"),
        as_of=_maybe_time(where.as_of, "as_of"),
        known_at=_maybe_time(where.known_at, "known_at"),
        min_importance=None if least is None else checked_importance(least),
    )


def _checked_source(source: Source) -> Source:
    if not isinstance(source, Source):
        raise InvalidInputError(f"a source is {shown(source)}; give a lamina.Source")
    for text in (source.id, source.session_id or "", source.name or "", source.quote):
        checked_key(text, "a source's field")
    try:
        return replace(source, kind=Kind(source.kind))
    except ValueError:
        known = ", ".join(Kind)
        raise InvalidInputError(f"a source is of kind {shown(source.kind)}; of: {known}") from None


def _each(
    values: Sequence[_Value], what: str, check: Callable[[_Value], _Made]
) -> tuple[_Made, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise InvalidInputError(f"{what} is {shown(values)}; give a list")
    return tuple(check(value) for value in values)


def _maybe_each(
    values: Sequence[_Value] | None, what: str, check: Callable[[_Value], _Made]
) -> tuple[_Made, ...] | None:
    return None if values is None else _each(values, what, check)


def _maybe_time(value: datetime | None, what: str) -> datetime | None:
    return None if value is None else to_time(value, what)


def _maybe_id(value: str | None, what: str) -> str | None:
    return None if value is None else checked_id(value, what)


def empty_message(role: Json) -> EmptyTextError:
    """The error for a message that says nothing and calls nothing."""
    return EmptyTextError(f"the {role} message is empty; there is nothing to keep")
