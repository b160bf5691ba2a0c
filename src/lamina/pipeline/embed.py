"""Vectors of passages that wait for them: each text alone, and with the end of the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from lamina.errors import EmbedderError, LaminaError
from lamina.pipeline.write import masked_text
from lamina.ports.embedder import Embedder, Purpose
from lamina.ports.store import Passage, Store
from lamina.text.chunks import prose
from lamina.types import Message, Partition, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAIL = 150  # characters of the previous turn in a window: more drowns the turn itself


def embed_pending(
    store: Store, embedder: Embedder, waiting: Sequence[tuple[Partition, int]], *, masking: bool
) -> int:
    """Embed these waiting passages and store their vectors. Returns how many were stored."""
    done = 0
    by_partition: dict[Partition, list[int]] = {}
    for partition, seq in waiting:
        by_partition.setdefault(partition, []).append(seq)
    for partition, seqs in by_partition.items():
        passages = list(store.passages(partition, seqs).values())
        tails = _tails(store, partition, passages, masking=masking)
        alone = [_prose(_text(passage, masking=masking)) for passage in passages]
        windows = [_windowed(tails.get(p.seq, ""), t) for p, t in zip(passages, alone, strict=True)]
        views = _embedded(embedder, alone, windows)
        rows = [
            (passage.seq, np.stack(pair).astype(np.float16).tobytes())
            for passage, pair in zip(passages, zip(*views, strict=True), strict=True)
        ]
        done += store.put_vectors(partition, embedder.space.name, rows)
    return done


def _embedded(
    embedder: Embedder, alone: Sequence[str], windows: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Both views; a text without a turn before it is embedded once."""
    different = [i for i, (a, w) in enumerate(zip(alone, windows, strict=True)) if a != w]
    vectors = checked(embedder, [*alone, *(windows[i] for i in different)], "passage")
    first = vectors[: len(alone)]
    second = first.copy()
    second[different] = vectors[len(alone) :]
    return first, second


@contextmanager
def _named_faults() -> Iterator[None]:
    """Whatever an embedder raises, which others wrote, as an error of ours."""
    try:
        yield
    except LaminaError:
        raise
    except Exception as fault:
        raise EmbedderError(
            f"the embedder failed with {type(fault).__name__}: {fault}; mend or replace it"
        ) from fault


def space_of(embedder: Embedder) -> Space:
    """The space that an embedder names.

    Raises:
        EmbedderError: it failed, or names none.
    """
    with _named_faults():
        space = embedder.space
    if not isinstance(space, Space) or space.dimensions < 1:
        raise EmbedderError(f"the embedder's space is {space!r:.80}; it must be a lamina.Space")
    return space


def checked(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
    """Vectors of the shape and kind that the space promises.

    Raises:
        EmbedderError: it failed, or they are of another shape, or hold NaN or infinity.
    """
    with _named_faults():
        vectors = np.asarray(embedder.embed(texts, purpose), np.float32)
        wanted = (len(texts), embedder.space.dimensions)
    if vectors.shape != wanted:
        raise EmbedderError(
            f"the embedder {embedder.space.name} gave vectors of shape {vectors.shape}, "
            f"expected {wanted}; they are of no use"
        )
    if not np.isfinite(vectors).all():
        raise EmbedderError(
            f"the embedder {embedder.space.name} gave NaN or infinity; they are of no use"
        )
    return vectors


def _text(passage: Passage, *, masking: bool) -> str:
    return masked_text(passage.item, masking=masking)[passage.start : passage.end]


def _prose(text: str) -> str:
    """What a person would read out of it: blocks of code and log are found by their words."""
    spans = prose(text)
    return "\n".join(text[a:b] for a, b in spans) if spans else text


def _tails(
    store: Store, partition: Partition, passages: Sequence[Passage], *, masking: bool
) -> dict[int, str]:
    """For passages of messages: the end of what was said just before, in the same session."""
    tails: dict[int, str] = {}
    first = [p for p in passages if isinstance(p.item, Message) and p.start == 0]
    around = store.neighbours(partition, [p.item.id for p in first], before=1, after=0)
    for passage in passages:
        if passage.start > 0:
            whole = masked_text(passage.item, masking=masking)
            tails[passage.seq] = whole[max(0, passage.start - TAIL) : passage.start]
    for passage in first:
        before = [m for m in around.get(passage.item.id, []) if m.id != passage.item.id]
        if before and before[-1].role != "tool":
            tails[passage.seq] = masked_text(before[-1], masking=masking)[-TAIL:]
    return tails


def _windowed(tail: str, text: str) -> str:
    return f"{tail}\n{text}" if tail.strip() else text
