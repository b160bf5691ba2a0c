"""What compaction is asked for, what it decided, and what it says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from lamina.types import Json, Message

Ask = Callable[[str, str, int], object]
"""A language model: system prompt, user prompt and most tokens of the answer, to its text."""

SUMMARY_ID = "summary"  # of the message that holds it


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is sent to a model, and what is kept as it is. Tokens, but where bytes are named."""

    max_input_tokens: int = 131_072
    ratio: float = 0.75  # of these: over it, there is compaction
    keep_messages: int = 0  # newest ones to stay word for word, where the budget allows
    keep_tokens: int | None = None  # of the newest messages; a tenth of the input by default
    old_bytes: int = 3_000  # of an old tool result
    recent_bytes: int = 50_000  # of one since the assistant last spoke
    recent_results: int = 2  # that are recent however old they are
    summary_tokens: int | None = None  # by default 8 for each message that it stands for
    summariser_tokens: int | None = None  # that the summarising model takes; the same by default

    @property
    def threshold(self) -> int:
        """Over so many tokens a request is compacted."""
        return int(self.max_input_tokens * self.ratio)

    @property
    def tail_tokens(self) -> int:
        """Tokens of the newest messages that stay as they are."""
        return self.max_input_tokens // 10 if self.keep_tokens is None else self.keep_tokens


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of a message that is shown shortened, or as a note. Its handle gives it whole."""

    handle: str
    message: str
    place: int  # of its block in the content; -1 for the content as a whole
    what: str  # result, media or text
    bytes: int  # that it has
    limit: int = 0  # bytes that are shown; 0 for a note alone
    words: tuple[str, ...] = ()  # lines with these are shown


@dataclass(frozen=True, slots=True)
class Compaction:
    """What was decided for a conversation so far: from it and the messages the window is made."""

    summary: str = ""
    made: str = ""  # by rule or by model
    through: str = ""  # id of the last message that the summary may stand for
    kept: Mapping[str, int] = field(default_factory=dict)
    """Ids of messages up to there that it does not stand for, with their places, from 1."""
    number: int = 0  # messages up to there
    covered: int = 0  # messages that the summary stands for
    cuts: tuple[Cut, ...] = ()
    idle: int = 0  # passes in a row that gained little
    size: int = 0  # tokens after the last pass


@dataclass(frozen=True, slots=True)
class Repair:
    """Something in the order of calls and results that no provider takes, mended in the window."""

    id: str  # of the call
    message: str  # id of the message that was moved, left out, or got an answer
    what: str  # late, unanswered, orphan, twin_result or twin_id

    @property
    def sentence(self) -> str:
        """What was done."""
        return _REPAIRS[self.what].format(self.id)


_REPAIRS: Mapping[str, str] = {
    "late": "the result of call {!r} stood apart from it and was moved behind it",
    "unanswered": "call {!r} has no result; one that says so stands in its place",
    "orphan": "a result for {!r} has no call and was left out",
    "twin_result": "a second result for {!r} was left out",
    "twin_id": "two calls of one message were called {!r}; one was renamed",
}


@dataclass(frozen=True, slots=True)
class Window:
    """What is sent now: valid for providers once it is written in their form."""

    messages: tuple[Message, ...]
    repairs: tuple[Repair, ...] = ()
    left_out: tuple[str, ...] = ()  # handles of what was left out to make it valid


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a pass did. `handles` are those of everything that is not in the window as it came."""

    window: Window
    state: Compaction  # to be kept, and given to the next pass
    before: int  # tokens, tools included
    after: int
    threshold: int
    passes: int = 0  # 1 where something was tried
    cuts: tuple[Cut, ...] = ()  # new ones
    summarised: tuple[str, ...] = ()  # ids of messages that the summary took in
    notes: tuple[str, ...] = ()  # sentences: what did not go as asked, or cannot shrink
    fills: tuple[tuple[str, int], ...] = ()  # what the request is made of, in tokens
    failure: str = ""  # why the model's summary is none

    @property
    def over(self) -> int:
        """Tokens over the threshold."""
        return max(0, self.after - self.threshold)

    @property
    def status(self) -> str:
        """One line for people."""
        return f"{self.before:,} -> {self.after:,} tokens (threshold {self.threshold:,})"


def is_made(message: Message) -> bool:
    """Whether it was made for the window and is none of the conversation's own."""
    return "made" in message.metadata


def origin_of(message: Message) -> str:
    """The id of the conversation's message that it is, or is part of."""
    return str(message.metadata.get("of", message.id))


def marked(message: Message, **fields: Json) -> dict[str, Json]:
    """Its metadata with more."""
    held: dict[str, Any] = {**message.metadata, **fields}
    return held


def ids_of(messages: Sequence[Message]) -> tuple[str, ...]:
    """The ids of messages, in order."""
    return tuple(message.id for message in messages)


def state_json(state: Compaction) -> dict[str, Json]:
    """The state as a JSON value, to be kept with the conversation."""
    held = asdict(state)
    return {**held, "cuts": [{**cut, "words": list(cut["words"])} for cut in held["cuts"]]}


def state_of(value: Mapping[str, Json]) -> Compaction:
    """The state from what `state_json` gave; fields of a later version are passed over."""
    known = {f.name for f in fields(Compaction)}
    cuts = tuple(Cut(**{**cut, "words": tuple(cut["words"])}) for cut in value.get("cuts", ()))
    return Compaction(**{**{k: v for k, v in value.items() if k in known}, "cuts": cuts})
