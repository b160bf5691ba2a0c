"""`OpenVikingStore`: messages, facts, and entries of three levels under `ov://` URIs.

Its names, six categories, decisions and whole-number scores, on a store of Lamina's: durable, one
user's memory over all his sessions, and each fact kept once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from types import TracebackType
from typing import Literal, Self
from urllib.parse import unquote

from lamina.build import open_memory
from lamina.engine.memory import Memory
from lamina.engine.session import as_sent
from lamina.errors import InvalidInputError, NotFoundError
from lamina.ids import IdMaker
from lamina.pipeline import accept
from lamina.pipeline.levels import level_text
from lamina.pipeline.uris import ID, quoted, slug
from lamina.plain import shown
from lamina.text.fold import fold
from lamina.text.tokens import count_tokens
from lamina.text.words import query_words, words_and_chars
from lamina.types import (
    Action,
    Category,
    Decision,
    Filter,
    Json,
    Layer,
    Level,
    MemoryRecord,
    Message,
    Role,
)

L0, L1, L2, METADATA, URI = 10, 5, 3, 2, 1  # what a find in each is worth
HOME = "ov://memory/"
ALSO = "also"  # in a memory's metadata: further URIs under which its very text was put
CURSOR = "openviking"  # in a session's state: the id of the last message that was extracted from
LOOKED_AT = 200  # results of recall that are scored
ALL = 1_000_000  # memories of one user, at most
_KINDS = (
    (Category.PREFERENCES, re.compile(r"偏好|喜欢|prefer|likes?\b", re.IGNORECASE)),
    (Category.EVENTS, re.compile(r"决策|决定|选择了|decid|decision|chose", re.IGNORECASE)),
    (Category.PATTERNS, re.compile(r"规范|流程|命名|convention|workflow|style", re.IGNORECASE)),
    (Category.PROFILE, re.compile(r"^用户|^user\b", re.IGNORECASE)),
)
_Word = Literal["skip", "create", "merge"]
DECISIONS: dict[Action, _Word] = {
    Action.CREATE: "create",
    Action.MERGE: "merge",
    Action.SUPERSEDE: "merge",
}
_LIVING = Filter(layers=(Layer.LONG_TERM,), current=True)


@dataclass(slots=True)
class ContextEntry:
    """Something known: a line, an outline, and all of it. What is not given is made of the rest."""

    uri: str = ""  # ov://memory/{session}/...; "" is given one
    l0: str | None = None  # about 100 tokens
    l1: str | None = None  # about 2,000 tokens; None where the whole is no longer
    l2: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)  # `category` is one of the six


@dataclass(frozen=True, slots=True)
class MemoryDecision:
    """What became of something worth keeping."""

    decision: _Word
    reason: str  # a code: new, known, says_more, newer, ...
    text: str
    entry: ContextEntry | None = None  # that holds it
    target: str | None = None  # URI of what it enriched or replaced


class OpenVikingStore:
    """A user's messages, facts and entries. Threads may share it.

    `path` is the folder of the store, or a `Memory` that is open already, which then stays open.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | Memory = "data/openviking",
        user_id: str | None = None,
        **settings: Json,
    ) -> None:
        self._given = isinstance(path, Memory)
        opened = path if isinstance(path, Memory) else open_memory(path, **settings)
        self.memory = opened if user_id is None else opened.for_user(user_id)
        self._ids = IdMaker()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the store, if it was opened here."""
        if not self._given:
            self.memory.close()

    # --- messages

    def add_message(
        self, session_id: str, message: Mapping[str, Json] | str, content: str | None = None
    ) -> None:
        """Keep a message: a mapping with `role` and `content`, or these two. On disk at once."""
        if isinstance(message, str):
            role, text = (message, content) if content is not None else ("user", message)
            message = {"role": role, "content": text}
        self.memory.add([message], session_id=session_id, infer=False)

    def get_messages(self, session_id: str) -> list[dict[str, Json]]:
        """The messages of a session in order, as they came."""
        return [dict(as_sent(message)) for message in self.memory.session(session_id).messages()]

    def extract(self, session_id: str) -> list[MemoryDecision]:
        """Draw what is worth keeping from the messages that came since the last time."""
        return MemoryExtractor(self).extract(session_id)

    # --- facts

    def facts(self, max_tokens: int = 2000) -> list[str]:
        """What is known, a line each, in the order in which it was said.

        Taken from the entries, so that what was merged, replaced or deleted is not among them.
        Beyond the budget of tokens the pinned, the profile, the important and the new stay.
        """
        left = accept.checked_limit(max_tokens, "max_tokens", 0)
        known = [
            record
            for record in self.memory.list(filter=_LIVING, limit=ALL)
            if record.category is not Category.SUMMARY
        ]
        known.sort(key=lambda record: record.said_at, reverse=True)
        known.sort(
            key=lambda r: (r.pinned, r.category is Category.PROFILE, r.importance), reverse=True
        )
        chosen: list[tuple[datetime, str, str]] = []
        for record in known:
            line = _line(level_text(record, Level.ABSTRACT))
            left -= count_tokens(line) + 1
            if left < 0:
                break
            chosen.append((record.said_at, record.id, line))
        return [line for _, _, line in sorted(chosen)]

    def add_fact(
        self, fact: str, session_id: str | None = None, category: str | None = None
    ) -> MemoryDecision:
        """Keep a fact of one line, held against what is known: it may be known, or replace it.

        The category is one of the six; by default the fact's own words decide.
        """
        text = _line(fact) if isinstance(fact, str) else fact
        kind = _kind(text) if category is None else accept.checked_category(category)
        added = self.memory.add(text, category=kind, session_id=session_id, infer=True)
        return _told(self.memory, added.decisions[0])

    # --- entries

    def put(self, entry: ContextEntry) -> ContextEntry:
        """Keep an entry under its URI, in place of what was there; gives it as it is kept.

        A very text that is there already is not kept twice: its entry answers to both URIs.
        """
        if entry.uri and not entry.uri.startswith("ov://"):
            raise InvalidInputError(
                f"the entry's URI is {shown(entry.uri)}; give one of {HOME}, or none"
            )
        session, kind = _session_of(entry.uri), entry.metadata.get("category", "")
        text = entry.l2 or entry.l1 or entry.l0 or ""
        category = Category(kind) if kind in set(Category) else _kind(text)
        known = _record(self.memory, entry.uri) if entry.uri else None
        if known is None:
            now = datetime.now(UTC)
            id = entry.uri or _uri(session, category, text, self._ids.new(now))
            known = MemoryRecord(id, text, now, session_id=session)
        also = {key: known.metadata[key] for key in (ALSO,) if key in known.metadata}
        record = replace(
            known,
            content=text,
            category=category,
            abstract=entry.l0 or "",
            overview=entry.l1 or "",
            metadata={**entry.metadata, **also},
        )
        kept = self.memory.add(record).id
        if kept != record.id:
            self._answer_to(kept, record.id)
        found = _record(self.memory, kept)
        return entry if found is None else entry_of(found)

    def _answer_to(self, id: str, uri: str) -> None:
        record = _record(self.memory, id)
        if record is not None:
            told = {**record.metadata, ALSO: [*record.metadata.get(ALSO, ()), uri]}
            self.memory.update(id, metadata=told)

    def get(self, uri: str) -> ContextEntry | None:
        """The entry of a URI; None where there is none."""
        record = _record(self.memory, uri)
        return None if record is None else entry_of(record)

    def search(self, query: str, top_k: int = 5) -> list[ContextEntry]:
        """The entries that a query finds: by their whole-number score, then by recall's own.

        An entry without any find by the score comes last, and only where recall is sure of it: by
        some of the query's words or, with an embedder, by its meaning.
        """
        most = accept.checked_limit(top_k, "top_k")
        hits = self.memory.search(query, limit=max(LOOKED_AT, most), filter=_LIVING)
        words = set(query_words(query))
        found: list[tuple[int, int, ContextEntry]] = []
        for place, hit in enumerate(hits):
            record = _record(self.memory, hit.id)
            if record is not None:
                entry = entry_of(record)
                score = self.calculate_relevance_score(query, entry)
                near = not hits.degraded or bool(words & _words(entry))
                if score or (near and not hit.weak):
                    found.append((-score, place, entry))
        return [entry for _, _, entry in sorted(found, key=lambda one: one[:2])[:most]]

    @staticmethod
    def calculate_relevance_score(query: str, entry: ContextEntry) -> int:
        """10 for a find in L0, 5 in L1, 3 in L2, 2 in the metadata's values, 1 in the URI.

        Found is a query that stands there as it is, or all of whose words do; case, width and
        script do not matter. The same text in two levels counts once; an empty query finds nothing.
        """
        needle = fold(accept.checked_query(query)).strip()
        if not needle:
            return 0
        words = set(query_words(query))
        address = unquote(entry.uri.removeprefix(HOME))
        score, seen = 0, set[str]()
        told = "\n".join(map(str, entry.metadata.values()))
        parts = ((entry.l0, L0), (entry.l1, L1), (entry.l2, L2), (told, METADATA), (address, URI))
        for text, weight in parts:
            if text and text not in seen:
                seen.add(text)
                has = bool(words) and words <= set(chain(*words_and_chars(text)))
                score += weight * (has or needle in fold(text))
        return score


class MemoryExtractor:
    """Draws candidates from a session, decides about each, and keeps what is new."""

    def __init__(self, store: OpenVikingStore) -> None:
        self._store = store

    def extract(self, session_id: str) -> list[MemoryDecision]:
        """What became of what the user said since the last time; nothing is drawn twice."""
        session = self._store.memory.session(session_id)
        new = _behind(session.messages(), session.state.get(CURSOR))
        if not new:
            return []
        said = [
            {"role": "user", "content": message.content, "id": message.id}
            for message in new
            if message.role is Role.USER and message.text.strip()
        ]
        added = self._store.memory.add(said, session_id=session_id, infer=True)
        session.state = {**session.state, CURSOR: new[-1].id}
        return [_told(self._store.memory, decision) for decision in added.decisions]


def _record(memory: Memory, uri: str) -> MemoryRecord | None:
    """The memory of a URI: put there, drawn from a session, or of the same text."""
    accept.checked_key(uri, "the URI")
    ids = [uri, unquote(uri.rpartition(ID)[2])] if uri.startswith(HOME) and ID in uri else [uri]
    for id in ids:
        try:
            found = memory.get(id)
        except NotFoundError:
            continue
        return found if isinstance(found, MemoryRecord) else None
    where = Filter(metadata={ALSO: {"contains": uri}})
    return next(iter(memory.list(filter=where, limit=1)), None)


def _told(memory: Memory, decision: Decision) -> MemoryDecision:
    """A decision in this store's words: what replaces an older one is merged into it."""
    record = None if decision.memory is None else _record(memory, decision.memory)
    target = None if decision.target is None else _record(memory, decision.target)
    return MemoryDecision(
        DECISIONS.get(decision.action, "skip"),
        decision.reason,
        decision.text,
        None if record is None else entry_of(record),
        None if target is None else entry_of(target).uri,
    )


def entry_of(record: MemoryRecord) -> ContextEntry:
    """A memory as an entry."""
    kept = record.metadata.get("uri")
    uri = record.id if record.id.startswith("ov://") else kept if isinstance(kept, str) else ""
    told = {
        key: value if isinstance(value, str) else str(value)
        for key, value in record.metadata.items()
        if key != ALSO
    }
    return ContextEntry(
        uri or _uri(record.session_id, record.category, record.content, record.id),
        level_text(record, Level.ABSTRACT),
        record.overview or None,
        record.content,
        {"category": str(record.category), **told},
    )


def _words(entry: ContextEntry) -> set[str]:
    levels = (entry.l0, entry.l1, entry.l2)
    return set(chain(*(chain(*words_and_chars(text)) for text in levels if text)))


def _uri(session: str | None, category: Category, text: str, id: str) -> str:
    whose = quoted(session or "user")
    return f"{HOME}{whose}/{category}/{slug(text)}{ID}{quoted(id)}"


def _session_of(uri: str) -> str | None:
    """The session that an entry's URI names: where it was learned, not who may know it."""
    name = unquote(uri.removeprefix(HOME).partition("/")[0]) if uri.startswith(HOME) else ""
    return name if name and name != "user" else None


def _behind(messages: Sequence[Message], last: Json) -> Sequence[Message]:
    for place, message in enumerate(messages):
        if message.id == last:
            return messages[place + 1 :]
    return messages


def _kind(text: str) -> Category:
    """One of the six categories, by a fact's own words; what says nothing else is an entity."""
    found = (kind for kind, words in _KINDS if words.search(str(text)))
    return next(found, Category.ENTITIES)


def _line(text: str) -> str:
    return " ".join(text.split())
