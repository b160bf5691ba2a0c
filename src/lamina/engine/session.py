"""One conversation: its turns word for word, and what of it to send to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from lamina.engine.block import block, shaped
from lamina.engine.compacting import compact, live, report, summaries_of
from lamina.engine.core import Core
from lamina.engine.ending import end_session
from lamina.engine.extracting import extract_session, unheard_of
from lamina.engine.hook import before_model
from lamina.engine.owning import found
from lamina.engine.reading import unread_of
from lamina.engine.replying import replied
from lamina.engine.search import ask
from lamina.engine.worker import Worker
from lamina.engine.working import Turn
from lamina.errors import InvalidInputError, NotFoundError
from lamina.pipeline import accept
from lamina.pipeline.clean import Cleaner
from lamina.pipeline.compact.handles import expand, whose
from lamina.pipeline.compact.results import is_users
from lamina.pipeline.compact.values import SUMMARY_ID, Ask, Limits, is_made, origin_of
from lamina.pipeline.inject import CONTEXT_HITS, beside
from lamina.pipeline.window import window_of
from lamina.pipeline.write import prepare_messages
from lamina.plain import shown, to_time
from lamina.replies import Compacting, Context, Ended, Extracted, Prompt, Sent, Window
from lamina.text.clean import scrub
from lamina.text.shapes import tools_tokens
from lamina.text.tokens import count_tokens
from lamina.types import Filter, Json, Level, Message, Role, Scope, SessionInfo

CONTEXT_SHARE, CONTEXT_MOST = 4, 2000  # a prompt gives a quarter to recall, at most so many tokens


class Session:
    """A conversation by its id, made by `Memory.session`. Threads may share it."""

    def __init__(
        self,
        core: Core,
        worker: Worker,
        scope: Scope,
        id: str,
        *,
        project: str | None = None,
        title: str | None = None,
    ) -> None:
        self.id = id
        self._core = core
        self._worker = worker
        self._scope = scope
        if project is not None:
            accept.checked_id(project, "project")
        if title is not None:
            title = scrub(accept.checked_key(title, "title"))[0]
        if project is not None or title is not None:
            info = self.info()
            self._put(
                replace(
                    info,
                    project=info.project if project is None else project,
                    title=info.title if title is None else title,
                )
            )

    def __repr__(self) -> str:
        return f"<lamina.Session {self.id!r}>"

    def info(self) -> SessionInfo:
        """What is known of the conversation as a whole."""
        self._core.check_open()
        info = self._core.store.session(self._scope.home, self.id)
        now = self._core.clock.now()
        return info if info is not None else SessionInfo(self.id, now, now)

    @property
    def state(self) -> Mapping[str, Json]:
        """A small JSON mapping of the caller's, saved with the conversation."""
        return self.info().state

    @state.setter
    def state(self, value: Mapping[str, Json]) -> None:
        if not isinstance(value, Mapping):
            raise InvalidInputError(f"state is a {type(value).__name__}; give a mapping")
        self._put(replace(self.info(), state=accept.checked_json(dict(value), "state")))

    def _put(self, info: SessionInfo) -> None:
        self._core.store.put_session(self._scope.home, info)

    def append(
        self,
        role: Role | str,
        content: str | Sequence[Json],
        *,
        name: str | None = None,
        id: str | None = None,
        created_at: datetime | str | None = None,
        metadata: Mapping[str, Json] | None = None,
        extra: Mapping[str, Json] | None = None,
    ) -> Message:
        """Keep a turn, word for word. On disk when it returns.

        `content` is text or a list of content blocks, `name` the speaker in a group, `created_at`
        an aware datetime or ISO 8601 text (default: now), `extra` what else the message carries
        (`tool_calls`, `tool_call_id`). A message whose id is there already is left as it is.

        Raises:
            InvalidInputError: something in it cannot be taken; nothing was written.
        """
        self._core.check_open()
        if extra is not None and not isinstance(extra, Mapping):
            raise InvalidInputError(f"extra is a {type(extra).__name__}; give a mapping")
        given: dict[str, Json] = {**(extra or {}), "role": role, "content": content}
        optional = {"name": name, "id": id, "created_at": created_at, "metadata": metadata}
        given.update({key: value for key, value in optional.items() if value is not None})
        (message,), _ = new_messages(self._core, self.id, [given], {})
        (prepared,) = prepare_messages([message], self._core.indexing)
        core, home = self._core, self._scope.home
        unread, unheard = unread_of(core, home, [message]), unheard_of(core, home, [message])
        core.store.append(home, [(message, prepared.passages)], unread=unread, unheard=unheard)
        self._worker.wake()
        return message

    def begin_turn(
        self, *, goal: str = "", focus: Sequence[str] = (), options: Sequence[str] = ()
    ) -> None:
        """Begin a turn: what it is for, what is spoken of, what was offered last.

        A question of this turn that points at something ("the other one") is completed from it.
        With `add(layer="working", session_id=...)` more is noted; all of it lives in memory only,
        until `end_turn`, the next `begin_turn`, or `close`.
        """
        self._core.check_open()
        turn = Turn(
            accept.checked_key(goal, "goal"),
            tuple(accept.checked_turns(focus)),
            tuple(accept.checked_turns(options)),
        )
        self._core.working.begin(self._scope.home, self.id, turn)

    def end_turn(self) -> int:
        """End the turn; returns how many notes of the working layer went with it."""
        self._core.check_open()
        return self._core.working.end(self._scope.home, self.id)

    def end(self) -> Ended:
        """End the conversation: its notes become long-term memories, or expire.

        A note is promoted that is pinned, of importance 0.75 or more, or said by the user with a
        quote that shows it. The turns stay, and so does what was drawn from them. Notes of a
        conversation in which nothing is said for `session_days` are ended by themselves.
        """
        self._core.check_open()
        self._core.working.end(self._scope.home, self.id)
        done = end_session(self._core, self._scope.home, self.id)
        self._worker.wake()
        return done

    def messages(self, *, limit: int | None = None) -> Sequence[Message]:
        """The turns in order; with `limit` the newest so many."""
        self._core.check_open()
        if limit is not None:
            limit = accept.checked_limit(limit)
        return self._core.store.messages(
            self._scope.home, self.id, limit=limit, newest=limit is not None
        )

    def extract(self, *, dry_run: bool = False) -> Extracted:
        """Read the conversation for facts now: by rules, and by the model if there is one.

        Imported messages too, but nothing a second time. What the model cannot read now stays
        queued; `notes` says why. With `dry_run` all is run and nothing written: `memories` are
        those that would be new or changed. The model is asked then too, and its tokens count.

        Raises:
            NotFoundError: there is no such conversation.
        """
        self._core.check_open()
        return extract_session(self._core, self._scope.home, self.id, dry_run=dry_run)

    def window(
        self, max_tokens: int = 16_000, *, system: str = "", tools: Sequence[Json] = ()
    ) -> Window:
        """What to send now: system and pinned messages, the summary, and the newest whole turns.

        Calls stand with their results, and the last user message with what follows it is always
        there. Old turns leave in blocks of about a quarter of the budget, so that the beginning of
        what is sent stays the same from turn to turn (providers cache it). `system` and `tools` (as
        they are sent) count in the budget. Nothing is written; `compact` is what keeps a summary.
        A message is pinned whose metadata has `pinned` true.
        """
        most = accept.checked_limit(max_tokens, "max_tokens", 0)
        self._core.check_open()
        now = live(self._core, self._scope.home, self.id)
        return window_of(now.messages, now.state, now.pinned, most, system=system, tools=tools)

    def compact(
        self,
        *,
        limits: Limits | None = None,
        tools: Sequence[Json] = (),
        summariser: Ask | None = None,
        force: bool = True,
    ) -> Compacting:
        """Shorten what is sent: long results in part, old turns in a summary; nothing is lost.

        The summary is made by rule, or by `summariser` (system prompt, prompt, most tokens, to its
        text): where that fails, by rule, and `notes` says so. It is a memory too, found by search.
        `force` false does nothing under the threshold of `limits` (98,304 tokens by default).
        """
        self._core.check_open()
        done, after = compact(
            self._core,
            self._scope.home,
            self.id,
            limits or Limits(),
            tools=tools,
            ask=summariser,
            force=force,
        )
        self._worker.wake()
        return report(done, after.memory)

    def before_model(
        self,
        messages: Sequence[Mapping[str, Json]],
        *,
        limits: Limits | None = None,
        shape: str | None = None,
        tools: Sequence[Json] = (),
        summariser: Ask | None = None,
    ) -> Sent:
        """For a loop that holds its own list of messages: keep what is new, send what fits.

        `messages` are all of the conversation in the form of OpenAI, Anthropic or AgentScope (found
        out, or `shape`). New ones are appended to this conversation; over the threshold it is
        compacted, and what to send comes back in the same form. Calling it again changes nothing.

        Raises:
            InvalidInputError: one of them is no message; nothing was written.
        """
        self._core.check_open()
        done = before_model(
            self._core,
            self._scope.home,
            self.id,
            messages,
            limits or Limits(),
            shape=shape,
            tools=tools,
            ask=summariser,
        )
        self._worker.wake()
        return done

    def expand(self, handle: str) -> Message | Json:
        """What a handle stands for, to the byte: a message, or the content of a result or block.

        Raises:
            NotFoundError: there is no such message in this scope, or no such part in it.
        """
        id, _ = whose(accept.checked_key(handle, "the handle"))
        for name in dict.fromkeys((handle, id)):
            try:
                item = found(self._core, self._scope, name)[1]
            except NotFoundError:
                continue
            if isinstance(item, Message):
                return expand(handle, [item])
        raise NotFoundError(f"no message has the handle {handle!r:.80}; take one of a window")

    def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int = 1000,
        window: Sequence[Message] | None = None,
        level: Level | str | None = None,
        frame: str = "auto",
    ) -> Context:
        """What is remembered for the last user message (or `query`), within a budget of tokens.

        It comes from all of the user's sessions, less what the `window` holds (default: the window
        of the default size). `level` and `frame` are as for `Memory.context`.
        """
        held = self.window() if window is None else window
        asked = _last_user_text(held) if query is None else accept.checked_query(query)
        shape = shaped(self._core, asked, max_tokens=max_tokens, level=level, frame=frame)
        if not asked.strip():
            return Context("")
        question = ask(
            self._core,
            self._scope,
            asked,
            limit=CONTEXT_HITS,
            filter=Filter(),
            now=None,
            turns=[
                *_before_last_user(held),
                *self._core.working.said(self._scope.home, self.id),
            ],
        )
        held_ids = frozenset(origin_of(message) for message in held)
        if any(message.id == SUMMARY_ID for message in held):
            held_ids |= frozenset(summaries_of(self._core, self._scope.home, [self.id]))
        info = self.info()
        made = block(self._core, self._scope, question, shape, held=held_ids, session=info)
        if made.degraded:
            self._worker.wake(written=False)
        return made

    def prompt(
        self,
        max_tokens: int = 16_000,
        *,
        system: str = "",
        tools: Sequence[Json] = (),
        level: Level | str | None = None,
        frame: str = "auto",
    ) -> Prompt:
        """What to send to a model now: system, window, and recall beside the last user message.

        All before the last user message stays byte for byte the same from turn to turn, but for
        cuts. Nothing recalled enters the stored conversation. `level` and `frame` are as for
        `Memory.context`.
        """
        max_tokens = accept.checked_limit(max_tokens, "max_tokens", 0)
        fixed = count_tokens(system) + tools_tokens(tools)
        share = min(CONTEXT_MOST, max(0, max_tokens - fixed) // CONTEXT_SHARE)
        held = self.window(max(0, max_tokens - fixed - share))
        context = self.context(max_tokens=share, window=held, level=level, frame=frame)
        sent = [dict(as_sent(message)) for message in held]
        last = max((i for i, m in enumerate(held) if is_users(m)), default=None)
        if context.text and last is not None:
            sent[last] = beside(sent[last], context.text)
        if system:
            sent.insert(0, {"role": "system", "content": system})
        tokens = fixed + context.tokens + held.tokens
        return Prompt(tuple(sent), tokens, context, held.notes)

    def reply(
        self, max_tokens: int = 16_000, *, system: str = "", answer_tokens: int = 1000
    ) -> Message:
        """Let the store's model answer what `prompt` gives, and append its answer.

        What it takes counts in `llm_daily_tokens`.

        Raises:
            LLMError: there is no model (`llm`), it failed, or its day's budget is used up.
        """
        most = accept.checked_limit(answer_tokens, "answer_tokens")
        sent = self.prompt(max_tokens, system=system).messages
        return self.append(Role.ASSISTANT, replied(self._core, sent, most))


def as_sent(message: Message) -> Mapping[str, Json]:
    """A message in the form in which an OpenAI-compatible API takes it."""
    named = {"name": message.name} if message.name else {}
    return {"role": str(message.role), "content": message.content, **named, **message.extra}


def _last_user_text(messages: Sequence[Message]) -> str:
    return next((m.text for m in reversed(messages) if is_users(m)), "")


def _before_last_user(messages: Sequence[Message]) -> list[Message]:
    """What was said just before the last user message, which may point at it."""
    last = max((i for i, m in enumerate(messages) if is_users(m)), default=0)
    return [m for m in messages[:last] if not is_made(m)]


def new_messages(
    core: Core, session_id: str, given: Sequence[Mapping[str, Json]], metadata: Mapping[str, Json]
) -> tuple[list[Message], Cleaner]:
    """Messages as they will be stored, and what had to be taken out of them.

    Raises:
        InvalidInputError: one of them cannot be taken; the message says which.
    """
    if isinstance(given, Mapping) or not isinstance(given, Sequence):
        raise InvalidInputError("messages are a list of mappings with role and content")
    made, cleaner = [], Cleaner(masking=core.settings.redact == "messages")
    for place, fields in enumerate(given):
        if not isinstance(fields, Mapping) or "role" not in fields:
            raise InvalidInputError(
                f"message {place} is {shown(fields)}; it needs role and content"
            )
        made.append(_new_message(core, session_id, fields, metadata, cleaner))
    return made, cleaner


KNOWN = frozenset({"role", "content", "name", "id", "created_at", "metadata"})


def _new_message(
    core: Core,
    session_id: str,
    fields: Mapping[str, Json],
    metadata: Mapping[str, Json],
    cleaner: Cleaner,
) -> Message:
    content = fields.get("content")
    extra = {key: value for key, value in fields.items() if key not in KNOWN}
    cleaned = cleaner.content("" if content is None else content)
    if not cleaned and not extra:
        raise accept.empty_message(fields["role"])
    now = core.clock.now()
    at = fields.get("created_at")
    created_at = now if at is None else to_time(at, "created_at")
    given_id = fields.get("id")
    name = fields.get("name")
    return Message(
        id=core.ids.new(created_at) if given_id is None else accept.checked_id(given_id, "id"),
        session_id=session_id,
        role=accept.checked_role(fields["role"]),
        content=cleaned,
        created_at=created_at,
        name=None if name is None else accept.checked_id(name, "name"),
        extra=cleaner.fields(extra),
        metadata={**metadata, **accept.checked_metadata(fields.get("metadata"))},
        zone=core.clock.zone.key,
    )
