"""Values and JSON, errors and exit codes: what all doors share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from lamina.errors import (
    ConflictError,
    EmbedderError,
    InvalidInputError,
    LaminaError,
    LLMError,
    MissingPackageError,
    NotFoundError,
    ScopeError,
    SettingsError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from lamina.pipeline.accept import checked_category, checked_layer, checked_origin
from lamina.plain import to_plain
from lamina.types import Filter, Json, Results

# Exit codes by kind of error, the first that fits; 1 is any other. 2 is also what a wrong option
# gives.
EXITS: tuple[tuple[type[LaminaError], int], ...] = (
    (InvalidInputError, 2),
    (SettingsError, 2),
    (NotFoundError, 3),
    (ScopeError, 4),
    (ConflictError, 5),
    (StoreBusyError, 6),
    (StoreFullError, 7),
    (StoreError, 8),
    (EmbedderError, 9),
    (MissingPackageError, 10),
    (LLMError, 11),
)


def exit_code(error: LaminaError) -> int:
    """The exit code of a command that ended in this error."""
    return next((code for kind, code in EXITS if isinstance(error, kind)), 1)


def to_json(value: object, *, ascii_only: bool = False) -> str:
    """A value of Lamina as JSON text. `Results` become a mapping with its hits under `hits`."""
    return json.dumps(to_wire(value), ensure_ascii=ascii_only, indent=2)


def to_wire(value: object) -> Json:
    """A value of Lamina as JSON, without what is empty in a hit."""
    if isinstance(value, Results):
        hits = [
            {key: part for key, part in to_plain(hit).items() if key != "signals" or part}
            for hit in value.hits
        ]
        return {"hits": hits, "degraded": list(value.degraded), "archival": value.archival}
    if isinstance(value, Mapping):
        return {str(key): to_wire(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_wire(part) for part in value]
    return to_plain(value)


def error_to_wire(error: LaminaError) -> Json:
    """An error as JSON: its class and its sentence."""
    return {"error": type(error).__name__, "message": str(error)}


def filter_from(
    *,
    zone: ZoneInfo,
    layers: Iterable[str] = (),
    categories: Iterable[str] = (),
    origins: Iterable[str] = (),
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
    metadata: str | None = None,
    project: str | None = None,
    session_id: str | None = None,
    current: bool | None = None,
    min_importance: float | None = None,
) -> Filter:
    """A filter from a door's flat parameters. Times without a zone are meant in `zone`.

    Raises:
        InvalidInputError: one of them cannot be understood.
    """
    return Filter(
        layers=tuple(map(checked_layer, layers)) or None,
        categories=tuple(map(checked_category, categories)) or None,
        origins=tuple(map(checked_origin, origins)) or None,
        since=time_from(since, zone, "since"),
        until=time_from(until, zone, "until"),
        as_of=time_from(as_of, zone, "as-of"),
        known_at=time_from(known_at, zone, "known-at"),
        metadata=mapping_from(metadata, "metadata"),
        project=project,
        session_id=session_id,
        current=current,
        min_importance=min_importance,
    )


def time_from(text: str | None, zone: ZoneInfo, what: str) -> datetime | None:
    """An aware time from ISO 8601 text; a day is its first instant."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(
            f"{what} is {text!r:.60}; give a day such as 2026-05-04, or 2026-05-04T10:00"
        ) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def mapping_from(text: str | None, what: str) -> Mapping[str, Json] | None:
    """A mapping from JSON text."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InvalidInputError(f"{what} is {text!r:.60}, which is no JSON: {fault}") from None
    if not isinstance(value, dict):
        raise InvalidInputError(f'{what} is {text!r:.60}; give a mapping such as {{"topic": "x"}}')
    return value
