"""What is taken out of a message before it is stored, and nothing else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lamina.errors import InvalidInputError
from lamina.pipeline.accept import checked_json
from lamina.text.clean import scrub
from lamina.text.redact import mask, private_spans
from lamina.types import Json


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
        blocks: list[Json] = self._value(checked_json(list(content), "content"))
        return blocks

    def fields(self, fields: Mapping[str, Json]) -> dict[str, Json]:
        """What else a message carries."""
        cleaned: dict[str, Json] = self._value(checked_json(dict(fields), "the message"))
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
