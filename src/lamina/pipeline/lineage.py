"""What becomes of memories when what they stand on is forgotten. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lamina.pipeline.dedupe import last_said
from lamina.plain import from_plain
from lamina.types import HistoryEvent, Kind, MemoryRecord, Source

Key = tuple[Kind, str]  # of a source
BY_HAND: Key = (Kind.MEMORY, "")  # what somebody wrote down stands on no source


def key_of(source: Source) -> Key:
    """What tells one source from another."""
    return source.kind, source.id


Version = tuple[MemoryRecord, datetime]  # a memory as it read, and since when


def without(
    record: MemoryRecord, history: Sequence[HistoryEvent], gone: Collection[Key]
) -> list[Version]:
    """A memory's versions without these sources, oldest first; none where nothing else said it.

    Each wording stands on the sources that brought it or repeated it. Those that have one left are
    kept, and the last of them is how the memory reads.
    """
    left = [one for one in _wordings(record, history) if one.said_by - set(gone)]
    out = []
    for number, one in enumerate(left, 1):
        kept = tuple(source for source in one.version.sources if key_of(source) not in gone)
        now = one.version if one.version.content == record.content else _reworded(record, one)
        out.append((replace(now, sources=kept, version=number), one.at))
    return out


def _reworded(record: MemoryRecord, wording: _Wording) -> MemoryRecord:
    """A memory in an older wording: what does not come from the words stays as it is."""
    old = wording.version
    return replace(
        record,
        content=old.content,
        abstract=old.abstract,
        overview=old.overview,
        category=old.category,
        topic=old.topic,
        happens_from=old.happens_from,
        happens_to=old.happens_to,
    )


def unquoted(versions: Sequence[Version], gone: Collection[Key]) -> list[Version]:
    """Versions that stay although these sources go: they name them, and quote them no more."""
    return [
        (
            replace(
                record,
                sources=tuple(
                    Source(s.kind, s.id, s.session_id) if key_of(s) in gone else s
                    for s in record.sources
                ),
            ),
            at,
        )
        for record, at in versions
    ]


@dataclass(frozen=True, slots=True)
class _Wording:
    """One content that a memory had, and what says it."""

    version: MemoryRecord  # the last one with it
    said_by: frozenset[Key]
    at: datetime  # since when


def _wordings(record: MemoryRecord, history: Sequence[HistoryEvent]) -> list[_Wording]:
    """Every content that it had, oldest first."""
    read = [(from_plain(MemoryRecord, event.after), event.at) for event in history if event.after]
    found: list[_Wording] = []
    seen: set[Key] = set()
    for version, at in [*read, (record, record.created_at)]:
        new = frozenset(map(key_of, version.sources)) - seen
        seen |= new
        if found and found[-1].version.content == version.content:
            found[-1] = _Wording(version, found[-1].said_by | new, found[-1].at)
        else:
            found.append(_Wording(version, new or frozenset({BY_HAND}), at))
    return found


def true_until(record: MemoryRecord, others: Sequence[MemoryRecord]) -> datetime | None:
    """Until when it was true, going by the other memories about its topic."""
    later = [other.said_at for other in others if other.said_at > last_said(record)]
    return min(later, default=None)
