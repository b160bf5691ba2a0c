"""What a `Filter` means, in one place: the same for a listing, a search and any store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from lamina.errors import InvalidInputError
from lamina.plain import shown
from lamina.types import Filter, Json, MemoryRecord, Message

_COMPARE: dict[str, Callable[[Json, Json], bool]] = {
    "eq": lambda a, b: bool(a == b),
    "ne": lambda a, b: bool(a != b),
    "gt": lambda a, b: bool(a > b),
    "gte": lambda a, b: bool(a >= b),
    "lt": lambda a, b: bool(a < b),
    "lte": lambda a, b: bool(a <= b),
    "in": lambda a, b: a in b,
    "nin": lambda a, b: a not in b,
    "contains": lambda a, b: b in a,
}
_DEEPEST = 32  # levels of AND, OR and NOT: beyond any honest filter, well under the call stack


def check_metadata_filter(where: Mapping[str, Json], depth: int = 0) -> None:
    """Refuse a metadata filter that could not be understood, before anything is searched."""
    if depth > _DEEPEST:
        raise InvalidInputError(f"the metadata filter is over {_DEEPEST} levels deep; flatten it")
    if not isinstance(where, Mapping):
        raise InvalidInputError(f"a metadata filter is a mapping, not {type(where).__name__}")
    for name, wanted in where.items():
        if name in {"AND", "OR"}:
            if not isinstance(wanted, Sequence) or isinstance(wanted, str):
                raise InvalidInputError(f"{name} takes a list of filters, not {shown(wanted)}")
            for part in wanted:
                check_metadata_filter(part, depth + 1)
        elif name == "NOT":
            for part in wanted if isinstance(wanted, list) else [wanted]:
                check_metadata_filter(part, depth + 1)
        elif isinstance(wanted, Mapping):
            for operator, value in wanted.items():
                if operator not in _COMPARE:
                    known = ", ".join(_COMPARE)
                    raise InvalidInputError(
                        f"unknown operator {shown(operator)} for {shown(name)}; known ones: {known}"
                    )
                if operator in {"in", "nin"} and not isinstance(value, list | tuple):
                    raise InvalidInputError(f"{operator!r} takes a list, not {shown(value)}")


def matches_metadata(metadata: Mapping[str, Json], where: Mapping[str, Json]) -> bool:
    """Whether metadata satisfies a filter that `check_metadata_filter` has passed."""
    for name, wanted in where.items():
        if name == "AND":
            good = all(matches_metadata(metadata, part) for part in wanted)
        elif name == "OR":
            good = any(matches_metadata(metadata, part) for part in wanted)
        elif name == "NOT":
            parts = wanted if isinstance(wanted, list) else [wanted]
            good = not any(matches_metadata(metadata, part) for part in parts)
        elif isinstance(wanted, Mapping):
            good = all(_holds(metadata, name, op, value) for op, value in wanted.items())
        else:
            good = name in metadata and metadata[name] == wanted
        if not good:
            return False
    return True


def _holds(metadata: Mapping[str, Json], name: str, operator: str, value: Json) -> bool:
    if name not in metadata:
        return operator in {"ne", "nin"}
    try:
        return _COMPARE[operator](metadata[name], value)
    except TypeError:  # a number against a text: not comparable, so not a match
        return False


def is_current(record: MemoryRecord, at: datetime) -> bool:
    """Whether what it says was true at that instant."""
    return (record.valid_from is None or record.valid_from <= at) and (
        record.valid_to is None or at < record.valid_to
    )


def matches(item: Message | MemoryRecord, where: Filter, now: datetime) -> bool:
    """Whether a message or memory passes everything in a filter but layers and project.

    A message counts as always true and known from the moment it was said; its importance is 0.5.
    """
    said = item.created_at if isinstance(item, Message) else item.said_at
    if where.since is not None and said < where.since:
        return False
    if where.until is not None and said >= where.until:
        return False
    if where.session_id is not None and item.session_id != where.session_id:
        return False
    if where.metadata is not None and not matches_metadata(item.metadata, where.metadata):
        return False
    if where.known_at is not None and item.created_at > where.known_at:
        return False
    if isinstance(item, Message):
        return (
            where.categories is None
            and (where.origins is None or item.role in {str(o) for o in where.origins})
            and (where.min_importance is None or where.min_importance <= MESSAGE_IMPORTANCE)
        )
    return _memory_matches(item, where, now)


MESSAGE_IMPORTANCE = 0.5  # a message is as important as a memory about which nobody said anything


def _memory_matches(record: MemoryRecord, where: Filter, now: datetime) -> bool:
    if where.categories is not None and record.category not in where.categories:
        return False
    if where.origins is not None and record.origin not in where.origins:
        return False
    if where.min_importance is not None and record.importance < where.min_importance:
        return False
    if record.expires_at is not None and record.expires_at <= now:
        return False
    if where.as_of is not None and not is_current(record, where.as_of):
        return False
    return where.current is None or is_current(record, now) == where.current
