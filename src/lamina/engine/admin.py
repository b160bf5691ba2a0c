"""What concerns the whole store: reached from the opener's handle alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lamina.engine.core import Core
from lamina.engine.extracting import faults, hear_all
from lamina.engine.reading import AT_ONCE, read_waiting
from lamina.errors import EmbedderError
from lamina.types import EVERYONE, Status


class Admin:
    """`memory.admin`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def users(self) -> Sequence[str]:
        """Every user of the store, in order; the default user by its reserved id."""
        self._core.check_open()
        found = {p.user for p in self._core.store.partitions()}
        return sorted(found - {EVERYONE})

    def status(self) -> Status:
        """Counts of the whole store."""
        core = self._core
        core.check_open()
        partitions = core.store.partitions()
        counts = core.store.counts(partitions)
        return Status(
            path=core.path,
            users=len(self.users()),
            sessions=counts.sessions,
            messages=counts.messages,
            memories=counts.memories,
            passages=counts.passages,
            vectors=counts.vectors,
            pending=counts.pending,
            space=core.space,
            bytes=core.store.size(),
            degraded=(*([core.degraded] if core.degraded else []), *faults(core)),
        )

    def flush(
        self, progress: Callable[[int], None] | None = None, *, most: int | None = None
    ) -> int:
        """Read what waits for facts, and embed the texts that wait, newest first.

        Returns how many were embedded here. `progress` is told after each batch how many passages
        still wait. `most` stops after about so many of them, and asks no language model. What the
        model could not read still waits, and `status().degraded` says why.

        Raises:
            EmbedderError: there is no embedder, or it failed; the rest still waits.
        """
        core, done = self._core, 0
        core.check_open()
        while read_waiting(core, None, AT_ONCE):
            pass
        if most is None:
            hear_all(core)
        core.embedder()  # first: a changed embedder makes all texts wait anew
        while core.store.pending(None, 1) and (most is None or done < most):
            if core.embedder() is None:
                raise EmbedderError(f"texts wait for their vectors, but {core.degraded}")
            with core.caller():
                done += core.embed_some(None)
            if progress is not None:
                progress(core.store.counts(core.store.partitions()).pending)
        return done
