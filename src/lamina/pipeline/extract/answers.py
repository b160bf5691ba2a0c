"""What a model answered, as items that its conversation supports; everything in it is doubted.

An item that cannot be used falls alone and is named among the refused. A fault is told where the
answer as a whole is none, or was cut: the call then counts as failed, whatever was saved of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from lamina.pipeline.extract.envelope import unpacked
from lamina.pipeline.extract.support import Quote, bare, found_quote, sentence, supported, touches
from lamina.plain import shown
from lamina.text.clean import strip
from lamina.types import Category, Json, Message, Role

CATEGORIES = (
    Category.PROFILE,
    Category.PREFERENCES,
    Category.ENTITIES,
    Category.EVENTS,
    Category.CASES,
    Category.PATTERNS,
)
# How a problem was solved is often said by the assistant. Nothing else that it says is believed.
SHARED = frozenset({Category.CASES, Category.PATTERNS})
ABSTRACT = 600  # characters; a longer one is content, and its beginning the abstract
CONTENT = 100_000  # characters; a longer one is no memory of a conversation
DEFAULT_IMPORTANCE = 0.5

_STRING: dict[str, Json] = {"type": "string"}
_SOURCE = {"message": {"type": "integer"}, "quote": _STRING}
_ITEM: dict[str, Json] = {
    "category": {"type": "string", "enum": [str(category) for category in CATEGORIES]},
    "abstract": _STRING,
    "overview": _STRING,
    "content": _STRING,
    "importance": {"type": "number"},
    "sources": {"type": "array"},
}


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    """Every property asked for and no other: what strict endpoints want of a schema."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_ITEM["sources"]["items"] = _object(_SOURCE)
SCHEMA: Mapping[str, Json] = _object({"memories": {"type": "array", "items": _object(_ITEM)}})
"""The form that an answer is asked for in."""

_OTHER_NAMES = {
    "preference": "preferences", "entity": "entities", "event": "events", "case": "cases",
    "pattern": "patterns", "profiles": "profile",
    "个人信息": "profile", "画像": "profile", "用户画像": "profile", "偏好": "preferences",
    "实体": "entities", "事件": "events", "案例": "cases", "模式": "patterns",
}  # fmt: skip
_WORDS = {
    "critical": 0.9, "very high": 0.9, "highest": 0.9, "high": 0.8, "medium": 0.5, "moderate": 0.5,
    "normal": 0.5, "low": 0.2, "very low": 0.1, "lowest": 0.1,
    "很高": 0.9, "高": 0.8, "中": 0.5, "中等": 0.5, "低": 0.2, "很低": 0.1,
}  # fmt: skip
_PLAIN = re.compile(r"[-+]?\d{1,9}(?:\.\d{1,9})?")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)\s*(?:/\s*([1-9]\d{0,2})|%)")  # 4/5, 80%
_INDEX = re.compile(r"\d{1,9}")


@dataclass(frozen=True, slots=True)
class Item:
    """A candidate for a memory, all of whose levels its sources support."""

    category: Category
    abstract: str
    overview: str
    content: str
    importance: float  # 0..1
    sources: tuple[tuple[int, str], ...]  # index of a message, a stretch of its words


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that was not taken: why, in a word or two, and what it said."""

    reason: str
    what: str
    category: Category = Category.NOTE  # that it claims, where there is such a one


@dataclass(frozen=True, slots=True)
class Read:
    """What an answer came to. `fault` says why the call failed, "" where it did not."""

    items: tuple[Item, ...] = ()
    refused: tuple[Refused, ...] = ()
    fault: str = ""
    tokens: int = 0  # spent by the calls, where there were any

    @property
    def failed(self) -> bool:
        """Whether the model should be asked again."""
        return bool(self.fault)


class _BadItemError(Exception):
    """The item cannot be used; the argument is the reason."""


def read(answer: object, messages: Sequence[Message], *, leave_out: Collection[str] = ()) -> Read:
    """The items of an answer, whatever it is. Categories that are to be left out are refused."""
    given, fault = unpacked(answer)
    items: list[Item] = []
    refused: list[Refused] = []
    five = any(_is_of_five(each) for each in given)
    known: set[tuple[Category, str]] = set()
    for each in given:
        try:
            item = _item(each, messages, five=five)
        except _BadItemError as fault_of_item:
            refused.append(Refused(str(fault_of_item), _what(each), _claimed(each)))
            continue
        twin = item.category, bare(item.abstract)[0]
        if item.category in leave_out:
            refused.append(Refused("left out by the owner", item.abstract))
        elif twin in known:
            refused.append(Refused("said twice", item.abstract))
        else:
            known.add(twin)
            items.append(item)
    if given and not any(isinstance(each, Mapping) for each in given):
        fault = fault or "its memories are no objects"
    return Read(tuple(items), tuple(refused), fault)


def said(message: Message) -> str:
    """What its speaker says in a message: not what tools answered in it, nor thoughts."""
    if isinstance(message.content, str):
        return message.content
    texts = []
    for block in message.content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping) and isinstance(block.get("text"), str):
            texts.append(block["text"])
    return "\n".join(texts)


def _item(given: object, messages: Sequence[Message], *, five: bool) -> Item:
    if not isinstance(given, Mapping):
        raise _BadItemError("no object")
    category = _category(given.get("category"))
    levels = [_text(given.get(name)) for name in ("abstract", "overview", "content")]
    if not any(levels):
        raise _BadItemError("no text")
    if max(map(len, levels)) > CONTENT:
        raise _BadItemError("too long")
    abstract = levels[0] or levels[1] or levels[2]
    sources = _sources(given.get("sources"), messages)
    believed = [source for source in sources if _is_believed(source, category, messages)]
    if not any(messages[index].role is Role.USER for index, _ in believed):
        raise _BadItemError("not the user's words" if sources else "no quote of a message")
    believed = _holding(abstract, believed, messages)
    whole = [_quote(messages[i], said(messages[i])) for i in dict.fromkeys(i for i, _ in believed)]
    # A level that says more than its messages do is worse than none: the abstract stands for it.
    overview, content = (
        text if text and (text == abstract or supported(text, whole)) else abstract
        for text in levels[1:]
    )
    if len(abstract) > ABSTRACT:
        content = max(abstract, content, key=len)
        abstract = abstract[: ABSTRACT - 1].rstrip() + "…"
    importance = _importance(given.get("importance"), five=five)
    return Item(category, abstract, overview, content, importance, tuple(believed))


def _holding(
    claim: str, sources: list[tuple[int, str]], messages: Sequence[Message]
) -> list[tuple[int, str]]:
    """The sources, with quotes that hold the claim: their sentences where they are too short."""
    quotes = [_quote(messages[index], words) for index, words in sources]
    if supported(claim, quotes):
        return sources
    wider = [(index, sentence(words, said(messages[index]))) for index, words in sources]
    quotes_of_wider = [_quote(messages[index], words) for index, words in wider]
    if touches(claim, quotes) and supported(claim, quotes_of_wider):
        return list(dict.fromkeys(wider))
    raise _BadItemError("unsupported")


def _category(given: object) -> Category:
    if isinstance(given, str):
        name = given.strip().lower()
        name = _OTHER_NAMES.get(name, name)
        if name in CATEGORIES:
            return Category(name)
    raise _BadItemError("unknown category")


def _claimed(given: object) -> Category:
    try:
        return _category(given.get("category") if isinstance(given, Mapping) else None)
    except _BadItemError:
        return Category.NOTE


def _text(given: object) -> str:
    if isinstance(given, list | tuple) and all(isinstance(part, str) for part in given):
        given = "\n".join(given)
    return strip(given)[0].strip() if isinstance(given, str) else ""


def _sources(given: object, messages: Sequence[Message]) -> list[tuple[int, str]]:
    """The sources whose quote stands in a message, in that message's own words, each once."""
    if isinstance(given, Mapping | str):
        given = [given]
    if not isinstance(given, list | tuple):
        return []
    found: dict[tuple[int, str], None] = {}
    for each in given:
        quote = each.get("quote") if isinstance(each, Mapping) else each
        number = each.get("message") if isinstance(each, Mapping) else None
        source = _source(quote, number, messages) if isinstance(quote, str) else None
        if source:
            found[source] = None
    return list(found)


def _source(quote: str, number: object, messages: Sequence[Message]) -> tuple[int, str] | None:
    """Where a quote stands: in the message of that number, else in the first that has it."""
    named = _index(number)
    others = sorted(range(len(messages)), key=lambda i: messages[i].role is not Role.USER)
    tried = [named, *others] if named is not None and named < len(messages) else others
    for index in tried:
        words = found_quote(quote, said(messages[index]))
        if words:
            return index, words
    return None


def _index(given: object) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int | float) and 0 <= given < 1e9:
        return int(given)
    digits = _INDEX.search(given) if isinstance(given, str) else None
    return int(digits[0]) if digits else None


def _is_believed(source: tuple[int, str], category: Category, messages: Sequence[Message]) -> bool:
    role = messages[source[0]].role
    return role is Role.USER or (category in SHARED and role is Role.ASSISTANT)


def _quote(message: Message, words: str) -> Quote:
    return Quote(words, message.created_at, message.zone)


def _number(given: object) -> float | None:
    """A number, from a number or its text; None where it is none."""
    if isinstance(given, str) and _PLAIN.fullmatch(given.strip()):
        given = float(given)
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return float(given)


def _is_of_five(given: object) -> bool:
    """Whether an item's importance shows that the answer counts from 1 to 5."""
    value = _number(given.get("importance")) if isinstance(given, Mapping) else None
    return value is not None and 1 < value <= 5


def _importance(given: object, *, five: bool) -> float:
    """From 0 to 1, whatever scale it was given on; the default where it is on none."""
    if isinstance(given, str):
        word = given.strip().lower()
        share = _SHARE.fullmatch(word)
        if word in _WORDS:
            return _WORDS[word]
        if share:
            return _within(float(share[1]) / float(share[2] or 100))
    value = _number(given)
    if value is None:
        return DEFAULT_IMPORTANCE
    return _within((value - 1) / 4 if five else value)


def _within(importance: float) -> float:
    return importance if 0 <= importance <= 1 else DEFAULT_IMPORTANCE


def _what(given: object) -> str:
    """What a refused item said, for the person who looks it through."""
    if isinstance(given, Mapping):
        for name in ("abstract", "overview", "content"):
            text = _text(given.get(name))
            if text:
                return text[:ABSTRACT]
    return shown(given)
