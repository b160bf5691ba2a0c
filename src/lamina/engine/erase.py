"""Erased texts: whether the files still hold their bytes, and making sure that they do not."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.ports.store import Store, SupportsSweep

FEW = 16  # texts that are looked for in the files; for more, rewriting the files is quicker


def swept(store: Store, texts: Sequence[str]) -> bool:
    """Whether no file of the store keeps stale bytes of these texts."""
    if not isinstance(store, SupportsSweep):
        return True
    needles = [text.encode() for text in dict.fromkeys(texts) if text]
    if len(needles) <= FEW and not store.stale(needles):
        return True
    return store.sweep()
