"""Recall: gather from the index, score, cut, fetch the texts, and say how much they mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from lamina.filters import matches
from lamina.index.gather import Gathered, gather
from lamina.index.partition import ARCHIVAL, SAID, TOOL, PartitionIndex
from lamina.index.terms import Hasher
from lamina.index.vectors import ALONE, WINDOW
from lamina.pipeline.alike import Gist, alike, gist
from lamina.pipeline.current import Same, items_of, true_until, valid_first
from lamina.pipeline.found import Found
from lamina.pipeline.known import as_known
from lamina.pipeline.plan import Plan
from lamina.pipeline.rerank import RERANKED
from lamina.pipeline.score import Ranked, ranked
from lamina.pipeline.trust import WEAK, score, trust
from lamina.pipeline.write import masked_text
from lamina.ports.store import Passage, Store
from lamina.rank.top import best_of_each
from lamina.text.words import words_and_chars
from lamina.types import Category, Filter, Hit, Kind, Layer, MemoryRecord, Message, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

TWINS = 5  # results beyond the limit that are fetched, since some may say the same
SPARE = 4  # times the limit that is fetched where a filter must look at the items themselves
VOUCHING = 3  # results among which the best words and vectors are looked for
ENOUGH = 25.0  # rarity of about six rare words: a story told with a question asks for no more
UNTOLD = 0.2  # coverage by a text in another script, whose words cannot be the question's
Rerank = Callable[[Sequence[Found]], list[Found]]  # puts results, best first, in its own order
MORE = 2.0  # times as long as the memory drawn from it: a longer message says more
DRAWN = 4.0  # of the raw score: a memory that is found where its message is not answers less often
COMPARED = 60  # first results that are compared with each other: further ones are seldom read


@dataclass(frozen=True, slots=True)
class Question:
    """A search as recall takes it."""

    plan: Plan
    vectors: NDArray[np.float32] | None  # of the plan's text, then of its sentences; or words alone
    limit: int
    now: datetime
    filter: Filter = field(default_factory=Filter)
    masking: bool = True
    without: frozenset[str] = frozenset()  # ids that must not be returned
    sessions: frozenset[str] | None = None  # names of the sessions of the project asked for
    explain: bool = False  # whether hits carry their signals


@dataclass(frozen=True, slots=True)
class Answer:
    """A hit with what it was made of: the result, and those that say the same."""

    hit: Hit
    found: Found
    others: Sequence[Found] = ()


def recall(
    store: Store,
    indexes: Sequence[PartitionIndex],
    question: Question,
    hasher: Hasher,
    *,
    rerank: Rerank | None = None,
) -> list[Answer]:
    """The best answers over these partitions, best first, each with what says the same folded in.

    `rerank` may put the best results in another order, before they are folded and cut.
    """
    scored = [
        one
        for group in groups_of(question.filter)
        if (one := score_group(indexes, group, question, hasher)) is not None
    ]
    found = _merged(store, indexes, question, scored, RERANKED if rerank is not None else 0)
    if not found:
        return []
    if any(one.is_past(question.now) or _is_drawn(one) for one in found):
        found = _merged(store, indexes, question, scored, COMPARED)
    trusted = _trust(question, found[:VOUCHING])
    found = _by_message(found)
    if rerank is not None:
        found = rerank(found)
    groups = valid_first(_folded(found[:COMPARED]), question.now)
    groups += [(one, []) for one in found[COMPARED:]]
    best = groups[0][0].raw
    return [Answer(_hit(same, question, trusted, best), *same) for same in groups[: question.limit]]


def score_group(
    indexes: Sequence[PartitionIndex], group: str, question: Question, hasher: Hasher
) -> Ranked | None:
    """The scores of a group's passages; None where there is nothing to score or to score by."""
    plan, vectors = question.plan, question.vectors
    terms = [hasher[word] for word in plan.words]
    if not any(index.groups[group].live for index in indexes):
        return None
    if not terms and vectors is None and not plan.identity:
        return None
    queries = {} if vectors is None else {ALONE: vectors, WINDOW: vectors[:1]}
    found = gather(indexes, group, terms, queries)
    return ranked(found, group, plan, question.filter, question.now)


def waiting_in_archive(indexes: Sequence[PartitionIndex], plan: Plan, hasher: Hasher) -> int:
    """How many archival items hold a word of the question."""
    terms = [hasher[word] for word in plan.words]
    if not terms or not any(index.groups[ARCHIVAL].live for index in indexes):
        return 0
    found = gather(indexes, ARCHIVAL, terms, {})
    return len(np.unique(found.item[found.words > 0]))


def groups_of(where: Filter) -> list[str]:
    """The groups that a filter leaves to be searched."""
    if where.layers is None:
        return [SAID, TOOL]
    asked = set(where.layers)
    groups = [SAID, TOOL] if asked - {Layer.ARCHIVAL} else []
    return groups + ([ARCHIVAL] if Layer.ARCHIVAL in asked else [])


# --- from places to items


def _merged(
    store: Store,
    indexes: Sequence[PartitionIndex],
    question: Question,
    scored: Sequence[Ranked],
    least: int,
) -> list[Found]:
    """The best of all groups, best first."""
    found = [one for group in scored for one in _best(store, indexes, question, group, least)]
    return sorted(found, key=lambda one: -one.raw)


def _best(
    store: Store,
    indexes: Sequence[PartitionIndex],
    question: Question,
    scored: Ranked,
    least: int,
) -> list[Found]:
    """Fetch the best items, leaving out what the filter refuses, until there are enough."""
    enough = max(question.limit, least)
    asked = enough + TWINS + len(question.without)
    scores = scored.scores
    while True:
        places = best_of_each(scores, scored.found.item, asked)
        known_at = question.filter.known_at
        passages = fetched(store, indexes, scored.found, places, known_at=known_at)
        kept = [
            _found(scored, place, passage, masking=question.masking)
            for place, passage in zip(places.tolist(), passages, strict=True)
            if passage is not None and not refusal(passage.item, question)
        ]
        if len(kept) >= enough or len(places) < asked:
            return kept
        asked *= SPARE


def _found(scored: Ranked, place: int, passage: Passage, *, masking: bool) -> Found:
    text = text_of(passage, masking=masking)
    return Found(scored, place, passage, text, raw=float(scored.total[place]))


def refusal(item: Message | MemoryRecord, question: Question) -> str:
    """Why an item may not be returned, as far as only the item itself can tell; "" where it may."""
    where = question.filter
    if is_held(item, question.without):
        return "the window holds it"
    if not matches(item, where, question.now):
        return "the filter"
    if where.project is None or question.sessions is None:
        return ""
    of_project = (
        item.project == where.project
        if isinstance(item, MemoryRecord)
        else item.session_id in question.sessions
    )
    return "" if of_project else "the filter's project"


def is_held(item: Message | MemoryRecord, held: frozenset[str]) -> bool:
    """Whether these messages are, or say, all that an item does."""
    if item.id in held or isinstance(item, Message) or not held:
        return item.id in held
    return bool(item.sources) and all(source.id in held for source in item.sources)


def fetched(
    store: Store,
    indexes: Sequence[PartitionIndex],
    found: Gathered,
    places: NDArray[np.int64],
    *,
    known_at: datetime | None = None,
) -> list[Passage | None]:
    """The passages at these places; None for those that are gone meanwhile.

    A memory that was changed since `known_at` is given as it was then, whole.
    """
    wanted: dict[int, list[int]] = {}
    for place in places.tolist():
        wanted.setdefault(int(found.owner[place]), []).append(int(found.seq[place]))
    got = {owner: store.passages(indexes[owner].partition, seqs) for owner, seqs in wanted.items()}
    passages = [got[int(found.owner[p])].get(int(found.seq[p])) for p in places.tolist()]
    return [one if one is None else _as_known(store, one, known_at) for one in passages]


def _as_known(store: Store, passage: Passage, at: datetime | None) -> Passage:
    if isinstance(passage.item, Message):
        return passage
    item = as_known(store, passage.partition, passage.item, at)
    if item is passage.item:
        return passage
    return replace(passage, item=item, start=0, end=sys.maxsize)


def text_of(passage: Passage, *, masking: bool) -> str:
    """What of an item is shown: the passage, or all of it where that is blank."""
    text = masked_text(passage.item, masking=masking)
    cut = text[passage.start : passage.end]
    return cut if cut.strip() else text


def _folded(found: Sequence[Found]) -> list[Same]:
    """Each with the others that only say it again; a memory stands with its message."""
    said = _messages_in(found)
    drawn = [one for one in found if _is_drawn(one) and _messages_of(one) & said]
    out: list[tuple[Found, list[Found], Gist]] = []
    for one in found:
        if one in drawn:
            continue
        mine = gist(one.text)
        for _, others, other in out:
            if alike(mine, other):
                others.append(one)
                break
        else:
            out.append((one, [], mine))
    return [_with_memories(one, others, drawn) for one, others, _ in out]


def _with_memories(one: Found, others: Sequence[Found], drawn: list[Found]) -> Same:
    """A group with the memories drawn from its messages: a memory that says it all stands for it.

    They are taken out of `drawn`: a memory of two messages stands with the better one.
    """
    said = _messages_in((one, *others))
    mine = [memory for memory in drawn if _messages_of(memory) & said]
    drawn[:] = [memory for memory in drawn if memory not in mine]
    if len(mine) == 1 and len(one.text) <= MORE * len(mine[0].text):
        return mine[0].at(one.raw, "message"), [one, *others]
    return one, [*others, *mine]


def _by_message(found: Sequence[Found]) -> list[Found]:
    """The results in the order that their messages have, as far as these were found.

    A memory is shorter and clearer than what it was drawn from, and would be found in its stead for
    too many questions.
    """
    if not any(map(_is_drawn, found)):
        return list(found)
    said = _messages_in(found)
    lowered = [
        one.at(one.raw - DRAWN, "drawn") if _is_drawn(one) and not _messages_of(one) & said else one
        for one in found
    ]
    return sorted(lowered, key=lambda one: -one.raw)


def _messages_in(found: Iterable[Found]) -> set[str]:
    return {one.passage.item.id for one in found if isinstance(one.passage.item, Message)}


def _is_drawn(one: Found) -> bool:
    """Whether it is a memory whose message is likely to be found too."""
    return isinstance(one.passage.item, MemoryRecord) and bool(_messages_of(one))


def _messages_of(one: Found) -> frozenset[str]:
    """The message that it is, or was drawn from."""
    item = one.passage.item
    if isinstance(item, Message):
        return frozenset({item.id})
    return frozenset(source.id for source in item.sources if source.kind is Kind.MESSAGE)


# --- what they mean


def _trust(question: Question, found: Sequence[Found]) -> float:
    """The log-odds that the first results answer the question at all."""
    group = found[0].ranked
    compared = int(np.count_nonzero(group.found.alive))
    rarity = dict(zip(question.plan.words, group.found.rarity, strict=True))
    covered = max(
        coverage(one.text, rarity) if one.is_own(question.plan.script) else UNTOLD for one in found
    )
    if question.plan.identity and any(_is_profile(one.passage) for one in found):
        covered = 1.0
    if question.vectors is None:
        return trust(None, covered, compared)
    cosines = [
        float(one.ranked.raw[name][one.place])
        for one in found
        for name in ("turn", "window")
        if np.isfinite(one.ranked.raw[name][one.place])
    ]
    return trust(max(cosines, default=None), covered, compared)


def _is_profile(passage: Passage) -> bool:
    item = passage.item
    return isinstance(item, MemoryRecord) and item.category is Category.PROFILE


def coverage(text: str, rarity: Mapping[str, float]) -> float:
    """The share of a question's words that a text has, each weighed by how rare it is here."""
    if not rarity:
        return 0.0
    has = rarity.keys() & set().union(*words_and_chars(text))
    return sum(rarity[word] for word in has) / min(sum(rarity.values()), ENOUGH)


def _hit(same: Same, question: Question, trusted: float, best: float) -> Hit:
    one, others = same
    item = one.passage.item
    value = score(trusted, one.raw, best)
    sources = _sources(same)
    return Hit(
        id=item.id,
        kind=_kind(item),
        text=one.text,
        date=item.created_at if isinstance(item, Message) else item.said_at,
        score=value,
        source=sources,
        role=str(item.role) if isinstance(item, Message) else str(item.origin),
        layer=Layer.SESSION if isinstance(item, Message) else item.layer,
        weak=value < WEAK,
        count=1 + len(others),
        raw=one.raw,
        signals=one.signals() if question.explain else (),
        valid_to=true_until(items_of(same), question.now),
    )


def _sources(same: Same) -> tuple[Source, ...]:
    """Where a result comes from: the messages that were found; else the first source of each."""
    items = items_of(same)
    said = {item.id for item in items if isinstance(item, Message)}
    if not said:
        return tuple(dict.fromkeys(sources_of(item)[0] for item in items))
    named = {source.id: source for item in items for source in sources_of(item)}
    return tuple(s for s in named.values() if s.id in said or s.kind is not Kind.MESSAGE)


def _kind(item: Message | MemoryRecord) -> Kind:
    if isinstance(item, Message):
        return Kind.MESSAGE
    return Kind.MEMORY if item.document is None else Kind.DOCUMENT


def sources_of(item: Message | MemoryRecord) -> tuple[Source, ...]:
    """Where an item comes from: a message from itself."""
    if isinstance(item, Message):
        return (Source(Kind.MESSAGE, item.id, item.session_id, item.name),)
    return item.sources or (Source(Kind.MEMORY, item.id, item.session_id),)
