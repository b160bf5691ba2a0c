"""Reading what was said for facts: draw, hold against what is known, write, all or nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace

from lamina.engine.core import Core
from lamina.engine.echo import is_agreed_already, is_echo, near_memories
from lamina.engine.twins import in_other_words
from lamina.errors import AlreadyReadError, ConflictError, LaminaError
from lamina.index.partition import PartitionIndex
from lamina.pipeline.claims import claim
from lamina.pipeline.dedupe import ABOUT_USER, WAITS, Known, Verdict, decide
from lamina.pipeline.extract.confirm import confirmed
from lamina.pipeline.extract.play import is_played
from lamina.pipeline.extract.rules import drawn, stated
from lamina.pipeline.extract.support import Quote, supported
from lamina.pipeline.settle import Written, settle
from lamina.pipeline.write import masked_text, passages_of
from lamina.text.fold import fold
from lamina.types import (
    DEFAULT_USER,
    EVERYONE,
    Action,
    Candidate,
    Decision,
    Layer,
    MemoryRecord,
    Message,
    Partition,
    Role,
)

AT_ONCE = 64  # messages that a search reads before it asks: some 60 ms
ENDS = frozenset({"no longer uses"})  # values that end what other topics hold
SEEN = 40  # messages of a session before one that are looked through for a play
TRIES = 5  # times that a message is read anew because somebody changed what it touches


def read_waiting(core: Core, partitions: Sequence[Partition] | None, most: int) -> int:
    """Read the oldest messages that wait, at most so many. Returns how many were read."""
    with core.reading:
        waiting = core.store.unread(partitions, most)
        for partition, message in waiting:
            with suppress(AlreadyReadError):  # another process has read it, or erased it
                read_message(core, partition, message)
    return len(waiting)


def unread_of(
    core: Core, partition: Partition, messages: Sequence[Message], *, infer: bool | None = None
) -> Collection[str]:
    """Ids of the new messages that are to be read for facts: what is for everyone is nobody's."""
    how = core.settings.extract
    wanted = how in {"all", "rules"} if infer is None else infer and how != "model"
    if not wanted or partition.user == EVERYONE:
        return {}
    return dict.fromkeys(message.id for message in messages if message.role is Role.USER)


def read_now(core: Core, partition: Partition, ids: Collection[str]) -> tuple[Decision, ...]:
    """Read these messages as they are stored, without waiting for the work behind."""
    decisions: list[Decision] = []
    with core.reading:
        for id in ids:
            found = core.store.get([partition], id)
            if found is None or not isinstance(found[1], Message):
                continue
            try:
                decisions += read_message(core, partition, found[1])
            except AlreadyReadError:
                decisions += _read_before(core, partition, found[1])
    return tuple(decisions)


def _read_before(core: Core, partition: Partition, message: Message) -> Sequence[Decision]:
    """What was decided about a message that waits no more; it is read if it never was."""
    noted = [one for _, one in core.store.decisions([partition], item=message.id)]
    noted = [one for one in noted if one.message == message.id]
    return noted or read_message(core, partition, message, waits=False)


def catch_up(core: Core, partitions: Sequence[Partition]) -> str:
    """Read a scope's few waiting messages before it is asked; says what is still missing."""
    try:
        if read_waiting(core, partitions, AT_ONCE) < AT_ONCE:
            return ""
    except LaminaError as fault:  # the store is locked or read-only: the question goes on
        return f"what was said last is not read for facts yet: {fault}"
    return "many messages are still to be read for facts; they are found as messages"


def read_message(
    core: Core, partition: Partition, message: Message, *, waits: bool = True
) -> Sequence[Decision]:
    """Read one message, and say what was decided about what it says.

    Raises:
        AlreadyReadError: it was to wait, and no longer does; nothing was written.
    """
    around = core.store.neighbours(partition, [message.id], 1, 0).get(message.id, [])
    before = [other for other in around if other.id != message.id]
    found = candidates(core, partition, message, before)
    return take(core, partition, found, read=[message.id] if waits else [])


def candidates(
    core: Core, partition: Partition, message: Message, before: Sequence[Message]
) -> list[Candidate]:
    """What a message says that may be worth keeping, by rule."""
    if message.role is not Role.USER:
        return []
    text = masked_text(message, masking=core.indexing.masking)
    user = "" if partition.user == DEFAULT_USER else partition.user
    zone = core.clock.zone
    found = drawn(message, text, zone=zone, user=user)
    if found and _in_play(core, partition, message):
        found = drawn(message, text, zone=zone, user=user, playing=True)
    if agreed := confirmed(message, text, before, zone=zone):
        (index,) = core.indexes([partition])
        found += [one for one in agreed if not is_agreed_already(core, index, one)]
    found = [one for one in found if one.category not in core.skipped]
    info = core.store.session(partition, message.session_id) if found else None
    if info is None or info.project is None:
        return found
    return [
        one if one.category in ABOUT_USER else replace(one, project=info.project) for one in found
    ]


def _in_play(core: Core, partition: Partition, message: Message) -> bool:
    """Whether it is said in a play that began earlier in its session."""
    around = core.store.neighbours(partition, [message.id], SEEN, 0).get(message.id, [])
    said = [
        (other.text, other.created_at)
        for other in around
        if other.role is Role.USER and other.id != message.id
    ]
    return is_played(said, message.created_at)


def take(
    core: Core,
    partition: Partition,
    found: Sequence[Candidate],
    *,
    read: Sequence[str] = (),
    heard: Sequence[str] = (),
    deliberate: bool = False,
    rephrased: bool = False,
    reviewed: Decision | None = None,
) -> Sequence[Decision]:
    """Decide about candidates and write what comes of them at once.

    `read` and `heard` are ids of messages that rules or a model have read by this. `deliberate`:
    somebody wrote the candidates down on purpose, so neither a deletion nor an echo stands against
    them. `rephrased`: they are in a model's words. `reviewed` is the decision that waited for this,
    and is replaced.

    Raises:
        ConflictError: what they touch was changed meanwhile, again and again; or a message of
            `heard` is gone, or was heard before.
    """
    for attempt in range(TRIES):
        out = Written()
        weighed(core, partition, found, out, deliberate=deliberate, rephrased=rephrased)
        if reviewed is not None:
            out.decisions = [replace(done, id=reviewed.id) for done in out.decisions]
        new = [
            (record, passages_of(record, out.before.get(id), core.indexing), event)
            for id, (record, event) in out.records.items()
        ]
        try:
            core.store.exchange(partition, (), new, read=read, heard=heard, decisions=out.decisions)
            break
        except AlreadyReadError:
            raise
        except ConflictError:
            if attempt == TRIES - 1:
                raise
    return out.decisions


def weighed(
    core: Core,
    partition: Partition,
    found: Sequence[Candidate],
    out: Written,
    *,
    deliberate: bool = False,
    rephrased: bool = False,
) -> None:
    """Decide about candidates, one after the other; what comes of them is noted in `out`."""
    for one in found:
        known = known_about(core, partition, one, out, deliberate=deliberate)
        if rephrased:
            known = replace(known, said=[*known.said, *_saying(core, partition, one, out)])
        verdict = decide(one, known)
        if verdict.action is Action.QUARANTINE and _waits(core, partition, one, out):
            verdict = Verdict(Action.SKIP, WAITS)
        now = core.clock.now()
        settle(one, verdict, out, id=core.ids.new(now), now=now)


def _ended(
    core: Core, index: PartitionIndex, candidate: Candidate, out: Written
) -> list[MemoryRecord]:
    """What holds the thing that a candidate says is no longer used, under other topics."""
    if candidate.value not in ENDS:
        return []
    owner, thing = candidate.topic.partition("/")[0], candidate.topic.rpartition("/")[2]
    near = (out.latest(record) for record in near_memories(core, index, candidate.content))
    return [
        record
        for record in near
        if record.topic != candidate.topic
        and record.valid_to is None
        and record.topic.partition("/")[0] == owner
        and value_of(record) == thing
    ]


def _waits(core: Core, partition: Partition, candidate: Candidate, out: Written) -> bool:
    """Whether the same waits already for a person."""
    waiting = [one for _, one in core.store.decisions([partition], waiting=True)]
    waiting += [one for one in out.decisions if one.waiting]
    return any(one.text == candidate.content for one in waiting)


def marks_of(candidate: Candidate, key: bytes) -> list[bytes]:
    """The keyed hashes under which a claim stands that was erased, corrected or refused."""
    marks = [claim(candidate.content, key)]
    if candidate.topic:
        marks.append(_topic_claim(candidate.topic, candidate.value, key))
    return marks


def claims_of(record: MemoryRecord, key: bytes) -> list[bytes]:
    """The keyed hashes by which a memory that is erased or corrected is known again."""
    found = [claim(record.content, key)]
    if record.topic:
        found.append(_topic_claim(record.topic, value_of(record), key))
    return found


def value_of(record: MemoryRecord) -> str:
    """What a memory says of its topic."""
    topic, value = stated(record.content)
    return value if topic == record.topic else fold(record.content)


def _topic_claim(topic: str, value: str, key: bytes) -> bytes:
    return claim(f"{topic} is {value}", key)


# --- what is known


def known_about(
    core: Core, partition: Partition, candidate: Candidate, out: Written, *, deliberate: bool
) -> Known:
    """What the store holds that has to do with a candidate, and what was just decided."""
    store = core.store
    if not deliberate and store.claimed(partition, marks_of(candidate, store.key)):
        return Known(erased=True)
    (index,) = core.indexes([partition])
    if not deliberate and is_echo(core, index, candidate):
        return Known(echo=True)
    about: list[MemoryRecord] = []
    if candidate.topic:
        about = [out.latest(record) for record in store.about(partition, [candidate.topic])]
        known = {record.id for record in about}
        about += [r for r in out.memories if r.topic == candidate.topic and r.id not in known]
        about = [record for record in about if record.layer is Layer.LONG_TERM]
    about += _ended(core, index, candidate, out)
    near = [] if about else near_memories(core, index, candidate.content)
    near = [out.latest(record) for record in near]
    near += [record for record in out.memories if record.id not in {r.id for r in near}]
    near = [record for record in near if record.layer is Layer.LONG_TERM]
    said = [] if about else in_other_words(core, candidate, near)
    return Known([(record, value_of(record)) for record in about], near, said=said)


def _saying(
    core: Core, partition: Partition, candidate: Candidate, out: Written
) -> list[MemoryRecord]:
    """Memories that say already, in other words, what a model says."""
    (index,) = core.indexes([partition])
    near = [out.latest(record) for record in near_memories(core, index, candidate.content)]
    if candidate.topic:
        near += [out.latest(r) for r in core.store.about(partition, [candidate.topic])]
    unique = {record.id: record for record in [*near, *out.memories]}
    return [record for record in unique.values() if _says(record, candidate)]


def _says(record: MemoryRecord, candidate: Candidate) -> bool:
    """Whether a memory says what a candidate says, or is another reading of the same words.

    Of one topic, what was drawn from the same message stands, and what became of it since.
    """
    ids = {source.id for source in candidate.sources}
    is_same = any(source.id in ids for source in record.sources)
    current = record.valid_to is None
    is_read = is_same and record.topic == candidate.topic != ""
    if is_read and not (current and value_of(record) == candidate.value):
        return True
    quote = Quote(record.content, record.said_at)
    return (current or is_same) and supported(candidate.content, [quote], share=1)
