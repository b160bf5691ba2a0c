"""All conversations of a scope: listed, renamed, forked, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lamina.engine.core import Core
from lamina.engine.forget import forget
from lamina.engine.lineage import of_conversation
from lamina.engine.session import Session
from lamina.engine.worker import Worker
from lamina.errors import ConflictError, NotFoundError
from lamina.pipeline import accept
from lamina.pipeline.write import prepare_messages
from lamina.replies import Forgotten
from lamina.text.clean import scrub
from lamina.types import SHARED, Message, Partition, Scope, SessionInfo

FORKED = "forked_from"  # metadata of a copied message: the id of the one it copies


class Sessions:
    """`memory.sessions`."""

    def __init__(self, core: Core, worker: Worker, scope: Scope) -> None:
        self._core = core
        self._worker = worker
        self._scope = scope

    def get(self, id: str) -> Session:
        """A conversation that is there (`memory.session` makes one where there is none).

        Raises:
            NotFoundError: there is no such conversation in this scope.
        """
        partition, _ = self._found(id)
        agent = None if partition.agent == SHARED else partition.agent
        return Session(self._core, self._worker, Scope(partition.user, agent), id)

    def list(self) -> Sequence[SessionInfo]:
        """Conversations of this user (of a handle with an agent: its own and the shared ones).

        The most recently used come first.
        """
        self._core.check_open()
        return [info for _, info in self._core.store.sessions(self._mine())]

    def rename(self, id: str, title: str) -> SessionInfo:
        """Give a conversation another title; its id stays.

        Raises:
            NotFoundError: there is no such conversation in this scope.
        """
        partition, info = self._found(id)
        info = replace(info, title=scrub(accept.checked_key(title, "title"))[0])
        self._core.store.put_session(partition, info)
        return info

    def fork(self, id: str, new_id: str | None = None, *, until: str | None = None) -> SessionInfo:
        """Begin a conversation with the turns of another one, all or `until` a message's id.

        The copies have ids of their own and name what they copy in their metadata under
        `forked_from`; they are not read for facts again.

        Raises:
            NotFoundError: there is no such conversation, or no such message in it.
            ConflictError: there is a conversation of the new id already.
        """
        core = self._core
        partition, info = self._found(id)
        name = core.ids.new(core.clock.now()) if new_id is None else new_id
        accept.checked_id(name, "session id")
        if core.store.session(partition, name) is not None:
            raise ConflictError(f"there is a session {name!r:.80} already; give another id")
        turns = core.store.messages(partition, id)
        if until is not None:
            ids = [turn.id for turn in turns]
            if until not in ids:
                raise NotFoundError(f"there is no message {until!r:.80} in the session {id!r:.80}")
            turns = turns[: ids.index(until) + 1]
        made = [self._copy(turn, name) for turn in turns]
        prepared = prepare_messages(made, core.indexing)
        core.store.put_session(partition, replace(info, id=name))
        core.store.append(partition, [(m, p.passages) for m, p in zip(made, prepared, strict=True)])
        found = core.store.session(partition, name)
        assert found is not None
        return found

    def _copy(self, turn: Message, session_id: str) -> Message:
        return replace(
            turn,
            id=self._core.ids.new(turn.created_at),
            session_id=session_id,
            metadata={**turn.metadata, FORKED: turn.id},
        )

    def delete(self, id: str) -> Forgotten:
        """Erase a conversation with its notes; long-term memories drawn from it stay, unquoted.

        `memory.forget(session_id=...)` erases these too.

        Raises:
            NotFoundError: there is no such conversation in this scope.
        """
        partition, _ = self._found(id)
        return forget(
            self._core, lambda: [of_conversation(self._core, partition, id)], dry_run=False
        )

    def _mine(self) -> Sequence[Partition]:
        scope, mine = self._scope, self._core.store.partitions(self._scope.user)
        return [p for p in mine if scope.agent in (None, p.agent) or p.agent == SHARED]

    def _found(self, id: str) -> tuple[Partition, SessionInfo]:
        self._core.check_open()
        accept.checked_id(id, "session id")
        home = self._scope.home
        for partition in sorted(self._mine(), key=lambda one: one != home):
            if info := self._core.store.session(partition, id):
                return partition, info
        raise NotFoundError(f"there is no session {id!r:.80} in this scope")
