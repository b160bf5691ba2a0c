"""What cases about facts say they expect, held against a store."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from lamina import Filter, Layer, Level, Memory, MemoryRecord
from lamina.doors import wire

LONG_TERM = (Layer.LONG_TERM,)
_HAN = "\u3400-\u9fff"
_BLANK = re.compile(rf"(?<=[{_HAN}])\s+|\s+(?=[{_HAN}])")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


def plain(text: str) -> str:
    """A text as cases compare it: without case, width, and blanks beside Han characters."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _BLANK.sub("", " ".join(folded.split()))


def holds(text: str, words: Iterable[str | Sequence[str]]) -> bool:
    """Whether all words stand in a text; of a list of words, any one."""
    said = plain(text)
    each = ([one] if isinstance(one, str) else one for one in words)
    return all(any(plain(word) in said for word in options) for options in each)


def states(text: str, statement: str) -> bool:
    """Whether a text makes a statement: its words, whole, one after the other."""
    words = re.escape(_EDGE.sub("", plain(statement)))
    return re.search(rf"(?<![^\W{_HAN}]){words}(?![^\W{_HAN}])", plain(text)) is not None


def levels(record: MemoryRecord) -> str:
    return "\n".join(getattr(record, level) for level in Level)


def current(memory: Memory) -> Sequence[MemoryRecord]:
    return memory.list(filter=Filter(current=True, layers=LONG_TERM), limit=1000)


def everything(memory: Memory) -> Sequence[MemoryRecord]:
    return memory.list(filter=Filter(layers=LONG_TERM), limit=1000)


def told(memory: Memory) -> list[str]:
    """What all memories and their histories say, each change a text."""
    found = everything(memory)
    changes = [wire.to_json(event) for record in found for event in memory.history(record.id)]
    return [*map(levels, found), *changes]


def check_times(memory: Memory, expect: dict[str, Any]) -> None:
    """The keys that both families have: what is true now, what no longer is, and how often."""
    valid = [levels(record) for record in current(memory)]
    for words in expect.get("current", []):
        assert any(holds(text, words) for text in valid), (words, valid)
    for words in expect.get("current_has", []):
        assert any(holds(text, [words]) for text in valid), (words, valid)
    for words in expect.get("must_keep_current", []):
        assert any(holds(text, [words]) for text in valid), (words, valid)
    for statement in expect.get("not_current", []):
        for one in [statement] if isinstance(statement, str) else statement:
            assert not any(states(text, one) for text in valid), (one, valid)
    said = told(memory)
    for words in [*expect.get("history_has", []), *expect.get("must_keep", [])]:
        each = [words] if isinstance(words, str) else words
        assert any(holds(text, each) for text in said), (words, said)
    for count in expect.get("count_of", []):
        found = [text for text in valid if holds(text, count["words"])]
        assert len(found) <= count["at_most"], found
