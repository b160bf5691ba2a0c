"""Values as plain JSON and back: one spelling for history rows, the wire and exports."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import TypeVar, get_args, get_type_hints

from lamina.errors import InvalidInputError
from lamina.types import Json

T = TypeVar("T")

# A day from the calendar's ends, so that every instant can be shown in every zone.
EARLIEST = datetime.min.replace(tzinfo=UTC) + timedelta(days=1)
LATEST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)


_SHORT = reprlib.Repr()
_SHORT.maxstring = 60


def shown(value: object) -> str:
    """A value as an error's message shows it: short, whatever it is and however deep."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # a number of thousands of digits
        return f"a huge {type(value).__name__}"


def to_plain(value: object) -> Json:
    """A value of lamina.types as JSON: times as ISO 8601 in UTC, enums as their text."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    return value


def from_plain(kind: type[T], value: Mapping[str, Json]) -> T:
    """The value of lamina.types that `to_plain` wrote; fields that it lacks get their defaults."""
    known = _fields_of(kind)  # type: ignore[arg-type] # a class can be hashed
    return kind(**{name: _read(known[name], part) for name, part in value.items() if name in known})


@cache
def _fields_of(kind: Hashable) -> dict[str, Json]:
    return get_type_hints(kind)


def _read(kind: Json, value: Json) -> Json:
    """A field's value by its annotation: None, times, enums, values and tuples of these."""
    if isinstance(kind, UnionType):
        if value is None:
            return None
        (kind,) = [part for part in get_args(kind) if part is not NoneType][:1]
    if kind is datetime:
        return to_time(value)
    if isinstance(value, list) and (inner := get_args(kind)):
        return tuple(_read(inner[0], part) for part in value)
    if isinstance(kind, type) and is_dataclass(kind):
        return from_plain(kind, value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return value


def to_time(value: datetime | str, what: str = "the time") -> datetime:
    """An aware UTC instant from an aware datetime or ISO 8601 text.

    Raises:
        InvalidInputError: no time, or one without a zone.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidInputError(
                f"{what} is {shown(value)}; give ISO 8601 text such as 2026-05-04T10:00:00Z"
            ) from None
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{what} is a {type(value).__name__}; give an aware datetime")
    if value.tzinfo is None:
        raise InvalidInputError(f"{what} {value.isoformat()} names no zone; add one, such as Z")
    if not EARLIEST <= value <= LATEST:
        raise InvalidInputError(
            f"{what} {value.isoformat()} is at the calendar's very end; give a day within it"
        )
    return value.astimezone(UTC)
