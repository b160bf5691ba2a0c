"""Values as database rows and back: what every SQL store needs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from lamina.errors import ConflictError, InvalidInputError
from lamina.types import (
    Action,
    Category,
    Decision,
    Event,
    HistoryEvent,
    Json,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Role,
    SessionInfo,
    Source,
)

Row = Sequence[Any]  # what a database driver gives
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
NOT_WAITING = "message {!r} does not wait to be read: somebody was faster, or it is gone"


def to_micros(at: datetime) -> int:
    """Microseconds since 1970."""
    return (at - _START) // _MICRO


def from_micros(micros: int) -> datetime:
    """An aware UTC instant."""
    return _START + timedelta(microseconds=micros)


def _maybe_micros(at: datetime | None) -> int | None:
    return None if at is None else to_micros(at)


def _maybe_time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def to_json(value: Json) -> str | None:
    """JSON text; None for what is empty."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None


def from_json(text: str | None) -> dict[str, Json]:
    """The mapping that `to_json` wrote."""
    return json.loads(text) if text else {}


def checked_unicode(text: str) -> str:
    """The text, which must be encodable.

    Raises:
        InvalidInputError: it holds a lone surrogate.
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as fault:
            raise InvalidInputError(
                f"a lone surrogate at character {fault.start} cannot be stored; replace it"
            ) from None
    return text


def unheard_no_more(id: str) -> ConflictError:
    """The error for a message that a model has read already, or that is gone."""
    return ConflictError(
        f"message {id!r:.80} is gone or was read by a model meanwhile; see what is still unheard"
    )


def content_of(message: Message) -> tuple[str, int]:
    """A message's content as text, and 1 where the text is the JSON of blocks."""
    if isinstance(message.content, str):
        return checked_unicode(message.content), 0
    blocks = json.dumps(list(message.content), ensure_ascii=False, separators=(",", ":"))
    return checked_unicode(blocks), 1


def message_from(row: Row) -> Message:
    """id, session, role, content, blocks, at, name, extra, metadata, zone, seq."""
    return Message(
        id=row[0],
        session_id=row[1],
        role=Role(row[2]),
        content=json.loads(row[3]) if row[4] else row[3],
        created_at=from_micros(row[5]),
        name=row[6],
        extra=from_json(row[7]),
        metadata=from_json(row[8]),
        zone=row[9],
        seq=row[10],
    )


def memory_row(record: MemoryRecord) -> tuple[Any, ...]:
    """A memory's columns in the order of the queries."""
    sources = [[str(s.kind), s.id, s.session_id, s.name, s.quote] for s in record.sources]
    return (
        record.id,
        checked_unicode(record.content),
        to_micros(record.created_at),
        str(record.layer),
        str(record.category),
        checked_unicode(record.abstract),
        checked_unicode(record.overview),
        record.importance,
        int(record.pinned),
        str(record.origin),
        to_json(sources),
        to_json(dict(record.metadata)),
        record.session_id,
        record.project,
        _maybe_micros(record.valid_from),
        _maybe_micros(record.valid_to),
        _maybe_micros(record.expires_at),
        _maybe_micros(record.updated_at),
        record.version,
        checked_unicode(record.topic),
        _maybe_micros(record.happens_from),
        _maybe_micros(record.happens_to),
        _maybe_micros(record.confirmed_at),
    )


def memory_from(row: Row) -> MemoryRecord:
    """What `memory_row` made."""
    sources = json.loads(row[10]) if row[10] else []
    return MemoryRecord(
        id=row[0],
        content=row[1],
        created_at=from_micros(row[2]),
        layer=Layer(row[3]),
        category=Category(row[4]),
        abstract=row[5],
        overview=row[6],
        importance=row[7],
        pinned=bool(row[8]),
        origin=Origin(row[9]),
        sources=tuple(Source(Kind(kind), *rest) for kind, *rest in sources),
        metadata=from_json(row[11]),
        session_id=row[12],
        project=row[13],
        valid_from=_maybe_time(row[14]),
        valid_to=_maybe_time(row[15]),
        expires_at=_maybe_time(row[16]),
        updated_at=_maybe_time(row[17]),
        version=row[18],
        topic=row[19],
        happens_from=_maybe_time(row[20]),
        happens_to=_maybe_time(row[21]),
        confirmed_at=_maybe_time(row[22]),
    )


def event_row(event: HistoryEvent) -> tuple[Any, ...]:
    """memory, action, actor, at, before, after."""
    return (
        event.memory,
        event.action,
        str(event.actor),
        to_micros(event.at),
        _maybe_json(event.before),
        _maybe_json(event.after),
    )


def _maybe_json(value: Mapping[str, Json] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def event_from(row: Row) -> HistoryEvent:
    """What `event_row` made."""
    before, after = (json.loads(text) if text is not None else None for text in row[4:6])
    return HistoryEvent(row[0], row[1], Origin(row[2]), from_micros(row[3]), before, after)


def log_row(event: Event) -> tuple[Any, ...]:
    """at, name, payload."""
    payload = to_json(dict(event.payload))
    return to_micros(event.at), checked_unicode(event.name), payload and checked_unicode(payload)


def log_from(row: Row) -> Event:
    """What `log_row` made."""
    return Event(from_micros(row[0]), row[1], from_json(row[2]))


def decision_row(decision: Decision) -> tuple[Any, ...]:
    """at, action, reason, text, memory, target, message, detail, waiting."""
    return (
        to_micros(decision.at),
        str(decision.action),
        decision.reason,
        checked_unicode(decision.text),
        decision.memory,
        decision.target,
        decision.message,
        to_json(dict(decision.detail)),
        int(decision.waiting),
    )


def decision_from(row: Row) -> Decision:
    """What `decision_row` made, and behind it the id."""
    at, action, reason, text, memory, target, message, detail, waiting, id = row
    return Decision(
        from_micros(at),
        Action(action),
        reason,
        text,
        memory,
        target,
        message,
        from_json(detail),
        bool(waiting),
        id,
    )


def session_from(row: Row) -> SessionInfo:
    """id, created, title, project, state, time of the newest message, number of messages."""
    created = from_micros(row[1])
    return SessionInfo(
        id=row[0],
        created_at=created,
        updated_at=max(created, from_micros(row[5])) if row[5] is not None else created,
        title=row[2],
        project=row[3],
        state=from_json(row[4]),
        messages=row[6],
    )


def compaction_json(state: Mapping[str, Json]) -> str:
    """A state as text."""
    return checked_unicode(json.dumps(dict(state), ensure_ascii=False, separators=(",", ":")))


def checked_compaction(session_id: str, session: object, stored: int, version: int) -> None:
    """Refuse a state that is not the next one of a session that is there."""
    if session is None:
        raise ConflictError(f"there is no session {session_id!r:.80} any more")
    if version != stored + 1:
        raise ConflictError(
            f"session {session_id!r:.80} was compacted meanwhile (version {stored}, not "
            f"{version - 1}); read it again"
        )
