"""Memories that say the same as a candidate in other words, as far as vectors can tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lamina.engine.core import Core
from lamina.errors import EmbedderError, MissingPackageError
from lamina.pipeline.dedupe import OWN
from lamina.pipeline.embed import checked
from lamina.pipeline.wording import statement, worded
from lamina.types import Candidate, MemoryRecord

# By the default embedder, "bought" and "purchased" are 0.9 alike, "violin" and "piano" 0.78: the
# texts as a whole must be alike, and so must be what they put in other words.
WHOLE, OTHER = 0.93, 0.82
BLIND = 0.9999  # of other words: who sees no difference at all between them cannot tell them apart


def in_other_words(
    core: Core, candidate: Candidate, near: Sequence[MemoryRecord]
) -> list[MemoryRecord]:
    """Those of the memories nearest to a candidate that say it already; none without vectors.

    Only the few that differ from it in one place are embedded.
    """
    mine, own = statement(candidate.content)[0], candidate.origin in OWN
    if any(statement(record.content)[0] == mine for record in near):
        return []  # its own words are known
    pairs = [
        (record, pair)
        for record in near
        if record.valid_to is None
        and record.category is candidate.category
        and (record.origin in OWN or not own)
        and not (record.topic and candidate.topic and record.topic != candidate.topic)
        and (pair := worded(candidate.content, record.content)) is not None
    ]
    embedder = core.embedder() if pairs else None
    if embedder is None:
        return []
    texts = [candidate.content]
    for record, pair in pairs:
        texts += [record.content, *pair]
    try:
        with core.caller():
            vectors = checked(embedder, texts, "passage")
    except (EmbedderError, MissingPackageError) as fault:
        core.embedder_failed(fault)
        return []
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    rows = vectors[1:].reshape(len(pairs), 3, -1)
    return [
        record
        for (record, _), (whole, a, b) in zip(pairs, rows, strict=True)
        if whole @ vectors[0] >= WHOLE and OTHER <= a @ b < BLIND
    ]
