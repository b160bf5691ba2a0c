"""Why a search returns an item, or does not: the same steps once more, watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lamina.engine.core import Core
from lamina.engine.search import Asked, answered
from lamina.index.partition import group_of
from lamina.pipeline.recall import fetched, groups_of, refusal, score_group
from lamina.pipeline.score import Ranked
from lamina.replies import Why
from lamina.types import Filter, Kind, Layer, MemoryRecord, Message

BATCH = 500  # passages that are looked at at a time
MARGIN = 1e-9  # so that a least score taken from a result lets that result in


@dataclass(frozen=True, slots=True)
class Terms:
    """What a search was asked for beside its question."""

    limit: int
    min_score: float
    abstain: bool


def explained(core: Core, asked: Asked, item: Message | MemoryRecord, terms: Terms) -> Why:
    """Why this item is among the results of the search, or at which step it falls."""
    where = asked.question.filter
    group = _group(item)
    if group not in groups_of(where):
        return _layers(item, where)
    scored = score_group(asked.indexes, group, asked.question, core.indexing.hasher)
    place = None if scored is None else _place(core, asked, scored, item.id)
    if scored is None or place is None:
        sentence = "nothing of it is indexed, or the question holds nothing to look for"
        return Why(item.id, returned=False, step="words", sentence=sentence)
    seen = Why(
        item.id,
        returned=False,
        step="",
        sentence="",
        raw=float(scored.total[place]),
        signals=scored.signals(place),
    )
    if why := _refused(scored, place, item, asked, seen):
        return why
    return _placed(core, asked, item, terms, seen)


def _placed(core: Core, asked: Asked, item: Message | MemoryRecord, terms: Terms, seen: Why) -> Why:
    """It may be returned: where does it stand?"""
    everything = replace(asked, question=replace(asked.question, limit=1 << 30))
    answers, _ = answered(core, everything)
    rank, answer, own = next(
        (place, answer, found)
        for place, answer in enumerate(answers, 1)
        for found in (answer.found, *answer.others)
        if found.passage.item == item
    )
    hit, hits = answer.hit, [answer.hit for answer in answers]
    seen = replace(seen, rank=rank, score=hit.score, raw=own.raw, signals=own.signals())
    if rank > terms.limit:
        behind = hits[terms.limit - 1].raw - seen.raw
        return replace(
            seen,
            step="limit",
            sentence=f"it stands at place {rank} of {len(hits)}, and {terms.limit} were asked for",
            behind=behind,
            change={"limit": rank},
        )
    if hit.score < terms.min_score or (terms.abstain and hit.weak):
        least = f"min_score {terms.min_score:.2f}" if hit.score < terms.min_score else "abstain"
        return replace(
            seen,
            step="score",
            sentence=f"its score {hit.score:.2f} is left out by {least}",
            change={"min_score": max(0.0, hit.score - MARGIN), "abstain": False},
        )
    if hit.id != item.id:
        sentence = f"{hit.id} says the same and stands for it at place {rank}"
        return replace(seen, returned=True, step="folded", sentence=sentence)
    return replace(seen, returned=True, step="returned", sentence=f"it is result {rank}")


def _group(item: Message | MemoryRecord) -> str:
    if isinstance(item, Message):
        return group_of(Kind.MESSAGE, Layer.SESSION, item.role)
    return group_of(Kind.MEMORY, item.layer, item.origin)


def _layers(item: Message | MemoryRecord, where: Filter) -> Why:
    layer = Layer.SESSION if isinstance(item, Message) else item.layer
    asked = where.layers if where.layers is not None else (Layer.SESSION, Layer.LONG_TERM)
    wider = replace(where, layers=tuple(dict.fromkeys((*asked, layer))))
    sentence = f"it is in the layer {layer}, which was not searched"
    return Why(item.id, returned=False, step="layers", sentence=sentence, change={"filter": wider})


def _refused(
    scored: Ranked, place: int, item: Message | MemoryRecord, asked: Asked, seen: Why
) -> Why | None:
    """What keeps it from being returned whatever its score."""
    question = asked.question
    if not scored.found.views and scored.found.words[place] == 0 and not scored.allowed[place]:
        sentence = "it shares no word with the question, and there are no vectors to compare"
        return replace(seen, step="words", sentence=sentence)
    told = refusal(item, question)
    if scored.allowed[place] and not told:
        return None
    names = _narrowing(item, question.filter, asked)
    wider = replace(question.filter, **dict.fromkeys(names))
    sentence = f"the filter leaves it out: {', '.join(names)}"
    return replace(seen, step="filter", sentence=sentence, change={"filter": wider})


def _narrowing(item: Message | MemoryRecord, where: Filter, asked: Asked) -> Sequence[str]:
    """The fields of a filter that each leave the item out by themselves."""
    names = [name for name in Filter.__dataclass_fields__ if getattr(where, name) is not None]
    layer = Layer.SESSION if isinstance(item, Message) else item.layer
    out = []
    for name in names:
        alone = replace(asked.question, filter=Filter(**{name: getattr(where, name)}))
        outside = name == "layers" and layer not in (where.layers or ())
        if outside or refusal(item, alone):
            out.append(name)
    return out or names


def _place(core: Core, asked: Asked, scored: Ranked, id: str) -> int | None:
    """The best passage of an item, whether or not it may be returned."""
    order = np.argsort(-scored.total, kind="stable")
    order = order[scored.found.alive[order]]
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        for place, passage in zip(
            places.tolist(), fetched(core.store, asked.indexes, scored.found, places), strict=True
        ):
            if passage is not None and passage.item.id == id:
                return int(place)
    return None
