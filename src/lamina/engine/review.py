"""What waits for a person: accepted it becomes a memory, refused it is not proposed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lamina.engine.core import Core
from lamina.engine.reading import catch_up, marks_of, take
from lamina.errors import InvalidInputError, NotFoundError, ScopeError
from lamina.pipeline import accept
from lamina.plain import from_plain, shown
from lamina.replies import Proposal
from lamina.types import Action, Candidate, Decision, Origin, Partition, Scope

ACCEPTED, REFUSED = "accepted", "refused"


class Review:
    """`memory.review`."""

    def __init__(self, core: Core, scope: Scope) -> None:
        self._core = core
        self._scope = scope

    def list(self, *, limit: int = 100) -> Sequence[Proposal]:
        """What waits to be accepted or refused, oldest first."""
        core = self._core
        core.check_open()
        limit = accept.checked_limit(limit)
        partitions = core.visible(self._scope)
        catch_up(core, partitions)
        waiting = core.store.decisions(partitions, waiting=True, limit=limit)
        return [_proposal(decision) for _, decision in waiting]

    def accept(self, id: str) -> Decision:
        """Make it a memory, as something that a person said; `memory` of the reply names it.

        Raises:
            NotFoundError: nothing of this id waits in this scope.
        """
        core = self._core
        with core.reading:
            partition, decision = self._waiting(id)
            candidate = replace(
                from_plain(Candidate, decision.detail), doubt="", origin=Origin.PERSON
            )
            (done,) = take(core, partition, [candidate], deliberate=True, reviewed=decision)
        return done

    def refuse(self, id: str) -> Decision:
        """Let it go: it is not proposed again.

        Raises:
            NotFoundError: nothing of this id waits in this scope.
        """
        core = self._core
        with core.reading:
            partition, decision = self._waiting(id)
            marks = marks_of(from_plain(Candidate, decision.detail), core.store.key)
            done = replace(
                decision,
                at=core.clock.now(),
                action=Action.SKIP,
                reason=REFUSED,
                detail={},
                waiting=False,
            )
            core.store.exchange(partition, (), (), decisions=[done], claims=marks)
        return done

    def _waiting(self, id: str) -> tuple[Partition, Decision]:
        core = self._core
        core.check_open()
        if not isinstance(id, str) or not id.isascii() or not id.isdigit():
            raise InvalidInputError(
                f"the id is {shown(id)}; give one that list() shows, such as 12"
            )
        number = min(int(id), 1 << 62)
        found = core.store.decisions(core.visible(self._scope), after=number - 1, limit=1)
        if not found or found[0][1].id != number or not found[0][1].waiting:
            raise NotFoundError(f"nothing with the id {id!r:.80} waits in this scope")
        partition, decision = found[0]
        if partition.user != self._scope.user:
            raise ScopeError(
                f"{id!r} is for everyone; only the handle of for_everyone() decides it"
            )
        return partition, decision


def _proposal(decision: Decision) -> Proposal:
    candidate = from_plain(Candidate, decision.detail)
    return Proposal(
        id=str(decision.id),
        text=decision.text,
        reason=decision.reason,
        at=candidate.said_at,
        category=candidate.category,
        source=candidate.sources,
        target=decision.target,
    )
