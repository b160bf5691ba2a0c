"""A store as JSON Lines: everything that cannot be made anew, and back, exactly.

The first line is `{"lamina": 1}`; each other one has `kind`, `user`, `agent` and the fields of a
value of lamina.types. Passages, words and vectors are derived, and made anew; tombstones are keyed
to their store, and are not carried.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from lamina.engine.core import Core
from lamina.engine.lineage import messages_of
from lamina.errors import InvalidInputError, LaminaError
from lamina.pipeline.write import prepare_memory, prepare_messages
from lamina.plain import EARLIEST, LATEST, from_plain, to_plain
from lamina.ports.store import NewPassage, Store
from lamina.replies import Exported, Imported
from lamina.text.redact import mask
from lamina.types import (
    Decision,
    Event,
    HistoryEvent,
    Json,
    MemoryRecord,
    Message,
    Partition,
    SessionInfo,
)
from lamina.whole import whole

VERSION = 1
BATCH = 500  # lines of one transaction
MANY = 1 << 31
HEAD = {"lamina": VERSION}
Line = dict[str, Json]


# --- out


def exported(core: Core, path: Path, users: Sequence[str] | None, *, masking: bool) -> Exported:
    """Write all of these users, or of the store, to a file."""
    counts: Counter[str] = Counter()
    secrets: Counter[str] = Counter()
    partitions = [p for p in core.store.partitions() if users is None or p.user in users]
    with whole(path) as file:
        file.write(_written(HEAD))
        for partition in partitions:
            for kind, value in _values(core.store, partition):
                fields, found = _masked(value, masking=masking)
                secrets.update(found)
                counts[kind] += 1
                head = {"kind": kind, "user": partition.user, "agent": partition.agent}
                file.write(_written({**head, **fields}))
    return Exported(
        path=str(path),
        sessions=counts["session"],
        messages=counts["message"],
        memories=counts["memory"],
        secrets=dict(secrets),
        masked=masking,
    )


def _values(store: Store, partition: Partition) -> Iterator[tuple[str, Json]]:
    """All values of a partition, each kind in its order."""
    unread = {message.id for _, message in store.unread([partition], MANY)}
    sessions = [info for _, info in store.sessions([partition])]
    for info in sorted(sessions, key=lambda one: one.id):
        fields = to_plain(info)
        yield "session", {key: fields[key] for key in _SESSION}
    turns = [messages_of(store, partition, info.id) for info in sessions]
    for message in heapq.merge(*turns, key=lambda one: one.seq):
        fields = to_plain(message)
        del fields["seq"]
        yield "message", {**fields, "unread": message.id in unread}
    for _, record in sorted(store.memories([partition]), key=lambda one: one[1].id):
        yield "memory", to_plain(record)
        for event in store.history(partition, record.id):
            yield "history", to_plain(event)
    for _, decision in store.decisions([partition]):
        fields = to_plain(decision)
        del fields["id"]
        yield "decision", fields
    for _, done in store.events([partition], EARLIEST, LATEST):
        yield "event", to_plain(done)


_SESSION = ("id", "created_at", "title", "project", "state")


def _written(line: Mapping[str, Json]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _masked(value: Json, *, masking: bool) -> tuple[Json, Counter[str]]:
    """A value, and the secrets in its texts by kind; masked where that is asked for."""
    found: Counter[str] = Counter()

    def walk(part: Json) -> Json:
        if isinstance(part, str):
            done = mask(part)
            found.update(done.counts)
            return done.text if masking else part
        if isinstance(part, Mapping):
            return {key: walk(inner) for key, inner in part.items()}
        return [walk(inner) for inner in part] if isinstance(part, list) else part

    return walk(value), found


# --- in


def is_export(path: Path) -> bool:
    """Whether a file is what `exported` writes."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(1000))
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and "lamina" in first


def taken_in(core: Core, path: Path, owner: str | None) -> Imported:
    """Read an export: what is there already is passed over, and what cannot be read reported.

    `owner` takes in an export of one user as this one's.

    Raises:
        InvalidInputError: it is of a newer version, or of several users where one is wanted.
    """
    with path.open("rb") as file:
        version = json.loads(file.readline())["lamina"]
        if version != VERSION:
            raise InvalidInputError(f"{path} is of version {version!r:.20}; upgrade Lamina")
        users = {line.get("user") for _, line in _lines(file, [])} if owner is not None else set()
        if len(users) > 1:
            raise InvalidInputError(
                f"{path} holds {len(users)} users; import it with the handle of lamina.open()"
            )
        file.seek(0)
        file.readline()
        into = _Into(core, owner)
        lines = _lines(file, into.unread)
        while batch := list(islice(lines, BATCH)):
            into.take(batch)
        into.flush()
    return into.done()


def _lines(file: Iterator[bytes], unread: list[str]) -> Iterator[tuple[int, Line]]:
    for number, raw in enumerate(file, 2):
        try:
            line = json.loads(raw)
            if not isinstance(line, dict) or not isinstance(line.get("kind"), str):
                raise ValueError("it has no kind")  # noqa: TRY004, TRY301 - one report for all
        except ValueError as fault:
            unread.append(f"line {number}: {fault}")
            continue
        yield number, line


class _Into:
    """What comes in, written kind by kind; a memory with all of its history at once."""

    def __init__(self, core: Core, owner: str | None) -> None:
        self.unread: list[str] = []
        self._core = core
        self._owner = owner
        self._counts: Counter[str] = Counter()
        self._memory: tuple[int, Partition, MemoryRecord] | None = None
        self._history: list[HistoryEvent] = []
        self._decided: dict[Partition, list[Decision]] = {}
        self._noted: dict[Partition, list[Event]] = {}

    def take(self, batch: Sequence[tuple[int, Line]]) -> None:
        """Write these lines."""
        turns: list[tuple[int, Partition, Message, bool]] = []
        for number, line in batch:
            kind, partition = line["kind"], self._partition(line)
            try:
                if kind == "message":
                    turns.append(
                        (number, partition, from_plain(Message, line), bool(line.get("unread")))
                    )
                elif kind == "history":
                    self._history.append(from_plain(HistoryEvent, line))
                else:
                    self.flush()
                    self._other(number, kind, partition, line)
            except (LaminaError, KeyError, TypeError, ValueError) as fault:
                self.unread.append(f"line {number}: {fault}")
        self._append(turns)

    def _partition(self, line: Line) -> Partition:
        user = self._owner if self._owner is not None else str(line.get("user"))
        return Partition(user, str(line.get("agent", "")))

    def _other(self, number: int, kind: str, partition: Partition, line: Line) -> None:
        store = self._core.store
        if kind == "session":
            info = from_plain(SessionInfo, {**line, "updated_at": line["created_at"]})
            known = store.session(partition, info.id) is not None
            self._counts["sessions"] += 1
            if not known:
                store.put_session(partition, info)
        elif kind == "memory":
            self._memory = number, partition, from_plain(MemoryRecord, line)
        elif kind == "decision":
            decision = from_plain(Decision, line)
            if decision not in self._decisions(partition):
                store.decide(partition, [decision])
        elif kind == "event":
            event = from_plain(Event, line)
            if event not in self._events(partition):
                store.note(partition, [event])
        else:
            self.unread.append(f"line {number}: a {kind!r:.40} is nothing that Lamina exports")

    def _decisions(self, partition: Partition) -> list[Decision]:
        """Those that were there before, as an export has them."""
        if partition not in self._decided:
            found = self._core.store.decisions([partition])
            self._decided[partition] = [replace(decision, id=0) for _, decision in found]
        return self._decided[partition]

    def _events(self, partition: Partition) -> list[Event]:
        if partition not in self._noted:
            found = self._core.store.events([partition], EARLIEST, LATEST)
            self._noted[partition] = [event for _, event in found]
        return self._noted[partition]

    def _append(self, turns: Sequence[tuple[int, Partition, Message, bool]]) -> None:
        for partition in dict.fromkeys(partition for _, partition, _, _ in turns):
            mine = [(message, unread) for _, p, message, unread in turns if p == partition]
            messages = [message for message, _ in mine]
            prepared = prepare_messages(messages, self._core.indexing)
            items = [(m, p.passages) for m, p in zip(messages, prepared, strict=True)]
            waiting = {message.id for message, unread in mine if unread}
            new = self._core.store.append(partition, items, unread=waiting)
            self._counts["messages"] += sum(new)
            self._counts["known"] += len(new) - sum(new)

    def flush(self) -> None:
        """Write the memory whose history has come to its end."""
        held, history, self._memory, self._history = self._memory, self._history, None, []
        if held is None:
            return
        number, partition, record = held
        if self._core.store.get([partition], record.id) is not None:
            self._counts["known"] += 1
            return
        try:
            rows = list(_versions(self._core, record, history))
            self._core.store.exchange(partition, (), rows)
            self._counts["memories"] += 1
        except LaminaError as fault:
            self.unread.append(f"line {number}: {fault}")

    def done(self) -> Imported:
        """What came in."""
        return Imported(
            messages=self._counts["messages"],
            known=self._counts["known"],
            sessions=self._counts["sessions"],
            memories=self._counts["memories"],
            unread=tuple(self.unread),
        )


def _versions(
    core: Core, record: MemoryRecord, history: Sequence[HistoryEvent]
) -> Iterator[tuple[MemoryRecord, Sequence[NewPassage], HistoryEvent]]:
    """A memory's versions as its history tells them; the last one alone is indexed."""
    passages = prepare_memory(record, core.indexing).passages
    if not history:
        history = [HistoryEvent(record.id, "add", record.origin, record.created_at)]
    for version, event in enumerate(history, 1):
        last = version == len(history)
        old = record if last or not event.after else from_plain(MemoryRecord, event.after)
        yield replace(old, version=version), passages if last else (), event
