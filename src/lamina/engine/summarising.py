"""Summaries by a model: jobs that put one in the place of what the rules have made at once.

The model reads the messages themselves that a summary stands for, in pieces. No lock of the store
is held while it works; what it made is kept only if the compaction is still the one it was made
for, else it begins anew.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lamina.engine.asking import SUMMARISE
from lamina.engine.compacting import past_of, remember
from lamina.engine.core import Core
from lamina.engine.extracting import LEASE_SECONDS, put_off
from lamina.errors import ConflictError, LaminaError
from lamina.pipeline.compact.by_model import NoSummaryError, by_model, shown
from lamina.pipeline.compact.stages import LEAST_SUMMARY
from lamina.pipeline.compact.summary import language_of, summary_budget
from lamina.pipeline.compact.values import Compaction, state_json, state_of
from lamina.pipeline.extract.answers import Read
from lamina.pipeline.extract.sift import without_recalled
from lamina.ports.store import Job
from lamina.text.redact import mask
from lamina.text.tokens import count_tokens
from lamina.types import Json, Message, Partition

INPUT = 16_000  # tokens that a model is given at once, where nobody says that it takes fewer
TRIES = 3  # times that a summary is begun anew because its conversation was compacted meanwhile


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A summary by rule for which a model is to write another."""

    version: int
    kept: Mapping[str, Json]
    state: Compaction
    messages: Sequence[Message]
    numbers: Sequence[int]


@dataclass(slots=True)
class _Turn:
    """One process at one job: how far it may go, and what it took."""

    core: Core
    job: Job
    owner: str
    stop: threading.Event | None
    tokens: int = 0
    ended: str = ""  # why no model is to be asked any more: "stopped", or "lost" to somebody else

    def ask(self, system: str, prompt: str, most: int) -> object:
        """The model's answer to one piece."""
        core = self.core
        if self.stop is not None and self.stop.is_set():
            self.ended = "stopped"
        elif not core.store.renew(self.job, self.owner, core.clock.now(), LEASE_SECONDS):
            self.ended = "lost"
        if self.ended:
            raise LaminaError(f"the work at this summary was {self.ended}")
        text, tokens = core.asking.tell(system, prompt, most)
        self.tokens += tokens
        return text


def summarise_all(core: Core) -> None:
    """Let the model write all summaries that wait for it, also those that were to wait longer."""
    owner = uuid.uuid4().hex
    for waiting in core.store.jobs() if core.asking.on else ():
        if waiting.kind != SUMMARISE:
            continue
        now = core.clock.now()
        job = core.store.lease([SUMMARISE], owner, now, LEASE_SECONDS, key=waiting.key)
        if job is not None:
            read = summarise(core, job, owner)
            if read.failed and not read.tokens:  # nobody answers: asking on would only take time
                return


def summarise(core: Core, job: Job, owner: str, *, stop: threading.Event | None = None) -> Read:
    """Write one summary by the model, or give the job back where it cannot be done now."""
    turn = _Turn(core, job, owner, stop)
    partition = Partition(job.payload["user"], job.payload["agent"])
    session_id = job.payload["session"]
    fault = "this conversation is compacted again and again"
    for _ in range(TRIES):
        wanted = _wanted(core, partition, session_id)
        fault = "" if wanted is None else _too_much(core, wanted)
        if wanted is None or fault:
            break
        try:
            text = _text(turn, wanted)
            _keep(core, partition, session_id, wanted, text)
        except NoSummaryError as error:
            fault = str(error)
            break
        except ConflictError as error:
            fault = str(error)
    if turn.ended:
        if turn.ended == "stopped":
            core.store.retry(job, owner, core.clock.now(), job.error)
        return Read(tokens=turn.tokens)
    if fault:
        read = core.asking.failed(Read(fault=fault, tokens=turn.tokens))
        put_off(core, job, owner, read)
        return read
    core.store.finish(job, owner)
    if _wanted(core, partition, session_id) is not None:  # compacted before the job was gone
        core.store.enqueue(SUMMARISE, job.key, job.payload)
    return Read(tokens=turn.tokens)


def _wanted(core: Core, partition: Partition, session_id: str) -> _Wanted | None:
    """What is to be written anew; None where the summary is a model's already, or there is none."""
    found = core.store.compaction(partition, session_id)
    if found is None:
        return None
    version, kept = found
    state = state_of(kept["state"])
    if state.made != "rule" or not state.summary:
        return None
    past = past_of(core, partition, session_id, kept["seq"])
    masking = core.indexing.masking
    covered = [(m, n) for n, m in enumerate(past, 1) if m.id not in state.kept]
    messages = [_for_model(message, masking=masking) for message, _ in covered]
    if not messages:
        return None
    return _Wanted(version, kept, state, messages, [number for _, number in covered])


def _too_much(core: Core, wanted: _Wanted) -> str:
    """Why a model is not even asked: what a day's budget cannot pay whole would be paid in vain."""
    stopped = core.asking.used_up
    need = sum(count_tokens(shown(m, 0)) for m in wanted.messages)
    if stopped or need <= max(INPUT, core.asking.left):
        return stopped
    return (
        f"a summary of {len(wanted.messages)} messages takes some {need:,} tokens, more than the "
        f"{core.asking.left:,} that llm_daily_tokens leaves for today: the rules' summary stands"
    )


def _text(turn: _Turn, wanted: _Wanted) -> str:
    asked, covered = turn.job.payload, len(wanted.messages)
    # It may come out twice as long as it is asked for, and must still fit.
    budget = min(asked.get("tokens") or summary_budget(covered), asked["most"] // 2)
    return by_model(
        wanted.messages,
        wanted.numbers,
        ask=turn.ask,
        budget=max(LEAST_SUMMARY, budget),
        input_tokens=min(asked["input"], INPUT),
        language=language_of(wanted.messages),
    )


def _keep(core: Core, partition: Partition, session_id: str, wanted: _Wanted, text: str) -> None:
    """Put the model's summary in the place of the rules'.

    Raises:
        ConflictError: the conversation was compacted meanwhile, or is gone; nothing was written.
    """
    state = replace(wanted.state, summary=text, made="model")
    kept = {**wanted.kept, "state": state_json(state)}
    version = wanted.version + 1
    with core.reading:  # forgetting holds it too: it finds this whole, or not at all
        core.store.put_compaction(partition, session_id, kept, version)
        id: str = kept["memory"]
        remember(core, partition, session_id, version=version, id=id, state=state)


def _for_model(message: Message, *, masking: bool) -> Message:
    """A message without secrets, and without what was recalled into it."""
    return replace(
        message,
        content=_changed(message.content, masking=masking),
        extra=_changed(message.extra, masking=masking),
    )


def _changed(value: Json, *, masking: bool) -> Json:
    if isinstance(value, str):
        return without_recalled(mask(value).text if masking else value)
    if isinstance(value, Mapping):
        return {key: _changed(part, masking=masking) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(part, masking=masking) for part in value]
    return value
