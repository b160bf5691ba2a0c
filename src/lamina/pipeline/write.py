"""The second stage of a write: what of an item is indexed, and as which words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lamina.index.terms import Field, Hasher, Words, pack, pack_many
from lamina.ports.store import NewPassage
from lamina.text.chunks import chunks, prose
from lamina.text.parts import parts
from lamina.text.redact import REDACTOR, mask
from lamina.text.script import script
from lamina.text.words import index_words, words_and_chars
from lamina.types import Json, MemoryRecord, Message, Origin

PASSAGE_TOKENS = 400  # by our estimate: what fits the default embedder's window of 510 at once
_SIGNS = re.compile(r"\W+")
UNSPOKEN = frozenset({"tool", "system", "developer"})  # roles found by words only


@dataclass(frozen=True, slots=True)
class Indexing:
    """What decides how texts are indexed: the store's hasher, and whether secrets are masked."""

    hasher: Hasher
    masking: bool = True


@dataclass(frozen=True, slots=True)
class Prepared:
    """Passages of one item, and the secrets that were masked in it, by kind."""

    passages: tuple[NewPassage, ...]
    masked: Mapping[str, int] = field(default_factory=dict)


def prepare_messages(messages: Sequence[Message], indexing: Indexing) -> list[Prepared]:
    """Passages of many messages."""
    texts, counts = [], []
    for message in messages:
        text, found = _masked(message.text, indexing)
        texts.append(text)
        counts.append(found)
    spans = [_spans(text) for text in texts]
    words = [
        _message_words(message, text[start:end])
        for message, text, found in zip(messages, texts, spans, strict=True)
        for start, end in found
    ]
    packed = iter(_packed(words, indexing.hasher))
    return [
        Prepared(
            tuple(
                NewPassage(start, end, next(packed), _is_embedded(message.role, text, start, end),
                           REDACTOR, script(text[start:end]))
                for start, end in found
            ),
            masked,
        )
        for message, text, found, masked in zip(messages, texts, spans, counts, strict=True)
    ]  # fmt: skip


def prepare_memory(record: MemoryRecord, indexing: Indexing) -> Prepared:
    """Passages of a memory, whose text is masked already. Its levels count with the first one."""
    text = record.content
    spans = _spans(text)
    words = [_content_words(text[start:end]) for start, end in spans]
    if words:
        words[0] += _level_words(record)
    packed = _packed(words, indexing.hasher)
    embedded = "" if record.origin is not Origin.TOOL else "tool"
    return Prepared(
        tuple(
            NewPassage(
                start,
                end,
                terms,
                _is_embedded(embedded, text, start, end),
                REDACTOR,
                script(text[start:end]),
            )
            for (start, end), terms in zip(spans, packed, strict=True)
        )
    )


def passages_of(
    record: MemoryRecord, before: MemoryRecord | None, indexing: Indexing
) -> Sequence[NewPassage] | None:
    """Passages of a memory as it is written; None where those of its last version tell the same."""
    if before is not None and _indexed(before) == _indexed(record):
        return None
    return prepare_memory(record, indexing).passages


def _indexed(record: MemoryRecord) -> tuple[Json, ...]:
    """What an index knows of a memory."""
    return (
        record.content,
        record.abstract,
        record.overview,
        record.metadata,
        record.layer,
        record.category,
        record.origin,
        record.importance,
        record.session_id,
        record.said_at,
    )


def masked_text(item: Message | MemoryRecord, *, masking: bool) -> str:
    """The text that an item's passages are cut from."""
    if isinstance(item, MemoryRecord):
        return item.content
    return mask(item.text).text if masking else item.text


def _masked(text: str, indexing: Indexing) -> tuple[str, Mapping[str, int]]:
    if not indexing.masking:
        return text, {}
    found = mask(text)
    return found.text, found.counts


def _spans(text: str) -> list[tuple[int, int]]:
    return chunks(text, PASSAGE_TOKENS) if text.strip() else []


def _is_embedded(role: str, text: str, start: int, end: int) -> bool:
    return role not in UNSPOKEN and bool(prose(text[start:end]))


def _content_words(text: str) -> list[tuple[Field, Sequence[str]]]:
    words, characters = words_and_chars(text)
    content: list[tuple[Field, Sequence[str]]] = [(Field.CONTENT, words)]
    if characters:
        content.append((Field.CHARACTER, characters))
    return content


def _message_words(message: Message, text: str) -> Words:
    words = _content_words(text)
    if message.name:
        words.append((Field.NAME, index_words(message.name)))
    return words


def _level_words(record: MemoryRecord) -> list[tuple[Field, Sequence[str]]]:
    words: list[tuple[Field, Sequence[str]]] = []
    seen: set[str] = set()
    for level, text in ((Field.ABSTRACT, record.abstract), (Field.OVERVIEW, record.overview)):
        if text and text not in seen and not _is_quoted(text, record.content):
            seen.add(text)
            words.append((level, index_words(text)))
    told = dict(record.metadata)
    if isinstance(told.get("uri"), str):  # of another system: an address
        words.append((Field.TITLE, index_words(told.pop("uri"))))
    if told:
        words.append((Field.METADATA, index_words(" ".join(_texts(told)))))
    return words


def _is_quoted(level: str, content: str) -> bool:
    """Whether a level has only sentences of the content: the same text counts once.

    Counted again they would draw every question to the first passage, wherever the answer stands.
    """
    said, found = _bare(content), parts(level)
    return bool(found) and all(_bare(part.text) in said for part in found)


def _bare(text: str) -> str:
    return f" {_SIGNS.sub(' ', text).strip()} "


def _texts(value: Json) -> list[str]:
    """All texts in a JSON value, without recursion: metadata may be deep."""
    out: list[str] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, Mapping):
            waiting.extend(reversed(list(part.values())))
        elif isinstance(part, list | tuple):
            waiting.extend(reversed(part))
    return out


def _packed(words: Sequence[Words], hasher: Hasher) -> list[bytes]:
    return [pack(words[0], hasher)] if len(words) == 1 else pack_many(words, hasher)


def total(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Counts by kind, added up."""
    out: Counter[str] = Counter()
    for one in counts:
        out.update(one)
    return dict(out)
