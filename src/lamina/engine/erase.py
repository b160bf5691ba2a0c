"""Erased texts: whether the files still hold their bytes, and making sure that they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from lamina.ports.store import Store, SupportsSweep
from lamina.types import Json, MemoryRecord, Message, Partition

LEVELS = ("content", "abstract", "overview")
FEW = 16  # texts that are looked for in the files; for more, rewriting the files is quicker


def texts_of(store: Store, partition: Partition, item: Message | MemoryRecord) -> list[str]:
    """All texts that are erased with an item: its own, its versions', what was decided about it."""
    if isinstance(item, Message):
        texts = [item.text]
    else:
        versions = [event.after or {} for event in store.history(partition, item.id)]
        texts = [item.content, item.abstract, item.overview]
        texts += [str(version.get(name, "")) for version in versions for name in LEVELS]
    for _, decision in store.decisions([partition], item=item.id):
        texts += [decision.text, *_texts_in(decision.detail)]
    return texts


def _texts_in(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(part)


def swept(store: Store, texts: Sequence[str]) -> bool:
    """Whether no file of the store keeps stale bytes of these texts."""
    if not isinstance(store, SupportsSweep):
        return True
    wanted = {text for text in texts if text}
    if len(wanted) <= FEW:
        forms = wanted | {json.dumps(text, ensure_ascii=False)[1:-1] for text in wanted}
        if not store.stale([text.encode() for text in forms]):
            return True
    return store.sweep()
