"""Compaction of a stored conversation: its state, its summary, and the window made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from lamina.engine.asking import SUMMARISE
from lamina.engine.core import Core
from lamina.engine.extracting import key_of, payload
from lamina.engine.lineage import messages_of
from lamina.errors import ConflictError
from lamina.pipeline.compact.stages import SUMMARY_SHARE, compacted
from lamina.pipeline.compact.summary import by_rule, language_of, summary_budget
from lamina.pipeline.compact.values import (
    Ask,
    Compacted,
    Compaction,
    Limits,
    state_json,
    state_of,
)
from lamina.pipeline.write import prepare_memory
from lamina.plain import to_plain
from lamina.replies import Compacting
from lamina.types import (
    Category,
    HistoryEvent,
    Json,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Partition,
    Role,
)

TRIES = 5  # times that a compaction is begun anew because another one was faster
IMPORTANCE = 0.6  # of a summary as a memory
SYSTEM = {Role.SYSTEM, Role.DEVELOPER}


@dataclass(frozen=True, slots=True)
class Live:
    """What of a conversation may still be sent, and what was decided about the rest."""

    messages: Sequence[Message]
    state: Compaction = field(default_factory=Compaction)
    version: int = 0
    memory: str = ""  # id of the summary as a memory

    @property
    def pinned(self) -> frozenset[str]:
        """Ids of the messages that stay: their metadata says `pinned`."""
        return frozenset(m.id for m in self.messages if m.metadata.get("pinned") is True)


def live(core: Core, partition: Partition, session_id: str) -> Live:
    """A conversation as far as it is sent: of what a summary stands for, only what is kept."""
    store = core.store
    found = store.compaction(partition, session_id)
    if found is None:
        return Live(store.messages(partition, session_id))
    version, kept = found
    state = state_of(kept["state"])
    old = [store.get([partition], id) for id in state.kept]
    past = [item[1] for item in old if item is not None and isinstance(item[1], Message)]
    new = store.messages(partition, session_id, after=kept["seq"])
    messages = [*sorted(past, key=lambda one: one.seq), *new]
    return Live(messages, state, version, kept.get("memory", ""))


def compact(
    core: Core,
    partition: Partition,
    session_id: str,
    limits: Limits,
    *,
    tools: Sequence[Json] = (),
    ask: Ask | None = None,
    force: bool = False,
) -> tuple[Compacted, Live]:
    """Hold what is sent to the limits, and keep what was decided, once.

    No lock is held while a model works: what arrives meanwhile stays behind the summary, and where
    another compaction was faster, this one begins anew from it.
    """
    for _ in range(TRIES):
        before = live(core, partition, session_id)
        done = compacted(
            before.messages,
            limits,
            state=before.state,
            tools=tools,
            pinned=before.pinned,
            ask=ask,
            force=force,
        )
        if done.state == before.state:
            return done, before
        try:
            after = _kept(core, partition, session_id, before, state=done.state, limits=limits)
        except ConflictError:
            ask = None if done.state.made == "model" else ask  # it was asked once
        else:
            return done, after
    before = live(core, partition, session_id)
    return compacted(before.messages, limits, state=before.state, tools=tools), before


def _kept(
    core: Core,
    partition: Partition,
    session_id: str,
    before: Live,
    *,
    state: Compaction,
    limits: Limits,
) -> Live:
    """Write the state, then the summary as a memory: the conversation itself never changes."""
    memory = before.memory or core.ids.new(core.clock.now())
    place = core.store.get([partition], state.through) if state.through else None
    seq = place[1].seq if place is not None and isinstance(place[1], Message) else 0
    kept: dict[str, Json] = {"state": state_json(state), "seq": seq, "memory": memory}
    is_new = bool(state.summary) and state.summary != before.state.summary
    if is_new:  # before, since a process may be killed, and after, since a job may be fast
        _plan(core, partition, session_id, state, limits)
    core.store.put_compaction(partition, session_id, kept, before.version + 1)
    if is_new:
        _plan(core, partition, session_id, state, limits)
        version = before.version + 1
        remember(core, partition, session_id, version=version, id=memory, state=state)
    return Live(before.messages, state, before.version + 1, memory)


def _plan(
    core: Core, partition: Partition, session_id: str, state: Compaction, limits: Limits
) -> None:
    """Where there is a model, it is to write what the rules have made in its own, fuller words."""
    if core.asking.on and state.made == "rule":
        asked: dict[str, Json] = {
            **payload(partition, session_id),
            "tokens": limits.summary_tokens,
            "most": limits.threshold // SUMMARY_SHARE,
            "input": limits.summariser_tokens or limits.max_input_tokens,
        }
        core.store.enqueue(SUMMARISE, key_of(partition, session_id), asked)


def remember(
    core: Core, partition: Partition, session_id: str, *, version: int, id: str, state: Compaction
) -> None:
    """Keep a summary as a memory, as long as it is the one that was decided with this version.

    Whoever decides anew meanwhile, or forgets, may have been before us: then it is as he left it.
    """
    for _ in range(TRIES):
        if state.summary:
            _put(core, partition, session_id, id, state)
        else:
            core.store.exchange(partition, [id], ())
        found = core.store.compaction(partition, session_id)
        if found is None:
            core.store.exchange(partition, [id], ())
        if found is None or found[0] == version:
            return
        version, state = found[0], state_of(found[1]["state"])


def _put(core: Core, partition: Partition, session_id: str, id: str, state: Compaction) -> None:
    """Write a summary as a memory, found by search like any other."""
    now = core.clock.now()
    found = core.store.get([partition], id)
    before = found[1] if found is not None and isinstance(found[1], MemoryRecord) else None
    record = MemoryRecord(
        id=id,
        content=state.summary,
        created_at=now if before is None else before.created_at,
        layer=Layer.LONG_TERM,
        category=Category.SUMMARY,
        importance=IMPORTANCE if before is None else before.importance,
        pinned=before is not None and before.pinned,
        origin=Origin.SYSTEM,
        metadata={"session": session_id, "messages": state.covered, "made": state.made},
        session_id=session_id,
        updated_at=None if before is None else now,
        version=1 if before is None else before.version + 1,
    )
    record, _, _ = core.cleaned(record)
    event = HistoryEvent(
        id,
        "add" if before is None else "update",
        Origin.SYSTEM,
        now,
        before=None if before is None else to_plain(before),
        after=to_plain(record),
    )
    passages = prepare_memory(record, core.indexing).passages
    try:
        core.store.exchange(partition, (), [(record, passages, event)])
    except ConflictError:  # a newer summary is there already
        return


def report(done: Compacted, memory: str) -> Compacting:
    """What a compaction did, for the caller."""
    return Compacting(
        before=done.before,
        after=done.after,
        threshold=done.threshold,
        status=done.status,
        made=done.state.made if done.summarised else "",
        summary=done.state.summary,
        memory=memory if done.state.summary else None,
        summarised=done.summarised,
        cuts=tuple(cut.handle for cut in done.cuts),
        repaired=tuple(repair.sentence for repair in done.window.repairs),
        notes=done.notes,
    )


# --- forgetting


def summaries_of(core: Core, partition: Partition, sessions: Collection[str]) -> list[str]:
    """Ids of the summaries of these conversations, as memories."""
    found = (core.store.compaction(partition, session) for session in sessions)
    return [one[1]["memory"] for one in found if one is not None and one[1].get("memory")]


def resummarise(core: Core, partition: Partition, session_id: str, gone: Collection[str]) -> None:
    """Make a conversation's summary again without these messages, where it stands for them.

    A model's summary is replaced by one by rule: what it took from where cannot be told.
    """
    found = core.store.compaction(partition, session_id)
    if found is None:
        return
    version, kept = found
    state = state_of(kept["state"])
    past = list(past_of(core, partition, session_id, kept["seq"]))
    covered = [m for m in past if m.id not in state.kept]
    cuts = tuple(cut for cut in state.cuts if cut.message not in gone)
    touched = any(m.id in gone for m in past)
    if not touched and len(cuts) == len(state.cuts):
        return
    left = [m for m in covered if m.id not in gone]
    numbers = {m.id: place for place, m in enumerate((m for m in past if m.id not in gone), 1)}
    summary = ""
    if left:
        summary = by_rule(
            left,
            [numbers[m.id] for m in left],
            budget=summary_budget(len(left)),
            language=language_of(past),
        )
    last = left[-1] if left else None
    new = replace(
        state,
        summary=summary,
        made="rule" if summary else "",
        through=last.id if last is not None else "",
        kept={id: numbers[id] for id in state.kept if id in numbers},
        number=len(numbers),
        covered=len(left),
        cuts=cuts,
    )
    seq = max((m.seq for m in past if m.id not in gone), default=0) if left else 0

    memory = kept.get("memory", "")
    again: dict[str, Json] = {"state": state_json(new), "seq": seq, "memory": memory}
    core.store.put_compaction(partition, session_id, again, version + 1)
    if memory:
        core.store.exchange(partition, [memory], ())
        if summary:
            remember(core, partition, session_id, version=version + 1, id=memory, state=new)
    if summary:
        _plan(core, partition, session_id, new, Limits())


def past_of(core: Core, partition: Partition, session_id: str, seq: int) -> Sequence[Message]:
    """The messages of a conversation up to a place, in order."""
    found = []
    for message in messages_of(core.store, partition, session_id):
        if message.seq > seq:
            break
        found.append(message)
    return found
