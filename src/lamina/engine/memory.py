"""The handle that people hold: one scope of one open store."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self
from zoneinfo import ZoneInfo

from lamina.engine.admin import Admin
from lamina.engine.archive import Archive
from lamina.engine.block import block, shaped
from lamina.engine.core import Core
from lamina.engine.entries import Entries
from lamina.engine.forget import asked_for, forget
from lamina.engine.imports import imported
from lamina.engine.listing import listed
from lamina.engine.log import retrieved
from lamina.engine.owning import found, own, own_memory
from lamina.engine.reading import catch_up
from lamina.engine.review import Review
from lamina.engine.search import ask, of_this_turn, searched
from lamina.engine.session import Session
from lamina.engine.sessions import Sessions
from lamina.engine.transfer import is_export, taken_in
from lamina.engine.why import Terms, explained
from lamina.engine.worker import Worker
from lamina.engine.writing import correct, erase, keep, keep_messages, put
from lamina.engine.writing import infer as infer_text
from lamina.errors import ConflictError, EmptyTextError, InvalidInputError, ScopeError
from lamina.filters import matches
from lamina.pipeline import accept
from lamina.pipeline.inject import CONTEXT_HITS
from lamina.plain import shown
from lamina.replies import Added, Context, Deleted, Forgotten, Imported, Why
from lamina.types import (
    DEFAULT_USER,
    EVERYONE,
    Category,
    Filter,
    HistoryEvent,
    Json,
    Layer,
    Level,
    MemoryRecord,
    Message,
    Origin,
    Results,
    Scope,
)

EVERYTHING = Filter()


class Memory:
    """What one user, with one agent or all, remembers. Threads may share it.

    Made by `lamina.open`; `for_user` gives other handles on the same open store.
    """

    def __init__(self, core: Core, worker: Worker, scope: Scope, *, opener: bool) -> None:
        self._core = core
        self._worker = worker
        self._scope = scope
        self._opener = opener

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        user = "default user" if self._scope.user == DEFAULT_USER else repr(self._scope.user)
        agent = f", agent {self._scope.agent!r}" if self._scope.agent is not None else ""
        return f"<lamina.Memory {self._core.path!r} of {user}{agent}>"

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which the user's dates are meant."""
        return self._core.clock.zone

    # --- handles

    def for_user(self, user_id: str | None = None, agent_id: str | None = None) -> Memory:
        """A handle on another user's memory, and with `agent_id` on one agent's part of it."""
        self._core.check_open()
        user = self._scope.user if user_id is None else accept.checked_id(user_id, "user_id")
        agent = None if agent_id is None else accept.checked_id(agent_id, "agent_id")
        return Memory(self._core, self._worker, Scope(user, agent), opener=False)

    def for_everyone(self) -> Memory:
        """A handle on what every user of the store may read beside his own."""
        self._must_be_opener("for_everyone()")
        return Memory(self._core, self._worker, Scope(EVERYONE), opener=False)

    @property
    def model(self) -> str:
        """The name of the store's language model; "" where there is none."""
        return self._core.asking.name

    @property
    def admin(self) -> Admin:
        """What concerns the whole store."""
        self._must_be_opener("admin")
        return Admin(self._core)

    @property
    def archive(self) -> Archive:
        """Documents: files, folders, texts with a title."""
        return Archive(self._core, self._worker, self._scope)

    @property
    def sessions(self) -> Sessions:
        """All conversations: listed, renamed, forked, deleted."""
        return Sessions(self._core, self._worker, self._scope)

    @property
    def entries(self) -> Entries:
        """Memories, conversations and documents by their URIs."""
        return Entries(self._core, self._scope)

    @property
    def review(self) -> Review:
        """What waits for a person to accept or refuse it."""
        return Review(self._core, self._scope)

    def session(
        self, id: str | None = None, *, project: str | None = None, title: str | None = None
    ) -> Session:
        """A conversation by its id (a new one without); it exists from its first message on."""
        self._core.check_open()
        name = self._core.ids.new(self._core.clock.now()) if id is None else id
        accept.checked_id(name, "session id")
        return Session(self._core, self._worker, self._scope, name, project=project, title=title)

    def close(self) -> None:
        """Stop the work behind and release the store, for all handles on it."""
        if not self._core.closed:
            self._core.closed = True
            self._worker.close()
            self._core.close()

    # --- writing

    def add(
        self,
        what: str | MemoryRecord | Sequence[Mapping[str, Json]],
        *,
        layer: Layer | str = Layer.LONG_TERM,
        category: Category | str = Category.NOTE,
        importance: float = 0.5,
        metadata: Mapping[str, Json] | None = None,
        session_id: str | None = None,
        origin: Origin | str = Origin.USER,
        infer: bool | None = None,
    ) -> Added:
        """Remember a text, or append messages to a session. On disk when it returns.

        A text is kept as given, secrets masked; an exact twin is skipped, and said so. With
        `infer=True` a text of the long-term layer is first held against what is known: it may
        replace a memory or enrich one, and `decisions` says which. A `MemoryRecord` is kept as it
        is (one of an existing id replaces that memory).

        Messages are mappings with `role` and `content`, and where they have them `name`, `id`,
        `created_at` (aware datetime or ISO 8601 text), `metadata`, and fields of your API such as
        `tool_calls`. They are read for facts: in the background, at once with `infer=True` (also by
        the language model, if there is one), never with `infer=False`.

        Raises:
            InvalidInputError: something in it cannot be taken; nothing was written.
        """
        self._core.check_open()
        if isinstance(what, MemoryRecord):
            return self._kept(keep(self._core, self._scope.home, what))
        if not isinstance(what, str):
            return self._kept(
                keep_messages(self._core, self._scope.home, what, session_id, metadata, infer=infer)
            )
        text = accept.checked_text(what, self._core.settings.max_text_bytes)
        now = self._core.clock.now()
        record = MemoryRecord(
            id=self._core.ids.new(now),
            content=text,
            created_at=now,
            layer=accept.checked_layer(layer),
            category=accept.checked_category(category),
            importance=importance,
            origin=accept.checked_origin(origin),
            metadata=metadata or {},
            session_id=session_id,
        )
        inferred = infer and record.layer is Layer.LONG_TERM
        write = infer_text if inferred else keep
        return self._kept(write(self._core, self._scope.home, record))

    def _kept(self, done: Added) -> Added:
        self._worker.wake()
        return done

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Imported:
        """Read conversations from a file or folder; what was read before is passed over.

        Formats: `conversations`, `openai`, and `lamina` for what `admin.export` wrote, by default
        found out. A record that cannot be read is reported in `unread`, and the rest is kept. All
        is found by words when it returns; vectors follow in the background. `progress` is told the
        share of the work done, 0 to 1.

        Raises:
            InvalidInputError: nothing is there, or no format has this name.
        """
        self._core.check_open()
        file = Path(path).expanduser()
        if format in {None, "lamina"} and is_export(file):
            done = taken_in(self._core, file, None if self._opener else self._scope.user)
        else:
            done = imported(self._core, self._scope, file, format, progress)
        self._worker.wake()
        return done

    def update(
        self,
        id: str,
        text: str | None = None,
        *,
        category: Category | str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        metadata: Mapping[str, Json] | None = None,
        origin: Origin | str = Origin.USER,
    ) -> MemoryRecord:
        """Change a memory: what is not given stays. Its history keeps how it was.

        Raises:
            NotFoundError: no memory of this id in this scope.
        """
        while True:
            partition, before = own_memory(self._core, self._scope, id)
            kept = text is None or text == before.content
            changed = replace(
                before,
                content=before.content if text is None else text,
                abstract=before.abstract if kept else "",
                overview=before.overview if kept else "",
                category=before.category if category is None else accept.checked_category(category),
                importance=before.importance if importance is None else importance,
                pinned=before.pinned if pinned is None else pinned,
                metadata=before.metadata if metadata is None else metadata,
                origin=accept.checked_origin(origin),
            )
            record, _, _ = self._core.cleaned(changed)
            try:
                changed = put(self._core, partition, record, before)
            except ConflictError:  # somebody was faster: take what he wrote, and change that
                continue
            self._worker.wake()
            return changed

    def correct(self, id: str, text: str, *, origin: Origin | str = Origin.USER) -> MemoryRecord:
        """Replace a wrong memory; what it claimed is not drawn from the same words again.

        It is `update` with a text, but for that. The wrong text stays in its history.

        Raises:
            NotFoundError: no memory of this id in this scope.
        """
        text = accept.checked_text(text, self._core.settings.max_text_bytes)
        while True:
            partition, before = own_memory(self._core, self._scope, id)
            try:
                changed = correct(
                    self._core, partition, before, text, accept.checked_origin(origin)
                )
            except ConflictError:  # as in `update`
                continue
            self._worker.wake()
            return changed

    def delete(self, id: str) -> Deleted:
        """Erase a memory with its versions, or a message, from the index and the files.

        A memory's claim is remembered by a keyed hash without its text, so that it is not drawn
        from the same conversation again; an explicit `add` may bring it back. What says it stays:
        `still_in` names the messages. What it had replaced holds again.
        """
        partition, item = own(self._core, self._scope, id)
        done = erase(self._core, partition, item)
        self._worker.wake()
        return done

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        session_id: str | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase something with all that was made from it, and what says it.

        Give one of: the id of a memory or message; a query, for all messages and memories in which
        all its words stand; the id of a conversation; `everything`, for all of this user's memory
        (of a handle with an agent: that agent's own). What else says the same is made again without
        it. `dry_run` only tells what would go.

        Raises:
            NotFoundError: no such memory, message or conversation in this scope.
        """
        core, scope = self._core, self._scope
        core.check_open()
        plan = asked_for(core, scope, id, query, session_id, everything=everything)
        done = forget(core, plan, dry_run=dry_run)
        self._worker.wake()
        return done

    # --- reading

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filter: Filter = EVERYTHING,
        min_score: float = 0.0,
        abstain: bool = False,
        explain: bool = False,
        now: datetime | None = None,
        turns: Sequence[Json] = (),
    ) -> Results:
        """What was said or noted that answers a question, best first.

        Weak results, which may have nothing to do with it, are marked so; `abstain` leaves them
        out. `turns` are what was said just before (messages or texts): they complete a question
        such as "and the other one?".

        Raises:
            InvalidInputError: a query that is no text, a limit under 1, a senseless filter.
        """
        self._core.check_open()
        number = isinstance(min_score, int | float) and not isinstance(min_score, bool)
        if not number or math.isnan(min_score):
            raise InvalidInputError(f"min_score is {shown(min_score)}; give a number from 0 to 1")
        asked = ask(
            self._core, self._scope, query, limit=limit, filter=filter, now=now, turns=turns
        )
        results = searched(self._core, asked, explain=explain)
        working = of_this_turn(self._core, self._scope, query, filter, limit)
        if working:
            merged = sorted((*working, *results), key=lambda hit: -hit.score)
            results = replace(results, hits=tuple(merged[:limit]))
        kept = tuple(h for h in results if h.score >= min_score and not (abstain and h.weak))
        many = retrieved(self._core, self._scope.home, [hit.id for hit in kept])
        if results.degraded or many:
            self._worker.wake(written=False)
        return replace(results, hits=kept)

    def why(
        self,
        query: str,
        id: str,
        *,
        limit: int = 10,
        filter: Filter = EVERYTHING,
        min_score: float = 0.0,
        abstain: bool = False,
        now: datetime | None = None,
        turns: Sequence[Json] = (),
    ) -> Why:
        """Why `search` with these arguments returns an item, or at which step it falls.

        `change` holds arguments that would bring it in.

        Raises:
            NotFoundError: no such memory or message in this scope.
        """
        item = found(self._core, self._scope, id)[1]
        asked = ask(
            self._core, self._scope, query, limit=limit, filter=filter, now=now, turns=turns
        )
        if asked is None:
            raise EmptyTextError("the query is empty; ask something")
        return explained(self._core, asked, item, Terms(limit, min_score, abstain))

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 1000,
        level: Level | str | None = None,
        frame: str = "auto",
        filter: Filter = EVERYTHING,
        now: datetime | None = None,
    ) -> Context:
        """The block for a prompt: what is remembered for this query, within a budget of tokens.

        First what comes with every query, pinned and profile (at most a quarter of the budget),
        then what answers this one, best first. `level` shows abstract, overview or content of all;
        by default long memories give their abstract, the best three what answers. `frame` is the
        language of the lines around (en, zh), auto for the query's, none for no such lines.

        Raises:
            InvalidInputError: a query that is no text; an unknown level or frame.
        """
        self._core.check_open()
        shape = shaped(self._core, query, max_tokens=max_tokens, level=level, frame=frame)
        asked = ask(self._core, self._scope, query, limit=CONTEXT_HITS, filter=filter, now=now)
        made = block(self._core, self._scope, asked, shape)
        if made.degraded:
            self._worker.wake(written=False)
        return made

    def get(self, id: str) -> MemoryRecord | Message:
        """One memory or message of this scope, whole, by its id or its URI.

        Raises:
            NotFoundError: there is none, or it is another scope's.
        """
        return found(self._core, self._scope, id)[1]

    def history(self, id: str) -> Sequence[HistoryEvent]:
        """Every change of a memory, oldest first: who did what, when, before and after."""
        partition, item = found(self._core, self._scope, id)
        if isinstance(item, Message):
            return []
        return self._core.store.history(partition, item.id)

    def list(
        self, *, filter: Filter = EVERYTHING, limit: int = 100, after: str | None = None
    ) -> Sequence[MemoryRecord]:
        """Memories of this scope, newest first; `after` goes on behind the last id of a page.

        Passages of documents are listed where the filter names the archival layer.
        """
        self._core.check_open()
        limit = accept.checked_limit(limit)
        filter = accept.checked_filter(filter)
        if after is not None:
            accept.checked_key(after, "after")
        core, partitions = self._core, self._core.visible(self._scope)
        catch_up(core, partitions)
        now = core.clock.now()
        found = listed(core.store, partitions, filter, now=now, limit=limit, after=after)
        if filter.layers is None or Layer.WORKING not in filter.layers or after is not None:
            return found
        notes = [note for _, note in core.working.notes([self._scope.home, *partitions])]
        return [*(note for note in notes if matches(note, filter, now)), *found][:limit]

    # --- whose is it

    def _must_be_opener(self, what: str) -> None:
        self._core.check_open()
        if not self._opener:
            raise ScopeError(
                f"{what} belongs to the handle that lamina.open() gave; a user's handle has it not"
            )
