"""What the verbs give back: frozen, slotted, and saying what deserves to be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, overload

from lamina.types import Category, Decision, Hit, Json, MemoryRecord, Message, Signal, Source


@dataclass(frozen=True, slots=True)
class Why:
    """Why a search returns an item, or at which step it falls."""

    id: str
    returned: bool
    step: str  # returned, folded, limit, score, words, filter or layers
    sentence: str
    rank: int | None = None  # place among all that could be returned, from 1
    score: float = 0.0  # 0..1
    raw: float = 0.0
    behind: float = 0.0  # raw score that it lacks to the last one returned
    signals: tuple[Signal, ...] = ()
    change: Mapping[str, Json] = field(default_factory=dict)  # arguments that bring it in


@dataclass(frozen=True, slots=True)
class Added:
    """What an `add` did: ids in the order given, and what deserves to be said."""

    ids: tuple[str, ...]
    skipped: tuple[str, ...] = ()  # ids of exact twins that were there already
    masked: Mapping[str, int] = field(default_factory=dict)  # secrets by kind
    replaced: int = 0  # characters that no file can hold, replaced or removed
    decisions: tuple[Decision, ...] = ()  # about what it says, with `infer=True`

    @property
    def id(self) -> str:
        """The one id, where one thing was added."""
        return self.ids[0]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an `import_` did."""

    messages: int = 0  # new ones
    known: int = 0  # that were there already
    sessions: int = 0  # that messages came into
    memories: int = 0  # new ones, of an export of Lamina's own
    unread: tuple[str, ...] = ()  # sentences: what could not be read, where, and why
    masked: Mapping[str, int] = field(default_factory=dict)  # secrets by kind
    replaced: int = 0  # characters that no file can hold


@dataclass(frozen=True, slots=True)
class Exported:
    """What an `export` wrote."""

    path: str
    sessions: int
    messages: int
    memories: int  # passages of documents among them
    secrets: Mapping[str, int]  # by kind; they stand in the file unless `masked`
    masked: bool


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the store, opened and counted."""

    path: str
    messages: int
    memories: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Archived:
    """What an `archive.add` or `archive.remove` did: ids of documents, and what must be said."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # whose passages were replaced
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    passages: int = 0  # written
    skipped: tuple[str, ...] = ()  # sentences: what is no document, and why
    unread: tuple[str, ...] = ()  # sentences: what could not be read, and why
    masked: Mapping[str, int] = field(default_factory=dict)  # secrets by kind
    replaced: int = 0  # characters that no file can hold
    pending: bool = False  # stale copies of removed bytes are still to be swept from the files

    @property
    def id(self) -> str:
        """The one id, where one document was added."""
        return (*self.added, *self.changed, *self.unchanged)[0]


@dataclass(frozen=True, slots=True)
class Deleted:
    """What a `delete` did."""

    id: str
    still_in: tuple[str, ...] = ()  # ids of messages that still say it
    pending: bool = False  # stale copies of its bytes are still to be swept from the files


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a `forget` did, or would do in a dry run; all but `pending` are ids."""

    messages: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()  # memories that stay without what is forgotten
    valid_again: tuple[str, ...] = ()  # memories that only what is forgotten had ended
    sessions: tuple[str, ...] = ()
    done: bool = False  # in none of the store's bytes any more
    pending: tuple[str, ...] = ()  # sentences: what could not be reached yet, and is tried again


@dataclass(frozen=True, slots=True)
class Ended:
    """What the end of a conversation made of its notes: ids of memories."""

    promoted: tuple[str, ...] = ()  # to the long-term layer
    expired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compacting:
    """What a compaction did. Whatever left the window comes back by `expand`."""

    before: int  # tokens of what would be sent
    after: int
    threshold: int  # over so many there is compaction
    status: str  # one line of it, for people
    made: str = ""  # rule or model, where a summary was made now
    summary: str = ""  # that stands for what left
    memory: str | None = None  # id of the summary as a memory
    summarised: tuple[str, ...] = ()  # ids of messages that it took in now
    cuts: tuple[str, ...] = ()  # handles of what is shown in part from now on
    repaired: tuple[str, ...] = ()  # sentences: calls and results that were put in order
    notes: tuple[str, ...] = ()  # sentences: what did not go as asked, or cannot shrink


@dataclass(frozen=True, slots=True)
class Sent:
    """What to send to a model, in the form in which it was given."""

    messages: tuple[Mapping[str, Json], ...]
    system: Json  # of Anthropic's form, which has it apart; None where there is none
    compacting: Compacting
    lost: tuple[str, ...] = ()  # sentences: what the form cannot carry


@dataclass(frozen=True, slots=True)
class Proposal:
    """What waits for a person to accept or refuse it."""

    id: str
    text: str
    reason: str  # a code: unsure, hedged, origin, ...
    at: datetime  # when it was said
    category: Category
    source: tuple[Source, ...] = ()  # with the quote that says it
    target: str | None = None  # id of the memory that it would touch


@dataclass(frozen=True, slots=True)
class LogEntry:
    """Something that was decided or done."""

    at: datetime
    event: str  # memory_add, memory_update, memory_delete, forget, retrieve_ctx, decision
    user: str
    agent: str
    payload: Mapping[str, Json]  # ids, counts and codes; texts only where they were asked for


@dataclass(frozen=True, slots=True)
class Audit:
    """How sound the memories of a store are. Tuples hold ids of memories that still hold."""

    memories: int  # that still hold, documents left out
    duplicates: tuple[str, ...]  # that say what another one says
    contradictions: tuple[str, ...]  # of one topic with another one, with another value
    unsupported: tuple[str, ...]  # whose quote does not stand in the message it names
    orphans: tuple[str, ...]  # all of whose sources are gone
    stale: tuple[str, ...]  # that have expired, or tell as to come what is past
    secrets: tuple[str, ...]  # that hold what looks like one
    loops: tuple[str, ...]  # whose words others had said before their source did
    importance: tuple[int, int, int, int, int]  # how many in each fifth from 0 to 1
    decisions: Mapping[str, int]  # how often, by action and reason
    waiting: int  # for review

    def rate(self, found: tuple[str, ...]) -> float:
        """The share that so many have of all memories."""
        return len(found) / self.memories if self.memories else 0.0


@dataclass(frozen=True, slots=True)
class Context:
    """The block for the prompt, and what it is made of; `hits` are those shown, in its order."""

    text: str
    hits: tuple[Hit, ...] = ()
    tokens: int = 0
    left_out: int = 0  # hits that did not fit the budget
    degraded: tuple[str, ...] = ()
    standing: int = 0  # of those shown: pinned and profile, which come with every question
    shortened: int = 0  # of those shown: cut to fit
    folded: int = 0  # near-duplicates that those shown stand for

    @property
    def shown(self) -> int:
        """How many items the block holds."""
        return len(self.hits)

    def messages(self) -> list[dict[str, Json]]:
        """As OpenAI messages: one system message, or none where nothing was recalled."""
        return [{"role": "system", "content": self.text}] if self.text else []

    def blocks(self) -> list[dict[str, Json]]:
        """As Anthropic content blocks."""
        return [{"type": "text", "text": self.text}] if self.text else []


@dataclass(frozen=True, slots=True)
class Window(Sequence[Message]):
    """What of a conversation goes with the next call, in order."""

    messages: tuple[Message, ...] = ()
    tokens: int = 0  # of all of it, system text and tools included
    left_out: tuple[str, ...] = ()  # handles of what is not in it as it came; `expand` gives it
    repaired: tuple[str, ...] = ()  # sentences: calls and results that were put in order
    notes: tuple[str, ...] = ()  # sentences: what cannot shrink, or is shown in part

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        return self.messages[index]

    def __len__(self) -> int:
        return len(self.messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What to send to a model now: system, window and recalled context within one budget."""

    messages: tuple[Mapping[str, Json], ...]
    tokens: int
    context: Context
    notes: tuple[str, ...] = ()  # sentences: what cannot shrink, or is shown in part


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of a store, or of one user in it."""

    path: str
    users: int
    sessions: int
    messages: int
    memories: int
    passages: int
    vectors: int
    pending: int  # passages that wait for their vectors
    space: str  # name of the embedding space in use; "" for words only
    bytes: int
    degraded: tuple[str, ...] = ()
    tokens: int = 0  # that the language model took today
    unheard: int = 0  # conversations of which something waits for it


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder, or a text that has a URI."""

    uri: str
    kind: Literal["folder", "memory", "message", "document"]
    text: str = ""  # its abstract, secrets masked; of a session or document the title
    count: int = 0  # how many a folder or document holds
    date: datetime | None = None  # when it was said, last used or added
    id: str = ""  # of the memory, message, document or session
    valid_to: datetime | None = None  # until when it was true, where that is known


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a text in which a pattern was found."""

    uri: str
    id: str  # of the memory or message
    line: int  # from 1
    text: str  # the line, secrets masked; of a long one what stands around the find


@dataclass(frozen=True, slots=True)
class Extracted:
    """What reading a conversation for facts came to."""

    session_id: str
    messages: int  # that were read, by rules or by a model
    decisions: tuple[Decision, ...]  # about what they say
    memories: tuple[MemoryRecord, ...]  # new and changed ones
    tokens: int  # that the model took
    waiting: int  # messages that wait for the model
    notes: tuple[str, ...]  # sentences: what was missing
    dry_run: bool  # nothing was written
