"""Forgetting: what a lineage holds goes from everywhere, or is named as still to go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from lamina.engine.compacting import resummarise, summaries_of
from lamina.engine.core import Core
from lamina.engine.erase import swept, texts_of, versions_of
from lamina.engine.extracting import drop_jobs
from lamina.engine.lineage import Lineage, of_everything, of_items, of_session, of_words
from lamina.engine.log import note, scrub_exported
from lamina.engine.owning import own, own_memory
from lamina.engine.reading import TRIES
from lamina.errors import (
    ConflictError,
    EmptyTextError,
    InvalidInputError,
    LaminaError,
    NotFoundError,
)
from lamina.pipeline import accept
from lamina.pipeline.write import prepare_memory
from lamina.plain import to_plain
from lamina.ports.store import New, Store, SupportsBackup, SupportsSweep
from lamina.replies import Forgotten
from lamina.types import HistoryEvent, Level, MemoryRecord, Message, Scope

HELD = "another process holds the store's files open; they are rewritten when it lets them go"
BACKUPS = "backups"  # folder of a store
Plan = Callable[[], Sequence[Lineage]]


def asked_for(
    core: Core,
    scope: Scope,
    id: str | None,
    query: str | None,
    session_id: str | None,
    *,
    everything: bool,
) -> Plan:
    """What is to be forgotten, as a plan that can be made again.

    Raises:
        InvalidInputError: not one thing is named, but none or several.
        NotFoundError: there is no such item or session.
    """
    given = [what for what in (id, query, session_id, everything or None) if what is not None]
    if len(given) != 1:
        raise InvalidInputError(
            f"forget takes one of id, query, session_id and everything, not {len(given)} of them"
        )
    home = None if scope.agent is None else scope.home
    mine = [p for p in core.store.partitions(scope.user) if home in {None, p}]
    if id is not None:
        return lambda: [_of_id(core, scope, id)]
    if query is not None:
        words = accept.checked_query(query)
        if not words.strip():
            raise EmptyTextError("the query is empty; say what is to be forgotten")
        return lambda: [of_words(core, partition, words) for partition in mine]
    if session_id is not None:
        name = accept.checked_id(session_id, "session id")
        holding = [p for p in mine if core.store.session(p, name) is not None]
        if not holding:
            raise NotFoundError(f"there is no session {name!r:.80} in this scope")
        return lambda: [of_session(core, partition, name) for partition in holding]
    return lambda: [of_everything(core, partition) for partition in mine]


def _of_id(core: Core, scope: Scope, id: str) -> Lineage:
    partition, item = own(core, scope, id)
    if isinstance(item, Message):
        return of_items(core, partition, [item], [])
    own_memory(core, scope, id)
    return of_items(core, partition, [], [item])


def forget(core: Core, plan: Plan, *, dry_run: bool) -> Forgotten:
    """Do what a plan says, each partition all at once; in a dry run only tell what would go."""
    with core.reading:
        lineages, held = plan(), list[str]()
        if not dry_run:
            texts = [text for one in lineages for text in _texts(core.store, one)]
            lineages = _written(core, plan, lineages)
            scrub_exported(core, texts)
            held = [] if swept(core.store, texts) else [HELD]
            held += _from_backups(core, lineages)
            for one in lineages:
                counts = {"messages": len(one.messages), "memories": len(one.memories)}
                note(core, one.partition, "forget", counts)
    return Forgotten(
        messages=tuple(id for one in lineages for id in one.messages),
        memories=tuple(id for one in lineages for id in one.memories),
        rewritten=tuple(id for one in lineages for id in one.again),
        valid_again=tuple(id for one in lineages for id in one.valid),
        sessions=tuple(id for one in lineages for id in one.sessions),
        done=not dry_run and not held,
        pending=tuple(held),
    )


def _written(core: Core, plan: Plan, lineages: Sequence[Lineage]) -> Sequence[Lineage]:
    """Write; where somebody changes meanwhile what is made again, plan anew."""
    for attempt in range(TRIES):
        try:
            for one in lineages:
                write(core, one)
            break
        except ConflictError:
            if attempt == TRIES - 1:
                raise
            lineages = plan()
    return lineages


def write(core: Core, found: Lineage) -> None:
    """Write what is left of a partition.

    Raises:
        ConflictError: somebody changed meanwhile what is made again; nothing was written.
    """
    store = core.store
    if found.whole:
        store.drop_partition(found.partition)
        drop_jobs(core, found.partition)
        core.index.forget()
        return
    for session, ids in found.by_session().items():
        if session not in found.sessions:
            resummarise(core, found.partition, session, ids)
    gone = [*found.memories, *found.again]
    new = [row for id in found.again.keys() | found.valid.keys() for row in _made(core, found, id)]
    unsaid = list(found.messages)
    store.exchange(found.partition, gone, new, claims=found.claims, unsaid=unsaid)
    for session in found.sessions:
        summaries = summaries_of(core, found.partition, [session])
        store.drop_session(found.partition, session)
        drop_jobs(core, found.partition, session)
        store.exchange(found.partition, summaries, ())  # one may have been written meanwhile


def _from_backups(core: Core, lineages: Sequence[Lineage]) -> Iterator[str]:
    """Take it out of the backups in the store's folder; a sentence for each that resists."""
    if not isinstance(core.store, SupportsBackup):
        return
    for path in sorted(Path(core.path, BACKUPS).glob("*.db")):
        try:
            with closing(core.store.opened(path)) as copy:
                for one in lineages:
                    _erase_from(core, copy, one)
                done = not isinstance(copy, SupportsSweep) or copy.sweep()
        except LaminaError as fault:
            yield f"{path} holds it still: {fault}"
        else:
            if not done:
                yield f"{path} holds it still: another process has it open"


def _erase_from(core: Core, copy: Store, found: Lineage) -> None:
    """What goes from the store goes from a copy of it; what is made again is what it is there."""
    if found.whole:
        copy.drop_partition(found.partition)
        return
    there = [id for id in found.again if copy.get([found.partition], id) is not None]
    new = [row for id in there for row in _made(core, found, id)]
    unsaid = list(found.messages)
    copy.exchange(found.partition, [*found.memories, *there], new, unsaid=unsaid)
    for session in found.sessions:
        copy.drop_session(found.partition, session)


def _made(core: Core, found: Lineage, id: str) -> Iterator[New]:
    """A memory that stays, version by version as it is written."""
    again, before = found.again.get(id, []), None
    for record, at in again:
        yield _row(core, record, before, at)
        before = record
    if id in found.valid:
        now, (peer, until) = core.clock.now(), found.valid[id]
        before = before or peer
        record = replace(before, valid_to=until, version=before.version + 1, updated_at=now)
        yield _row(core, record, before, now)


def _row(core: Core, record: MemoryRecord, before: MemoryRecord | None, at: datetime) -> New:
    event = HistoryEvent(
        record.id,
        "add" if before is None else "update",
        record.origin,
        at,
        before=None if before is None else to_plain(before),
        after=to_plain(record),
    )
    return record, prepare_memory(record, core.indexing).passages, event


def _texts(store: Store, found: Lineage) -> Iterator[str]:
    gone: list[Message | MemoryRecord] = [*found.messages.values(), *found.memories.values()]
    for item in gone:
        yield from texts_of(store, found.partition, item)
    for id, versions in found.again.items():
        kept = {getattr(record, level) for record, _ in versions for level in Level}
        old = versions_of(store, found.partition, id)
        yield from (text for text in old if text not in kept)
