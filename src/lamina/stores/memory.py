"""The reference store: plain dicts and one lock. What it does is what every store must do.

A value is written as a database row and read back before it is kept, so that nothing of the
caller's is shared. A write is checked as a whole before it changes anything.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from lamina.errors import AlreadyReadError, ConflictError
from lamina.ports.store import VECTORS_FEWER, Changes, Counts, Cursor, New, NewPassage, Passage
from lamina.stores import rows as row
from lamina.stores.dicts import EMPTY, Item, checked, columns, kept_decision, kept_message
from lamina.stores.memory_log import Log
from lamina.types import (
    Category,
    Decision,
    HistoryEvent,
    Json,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Partition,
    SessionInfo,
)


class MemoryStore(Log):
    """A store in memory, gone when it is closed. For tests, and to read what a store does."""

    def __init__(self) -> None:
        super().__init__()
        self._key = os.urandom(16)
        self._space: str | None = None  # the one that passages wait for

    @property
    def key(self) -> bytes:
        """16 random bytes of this store."""
        return self._key

    # --- messages and sessions

    def append(
        self,
        partition: Partition,
        items: Sequence[tuple[Message, Sequence[NewPassage]]],
        *,
        unread: Container[str] = (),
        unheard: Container[str] = (),
    ) -> Sequence[bool]:
        """Append messages in order; tells for each whether it is new."""
        with self._held():
            known = set(self._seen(partition).messages)
            is_new: list[bool] = []
            new: list[tuple[Message, Sequence[NewPassage]]] = []
            for message, parts in items:
                is_new.append(message.id not in known)
                if is_new[-1]:
                    known.add(message.id)
                    new.append((kept_message(message), parts))
            part = self._made(partition)
            for message, parts in new:
                at, session_id = message.created_at, message.session_id
                part.sessions.setdefault(session_id, SessionInfo(session_id, at, at))
                (seq,) = self._next("message")
                stored = replace(message, seq=seq)
                part.lines.setdefault(session_id, {})[seq] = stored
                item = Item(seq, stored, self._next("passage", len(parts)))
                part.messages[message.id] = item
                part.add(item, parts)
            part.unread |= {message.id for message, _ in new if message.id in unread}
            part.unheard |= {message.id for message, _ in new if message.id in unheard}
            part.counter += bool(new)
            return is_new

    def unheard(
        self, partition: Partition, session_id: str, *, waiting: bool = False
    ) -> list[Message]:
        """A session's messages that no model has read, or those that wait for one."""
        with self._held():
            part = self._seen(partition)
            line = part.lines.get(session_id, {}).values()
            if waiting:
                return [message for message in line if message.id in part.unheard]
            return [message for message in line if message.id not in part.heard]

    def to_hear(self, least: int) -> list[tuple[Partition, str]]:
        """Sessions with at least so many user messages that wait for a model."""
        found = []
        with self._held():
            for one, part in self._parts.items():
                for id, line in part.lines.items():
                    seqs = [
                        m.seq for m in line.values() if m.id in part.unheard and m.role == "user"
                    ]
                    if seqs and len(seqs) >= least:
                        found.append((min(seqs), one, id))
        return [(one, id) for _, one, id in sorted(found, key=lambda each: each[0])]

    def unread(
        self, partitions: Sequence[Partition] | None, limit: int
    ) -> list[tuple[Partition, Message]]:
        """Messages that wait to be read, oldest first."""
        with self._held():
            asked = list(self._parts) if partitions is None else partitions
            found = [
                (one, message)
                for one in asked
                for line in self._seen(one).lines.values()
                for message in line.values()
                if message.id in self._seen(one).unread
            ]
        return sorted(found, key=lambda one: one[1].seq)[:limit]

    def messages(
        self,
        partition: Partition,
        session_id: str,
        *,
        limit: int | None = None,
        before: int | None = None,
        after: int | None = None,
        newest: bool = False,
    ) -> list[Message]:
        """A session's messages in order."""
        with self._held():
            line = self._seen(partition).lines.get(session_id, {})
            found = [
                message
                for seq, message in line.items()
                if (after is None or after < seq) and (before is None or seq < before)
            ]
        if newest and limit is not None:
            return found[max(0, len(found) - limit) :]
        return found[:limit]

    def neighbours(
        self, partition: Partition, ids: Sequence[str], before: int, after: int
    ) -> dict[str, list[Message]]:
        """For each message id: the messages around it in its session, itself included."""
        out = {}
        with self._held():
            part = self._seen(partition)
            for id in ids:
                if (item := part.messages.get(id)) and isinstance(item.value, Message):
                    line = list(part.lines[item.value.session_id].values())
                    place = line.index(item.value)
                    out[id] = line[max(0, place - before) : place + after + 1]
        return out

    def put_session(self, partition: Partition, info: SessionInfo) -> None:
        """Create a session, or set its title, project and state."""
        with self._held():
            state = row.to_json(dict(info.state))
            created = row.to_micros(info.created_at)
            line = checked((info.id, created, info.title, info.project, state, None, 0))
            part = self._made(partition)
            kept = row.session_from(line)
            old = part.sessions.get(info.id, kept)
            part.sessions[info.id] = replace(kept, created_at=old.created_at)
            part.counter += 1

    def session(self, partition: Partition, session_id: str) -> SessionInfo | None:
        """One session, or None."""
        with self._held():
            part = self._seen(partition)
            return part.info(session_id) if session_id in part.sessions else None

    def sessions(self, partitions: Sequence[Partition]) -> list[tuple[Partition, SessionInfo]]:
        """All sessions, the most recently used first."""
        with self._held():
            parts = [(partition, self._seen(partition)) for partition in partitions]
            found = [(one, part.info(id)) for one, part in parts for id in part.sessions]
        return sorted(found, key=lambda one: one[1].updated_at, reverse=True)

    def compaction(
        self, partition: Partition, session_id: str
    ) -> tuple[int, Mapping[str, Json]] | None:
        """What was decided about what of a session is sent."""
        with self._held():
            found = self._seen(partition).compactions.get(session_id)
        return None if found is None else (found[0], row.from_json(found[1]))

    def put_compaction(
        self, partition: Partition, session_id: str, state: Mapping[str, Json], version: int
    ) -> None:
        """Decide about a session."""
        with self._held():
            text, part = row.compaction_json(state), self._seen(partition)
            stored = part.compactions.get(session_id, (0, ""))[0]
            row.checked_compaction(session_id, part.sessions.get(session_id), stored, version)
            part.compactions[session_id] = version, text

    # --- memories

    def put(
        self,
        partition: Partition,
        record: MemoryRecord,
        passages: Sequence[NewPassage] | None,
        event: HistoryEvent,
    ) -> None:
        """Write a memory, its passages, and a line of history."""
        self.exchange(partition, (), [(record, passages, event)])

    def exchange(
        self,
        partition: Partition,
        gone: Sequence[str],
        new: Sequence[New],
        *,
        read: Sequence[str] = (),
        heard: Sequence[str] = (),
        decisions: Sequence[Decision] = (),
        claims: Sequence[bytes] = (),
        unsaid: Sequence[str] = (),
    ) -> None:
        """Erase memories and messages by id and write others: all or nothing."""
        with self._held():
            seen = self._seen(partition)
            for id in read:
                if id not in seen.unread:
                    raise AlreadyReadError(row.NOT_WAITING.format(id))
            noted = list(map(kept_decision, decisions))
            versions = dict.fromkeys(gone, 0)
            kept = []
            for record, passages, event in new:
                version = versions.get(record.id, seen.version(record.id))
                if record.version != version + 1:
                    raise ConflictError(
                        f"memory {record.id!r} is at version {version}, not {record.version - 1}; "
                        "read it again and repeat the change"
                    )
                versions[record.id] = record.version
                value = row.memory_from(checked(row.memory_row(record)))
                kept.append((value, passages, row.event_from(checked(row.event_row(event)))))
            for id in heard:
                if id in seen.heard or id not in seen.messages:
                    raise row.unheard_no_more(id)
            seen.unheard.difference_update(heard)
            seen.heard.update(heard)
            seen.unread.difference_update(read)
            if noted:
                self._note(self._made(partition), noted)
            if claims:
                self._made(partition).tombstones.update(claims)
            touched = seen.memories.keys() & set(gone) or seen.messages.keys() & set(unsaid)
            if not kept and not touched:
                return
            part = self._made(partition) if kept else seen
            part.counter += 1
            part.erase(gone)
            part.erase_messages(unsaid)
            for value, passages, change in kept:
                is_new = value.id not in part.memories
                seq = self._next("memory")[0] if is_new else part.memories[value.id].seq
                part.put(Item(seq, value, self._next("passage", len(passages or ()))), passages)
                part.history.setdefault(change.memory, []).append(change)
            part.trim()

    def delete(
        self, partition: Partition, kind: Kind, ids: Sequence[str], claims: Sequence[bytes] = ()
    ) -> int:
        """Erase items with their passages, vectors and history."""
        with self._held():
            part = self._seen(partition)
            items = part.messages if kind is Kind.MESSAGE else part.memories
            found = len({id for id in ids if id in items})
            if found:
                part.counter += 1
                if kind is Kind.MESSAGE:
                    part.erase_messages(ids)
                else:
                    part.erase(ids)
                    part.tombstones.update(claims)
                part.trim()
            return found

    def drop_session(self, partition: Partition, session_id: str) -> int:
        """Erase a session with all its messages."""
        with self._held():
            part = self._seen(partition)
            ids = [message.id for message in part.lines.pop(session_id, {}).values()]
            part.compactions.pop(session_id, None)
            if part.sessions.pop(session_id, None) is not None:
                part.counter += 1
                part.erase_messages(ids)
                part.trim()
            return len(ids)

    def drop_partition(self, partition: Partition) -> None:
        """Erase all of a partition."""
        with self._held():
            part = self._parts.pop(partition, None)
            if part is not None:
                self._floor = max(self._floor, part.counter + 1)
                self._events = [one for one in self._events if one[0] != partition]

    def claimed(self, partition: Partition, claims: Sequence[bytes]) -> set[bytes]:
        """Which of these tombstones exist."""
        with self._held():
            return self._seen(partition).tombstones.intersection(claims)

    def get(
        self, partitions: Sequence[Partition], id: str
    ) -> tuple[Partition, Message | MemoryRecord] | None:
        """A memory or message by id, from the first of these partitions that has it."""
        with self._held():
            for partition in partitions:
                part = self._seen(partition)
                if item := part.memories.get(id) or part.messages.get(id):
                    return partition, item.value
        return None

    def memories(
        self, partitions: Sequence[Partition], *, after: str | None = None, limit: int | None = None
    ) -> list[tuple[Partition, MemoryRecord]]:
        """Memories, newest first."""
        with self._held():
            found = [
                (partition, record)
                for partition in partitions
                for record in self._seen(partition).records()
                if after is None or record.id < after
            ]
        return sorted(found, key=lambda one: one[1].id, reverse=True)[:limit]

    def twins(self, partition: Partition, content: str) -> list[MemoryRecord]:
        """Memories with exactly this content."""
        with self._held():
            records = self._seen(partition).records()
            return [record for record in records if record.content == content]

    def standing(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """Memories that are pinned or of the profile, newest first."""
        found = self.memories(partitions)
        return [one for one in found if one[1].pinned or one[1].category is Category.PROFILE]

    def notes(self, partitions: Sequence[Partition]) -> list[tuple[Partition, MemoryRecord]]:
        """Memories of the session layer, newest first."""
        return [one for one in self.memories(partitions) if one[1].layer is Layer.SESSION]

    def about(self, partition: Partition, topics: Sequence[str]) -> list[MemoryRecord]:
        """Memories with one of these topics, oldest first."""
        with self._held():
            records = self._seen(partition).records()
        return sorted((r for r in records if r.topic and r.topic in topics), key=lambda r: r.id)

    def happening(
        self, partitions: Sequence[Partition], since: datetime, until: datetime
    ) -> list[tuple[Partition, MemoryRecord]]:
        """Memories of events between two times."""
        with self._held():
            found = [
                (one, record)
                for one in partitions
                for record in self._seen(one).records()
                if (start := record.happens_from) is not None
                and start < until
                and (start >= since or (record.happens_to or start) > since)
            ]
        return sorted(found, key=lambda one: (one[1].happens_from or since, one[1].id))

    # --- the index's feed

    def partitions(self, user: str | None = None) -> list[Partition]:
        """The partitions that exist."""
        with self._held():
            found = [one for one in self._parts if user is None or one.user == user]
        return sorted(found, key=lambda one: (one.user, one.agent))

    def counter(self, partition: Partition) -> int:
        """Raised by every write to the partition."""
        with self._held():
            return self._seen(partition).counter

    def changes(self, partition: Partition, since: Cursor, space: str, limit: int) -> Changes:
        """What came since a cursor; vectors only after all passages came."""
        with self._held():
            part = self._seen(partition)
            dropped = partition not in self._parts
            if since.counter and (dropped or since.counter < part.cut):
                return Changes(since, EMPTY, rebuild=True)
            found = [seq for seq in part.passages if seq > since.passage][:limit]
            vectors: list[tuple[int, int, bytes]] = []  # by their numbers
            last = since.vector
            more = len(found) == limit
            if not more:
                most = max(1, limit // VECTORS_FEWER)
                vectors = sorted(
                    (number, seq, data)
                    for (seq, name), (number, data) in part.vectors.items()
                    if name == space and number > since.vector
                )[:most]
                more = len(vectors) == most
                read = [one[0] for one in (vectors if more else part.vectors.values())]
                last = max(read, default=since.vector)
            gone = [seq for counter, seq in part.gone if counter > since.counter]
            cursor = Cursor(
                since.counter if more else part.counter, max([since.passage, *found]), last
            )
            pairs = [(seq, data) for _, seq, data in vectors]
            return Changes(cursor, columns(part, found), pairs, gone, more=more)

    def passages(self, partition: Partition, seqs: Sequence[int]) -> dict[int, Passage]:
        """Passages with their items by seq."""
        out = {}
        with self._held():
            part = self._seen(partition)
            for seq in seqs:
                if seq in part.passages:
                    item, p = part.passages[seq]
                    out[seq] = Passage(
                        seq, partition, item.value, p.start, p.end, p.embed, p.redactor
                    )
        return out

    # --- vectors

    def use_space(self, space: str) -> None:
        """Make `space` the one that passages wait for."""
        with self._held():
            if space == self._space:
                return
            self._space = row.checked_unicode(space)
            for part in self._parts.values():
                part.counter += 1
                part.pending |= {seq for seq, (_, p) in part.passages.items() if p.embed}
                part.pending -= {seq for seq, name in part.vectors if name == space}

    def pending(
        self, partitions: Sequence[Partition] | None, limit: int
    ) -> list[tuple[Partition, int]]:
        """Passages that wait for vectors, newest first."""
        with self._held():
            asked = list(self._parts) if partitions is None else partitions
            found = [(one, seq) for one in asked for seq in self._seen(one).pending]
        return sorted(found, key=lambda one: -one[1])[:limit]

    def put_vectors(
        self, partition: Partition, space: str, rows: Iterable[tuple[int, bytes]]
    ) -> int:
        """Store vectors of passages; they no longer wait."""
        with self._held():
            part = self._seen(partition)
            given = [(seq, bytes(data)) for seq, data in rows if seq in part.passages]
            for seq, data in given:
                part.vectors[seq, space] = self._next("vector")[0], data
                if self._space in {None, space}:
                    part.pending.discard(seq)
            part.counter += bool(given)
            return len(given)

    def drop_spaces(self, keep: str) -> int:
        """Erase the vectors of every other space."""
        dropped = 0
        with self._held():
            for part in self._parts.values():
                kept = {key: one for key, one in part.vectors.items() if key[1] == keep}
                dropped += len(part.vectors) - len(kept)
                part.vectors = kept
        return dropped

    # --- the whole

    def counts(self, partitions: Sequence[Partition]) -> Counts:
        """Counts over these partitions."""
        with self._held():
            parts = [self._seen(partition) for partition in partitions]
            return Counts(
                sessions=sum(len(part.sessions) for part in parts),
                messages=sum(len(part.messages) for part in parts),
                memories=sum(len(part.memories) for part in parts),
                passages=sum(len(part.passages) for part in parts),
                vectors=sum(name == self._space for part in parts for _, name in part.vectors),
                pending=sum(len(part.pending) for part in parts),
            )

    def size(self) -> int:
        """Nothing is on disk."""
        with self._held():
            return 0
