"""The reranker as a search uses it: it may be missing, slow or broken, and no search fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lamina.errors import RerankerError
from lamina.pipeline.found import Found
from lamina.pipeline.rerank import reranked

if TYPE_CHECKING:
    from lamina.pipeline.recall import Rerank
    from lamina.ports.reranker import Reranker

log = logging.getLogger("lamina")

REST_SECONDS = 30.0  # a reranker that failed is left alone so long before it is asked again


class Reranking:
    """The reranker of one open memory, if it has one. Threads share it."""

    def __init__(self, reranker: Reranker | None) -> None:
        self._reranker = reranker
        self._rest_until = 0.0
        self._fault = ""

    def step(self, question: str, missing: list[str], *, masking: bool) -> Rerank | None:
        """The step for one search, which adds to `missing` what it could not do; None where unset.

        When the reranker fails, the usual order stands.
        """
        reranker = self._reranker
        if reranker is None:
            return None

        def put_in_order(found: Sequence[Found]) -> list[Found]:
            if time.monotonic() >= self._rest_until:
                try:
                    return reranked(found, question, reranker, masking=masking)
                except RerankerError as fault:
                    self._failed(fault)
            missing.append(self._fault)
            return list(found)

        return put_in_order

    def _failed(self, fault: RerankerError) -> None:
        self._rest_until = time.monotonic() + REST_SECONDS
        sentence = f"the usual order stands: {fault}"
        if sentence != self._fault:
            log.warning("%s", sentence)
        self._fault = sentence

    def close(self) -> None:
        """Release the reranker."""
        if self._reranker is None:
            return
        try:
            self._reranker.close()
        except Exception as fault:  # noqa: BLE001 - others wrote it; the store must be closed
            log.warning("the reranker did not close: %s", fault)
