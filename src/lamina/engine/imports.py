"""Conversations of other systems, in batches: what cannot be taken is reported, the rest kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from lamina.engine.core import Core
from lamina.engine.session import new_messages
from lamina.errors import InvalidInputError
from lamina.pipeline.accept import checked_id
from lamina.pipeline.clean import Cleaner
from lamina.pipeline.write import prepare_messages
from lamina.ports.importer import Incoming, Unread
from lamina.registry import lookup
from lamina.replies import Imported
from lamina.types import Message, Scope, SessionInfo

BATCH = 500  # messages of one transaction: it holds the write lock for a fraction of a second


def imported(
    core: Core,
    scope: Scope,
    path: Path,
    format: str | None,
    progress: Callable[[float], None] | None,
) -> Imported:
    """Read a file or folder into the sessions that it names."""
    new = known = replaced = 0
    masked: Counter[str] = Counter()
    unread: list[str] = []
    sessions: dict[str, str | None] = {}
    parts = lookup("importers", "any")(path, core.clock.zone, format)
    while batch := list(islice(parts, BATCH)):
        made: list[Message] = []
        places: list[str] = []
        for message, place, cleaner in _taken(core, batch, unread, sessions):
            made.append(message)
            places.append(place)
            masked.update(cleaner.masked)
            replaced += cleaner.replaced
        prepared = prepare_messages(made, core.indexing)
        for one in prepared:
            masked.update(one.masked)
        items = [(m, p.passages) for m, p in zip(made, prepared, strict=True)]
        fresh = core.store.append(scope.home, items)
        there = [(m, p) for m, p, is_new in zip(made, places, fresh, strict=True) if not is_new]
        others = _others(core, scope, there)
        unread += others
        new, known = new + sum(fresh), known + len(there) - len(others)
        if progress is not None and isinstance(batch[-1], Incoming):
            progress(batch[-1].share)
    for session, title in sessions.items():
        if title:
            _entitle(core, scope, session, title)
    return Imported(
        messages=new,
        known=known,
        sessions=len(sessions),
        unread=tuple(unread),
        masked=dict(masked),
        replaced=replaced,
    )


def _taken(
    core: Core,
    batch: list[Incoming | Unread],
    unread: list[str],
    sessions: dict[str, str | None],
) -> Iterator[tuple[Message, str, Cleaner]]:
    """The messages that can be kept, with their places and what was taken out of them.

    Of the others a sentence each goes into `unread`.
    """
    for part in batch:
        if isinstance(part, Unread):
            unread.append(f"{part.place}: {part.reason}")
            continue
        try:
            session = checked_id(part.session_id, "session id")
            (message,), cleaner = new_messages(core, session, [part.message], {})
        except InvalidInputError as fault:
            unread.append(f"{part.place}: {fault}")
            continue
        sessions[session] = part.title or sessions.get(session)
        yield message, part.place, cleaner


def _others(core: Core, scope: Scope, there: Sequence[tuple[Message, str]]) -> list[str]:
    """A sentence for each message whose id belongs to another text, which stays."""
    out = []
    for message, place in there:
        found = core.store.get([scope.home], message.id)
        if found is None or not isinstance(found[1], Message) or found[1].text != message.text:
            out.append(
                f"{place}: another text has the id {message.id!r:.80} already, and stays; "
                "give this one an id of its own"
            )
    return out


def _entitle(core: Core, scope: Scope, session: str, title: str) -> None:
    found = core.store.session(scope.home, session)
    now = core.clock.now()
    info = found if found is not None else SessionInfo(session, now, now)
    if not info.title:
        core.store.put_session(scope.home, replace(info, title=title))
