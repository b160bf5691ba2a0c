"""The values that everything passes around: frozen, slotted, and meaning one thing each.

Times are aware UTC instants. Importance is 0.0 to 1.0. Ids are 26-character, time-ordered text
unless a caller or an import brought its own. JSON values inside a frozen value are not copied:
treat them as read-only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, overload

Json = Any  # what the json module reads and writes

DEFAULT_USER = "\x01default"  # a control character, which handles refuse: no caller's id meets it
EVERYONE = "\x01everyone"
SHARED = ""  # the agent part of what belongs to the user for every agent


class Layer(StrEnum):
    """Where a memory lives, and how long."""

    WORKING = "working"  # this turn, RAM only
    SESSION = "session"  # this conversation
    LONG_TERM = "long_term"  # facts, preferences, summaries
    ARCHIVAL = "archival"  # documents, searched on request


class Category(StrEnum):
    """What a memory is about."""

    PROFILE = "profile"
    PREFERENCES = "preferences"
    ENTITIES = "entities"
    EVENTS = "events"
    CASES = "cases"
    PATTERNS = "patterns"
    SUMMARY = "summary"
    NOTE = "note"


class Level(StrEnum):
    """How much of a memory is shown."""

    ABSTRACT = "abstract"
    OVERVIEW = "overview"
    CONTENT = "content"


class Origin(StrEnum):
    """Who a text comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    WEB = "web"
    SYSTEM = "system"
    PERSON = "person"  # an edit by hand


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    DEVELOPER = "developer"
    TOOL = "tool"


class Kind(StrEnum):
    """What a hit, a passage or a source is part of."""

    MESSAGE = "message"
    MEMORY = "memory"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Partition:
    """The unit of storage and of word statistics: one user's, with one agent or shared."""

    user: str = DEFAULT_USER
    agent: str = SHARED


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory a handle sees. `agent` None reads all of the user's agents."""

    user: str = DEFAULT_USER
    agent: str | None = None

    @property
    def home(self) -> Partition:
        """Where this scope writes."""
        return Partition(self.user, self.agent if self.agent is not None else SHARED)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory or a hit comes from."""

    kind: Kind
    id: str
    session_id: str | None = None
    name: str | None = None  # the speaker's name, or the document's title
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation, word for word.

    `content` is text, or content blocks as the caller's API has them. `extra` holds what else the
    message carried (tool calls, the id of the call that a result answers).
    """

    id: str
    session_id: str
    role: Role
    content: str | Sequence[Json]
    created_at: datetime
    name: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    metadata: Mapping[str, Json] = field(default_factory=dict)
    zone: str = "UTC"  # IANA name of the zone in which its local date is meant
    seq: int = 0  # place in the order of the store, which gives it

    @property
    def text(self) -> str:
        """Everything in it that reads as text, blocks joined by line ends."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(filter(None, map(block_text, self.content)))


def block_text(block: Json) -> str:
    """The text of one content block of the OpenAI or Anthropic form; "" where it has none."""
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return ""
    for key in ("text", "content", "thinking"):
        value = block.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return "\n".join(filter(None, map(block_text, value)))
    return ""


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One durable unit of knowledge. `version` counts its changes from 1."""

    id: str
    content: str  # L2, any length
    created_at: datetime
    layer: Layer = Layer.LONG_TERM
    category: Category = Category.NOTE
    abstract: str = ""  # L0, about 100 tokens
    overview: str = ""  # L1, about 2,000 tokens
    importance: float = 0.5
    pinned: bool = False
    origin: Origin = Origin.USER
    sources: tuple[Source, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    session_id: str | None = None
    project: str | None = None
    valid_from: datetime | None = None  # when it was true: from, inclusive
    valid_to: datetime | None = None  # and to, exclusive
    expires_at: datetime | None = None
    updated_at: datetime | None = None
    version: int = 1
    topic: str = ""  # whose and which property it states, such as "user/home"; "" where none is
    happens_from: datetime | None = None  # the event or plan that it tells of: from, inclusive
    happens_to: datetime | None = None  # and to, exclusive
    confirmed_at: datetime | None = None  # when it was said again, last

    @property
    def said_at(self) -> datetime:
        """When it was said or became true, which may be long before it was stored."""
        return self.created_at if self.valid_from is None else self.valid_from

    @property
    def document(self) -> Source | None:
        """The document that it is a passage of; its id begins with the document's."""
        source = self.sources[0] if self.sources else None
        if source is None or source.kind is not Kind.DOCUMENT or self.layer is not Layer.ARCHIVAL:
            return None
        return source if self.id.startswith(f"{source.id}.") else None


@dataclass(frozen=True, slots=True)
class Document:
    """A file, or a text with a title, in the archival layer."""

    id: str
    title: str
    path: str | None  # absolute; None for a text
    passages: int  # that it was cut into
    hash: str  # of its bytes, and of how they were read
    added_at: datetime
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A conversation: its name within (user, agent), and what is known of it as a whole."""

    id: str
    created_at: datetime
    updated_at: datetime
    title: str = ""
    project: str | None = None
    state: Mapping[str, Json] = field(default_factory=dict)
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may become a memory: a claim drawn from a source, not yet held against what is known."""

    content: str  # in the third person, relative dates made absolute
    category: Category
    sources: tuple[Source, ...]  # the first with the quote that says it
    said_at: datetime
    topic: str = ""  # as of a memory
    value: str = ""  # what the topic is said to be; two of one topic and value say the same
    importance: float = 0.5
    origin: Origin = Origin.USER
    abstract: str = ""
    overview: str = ""
    happens_from: datetime | None = None
    happens_to: datetime | None = None
    session_id: str | None = None
    project: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    doubt: str = ""  # a reason code: why it waits for a person instead of being kept


class Action(StrEnum):
    """What is decided about something that may become a memory."""

    CREATE = "create"
    MERGE = "merge"
    SUPERSEDE = "supersede"
    SKIP = "skip"
    QUARANTINE = "quarantine"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about something that may become a memory, and why."""

    at: datetime
    action: Action
    reason: str  # a code: new, known, says_more, newer, late, beside, erased, echo, unsure, ...
    text: str  # that it would hold, secrets masked
    memory: str | None = None  # id of the memory that was made of it, or holds it already
    target: str | None = None  # id of the memory that it replaced
    message: str | None = None  # id of the message that says it
    detail: Mapping[str, Json] = field(default_factory=dict)  # all of it, while it waits for review
    waiting: bool = False  # for a person to accept or refuse it
    id: int = 0  # given by the store


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One change of a memory: who did what, when, and how it read before and after."""

    memory: str
    action: str  # add, update or delete
    actor: Origin
    at: datetime
    before: Mapping[str, Json] | None = None
    after: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was done, for the log: ids and counts, never a text."""

    at: datetime
    name: str  # memory_delete, forget, retrieve_ctx, ...
    payload: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Signal:
    """One term of a score: `weight` x `value` is what it adds to the raw score."""

    name: str
    value: float
    weight: float
    raw: float  # before it was put on a common scale: a BM25 score, a cosine
    rank: int | None = None  # place among the candidates by this signal alone, from 1


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. `signals` is filled by `explain=True`; their sum is `raw`."""

    id: str
    kind: Kind
    text: str  # secrets masked
    date: datetime
    score: float  # 0..1
    source: tuple[Source, ...]
    role: str = ""
    layer: Layer = Layer.LONG_TERM
    weak: bool = False
    count: int = 1  # near-duplicates folded into this one, itself included
    raw: float = 0.0
    signals: tuple[Signal, ...] = ()
    valid_to: datetime | None = None  # until when it was true, where that is past


@dataclass(frozen=True, slots=True)
class Results(Sequence[Hit]):
    """The hits of one search, best first, with what should be said about the search itself."""

    hits: tuple[Hit, ...] = ()
    degraded: tuple[str, ...] = ()  # sentences: what was missing, so that words alone answered
    archival: int | None = None  # matches waiting in the archival layer, where it was not asked for

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class Filter:
    """What narrows a search or a listing. None means: do not narrow by this.

    `since` is inclusive, `until` exclusive. `metadata` is a mapping of equalities, or the operators
    AND, OR, NOT and eq, ne, gt, gte, lt, lte, in, nin, contains under a field's name.
    `as_of` asks what was true then, `known_at` what the store knew then, `current` what is true
    now.
    """

    layers: tuple[Layer, ...] | None = None
    categories: tuple[Category, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None
    origins: tuple[Origin, ...] | None = None
    metadata: Mapping[str, Json] | None = None
    project: str | None = None
    session_id: str | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    current: bool | None = None
    min_importance: float | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space. Vectors of two spaces are never compared."""

    provider: str
    model: str
    dimensions: int
    version: str = "1"

    @property
    def name(self) -> str:
        """The name under which vectors are stored: it changes when anything of the space does."""
        return f"{self.provider}/{self.model}/{self.dimensions}/{self.version}"
