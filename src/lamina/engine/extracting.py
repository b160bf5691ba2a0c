"""Facts drawn by a model: jobs that read conversations portion by portion, behind or on request.

What a model has read is kept with each message, so that nothing is read twice: the facts of a
portion and the note that it was heard are written at once. No lock of the store is held meanwhile.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from lamina.engine.asking import EXTRACT, NO_USE, SUMMARISE
from lamina.engine.core import Core
from lamina.engine.reading import candidates, read_now, take, weighed
from lamina.errors import ConflictError, NotFoundError
from lamina.pipeline.extract.answers import Read
from lamina.pipeline.extract.by_model import chunks
from lamina.pipeline.extract.items import Reading, candidates_of, shown_to_model
from lamina.pipeline.settle import Written
from lamina.ports.store import Job
from lamina.replies import Extracted
from lamina.types import (
    DEFAULT_USER,
    EVERYONE,
    Action,
    Candidate,
    Decision,
    Json,
    MemoryRecord,
    Message,
    Partition,
    Role,
)

LEASE_SECONDS = 600.0  # longer than a model thinks: a call of 120 s is tried three times
PORTION = 4_000  # tokens of a conversation that a model is given at once
SMALLER = 1_000  # the same, where its answer was of no use: it may have been too long
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0  # seconds between tries where nobody answered
LONGEST_COSTLY = 6 * 3600.0  # the same, where tokens were spent on an answer of no use
TRIES = 3  # times that a conversation is read anew because somebody changed it meanwhile
KINDS = frozenset({EXTRACT, SUMMARISE})  # of jobs that a model does
KEPT = frozenset({Action.CREATE, Action.MERGE, Action.SUPERSEDE})


@dataclass(slots=True)
class Heard:
    """What a model has read so far of one conversation."""

    messages: int = 0
    decisions: list[Decision] = field(default_factory=list)
    tokens: int = 0
    waiting: int = 0
    notes: list[str] = field(default_factory=list)


def unheard_of(
    core: Core, partition: Partition, messages: Sequence[Message], *, infer: bool | None = None
) -> Container[str]:
    """Ids of the new messages that a model is to read."""
    if infer is False or not by_model(core) or partition.user == EVERYONE:
        return frozenset()
    return frozenset(message.id for message in messages)


def by_model(core: Core) -> bool:
    """Whether a model draws facts here."""
    return core.asking.on and core.settings.extract in {"all", "model"}


def kinds_of(core: Core) -> list[str]:
    """The kinds of jobs that the model is given here; none where there is none."""
    return [*([EXTRACT] if by_model(core) else []), *([SUMMARISE] if core.asking.on else [])]


# --- behind


def plan_jobs(core: Core, least: int) -> None:
    """A job for each conversation of which enough waits."""
    for partition, session_id in core.store.to_hear(least):
        core.store.enqueue(EXTRACT, key_of(partition, session_id), payload(partition, session_id))


def waits(core: Core) -> bool:
    """Whether the model has something to do behind."""
    if not by_model(core):
        return False
    least = core.settings.extract_every
    return bool(core.store.jobs()) or (least > 0 and bool(core.store.to_hear(least)))


def hear_all(core: Core) -> None:
    """Ask the model about all that waits for it, also what was to wait longer."""
    if not by_model(core):
        return
    plan_jobs(core, 1)
    owner = uuid.uuid4().hex
    for waiting in core.store.jobs():
        if waiting.kind != EXTRACT:
            continue
        now = core.clock.now()
        job = core.store.lease([EXTRACT], owner, now, LEASE_SECONDS, key=waiting.key)
        if job is not None:
            done = work(core, job, owner)
            if done.notes and not done.tokens:  # nobody answers: asking on would only take time
                return


def work(
    core: Core,
    job: Job,
    owner: str,
    *,
    stop: threading.Event | None = None,
    everything: bool = False,
) -> Heard:
    """Read what waits of a conversation, and give the job back where it cannot be done now.

    `everything` reads also what was never to wait: imported messages, and those of `infer=False`.
    """
    partition = Partition(job.payload["user"], job.payload["agent"])
    session_id = job.payload["session"]
    everything = everything or bool(job.payload.get("all"))
    size = SMALLER if NO_USE in job.error else PORTION
    out = Heard()
    for _ in range(TRIES):
        messages = core.store.unheard(partition, session_id, waiting=not everything)
        read = Read()
        for portion, ends in _portions(core, messages, size):
            if stop is not None and stop.is_set():
                core.store.retry(job, owner, core.clock.now(), job.error)
                return out
            read = _asked(core, portion)
            out.tokens += read.tokens
            # What is whole of a cut answer is kept, and the rest asked for again.
            taken, heard = (replace(read, refused=()), []) if read.failed else (read, ends)
            try:
                out.decisions += _taken(core, partition, portion, taken, heard)
            except ConflictError as error:  # a message is gone, or somebody else was faster
                read = Read(fault=str(error))
                break
            if read.failed:
                return _put_off(core, job, owner, read, out)
            out.messages += len(heard)
            if not core.store.renew(job, owner, core.clock.now(), LEASE_SECONDS):
                return out
        if not read.failed:
            core.store.finish(job, owner)
            return out
    return _put_off(core, job, owner, read, out)


def put_off(core: Core, job: Job, owner: str, read: Read) -> None:
    """Give a job back for a later try: later each time, and much later where it was costly."""
    most = LONGEST_COSTLY if read.tokens else LONGEST_PAUSE
    pause = min(FIRST_PAUSE * 2 ** min(job.attempts - 1, 20), most)
    core.store.retry(job, owner, core.clock.now() + timedelta(seconds=pause), read.fault)


def _put_off(core: Core, job: Job, owner: str, read: Read, out: Heard) -> Heard:
    """Give a conversation back, and say how much of it waits."""
    put_off(core, job, owner, read)
    partition = Partition(job.payload["user"], job.payload["agent"])
    out.waiting = len(core.store.unheard(partition, job.payload["session"], waiting=True))
    out.notes.append(read.fault)
    return out


def drop_jobs(core: Core, partition: Partition, session_id: str | None = None) -> None:
    """Nothing waits any more of a conversation, or of a whole partition, that is erased."""
    whose, owner = (partition.user, partition.agent), uuid.uuid4().hex
    for job in core.store.jobs():
        if job.kind not in KINDS or whose != (job.payload["user"], job.payload["agent"]):
            continue
        if session_id in {None, job.payload["session"]}:
            now = core.clock.now()
            taken = core.store.lease([job.kind], owner, now, LEASE_SECONDS, key=job.key)
            if taken is not None:  # else somebody is at it, and ends it where he finds nothing
                core.store.finish(taken, owner)


def faults(core: Core) -> tuple[str, ...]:
    """Sentences on what keeps the model from its work."""
    kinds = kinds_of(core)
    if not kinds:
        return ()
    stopped = core.asking.used_up
    errors = [job.error for job in core.store.jobs() if job.kind in kinds and job.error]
    waiting = (
        f"conversations that wait for the model: {errors.count(error)}; the last try: {error}"
        for error in dict.fromkeys(errors)
        if error != stopped
    )
    return (*([stopped] if stopped else []), *waiting)


# --- on request


def extract_session(
    core: Core, partition: Partition, session_id: str, *, dry_run: bool = False
) -> Extracted:
    """Read a conversation for facts now: by rules, and by the model if there is one.

    What was read before is not read again. `dry_run` runs everything and writes nothing; the model
    is asked, and its tokens count.

    Raises:
        NotFoundError: there is no such conversation in this scope.
    """
    if core.store.session(partition, session_id) is None:
        raise NotFoundError(f"there is no conversation {session_id!r:.80} in this scope")
    if core.settings.extract == "off" or partition.user == EVERYONE:
        note = "nothing is read: the setting extract is off, or this is not one user's conversation"
        return Extracted(session_id, 0, (), (), 0, 0, (note,), dry_run)
    if dry_run:
        return _rehearsed(core, partition, session_id)
    unread = _unread(core, partition, session_id)
    decisions = list(read_now(core, partition, [message.id for message in unread]))
    heard = hear_session(core, partition, session_id, everything=True)
    decisions += heard.decisions
    ids = dict.fromkeys(d.memory for d in decisions if d.memory and d.action in KEPT)
    found = [core.store.get([partition], id) for id in ids]
    return Extracted(
        session_id,
        max(len(unread), heard.messages),
        tuple(decisions),
        tuple(one[1] for one in found if one and isinstance(one[1], MemoryRecord)),
        heard.tokens,
        heard.waiting,
        tuple(heard.notes),
        dry_run,
    )


def hear_session(
    core: Core, partition: Partition, session_id: str, *, everything: bool = False
) -> Heard:
    """Ask the model about a conversation now, if there is one and nobody else does it already."""
    if not by_model(core):
        return Heard()
    waiting = core.store.unheard(partition, session_id, waiting=not everything)
    if not waiting:
        return Heard()
    owner, key = uuid.uuid4().hex, key_of(partition, session_id)
    core.store.enqueue(EXTRACT, key, {**payload(partition, session_id), "all": everything})
    job = core.store.lease([EXTRACT], owner, core.clock.now(), LEASE_SECONDS, key=key)
    if job is not None:
        return work(core, job, owner, everything=everything)
    note = "the model is reading this conversation already, in another thread or process"
    return Heard(waiting=len(waiting), notes=[note])


def _rehearsed(core: Core, partition: Partition, session_id: str) -> Extracted:
    """Decide as it would be decided, about everything in one go, and write nothing."""
    written, read, heard = Written(), set(), Heard()
    for message in _unread(core, partition, session_id):
        around = core.store.neighbours(partition, [message.id], 1, 0).get(message.id, [])
        weighed(core, partition, candidates(core, partition, message, around[:-1]), written)
        read.add(message.id)
    messages = core.store.unheard(partition, session_id) if by_model(core) else []
    for portion, ends in _portions(core, messages, PORTION):
        answer = _asked(core, portion)
        heard.tokens += answer.tokens
        if answer.failed:
            heard.notes.append(answer.fault)
            heard.waiting = len(messages)
            break
        found = _candidates(core, partition, portion, answer)
        weighed(core, partition, found, written, rephrased=True)
        read.update(ends)
    return Extracted(
        session_id,
        len(read),
        tuple(written.decisions),
        tuple(written.memories),
        heard.tokens,
        heard.waiting,
        tuple(heard.notes),
        dry_run=True,
    )


# --- parts of it


def key_of(partition: Partition, session_id: str) -> str:
    """The key of a conversation's job."""
    return json.dumps([partition.user, partition.agent, session_id], ensure_ascii=False)


def payload(partition: Partition, session_id: str) -> dict[str, Json]:
    """What every job of a conversation carries."""
    return {"user": partition.user, "agent": partition.agent, "session": session_id}


def _unread(core: Core, partition: Partition, session_id: str) -> list[Message]:
    """The user's messages that rules may still read: of the others something was decided."""
    if core.settings.extract == "model":
        return []
    return [
        message
        for message in core.store.messages(partition, session_id)
        if message.role is Role.USER and not core.store.decisions([partition], item=message.id)
    ]


def _portions(
    core: Core, messages: Sequence[Message], size: int
) -> list[tuple[Sequence[Message], list[str]]]:
    """What the model is given, each with the ids of the messages that end in it."""
    masking = core.indexing.masking
    shown = [shown_to_model(message, masking=masking) for message in messages]
    portions = chunks(shown, size)
    last = {message.id: place for place, part in enumerate(portions) for message in part}
    ends: list[list[str]] = [[] for _ in portions]
    for id, place in last.items():
        ends[place].append(id)
    return list(zip(portions, ends, strict=True))


def _asked(core: Core, portion: Sequence[Message]) -> Read:
    return core.asking.ask(
        portion, instructions=core.settings.extract_instructions, leave_out=sorted(core.skipped)
    )


def _candidates(
    core: Core, partition: Partition, portion: Sequence[Message], read: Read
) -> list[Candidate]:
    info = core.store.session(partition, portion[0].session_id)
    how = Reading(
        core.clock.zone,
        "" if partition.user == DEFAULT_USER else partition.user,
        None if info is None else info.project,
        core.indexing.masking,
    )
    return candidates_of(read, portion, how)


def _taken(
    core: Core,
    partition: Partition,
    portion: Sequence[Message],
    read: Read,
    heard: Sequence[str],
) -> Sequence[Decision]:
    found = _candidates(core, partition, portion, read)
    with core.reading:
        return take(core, partition, found, heard=heard, rephrased=True)
