"""The walk of a lineage: what goes when something is forgotten, and what changes with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lamina.engine.core import Core
from lamina.engine.reading import claims_of
from lamina.pipeline.lineage import Key, Version, key_of, true_until, unquoted, without
from lamina.ports.store import Store
from lamina.text.fold import fold
from lamina.types import Action, Category, Kind, Layer, MemoryRecord, Message, Partition

PAGE = 500  # messages that are read at a time


@dataclass(slots=True)
class Lineage:
    """What is to go from one partition, and what is to change with it."""

    partition: Partition
    messages: dict[str, Message] = field(default_factory=dict)
    memories: dict[str, MemoryRecord] = field(default_factory=dict)
    again: dict[str, list[Version]] = field(default_factory=dict)  # made again, history and all
    valid: dict[str, tuple[MemoryRecord, datetime | None]] = field(default_factory=dict)
    # what is true again, or for longer: as it is, and until when
    claims: list[bytes] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    whole: bool = False  # all of the partition

    def by_session(self) -> dict[str, set[str]]:
        """The ids of the messages that go, by conversation."""
        out: dict[str, set[str]] = {}
        for message in self.messages.values():
            out.setdefault(message.session_id, set()).add(message.id)
        return out


def of_one(core: Core, partition: Partition, record: MemoryRecord) -> Lineage:
    """A memory alone: what says it stays, and so does what was made of it."""
    found = Lineage(partition, memories={record.id: record})
    found.claims += claims_of(record, core.store.key)
    _revive(core.store, found)
    return found


def of_items(
    core: Core, partition: Partition, messages: Iterable[Message], records: Iterable[MemoryRecord]
) -> Lineage:
    """Messages and memories with all that was made from them alone, and what says the memories.

    What else is drawn from a message that goes because it says such a memory is kept, unquoted.
    """
    store = core.store
    found = Lineage(
        partition, {m.id: m for m in messages}, {record.id: record for record in records}
    )
    gone = {(Kind.MESSAGE, id) for id in found.messages}
    gone |= {(Kind.MEMORY, id) for id in found.memories}
    said: set[Key] = set()
    for record in found.memories.values():
        found.claims += claims_of(record, store.key)
        said |= {key_of(source) for source in record.sources if source.kind is Kind.MESSAGE}
    _walk(store, found, gone)
    for _, id in said - gone:
        item = store.get([partition], id)
        if item is not None and isinstance(item[1], Message):
            found.messages[id] = item[1]
    for record in _memories(store, partition):
        if record.id not in found.memories and said & set(map(key_of, record.sources)):
            versions = found.again.get(record.id) or _versions(store, partition, record)
            found.again[record.id] = unquoted(versions, said)
    _revive(store, found)
    return found


def of_session(core: Core, partition: Partition, session_id: str) -> Lineage:
    """A conversation with its notes, and with all that was made from it alone."""
    store = core.store
    notes = [record for record in _memories(store, partition) if _is_of(record, session_id)]
    found = of_items(core, partition, messages_of(store, partition, session_id), notes)
    if store.session(partition, session_id) is not None:
        found.sessions.append(session_id)
    return found


def of_conversation(core: Core, partition: Partition, session_id: str) -> Lineage:
    """A conversation with its notes alone; what was made from it quotes it no more."""
    whole = of_session(core, partition, session_id)
    notes = {id: record for id, record in whole.memories.items() if _is_of(record, session_id)}
    found = Lineage(partition, whole.messages, notes, sessions=whole.sessions)
    gone = {(Kind.MESSAGE, id) for id in found.messages}
    for record in _memories(core.store, partition):
        if record.id not in notes and not gone.isdisjoint(map(key_of, record.sources)):
            found.again[record.id] = unquoted(_versions(core.store, partition, record), gone)
    return found


def _is_of(record: MemoryRecord, session_id: str) -> bool:
    """Whether it is a note of a conversation, or its summary."""
    is_summary = (
        record.category is Category.SUMMARY and record.metadata.get("session") == session_id
    )
    return is_summary or (record.layer is Layer.SESSION and record.session_id == session_id)


def of_everything(core: Core, partition: Partition) -> Lineage:
    """All of a partition."""
    store = core.store
    sessions = [info.id for _, info in store.sessions([partition])]
    return Lineage(
        partition,
        {m.id: m for session in sessions for m in messages_of(store, partition, session)},
        {record.id: record for record in _memories(store, partition)},
        sessions=sessions,
        whole=True,
    )


def of_words(core: Core, partition: Partition, query: str) -> Lineage:
    """All messages and memories in which these words stand, with what was made from them."""
    wanted = [_standing(word) for word in fold(query).split()]

    def holds(*texts: str) -> bool:
        return any(all(word.search(text) for word in wanted) for text in map(fold, texts))

    store = core.store
    sessions = [info.id for _, info in store.sessions([partition])]
    said = (m for s in sessions for m in messages_of(store, partition, s) if holds(m.text))
    noted = (
        record
        for record in _memories(store, partition)
        if record.document is None and holds(record.content, record.abstract, record.overview)
    )
    return of_items(core, partition, said, noted)


def _standing(word: str) -> re.Pattern[str]:
    """Where a word stands as a word; one of Han characters stands within others."""
    before = r"(?<![^\W_])" if word[0].isascii() else ""
    behind = r"(?![^\W_])" if word[-1].isascii() else ""
    return re.compile(before + re.escape(word) + behind)


def _walk(store: Store, found: Lineage, gone: set[Key]) -> None:
    """With all that was made from what goes: it goes too, or is made again without it."""
    records = _memories(store, found.partition)
    more = True
    while more:
        more = False
        for record in records:
            touched = not gone.isdisjoint(map(key_of, record.sources))
            if not touched or record.id in found.memories:
                continue
            left = without(record, store.history(found.partition, record.id), gone)
            if left:
                found.again[record.id] = left
                continue
            found.memories[record.id] = record
            found.again.pop(record.id, None)
            gone.add((Kind.MEMORY, record.id))
            more = True


def _revive(store: Store, found: Lineage) -> None:
    """What was true only until something was said that goes now."""
    for record in found.memories.values():
        peers = {p.id: p for p in store.about(found.partition, [record.topic]) if record.topic}
        for _, decision in store.decisions([found.partition], item=record.id):
            if decision.action is Action.SUPERSEDE and decision.memory == record.id:
                item = store.get([found.partition], decision.target or "")
                if item is not None and isinstance(item[1], MemoryRecord):
                    peers[item[1].id] = item[1]
        left = [peer for id, peer in peers.items() if id not in found.memories]
        for peer in left:
            if peer.valid_to == record.said_at:
                until = true_until(peer, [other for other in left if other is not peer])
                found.valid[peer.id] = peer, until


def _versions(store: Store, partition: Partition, record: MemoryRecord) -> list[Version]:
    return without(record, store.history(partition, record.id), ())


def _memories(store: Store, partition: Partition) -> Sequence[MemoryRecord]:
    return [record for _, record in store.memories([partition])]


def messages_of(store: Store, partition: Partition, session_id: str) -> Iterator[Message]:
    """A session's messages, read page by page."""
    after = None
    while page := store.messages(partition, session_id, limit=PAGE, after=after):
        yield from page
        after = page[-1].seq
