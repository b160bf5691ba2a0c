"""What the reference store keeps of one partition, and its values as they read when stored."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from lamina.ports.store import NewPassage, Rows
from lamina.stores import rows as row
from lamina.types import Decision, HistoryEvent, Kind, MemoryRecord, Message, SessionInfo

GONE_KEPT = 4096  # writes that the log of deletions reaches back
EMPTY = Rows(*([] for _ in range(12)))


@dataclass(frozen=True, slots=True)
class Item:
    """A message or memory as stored, and the numbers of its passages."""

    seq: int
    value: Message | MemoryRecord
    passages: range


@dataclass(slots=True)
class Part:
    """All of one partition. Dicts are in the order of `seq`."""

    counter: int = 0
    cut: int = 0  # the log `gone` reaches back to here
    sessions: dict[str, SessionInfo] = field(default_factory=dict)
    compactions: dict[str, tuple[int, str]] = field(default_factory=dict)  # version, state
    lines: dict[str, dict[int, Message]] = field(default_factory=dict)  # messages by session
    messages: dict[str, Item] = field(default_factory=dict)
    memories: dict[str, Item] = field(default_factory=dict)
    history: dict[str, list[HistoryEvent]] = field(default_factory=dict)
    tombstones: set[bytes] = field(default_factory=set)
    decisions: dict[int, Decision] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)  # ids of messages
    unheard: set[str] = field(default_factory=set)  # that wait for a model
    heard: set[str] = field(default_factory=set)  # that a model has read
    passages: dict[int, tuple[Item, NewPassage]] = field(default_factory=dict)
    vectors: dict[tuple[int, str], tuple[int, bytes]] = field(default_factory=dict)
    pending: set[int] = field(default_factory=set)
    gone: deque[tuple[int, int]] = field(default_factory=deque)  # (counter, passage)

    def info(self, session_id: str) -> SessionInfo:
        """A session with the time of its newest message and their number."""
        info = self.sessions[session_id]
        line = list(self.lines.get(session_id, {}).values())
        times = [info.created_at, *(message.created_at for message in line[-1:])]
        return replace(info, updated_at=max(times), messages=len(line))

    def records(self) -> list[MemoryRecord]:
        """All memories."""
        values = (item.value for item in self.memories.values())
        return [value for value in values if isinstance(value, MemoryRecord)]

    def version(self, id: str) -> int:
        """The version of a memory; 0 where there is none."""
        item = self.memories.get(id)
        return item.value.version if item and isinstance(item.value, MemoryRecord) else 0

    def erase(self, ids: Sequence[str]) -> None:
        """Memories go with their passages, history and decisions."""
        erased: set[str] = set()
        for id in ids:
            if item := self.memories.pop(id, None):
                self.drop(item)
                self.history.pop(id, None)
                erased.add(id)
        self.undecide(Kind.MEMORY, erased)

    def erase_messages(self, ids: Sequence[str]) -> None:
        """Messages go with their passages; what followed each one waits for its vectors anew."""
        found = [self.messages.pop(id) for id in dict.fromkeys(ids) if id in self.messages]
        messages = [item.value for item in found if isinstance(item.value, Message)]
        for item in found:
            self.drop(item)
        for message in messages:
            self.lines.get(message.session_id, {}).pop(message.seq, None)
        for message in messages:
            self.wait_anew(message)
        erased = {message.id for message in messages}
        self.undecide(Kind.MESSAGE, erased)
        self.unread -= erased
        self.unheard -= erased
        self.heard -= erased

    def undecide(self, kind: Kind, ids: Container[str]) -> None:
        """What was decided about memories or messages goes."""
        for number, one in list(self.decisions.items()):
            about = (one.message,) if kind is Kind.MESSAGE else (one.memory, one.target)
            if any(id in ids for id in about if id is not None):
                del self.decisions[number]

    def add(self, item: Item, parts: Sequence[NewPassage]) -> None:
        """Passages of an item come to be; those to be embedded wait."""
        for seq, part in zip(item.passages, parts, strict=True):
            self.passages[seq] = item, part
            if part.embed:
                self.pending.add(seq)

    def put(self, item: Item, parts: Sequence[NewPassage] | None) -> None:
        """A memory in place of its old version; without parts, with the passages of that one."""
        old = self.memories.get(item.value.id)
        if old is not None and parts is None:
            item = replace(item, passages=old.passages)
            for seq in item.passages:
                self.passages[seq] = item, self.passages[seq][1]
        else:
            if old is not None:
                self.drop(old)
            self.add(item, parts or ())
        self.memories[item.value.id] = item

    def drop(self, item: Item) -> None:
        """Passages of an item go with their vectors, and it is noted that they are gone."""
        for seq in item.passages:
            del self.passages[seq]
            self.pending.discard(seq)
            self.forget_vectors(seq)
            self.gone.append((self.counter, seq))

    def forget_vectors(self, seq: int) -> None:
        """The vectors of a passage go, of every space."""
        for key in [key for key in self.vectors if key[0] == seq]:
            del self.vectors[key]

    def wait_anew(self, deleted: Message) -> None:
        """What follows a deleted message loses its first vectors: they held its end."""
        line = self.lines.get(deleted.session_id, {}).values()
        follower = next((other for other in line if other.seq > deleted.seq), None)
        if follower is not None:
            for seq in self.messages[follower.id].passages[:1]:
                self.forget_vectors(seq)
                if self.passages[seq][1].embed:
                    self.pending.add(seq)

    def trim(self) -> None:
        """Bound the log of deletions: a reader older than its cut starts anew."""
        self.cut = max(self.cut, self.counter - GONE_KEPT)
        while self.gone and self.gone[0][0] < self.cut:
            self.gone.popleft()


def checked(line: row.Row) -> row.Row:
    """The row, all of whose texts must be encodable."""
    for cell in line:
        if isinstance(cell, str):
            row.checked_unicode(cell)
    return line


def kept_message(message: Message) -> Message:
    """A message as it reads when it was stored; its number comes later."""
    extra, metadata = row.to_json(message.extra), row.to_json(message.metadata)
    role, at = str(message.role), row.to_micros(message.created_at)
    line = (message.id, message.session_id, role, *row.content_of(message), at, message.name)
    return row.message_from(checked((*line, extra, metadata, message.zone, 0)))


def kept_decision(decision: Decision) -> Decision:
    """A decision as it reads when it was stored."""
    return row.decision_from((*checked(row.decision_row(decision)), decision.id))


def columns(part: Part, seqs: Sequence[int]) -> Rows:
    """Passages as an index wants to know them."""
    lines = []
    for seq in seqs:
        item, passage = part.passages[seq]
        value = item.value
        if isinstance(value, Message):
            which = ("message", "session", str(value.role), value.name)
            importance, category = 0.5, ""
        else:
            which = ("memory", str(value.layer), str(value.origin), None)
            importance, category = value.importance, str(value.category)
        said = value.created_at if isinstance(value, Message) else value.said_at
        at = row.to_micros(said) / 1_000_000
        tail = (value.session_id, at, importance, passage.script, category, passage.terms)
        lines.append((seq, item.seq, *which, *tail))
    return Rows(*map(list, zip(*lines, strict=True))) if lines else EMPTY
