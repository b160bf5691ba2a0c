"""Erased texts: whether the files still hold their bytes, and making sure that they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from lamina.ports.store import Store, SupportsSweep
from lamina.types import Json, Level, MemoryRecord, Message, Partition

SWEEP = "sweep"  # the job of rewriting the files once nobody else holds them open
SWEEP_SECONDS = 600.0  # a large store takes its time
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0  # between tries of a job that failed
FEW = 16  # texts that are looked for in the files; for more, rewriting the files is quicker


def texts_of(store: Store, partition: Partition, item: Message | MemoryRecord) -> list[str]:
    """All texts that are erased with an item: its own, its versions', what was decided about it."""
    if isinstance(item, Message):
        texts = [item.text, *_texts_in(item.content), *_texts_in(item.extra)]
    else:
        texts = [item.content, *versions_of(store, partition, item.id)]
    for _, decision in store.decisions([partition], item=item.id):
        texts += [decision.text, *_texts_in(decision.detail)]
    return texts


def versions_of(store: Store, partition: Partition, id: str) -> list[str]:
    """The texts of all versions of a memory, and what it quotes."""
    texts: dict[str, None] = {}
    for event in store.history(partition, id):
        for version in filter(None, (event.before, event.after)):
            texts |= dict.fromkeys(str(version.get(level) or "") for level in Level)
            quotes = (source.get("quote", "") for source in version.get("sources", ()))
            texts |= dict.fromkeys(quotes)
    return list(texts)


def _texts_in(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(part)


def swept(store: Store, texts: Sequence[str]) -> bool:
    """Whether no file of the store keeps stale bytes of these texts; else it is tried later."""
    done = _swept(store, texts)
    if not done:
        store.enqueue(SWEEP, SWEEP, {})
    return done


def sweep_waiting(store: Store, owner: str, now: datetime) -> bool:
    """Rewrite the files where that waits. False where it must wait on."""
    if not isinstance(store, SupportsSweep) or not any(job.kind == SWEEP for job in store.jobs()):
        return True
    job = store.lease([SWEEP], owner, now, SWEEP_SECONDS)
    if job is None:  # somebody else is at it, or it is too early to try again
        return True
    if store.sweep():
        return store.finish(job, owner)
    pause = min(FIRST_PAUSE * 2**job.attempts, LONGEST_PAUSE)
    store.retry(job, owner, now + timedelta(seconds=pause), "the files are held open")
    return False


def _swept(store: Store, texts: Sequence[str]) -> bool:
    if not isinstance(store, SupportsSweep):
        return True
    wanted = {text for text in texts if text}
    if len(wanted) <= FEW:
        forms = wanted | {json.dumps(text, ensure_ascii=False)[1:-1] for text in wanted}
        if not store.stale([text.encode() for text in forms]):
            return True
    return store.sweep()
