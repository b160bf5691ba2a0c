"""What recall ranks: every passage of a group over several partitions, with each leg's value.

The arrays are aligned: entry i of each speaks of the same passage. Codes of names, roles, layers
and sessions are made common, so that one question can be put to all partitions at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from lamina.index.bm25 import bm25
from lamina.index.columns import NONE, Codes, Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lamina.index.group import Group
    from lamina.index.partition import PartitionIndex

_Scalar = TypeVar("_Scalar", bound=np.generic)
PLURALS = {"category": "categories"}  # the others just add an s


@dataclass(frozen=True, slots=True)
class Gathered:
    """Passages of one group. `words` is 0 where no word is found, a view NaN where not embedded."""

    codes: Vocabulary
    sessions: Sequence[Codes]  # of each partition
    owner: NDArray[np.int32]  # which of the partitions asked
    seq: NDArray[np.int64]
    item: NDArray[np.int64]  # one number an item, over all partitions
    kind: NDArray[np.int32]
    layer: NDArray[np.int32]
    role: NDArray[np.int32]
    name: NDArray[np.int32]
    session: NDArray[np.int32]
    script: NDArray[np.int32]
    category: NDArray[np.int32]
    at: NDArray[np.float64]
    importance: NDArray[np.float32]
    length: NDArray[np.float32]
    alive: NDArray[np.bool_]
    words: NDArray[np.float32]
    rarity: Sequence[float]  # of each term that was asked for
    views: Mapping[int, NDArray[np.float32]]

    def of_sessions(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Which passages belong to sessions of these names, in any of the partitions."""
        numbers = [
            codes[name] * len(self.sessions) + i
            for i, codes in enumerate(self.sessions)
            for name in names
            if name in codes
        ]
        return np.isin(self.session, numbers)


def gather(
    indexes: Sequence[PartitionIndex],
    group: str,
    terms: Sequence[int],
    queries: Mapping[int, NDArray[np.float32]],
) -> Gathered:
    """Score all passages of a group: `terms` are hashes, `queries` unit vectors by view."""
    groups = [index.groups[group] for index in indexes]
    scores, rarity = bm25(groups, terms)
    codes = indexes[0].codes if len(indexes) == 1 else Vocabulary()
    columns = {
        name: _join(
            [
                _recoded(one.codes, codes, name, getattr(one.columns, name)[: one.count])
                for one in groups
            ]
        )
        for name in ("kind", "layer", "role", "name", "session", "script", "category")
    }
    if len(groups) > 1:  # sessions of one name in two partitions are two sessions
        columns["session"] = _join(
            [
                np.where(part == NONE, NONE, part * len(groups) + i)
                for i, part in enumerate(one.columns.session[: one.count] for one in groups)
            ]
        )
    return Gathered(
        codes,
        [one.codes.sessions for one in groups],
        owner=_join([np.full(one.count, i, np.int32) for i, one in enumerate(groups)]),
        seq=_join([one.columns.seq[: one.count] for one in groups]),
        item=_join([_item_numbers(one, i, len(groups)) for i, one in enumerate(groups)]),
        at=_join([one.columns.at[: one.count] for one in groups]),
        importance=_join([one.columns.importance[: one.count] for one in groups]),
        length=_join([one.words.lengths[: one.count] for one in groups]),
        alive=_join([one.alive[: one.count] for one in groups]),
        words=_join(scores),
        rarity=rarity,
        views={
            view: _join([one.vectors.cosines(view, query) for one in groups])
            for view, query in queries.items()
        },
        **columns,
    )


def _join(parts: Sequence[NDArray[_Scalar]]) -> NDArray[_Scalar]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _item_numbers(group: Group, which: int, of: int) -> NDArray[np.int64]:
    """One number an item: a message and a memory of equal number are two, and so are partitions."""
    columns = group.columns
    kinds = max(len(group.codes.kinds), 1)
    both = columns.item[: group.count] * kinds + columns.kind[: group.count]
    return both * of + which


def _recoded(
    mine: Vocabulary, common: Vocabulary, name: str, column: NDArray[np.int32]
) -> NDArray[np.int32]:
    if mine is common or name == "session":
        return column
    plural = PLURALS.get(name, f"{name}s")
    table: Codes = getattr(common, plural)
    known: Codes = getattr(mine, plural)
    return np.append(table.of(list(known)), np.int32(NONE))[column]
