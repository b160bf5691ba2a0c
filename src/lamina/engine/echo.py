"""What stands near a text in the store, and whether a candidate's words were there before."""

from __future__ import annotations

from lamina.engine.core import Core
from lamina.index.nearest import nearest_memories, nearest_texts
from lamina.index.partition import GROUPS, PartitionIndex
from lamina.pipeline.dedupe import OWN
from lamina.pipeline.wording import guards
from lamina.pipeline.write import masked_text
from lamina.text.fold import fold
from lamina.text.words import index_words
from lamina.types import Candidate, Kind, MemoryRecord, Message, Role, Source

NEAREST = 12  # memories that a candidate without a topic is compared with
ECHOES = 8  # texts nearest to a quote that are looked through for it
ECHO_LEAST = 12  # letters or digits of a sentence that cannot be said twice by chance; Han count 2
COVERED = 0.75  # of the words of a suggestion, where it was known before
_SUGGESTING = "how what about shall should could we you i would suggest recommend let us keep still"


def near_memories(core: Core, index: PartitionIndex, text: str) -> list[MemoryRecord]:
    """The memories nearest to a text by their words."""
    terms = [core.indexing.hasher[word] for word in dict.fromkeys(index_words(text))]
    seqs = nearest_memories(index, terms, NEAREST)
    passages = core.store.passages(index.partition, seqs)
    items = [passages[seq].item for seq in seqs if seq in passages]
    return [item for item in items if isinstance(item, MemoryRecord)]


def is_echo(core: Core, index: PartitionIndex, candidate: Candidate) -> bool:
    """Whether the words were there before: recalled, pasted, quoted back, or broken off."""
    source = candidate.sources[0] if candidate.sources else None
    if source is None or source.kind is not Kind.MESSAGE:
        return False
    if sum(1 if c.isascii() else 2 for c in _bare(source.quote)) < ECHO_LEAST:
        return False
    return _was_there(core, index, source, candidate)


def is_agreed_already(core: Core, index: PartitionIndex, candidate: Candidate) -> bool:
    """Whether a plain yes is one to what was known before: it adds nothing."""
    suggestion = candidate.sources[-1].quote
    return any(
        record.said_at < candidate.said_at and _covers(record.content, suggestion)
        for record in near_memories(core, index, suggestion)
    )


def _was_there(core: Core, index: PartitionIndex, source: Source, candidate: Candidate) -> bool:
    said = _bare(source.quote)
    is_cut = source.quote.rstrip()[-1:].isalnum()
    terms = [core.indexing.hasher[word] for word in dict.fromkeys(index_words(source.quote))]
    for name in GROUPS:
        seqs = nearest_texts(index, name, terms, ECHOES)
        for passage in core.store.passages(index.partition, seqs).values():
            item, is_own = passage.item, _is_own(passage.item)
            if item.id == source.id or item.created_at > candidate.said_at:
                continue
            if is_own and not is_cut:
                continue
            text = masked_text(item, masking=core.indexing.masking)[passage.start : passage.end]
            # His own words are an echo where they break off: what came back was cut.
            if _breaks_off(said, text) if is_own else said in _bare(text):
                return True
    return False


def _breaks_off(said: str, text: str) -> bool:
    """Whether words are those of a text up to somewhere within a sentence of it."""
    folded = fold(text)
    places = [place for place, c in enumerate(folded) if c.isalnum()]
    bare = "".join(folded[place] for place in places)
    at = bare.find(said)
    end = at + len(said)
    if at < 0 or end >= len(bare):
        return False
    return not folded[places[end - 1] + 1 : places[end]].strip(" \t'’-")


def _covers(known: str, said: str) -> bool:
    """Whether a memory has nearly all the words of a suggestion, and its numbers and names."""
    words = set(index_words(said)) - set(index_words(_SUGGESTING))
    ours, theirs = guards(known), guards(said)
    if not words or not (set(theirs[0]) <= set(ours[0]) and set(theirs[1]) <= set(ours[1])):
        return False
    return len(words & set(index_words(known))) >= COVERED * len(words)


def _is_own(item: Message | MemoryRecord) -> bool:
    if isinstance(item, Message):
        return item.role is Role.USER
    return item.origin in OWN


def _bare(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())
