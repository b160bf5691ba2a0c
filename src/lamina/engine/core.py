"""One open store with all that serves it: shared by every handle on it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lamina.engine.asking import Asking
from lamina.engine.reranking import Reranking
from lamina.engine.working import Working
from lamina.errors import (
    ClosedError,
    EmbedderError,
    LaminaError,
    MissingPackageError,
    SettingsError,
    StoreError,
)
from lamina.forks import renew_in_child
from lamina.ids import IdMaker
from lamina.index.cache import IndexCache
from lamina.index.partition import PartitionIndex
from lamina.index.terms import Hasher
from lamina.pipeline.clean import cleaned_record
from lamina.pipeline.embed import checked, embed_pending, space_of
from lamina.pipeline.write import Indexing, masked_text
from lamina.ports.clock import Clock
from lamina.ports.embedder import Embedder
from lamina.ports.llm import LLM
from lamina.ports.reranker import Reranker
from lamina.ports.store import Store
from lamina.settings import Settings
from lamina.text.tokens import count_tokens
from lamina.types import (
    EVERYONE,
    SHARED,
    Category,
    Event,
    MemoryRecord,
    Partition,
    Scope,
    Space,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("lamina")

BATCH_TOKENS = 512  # what a search embeds before it asks: about 200 ms of the default embedder
BATCH_PASSAGES = 32
MANY = 1000  # waiting passages that are counted exactly
NOTED = 10_000  # events that wait to be written
REST_SECONDS = 30.0  # an embedder that failed is left alone so long before it is asked again


class Core:
    """The store, the index, the models and the clock of one open memory."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        clock: Clock,
        settings: Settings,
        path: str,
        *,
        reranker: Reranker | None = None,
        llm: LLM | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.settings = settings
        self.path = path
        self.ids = IdMaker()
        self.indexing = Indexing(Hasher(store.key), masking=settings.redact != "off")
        self.index = IndexCache(store, settings.index_megabytes << 20)
        self.reranking = Reranking(reranker)
        self.asking = Asking(llm, store, clock, settings.llm_daily_tokens)
        self.skipped = _skipped(settings.extract_skip)
        self.working = Working()
        self.closed = False
        self.noted: deque[tuple[Partition, Event]] = deque(maxlen=NOTED)  # for the log
        self._embedder = embedder
        self._fault = "" if embedder is not None else "no embedder is set: words alone answer"
        self._rest_until = 0.0
        self._space: Space | None = None  # known from the embedder's first use on
        self.forked()
        renew_in_child(self)

    def forked(self) -> None:
        """The locks anew, and no callers: those of the parent are not here."""
        self._lock = threading.Lock()
        self.reading = threading.Lock()  # held by who reads messages for facts
        self._callers = 0

    # --- the embedder, which may be missing, slow or broken

    def embedder(self) -> Embedder | None:
        """The embedder, if it can be had now. The first call makes its space the store's."""
        if self._embedder is None or time.monotonic() < self._rest_until:
            return None
        if self._space is None:
            try:
                with self._lock:
                    space = space_of(self._embedder)
                    self.store.use_space(space.name)
                    self._space = space
            except (EmbedderError, MissingPackageError, StoreError) as fault:
                self.embedder_failed(fault)  # or the store, which cannot note the space now
                return None
        return self._embedder

    def embedder_failed(self, fault: LaminaError) -> None:
        """Leave it alone for a while (for good where a package is missing), and say so once."""
        if isinstance(fault, MissingPackageError):
            self._embedder = None
        self._rest_until = time.monotonic() + REST_SECONDS
        sentence = f"words alone answer: {fault}"
        if sentence != self._fault:
            log.warning("%s", sentence)
        self._fault = sentence

    @property
    def degraded(self) -> str:
        """Why vectors are missing; "" where they are not."""
        if self._embedder is None or time.monotonic() < self._rest_until:
            return self._fault
        return ""

    @property
    def space(self) -> str:
        """The name of the space in use; "" for words only."""
        self.embedder()
        return self._space.name if self._space is not None else ""

    def query_vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """The vectors of a question's parts, or None where words alone must answer."""
        embedder = self.embedder()
        if embedder is None:
            return None
        try:
            with self.caller():
                return checked(embedder, texts, "query")
        except (EmbedderError, MissingPackageError) as fault:
            self.embedder_failed(fault)
            return None

    @contextmanager
    def caller(self) -> Iterator[None]:
        """While this holds, the work behind stands back."""
        with self._lock:
            self._callers += 1
        try:
            yield
        finally:
            with self._lock:
                self._callers -= 1

    @property
    def has_callers(self) -> bool:
        """Whether somebody waits for the embedder in the foreground."""
        return self._callers > 0

    # --- vectors that wait

    def embed_some(self, partitions: Sequence[Partition] | None, tokens: int | None = None) -> int:
        """Embed what waits, newest first, up to about so many tokens. Returns how many passages.

        Raises:
            LaminaError: the embedder or the store failed; what was stored before stays.
        """
        embedder = self.embedder()
        if embedder is None:
            return 0
        waiting = self.store.pending(partitions, BATCH_PASSAGES)
        if tokens is not None:
            waiting = self._within(waiting, tokens)
        if not waiting:
            return 0
        embed_pending(self.store, embedder, waiting, masking=self.indexing.masking)
        if self.store.pending(partitions, len(waiting)) == waiting:
            raise EmbedderError(
                f"the store waits for vectors of another embedder than {self.space}, which was "
                "opened on it later; close that one and open this one again"
            )
        return len(waiting)

    def _within(
        self, waiting: Sequence[tuple[Partition, int]], tokens: int
    ) -> list[tuple[Partition, int]]:
        """The first of them that make up about so many tokens; at least one."""
        chosen: list[tuple[Partition, int]] = []
        for partition, seq in waiting:
            passage = self.store.passages(partition, [seq]).get(seq)
            chosen.append((partition, seq))
            if passage is not None:
                text = masked_text(passage.item, masking=self.indexing.masking)
                tokens -= count_tokens(text[passage.start : passage.end])
            if tokens <= 0:
                break
        return chosen

    def catch_up(self, partitions: Sequence[Partition]) -> str:
        """Embed a scope's few waiting passages before a search; says what is still missing."""
        if self.embedder() is None:
            return self.degraded
        try:
            with self.caller():
                if not self.embed_some(partitions, BATCH_TOKENS):
                    return ""
        except (EmbedderError, MissingPackageError) as fault:
            self.embedder_failed(fault)
            return self.degraded
        except LaminaError as fault:  # the store is locked or read-only: the search goes on
            return f"new texts are found by words only for now: {fault}"
        left = len(self.store.pending(partitions, MANY))
        count = f"{left}" if left < MANY else f"at least {MANY}"
        return f"{count} passages wait for their vectors; words find them" if left else ""

    def cleaned(self, record: MemoryRecord) -> tuple[MemoryRecord, Mapping[str, int], int]:
        """A record that can be stored, the secrets masked in it, the characters removed."""
        return cleaned_record(record, self.settings.max_text_bytes, masking=self.indexing.masking)

    # --- reading

    def visible(self, scope: Scope) -> list[Partition]:
        """The partitions that a scope may read: the user's, and what is for everyone."""
        mine = self.store.partitions(scope.user)
        common = self.store.partitions(EVERYONE) if scope.user != EVERYONE else []
        return [p for p in [*mine, *common] if scope.agent in (None, p.agent) or p.agent == SHARED]

    def indexes(self, partitions: Sequence[Partition]) -> list[PartitionIndex]:
        """Fresh indexes of these partitions."""
        space = self._space
        name, dimensions = (space.name, space.dimensions) if space is not None else ("", 0)
        return [self.index.get(partition, name, dimensions) for partition in partitions]

    def close(self) -> None:
        """Release the embedder, the models, the indexes and the store."""
        self.closed = True
        self.index.forget()
        self.reranking.close()
        self.asking.close()
        try:
            if self._embedder is not None:
                self._embedder.close()
        except Exception as fault:  # noqa: BLE001 - others wrote it; the store must be closed
            log.warning("the embedder did not close: %s", fault)
        self.store.close()

    def check_open(self) -> None:
        """Raise ClosedError after close()."""
        if self.closed:
            raise ClosedError(f"the store {self.path} is closed; open it again with lamina.open()")


def _skipped(named: str) -> frozenset[Category]:
    """The categories that nothing is drawn of.

    Raises:
        SettingsError: one of them is none.
    """
    names = named.replace(",", " ").split()
    unknown = [name for name in names if name not in set(Category)]
    if unknown:
        known = ", ".join(Category)
        raise SettingsError(f"extract_skip names {unknown[0]!r:.60}; categories are {known}")
    return frozenset(map(Category, names))
