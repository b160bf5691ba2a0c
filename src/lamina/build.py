"""From settings to a working memory: the only place that reads settings and picks adapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tzlocal import get_localzone

from lamina.engine.core import Core
from lamina.engine.extracting import waits
from lamina.engine.memory import Memory
from lamina.engine.worker import Worker
from lamina.errors import NotAStoreError, SettingsError, StoreNotWritableError
from lamina.pipeline.accept import checked_id
from lamina.ports.clock import Clock
from lamina.ports.embedder import Embedder
from lamina.ports.llm import LLM
from lamina.ports.reranker import Reranker
from lamina.ports.store import Store
from lamina.registry import lookup
from lamina.settings import Settings, settings_from
from lamina.types import DEFAULT_USER, Json, Scope

DATABASE, SETTINGS_FILE = "lamina.db", "lamina.toml"


class SystemClock:
    """The machine's clock, in the user's zone."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone

    def now(self) -> datetime:
        """This instant."""
        return datetime.now(UTC)


def open_memory(
    path: str | os.PathLike[str],
    user_id: str | None = None,
    *,
    clock: Clock | None = None,
    embedder: Embedder | str | None = None,
    reranker: Reranker | None = None,
    llm: LLM | str | None = None,
    **settings: Json,
) -> Memory:
    """Open the memory in a folder, which is made if it is not there.

    `user_id` is whose memory the handle is (default: the store's default user). `embedder` is a
    name (`e5`, `openai`, `local`, `none`) or an object with the methods of
    `lamina.ports.embedder.Embedder`, `reranker` one with those of
    `lamina.ports.reranker.Reranker`, `llm` a name (`openai`, `anthropic`) or one with those of
    `lamina.ports.llm.LLM`. Any setting may be given by its name.

    Raises:
        NotAStoreError: the path is a file, or its database is something else's.
        StoreNotWritableError: the folder cannot be made or written.
        StoreTooNewError: a newer Lamina wrote it.
        SettingsError: a setting is unknown or impossible.
    """
    folder = Path(path).expanduser()
    if isinstance(embedder, str):
        settings["embedder"] = embedder
    if isinstance(llm, str):
        settings["llm"] = llm
    chosen = settings_from(settings, os.environ, _filed(folder / SETTINGS_FILE))
    user = DEFAULT_USER if user_id is None else checked_id(user_id, "user_id")
    made = _embedder(chosen) if embedder is None or isinstance(embedder, str) else embedder
    zone = _zone(chosen.zone) if clock is None else clock.zone
    ranker = _reranker(chosen) if reranker is None else reranker
    store = _store(folder, chosen)
    core = Core(
        store,
        made,
        clock or SystemClock(zone),
        chosen,
        str(folder),
        reranker=ranker,
        llm=_llm(chosen) if llm is None or isinstance(llm, str) else llm,
    )
    worker = Worker(core)
    memory = Memory(core, worker, Scope(user), opener=True)
    if store.pending(None, 1) or store.unread(None, 1) or store.jobs() or waits(core):
        worker.wake(written=False)
    return memory


def restore_store(
    backup: str | os.PathLike[str], folder: str | os.PathLike[str], *, replace: bool = False
) -> Mapping[str, int]:
    """Put a backup into a folder as its store; how many messages and memories it holds.

    With `replace` a store that is there, and open nowhere, is moved aside within its folder.

    Raises:
        StoreError: there is a store already, or the backup is none, or is damaged.
    """
    database = Path(folder).expanduser() / DATABASE
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S%f")
    aside = database.with_name(f"{DATABASE}.before-{at}Z") if replace else None
    restore: Callable[..., Mapping[str, int]] = lookup("backups", "sqlite")
    return restore(Path(backup).expanduser(), database, aside)


def _filed(file: Path) -> str:
    """The text of the settings' file; "" where there is none."""
    if not os.path.isfile(file):  # noqa: PTH113 - pathlib raises where a path is too long
        return ""
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as fault:
        raise SettingsError(f"{file} cannot be read ({fault}); mend or remove it") from None


def _store(folder: Path, settings: Settings) -> Store:
    if settings.store == "memory":
        made: Store = lookup("stores", "memory")()
        return made
    try:
        if folder.exists() and not folder.is_dir():
            raise NotAStoreError(f"{folder} is a file; a store is a folder. Give another path")
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as fault:  # a path with a NUL is a ValueError
        raise StoreNotWritableError(
            f"the folder {folder} cannot be made ({fault}); choose another place"
        ) from None
    opened: Store = lookup("stores", settings.store)(
        folder / DATABASE, busy_seconds=settings.busy_seconds
    )
    return opened


def _embedder(settings: Settings) -> Embedder | None:
    if settings.embedder == "none":
        return None
    make = lookup("embedders", settings.embedder)
    options: Mapping[str, Mapping[str, Json]] = {
        "e5": {"threads": settings.threads},
        "openai": {
            "base_url": settings.embedder_url,
            "model": settings.embedder_model,
            "api_key": settings.embedder_key,
            "dimensions": settings.embedder_dimensions or None,
        },
        "local": {"folder": settings.embedder_model, "threads": settings.threads},
    }
    made: Embedder = make(**options.get(settings.embedder, {}))
    return made


def _reranker(settings: Settings) -> Reranker | None:
    if not settings.rerank_url:
        return None
    made: Reranker = lookup("rerankers", "endpoint")(
        settings.rerank_url, settings.rerank_model, api_key=settings.rerank_key
    )
    return made


def _llm(settings: Settings) -> LLM | None:
    if not settings.llm:
        return None
    make = lookup("llms", settings.llm)
    options = {
        "base_url": settings.llm_url,
        "model": settings.llm_model,
        "api_key": settings.llm_key,
    }
    made: LLM = make(**options)
    return made


def _zone(name: str) -> ZoneInfo:
    if name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            raise SettingsError(
                f"zone is {name!r}, which is no IANA name; say one such as Asia/Shanghai"
            ) from None
    with suppress(ZoneInfoNotFoundError, ValueError):  # a zone that this machine has no data for
        found = get_localzone()
        return ZoneInfo(found.key)
    return ZoneInfo("UTC")
