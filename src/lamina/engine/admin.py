"""What concerns the whole store: reached from the opener's handle alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from lamina.engine.audit import audit
from lamina.engine.core import Core
from lamina.engine.erase import sweep_waiting
from lamina.engine.extracting import by_model, faults, hear_all
from lamina.engine.forget import BACKUPS
from lamina.engine.log import EVENTS, export_log, logged
from lamina.engine.reading import AT_ONCE, read_waiting
from lamina.engine.summarising import summarise_all
from lamina.engine.transfer import exported
from lamina.errors import EmbedderError, NotFoundError, StoreError
from lamina.pipeline import accept
from lamina.plain import EARLIEST, LATEST, to_time
from lamina.ports.store import SupportsBackup
from lamina.replies import Audit, Backup, Exported, LogEntry, Status
from lamina.types import EVERYONE


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
            tokens=core.asking.spent,
            unheard=len(core.store.to_hear(1)) if by_model(core) else 0,
        )

    def log(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
        content: bool = False,
    ) -> Sequence[LogEntry]:
        """The last entries of the log, oldest first: what was decided and done, for all users.

        Texts of memories come only with `content`. `since` is inclusive, `until` exclusive.
        """
        core = self._core
        core.check_open()
        first = EARLIEST if since is None else to_time(since, "since")
        last = LATEST if until is None else to_time(until, "until")
        limit = accept.checked_limit(limit)
        return logged(core, first, last, limit=limit, content=content)

    def export_log(
        self, folder: str | os.PathLike[str] | None = None, *, content: bool = False
    ) -> Sequence[Path]:
        """Write the log as JSON lines of `ts`, `event` and `payload`, one file a local day.

        They go to the folder `events` of the store, from which what is deleted is taken out, or to
        another one, from which it is not. Writing them again replaces them. Returns the files.

        Raises:
            StoreError: a file cannot be written.
        """
        self._core.check_open()
        where = Path(self._core.path, EVENTS) if folder is None else Path(folder).expanduser()
        return export_log(self._core, where, content=content)

    def export(
        self, path: str | os.PathLike[str], *, user_id: str | None = None, mask: bool = False
    ) -> Exported:
        """Write the store, or one user of it, to a file of JSON Lines; `import_` reads it back.

        It is exact, and tells how many secrets it holds; with `mask` they are masked in it. What is
        derived is left out, and so are the tombstones of deleted claims.

        Raises:
            NotFoundError: there is no such user.
            StoreError: the file cannot be written; one that was there is as it was.
        """
        core = self._core
        core.check_open()
        if user_id is not None and user_id not in self.users():
            raise NotFoundError(f"there is no user {user_id!r:.80} in this store")
        users = None if user_id is None else [user_id]
        return exported(core, Path(path).expanduser(), users, masking=mask)

    def backup(self, path: str | os.PathLike[str] | None = None) -> Backup:
        """Copy the store as it is now, while it is used: by default into its folder `backups`.

        The copy is opened, read and counted before this returns. `lamina restore` puts it back.

        Raises:
            StoreError: it cannot be written; or the store has no copies, as one in memory.
        """
        core = self._core
        core.check_open()
        if not isinstance(core.store, SupportsBackup):
            raise StoreError("this store makes no copies of itself; use export()")
        name = f"{core.clock.now():%Y-%m-%dT%H%M%S%f}Z.db"
        where = Path(core.path, BACKUPS, name) if path is None else Path(path).expanduser()
        counts = core.store.backup(where)
        size = where.stat().st_size
        return Backup(str(where), counts["message"], counts["memory"], size)

    def audit(self) -> Audit:
        """How sound the memories are, of all users: what is double, contradicts, lost its source.

        It looks at every memory; a store of 10,000 takes some seconds.
        """
        self._core.check_open()
        return audit(self._core)

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
            summarise_all(core)
        sweep_waiting(core.store, "flush", core.clock.now())
        core.embedder()  # first: a changed embedder makes all texts wait anew
        while core.store.pending(None, 1) and (most is None or done < most):
            if core.embedder() is None:
                raise EmbedderError(f"texts wait for their vectors, but {core.degraded}")
            with core.caller():
                done += core.embed_some(None)
            if progress is not None:
                progress(core.store.counts(core.store.partitions()).pending)
        return done
