"""What an index knows of its passages besides words and vectors: one array a property.

Like `WordIndex`, a `Columns` never changes for a reader: what is shared is only written behind the
end that older ones know of (links between neighbours apart, which may show a newer neighbour early;
readers ignore numbers at or behind their own `count`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina.index.words import appended
from lamina.types import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lamina.ports.store import Rows

NONE = -1  # no name, no session, no neighbour


class Codes(dict[str, int]):
    """text -> small number, given at first sight. Written by one thread at a time."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number

    def of(self, texts: Sequence[str | None]) -> NDArray[np.int32]:
        """The numbers of these texts; NONE for None."""
        known = {t: NONE if t is None else self[t] for t in dict.fromkeys(texts)}
        return np.fromiter(map(known.__getitem__, texts), np.int32, len(texts))

    def known(self, text: str | None) -> int:
        """The number of a text, NONE if it was never seen."""
        return self.get(text, NONE) if text is not None else NONE


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The codes that all groups of one partition share."""

    kinds: Codes = field(default_factory=Codes)
    layers: Codes = field(default_factory=Codes)
    roles: Codes = field(default_factory=Codes)
    names: Codes = field(default_factory=Codes)
    sessions: Codes = field(default_factory=Codes)
    scripts: Codes = field(default_factory=Codes)
    categories: Codes = field(default_factory=Codes)


@dataclass(frozen=True, slots=True)
class Columns:
    """Properties of `count` passages, by number; arrays may be longer than `count`."""

    count: int = 0
    seq: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    item: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    kind: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    layer: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    role: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    name: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    session: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    at: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0, np.float64))
    importance: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    script: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    category: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    before: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    after: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    def added(
        self, rows: Rows, chosen: Sequence[int], codes: Vocabulary, last: dict[int, int]
    ) -> Columns:
        """With the chosen rows behind; `last` maps a session to its newest passage, and learns."""

        def take(column: Sequence[float], kind: type) -> NDArray[Any]:
            return np.fromiter(map(column.__getitem__, chosen), kind, len(chosen))

        def code(codes: Codes, column: Sequence[str | None]) -> NDArray[np.int32]:
            return codes.of(list(map(column.__getitem__, chosen)))

        new: dict[str, NDArray[Any]] = {
            "seq": take(rows.seq, np.int64),
            "item": take(rows.item, np.int64),
            "at": take(rows.at, np.float64),
            "importance": take(rows.importance, np.float32),
            "kind": code(codes.kinds, rows.kind),
            "layer": code(codes.layers, rows.layer),
            "role": code(codes.roles, rows.role),
            "name": code(codes.names, rows.name),
            "session": code(codes.sessions, rows.session),
            "script": code(codes.scripts, rows.script),
            "category": code(codes.categories, rows.category),
        }
        n = self.count
        is_turn = new["kind"] == codes.kinds.known(Kind.MESSAGE)  # a memory was not said in between
        turns = np.where(is_turn, new["session"], NONE)
        new["before"], new["after"] = self._links(turns, last)
        grown = {name: appended(getattr(self, name), n, more) for name, more in new.items()}
        before = new["before"]
        older = np.flatnonzero((before >= 0) & (before < n))
        grown["after"][before[older]] = older + n
        return Columns(n + len(chosen), **grown)

    def _links(
        self, sessions: NDArray[np.int32], last: dict[int, int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For new passages: the one before and the one after in the same session."""
        n = self.count
        before = np.full(len(sessions), NONE, np.int32)
        after = np.full(len(sessions), NONE, np.int32)
        for i, session in enumerate(sessions.tolist()):
            if session != NONE:
                previous = last.get(session, NONE)
                before[i] = previous
                if previous >= n:
                    after[previous - n] = n + i
                last[session] = n + i
        return before, after

    def around(self) -> NDArray[np.intp]:
        """The passages one and two before, one and two after; `count` where there is none."""
        out = np.full((4, self.count + 1), self.count, np.intp)
        for i, links in ((0, self.before), (2, self.after)):
            mine = links[: self.count]
            np.copyto(out[i, :-1], mine, where=(mine >= 0) & (mine < self.count))
            out[i + 1] = out[i][out[i]]
        return out

    def unlinked(self, numbers: Sequence[int], last: dict[int, int]) -> None:
        """Take passages out of their sessions' chains: neighbours meet."""
        for number in numbers:
            b, a = int(self.before[number]), int(self.after[number])
            if b >= 0:
                self.after[b] = a
            if a >= 0:
                self.before[a] = b
            session = int(self.session[number])
            if last.get(session) == number:
                if b >= 0:
                    last[session] = b
                else:
                    del last[session]

    def kept(self, alive: NDArray[np.bool_]) -> Columns:
        """Without the passages that are not alive (and are unlinked), numbered anew in order."""
        alive = alive[: self.count]
        numbers = np.append(np.cumsum(alive) - 1, NONE).astype(np.int32)
        new = {
            name: getattr(self, name)[: self.count][alive]
            for name in self.__dataclass_fields__
            if name != "count"
        }
        new["before"], new["after"] = numbers[new["before"]], numbers[new["after"]]
        return replace(self, count=int(np.count_nonzero(alive)), **new)

    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays."""
        names = [name for name in self.__dataclass_fields__ if name != "count"]
        return sum(int(getattr(self, name).nbytes) for name in names)
