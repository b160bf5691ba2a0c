"""The thread behind an open store: it works off what waits, and stands back for callers."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from contextlib import suppress
from datetime import timedelta

from lamina.engine.asking import SUMMARISE
from lamina.engine.core import Core
from lamina.engine.ending import end_idle
from lamina.engine.erase import FIRST_PAUSE, LONGEST_PAUSE, sweep_waiting
from lamina.engine.extracting import LEASE_SECONDS as THINKING_SECONDS
from lamina.engine.extracting import by_model, kinds_of, plan_jobs, work
from lamina.engine.log import MUCH, write_waiting
from lamina.engine.reading import read_waiting
from lamina.engine.summarising import summarise
from lamina.errors import ClosedError, EmbedderError, LaminaError, MissingPackageError
from lamina.forks import renew_in_child
from lamina.ports.store import Job

log = logging.getLogger("lamina")

LEASE_SECONDS = 60.0
STINT_SECONDS = 20.0  # well within the lease, so that a living owner never loses it
IDLE_SECONDS = 60.0  # how often it looks for what a dead process left
YIELD_SECONDS = 0.02
END_EVERY = 3600.0
READ_AFTER = 0.2  # what is said in one go is read in one go
READ_AT_ONCE = 8  # messages between two looks at who waits
CLOSE_SECONDS = 1.0

EMBED = "embed"


class Worker:
    """Reads, embeds and sweeps behind. Starts with the first work; never at import or twice.

    A model is asked last, since it thinks long: words and vectors do not wait for it.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._stop = threading.Event()
        self.forked()
        renew_in_child(self)

    def forked(self) -> None:
        """Nothing runs yet, under a name of its own: a fork leaves the thread behind."""
        self._wake, stopped = threading.Event(), self._stop.is_set()
        self._stop = threading.Event()
        if stopped:
            self._stop.set()
        self._lock = threading.Lock()
        self._next_end = 0.0
        self._written = False
        self._thread: threading.Thread | None = None
        self._owner = uuid.uuid4().hex
        self._job: Job | None = None  # that a model works at

    def wake(self, *, written: bool = True) -> None:
        """There may be work: start the thread if it does not run.

        Where nothing was written, as after a search, only much to log is worth a write.
        """
        self._written = self._written or written
        if not self._core.settings.background or self._stop.is_set():
            return
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._run, name="lamina-worker", daemon=True
                    )
                    self._thread.start()
        self._wake.set()

    def close(self) -> None:
        """Stop within about a second; what is left stays queued."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)
            self._log()
        job = self._job
        if job is not None:  # a model still thinks: its answer comes too late
            with suppress(LaminaError):  # it is then taken over when its lease ends
                self._core.store.retry(job, self._owner, self._core.clock.now(), job.error)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(IDLE_SECONDS)
            self._wake.clear()
            try:
                while not self._stop.is_set() and self._stint():
                    pass
            except ClosedError:
                return
            except LaminaError as fault:
                log.warning("background work pauses: %s", fault)
                self._stop.wait(FIRST_PAUSE)

    def _stint(self) -> bool:
        """Read all that waits, then one lease of embedding, or of a model. True for more."""
        self._read()
        more = self._embed()
        if not more:
            self._log()
            self._end_idle()
            sweep_waiting(self._core.store, self._owner, self._core.clock.now())
        return more or self._think()

    def _log(self) -> None:
        if self._written or len(self._core.noted) >= MUCH:
            write_waiting(self._core)

    def _end_idle(self) -> None:
        """Now and then: the notes of conversations that nobody goes on with."""
        if time.monotonic() >= self._next_end:
            self._next_end = time.monotonic() + END_EVERY
            end_idle(self._core, self._core.settings.session_days)

    def _read(self) -> None:
        """Read for facts what was said, once it has been said."""
        core = self._core
        if not core.store.unread(None, 1):
            return
        self._stop.wait(READ_AFTER)
        while not self._stop.is_set():
            if core.has_callers:
                self._stop.wait(YIELD_SECONDS)
            elif not read_waiting(core, None, READ_AT_ONCE):
                return

    def _think(self) -> bool:
        """Let a model read or summarise one conversation. True where another one waits."""
        core, least = self._core, self._core.settings.extract_every
        kinds = kinds_of(core)
        if by_model(core) and least > 0:
            plan_jobs(core, least)
        if not kinds or not any(job.kind in kinds for job in core.store.jobs()):
            return False
        job = core.store.lease(kinds, self._owner, core.clock.now(), THINKING_SECONDS)
        if job is None:
            return False
        self._job = job
        try:
            do = summarise if job.kind == SUMMARISE else work
            do(core, job, self._owner, stop=self._stop)
        finally:
            self._job = None
        return not self._stop.is_set()

    def _embed(self) -> bool:
        """One lease of embedding. True where more waits."""
        core = self._core
        if core.embedder() is None or not core.store.pending(None, 1):
            return False
        core.store.enqueue(EMBED, EMBED, {})
        job = core.store.lease([EMBED], self._owner, core.clock.now(), LEASE_SECONDS)
        if job is None:  # another process is at it
            return False
        end = time.monotonic() + STINT_SECONDS
        try:
            while not self._stop.is_set() and time.monotonic() < end:
                if core.has_callers:
                    self._stop.wait(YIELD_SECONDS)
                elif not core.embed_some(None):
                    core.store.finish(job, self._owner)
                    return False
        except (EmbedderError, MissingPackageError) as fault:
            core.embedder_failed(fault)
            pause = min(FIRST_PAUSE * 2**job.attempts, LONGEST_PAUSE)
            at = core.clock.now() + timedelta(seconds=pause)
            core.store.retry(job, self._owner, at, str(fault))
            return False
        core.store.finish(job, self._owner)
        return not self._stop.is_set()
