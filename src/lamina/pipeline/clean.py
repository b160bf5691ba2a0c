"""What is taken out of a message or memory before it is stored, and nothing else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lamina.errors import InvalidInputError
from lamina.pipeline import accept
from lamina.text.clean import scrub, strip
from lamina.text.redact import Masked, mask, private_spans
from lamina.types import Json, MemoryRecord


class Cleaner:
    """Cleans messages and counts what it took out; the rest stays word for word.

    Lone surrogates, which no file can hold, become U+FFFD. `<private>` spans, by which the user
    says that something must not be stored, become a mark; with `masking` secrets become marks too.
    """

    def __init__(self, *, masking: bool = False) -> None:
        self.replaced = 0
        self.masked: Counter[str] = Counter()
        self._masking = masking

    def content(self, content: str | Sequence[Json]) -> str | Sequence[Json]:
        """A message's text or blocks."""
        if isinstance(content, str):
            return self._text(content)
        if not isinstance(content, list | tuple):
            raise InvalidInputError(f"content is a {type(content).__name__}; give text or blocks")
        blocks: list[Json] = self._value(accept.checked_json(list(content), "content"))
        return blocks

    def fields(self, fields: Mapping[str, Json]) -> dict[str, Json]:
        """What else a message carries."""
        if not fields:
            return {}
        cleaned: dict[str, Json] = self._value(accept.checked_json(dict(fields), "the message"))
        return cleaned

    def _value(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {key: self._value(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._value(part) for part in value]
        return value

    def _text(self, text: str) -> str:
        kept, count = scrub(private_spans(text)[0])
        self.replaced += count
        if not self._masking:
            return kept
        found = mask(kept)
        self.masked.update(found.counts)
        return found.text


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A memory's text as it is kept, the secrets masked in it, the characters removed from it."""

    text: str
    masked: Mapping[str, int]
    removed: int


def cleaned(text: str, *, masking: bool) -> Cleaned:
    """A memory's text without what it must not hold: private spans, secrets, NUL, surrogates."""
    kept, removed = strip(private_spans(text)[0])
    found = mask(kept) if masking else Masked(kept)
    return Cleaned(found.text, found.counts, removed)


def cleaned_record(
    record: MemoryRecord, max_bytes: int, *, masking: bool
) -> tuple[MemoryRecord, Mapping[str, int], int]:
    """A record that can be stored, the secrets masked in it, the characters removed."""
    record = accept.checked_record(record)
    accept.checked_text(record.content, max_bytes)
    levels = [
        cleaned(text, masking=masking)
        for text in (record.content, record.abstract, record.overview)
    ]
    accept.checked_text(levels[0].text, max_bytes)
    masked: Counter[str] = Counter()
    for level in levels:
        masked.update(level.masked)
    return (
        replace(
            record,
            content=levels[0].text,
            abstract=levels[1].text,
            overview=levels[2].text,
            importance=accept.checked_importance(record.importance),
        ),
        dict(masked),
        sum(level.removed for level in levels),
    )
