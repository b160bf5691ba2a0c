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

from lamina.engine.core import Core
from lamina.engine.reading import candidates, read_message, take, weighed
from lamina.errors import ConflictError, NotFoundError
from lamina.pipeline.extract.answers import Read
from lamina.pipeline.extract.by_model import chunks
from lamina.pipeline.extract.items import Reading, candidates_of, shown_to_model
from lamina.pipeline.settle import Written
from lamina.ports.store import Job
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

EXTRACT = "extract"
LEASE_SECONDS = 600.0  # longer than a model thinks: a call of 120 s is tried three times
PORTION = 4_000  # tokens of a conversation that a model is given at once
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0  # seconds between tries where nobody answered
LONGEST_COSTLY = 6 * 3600.0  # the same, where tokens were spent on an answer of no use
KEPT = frozenset({Action.CREATE, Action.MERGE, Action.SUPERSEDE})


@dataclass(slots=True)
class Extracted:
    """What reading a conversation came to."""

    session_id: str
    messages: int = 0  # read, by rules or by a model
    decisions: list[Decision] = field(default_factory=list)  # in the order of what was said
    memories: list[MemoryRecord] = field(default_factory=list)  # new and changed ones
    tokens: int = 0  # that the model took
    waiting: int = 0  # messages that wait for a model
    notes: list[str] = field(default_factory=list)  # sentences: what was missing
    dry_run: bool = False


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


# --- behind


def plan_jobs(core: Core, least: int) -> None:
    """A job for each conversation of which enough waits."""
    for partition, session_id in core.store.to_hear(least):
        core.store.enqueue(EXTRACT, key_of(partition, session_id), _payload(partition, session_id))


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
    core: Core, job: Job, owner: str, *, stop: threading.Event | None = None, all: bool = False
) -> Extracted:
    """Read what waits of a conversation, and give the job back where it cannot be done now.

    `all` reads also what was never to wait: imported messages, and those of `infer=False`.
    """
    payload = job.payload
    partition = Partition(payload["user"], payload["agent"])
    out = Extracted(payload["session"])
    all = all or bool(payload.get("all"))
    size = PORTION >> min(job.attempts - 1, 3)  # what failed whole is tried in smaller portions
    now, fault, costly = core.clock.now, "", False
    while messages := core.store.unheard(partition, out.session_id, waiting=not all):
        for portion, heard in _portions(core, messages, size):
            if stop is not None and stop.is_set():
                core.store.retry(job, owner, now(), job.error)
                return out
            read = _asked(core, portion)
            out.tokens += read.tokens
            if read.failed:
                fault, costly = read.fault, read.tokens > 0
                whole = replace(read, refused=())  # the rest of a cut answer is asked for again
                out.decisions += _taken(core, partition, portion, whole, ())
                break
            try:
                out.decisions += _taken(core, partition, portion, read, heard)
            except ConflictError:  # a message is gone, or somebody else was faster
                break
            out.messages += len(heard)
            if not core.store.renew(job, owner, now(), LEASE_SECONDS):
                return out
        if fault:
            most = LONGEST_COSTLY if costly else LONGEST_PAUSE
            pause = min(FIRST_PAUSE * 2 ** min(job.attempts - 1, 20), most)
            core.store.retry(job, owner, now() + timedelta(seconds=pause), fault)
            out.notes.append(fault)
            out.waiting = len(core.store.unheard(partition, out.session_id, waiting=not all))
            return out
    core.store.finish(job, owner)
    return out


def faults(core: Core) -> tuple[str, ...]:
    """Sentences on what keeps the model from its work."""
    if not by_model(core):
        return ()
    stopped = core.asking.used_up
    errors = [job.error for job in core.store.jobs() if job.kind == EXTRACT and job.error]
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
    out = Extracted(session_id, dry_run=dry_run)
    if core.settings.extract == "off" or partition.user == EVERYONE:
        out.notes.append(
            "nothing is read: facts are drawn of one user's words, and with the setting extract on"
        )
        return out
    if dry_run:
        _rehearse(core, partition, out)
        return out
    read = set()
    if core.settings.extract != "model":
        for message in _unread(core, partition, session_id):
            with core.reading:
                out.decisions += read_message(core, partition, message)
            read.add(message.id)
    heard = hear_session(core, partition, session_id, all=True)
    out.messages = max(len(read), heard.messages)
    out.decisions += heard.decisions
    out.tokens, out.waiting, out.notes = heard.tokens, heard.waiting, heard.notes
    ids = dict.fromkeys(d.memory for d in out.decisions if d.memory and d.action in KEPT)
    found = [core.store.get([partition], id) for id in ids]
    out.memories = [one[1] for one in found if one and isinstance(one[1], MemoryRecord)]
    return out


def hear_session(
    core: Core, partition: Partition, session_id: str, *, all: bool = False
) -> Extracted:
    """Ask the model about a conversation now, if there is one and nobody else does it already."""
    if not by_model(core):
        return Extracted(session_id)
    waiting = core.store.unheard(partition, session_id, waiting=not all)
    if not waiting:
        return Extracted(session_id)
    owner, key = uuid.uuid4().hex, key_of(partition, session_id)
    core.store.enqueue(EXTRACT, key, {**_payload(partition, session_id), "all": all})
    job = core.store.lease([EXTRACT], owner, core.clock.now(), LEASE_SECONDS, key=key)
    if job is not None:
        return work(core, job, owner, all=all)
    note = "the model is reading this conversation already, in another thread or process"
    return Extracted(session_id, waiting=len(waiting), notes=[note])


def _rehearse(core: Core, partition: Partition, out: Extracted) -> None:
    """Decide as it would be decided, about everything in one go, and write nothing."""
    written, read = Written(), set()
    if core.settings.extract != "model":
        for message in _unread(core, partition, out.session_id):
            around = core.store.neighbours(partition, [message.id], 1, 0).get(message.id, [])
            found = candidates(core, partition, message, around[:-1])
            weighed(core, partition, found, written)
            read.add(message.id)
    if by_model(core):
        messages = core.store.unheard(partition, out.session_id)
        for portion, heard in _portions(core, messages, PORTION):
            answer = _asked(core, portion)
            out.tokens += answer.tokens
            if answer.failed:
                out.notes.append(answer.fault)
                out.waiting = len(messages)
                break
            found = _candidates(core, partition, portion, answer)
            weighed(core, partition, found, written, rephrased=True)
            read.update(heard)
    out.messages, out.decisions, out.memories = len(read), written.decisions, written.memories


# --- parts of it


def key_of(partition: Partition, session_id: str) -> str:
    """The key of a conversation's job."""
    return json.dumps([partition.user, partition.agent, session_id], ensure_ascii=False)


def _payload(partition: Partition, session_id: str) -> dict[str, Json]:
    return {"user": partition.user, "agent": partition.agent, "session": session_id}


def _unread(core: Core, partition: Partition, session_id: str) -> list[Message]:
    """The user's messages of which nothing was decided: rules that read one again find the same."""
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
        portion, instructions=core.settings.extract_instructions, leave_out=core.skipped
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
