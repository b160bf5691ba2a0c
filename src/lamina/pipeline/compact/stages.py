"""The three stages before a call of a model: results in part, a summary, and what must yield last.

When the request is over its threshold: first tool results are shown in part; then all before a
border between groups goes into a summary, but for the newest messages, the last of the user, and
the last of the assistant with its results, which no model may have seen yet;
if that is not enough, results and at last the longest texts are shown in ever smaller parts. What
cannot shrink is named. Nothing is lost: whatever leaves has a handle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from lamina.pipeline.compact.by_model import NoSummaryError, by_model
from lamina.pipeline.compact.cutting import NOTE_BYTES, asked_words, size_of
from lamina.pipeline.compact.groups import Group
from lamina.pipeline.compact.handles import part_handle
from lamina.pipeline.compact.results import (
    cut_of,
    is_users,
    last_user_text,
    result_cuts,
    true_place,
)
from lamina.pipeline.compact.summary import by_rule, language_of, summary_budget
from lamina.pipeline.compact.values import (
    Ask,
    Compacted,
    Compaction,
    Cut,
    Limits,
    is_made,
    origin_of,
)
from lamina.pipeline.compact.window import View, is_system, summary_message, view_of
from lamina.text.shapes import Counter, Text, message_tokens, parts, results, tools_tokens
from lamina.text.shapes.counting import PRIMING
from lamina.text.tokens import count_tokens
from lamina.types import Json, Message, Role

IDLE_GAIN, IDLE_PASSES = 0.1, 2  # a pass that gains less gains little; after so many: stop
COMFORT = 0.9  # of the threshold: with less than that left, stage one alone would soon be back
SUMMARY_SHARE = 4  # the summary takes at most a quarter of the threshold
LEAST_SUMMARY = 60  # tokens
LEAST_COVERED = 150  # tokens of messages that are worth a summary
SQUEEZES = (25_000, 12_000, 6_000, 3_000, 1_500, 700, 350)  # bytes of a result, if it must be
LONG_TEXTS = 4  # texts that are shown in part at the very last
LEAST_TEXT = 400  # bytes of one


@dataclass(slots=True)
class _Pass:
    """All that one pass knows and finds."""

    messages: Sequence[Message]
    limits: Limits
    pinned: frozenset[str]
    tools: int  # tokens
    count: Counter
    counted: dict[int, tuple[Message, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    summarised: tuple[str, ...] = ()
    failure: str = ""

    def tokens(self, messages: Sequence[Message]) -> int:
        """Tokens of messages; each object is counted once."""
        total = 0
        for message in messages:
            known = self.counted.get(id(message))
            if known is None:
                known = (message, message_tokens(message, self.count))
                self.counted[id(message)] = known
            total += known[1]
        return total

    def view(self, state: Compaction) -> View:
        return view_of(self.messages, state, self.pinned)

    def size(self, view: View) -> int:
        return self.tokens(view.messages) + self.tools


def compacted(
    messages: Sequence[Message],
    limits: Limits | None = None,
    *,
    state: Compaction | None = None,
    tools: Sequence[Json] = (),
    pinned: Collection[str] = (),
    ask: Ask | None = None,
    count: Counter = count_tokens,
    force: bool = False,
) -> Compacted:
    """What to send to a model now, held to the limits, and what was done for that.

    `messages` are the conversation as it is, `state` what the pass before gave, `tools` the schemas
    sent along, `pinned` ids of messages that stay. `ask` is a language model for the summary; where
    it fails the rules serve, and the reply says so. `force` compacts under the threshold too.
    """
    limits, state = limits or Limits(), state or Compaction()
    run = _Pass(messages, limits, frozenset(pinned), tools_tokens(tools, count) + PRIMING, count)
    view = run.view(state)
    before = run.size(view)
    if before <= limits.threshold and not force:
        return _reply(run, view, state, before, before)
    if state.idle >= IDLE_PASSES and before < state.size * (1 + IDLE_GAIN) and not force:
        run.notes.append(
            f"{IDLE_PASSES} passes in a row gained under {IDLE_GAIN:.0%}: none is tried until the "
            f"request has grown from {state.size:,} to {int(state.size * (1 + IDLE_GAIN)):,} tokens"
        )
        return _reply(run, view, state, before, before)
    made = _shrunk(run, state, ask=ask, force=force)
    view = run.view(made)
    after = run.size(view)
    if after >= before:
        made, view, after = state, run.view(state), before
        run.summarised = ()
    idle = state.idle + 1 if before - after < before * IDLE_GAIN else 0
    made = replace(made, idle=idle, size=after)
    new = tuple(cut for cut in made.cuts if cut not in state.cuts)
    return replace(_reply(run, view, made, before, after), passes=1, cuts=new)


def _shrunk(run: _Pass, state: Compaction, *, ask: Ask | None, force: bool) -> Compaction:
    threshold = run.limits.threshold
    raw = view_of(run.messages, state, run.pinned, cut=False)
    sent = [m for group in raw.groups for m in group.messages]
    state = with_cuts(state, result_cuts(sent, run.limits, pinned=run.pinned))
    view = run.view(state)
    if run.size(view) <= threshold * COMFORT and not force:
        return state
    state = _summarised(run, state, view, ask)
    for limit in SQUEEZES:
        if run.size(run.view(state)) <= threshold:
            return state
        state = _squeezed(run, state, limit)
    state = _leaner(run, state)
    for _ in range(LONG_TEXTS):
        if run.size(run.view(state)) <= run.limits.max_input_tokens:
            break
        state = _without_longest(run, state)
    return state


def with_cuts(state: Compaction, cuts: Sequence[Cut]) -> Compaction:
    """The state with these cuts too; of two for one part the smaller stays."""
    held = {cut.handle: cut for cut in state.cuts}
    for cut in cuts:
        known = held.get(cut.handle)
        if known is None or (known.limit > cut.limit or (cut.what, known.what) == _NOW_MEDIA):
            held[cut.handle] = cut
    return replace(state, cuts=tuple(held.values()))


_NOW_MEDIA = ("media", "result")


def _tail(run: _Pass, groups: Sequence[Group], costs: Sequence[int], room: int) -> int:
    """Where the newest groups begin that stay: always the last, more as limits and room allow."""
    taken = count = 0
    start = len(groups)
    while start > 0:
        cost, size = costs[start - 1], len(groups[start - 1].messages)
        is_wanted = count < run.limits.keep_messages or taken + cost <= run.limits.tail_tokens
        if start < len(groups) and not (is_wanted and taken + cost <= room):
            break
        start, taken, count = start - 1, taken + cost, count + size
    return start


def _summarised(run: _Pass, state: Compaction, view: View, ask: Ask | None) -> Compaction:
    """Stage two: all that may leave, in a summary; the same state where nothing is won by it."""
    groups, threshold = view.groups, run.limits.threshold
    costs = [run.tokens(group.messages) for group in groups]
    stays = {i for i, g in enumerate(groups) if _is_pinned(run, g) or is_system(g.head)}
    stays |= set(_last(groups, is_users)) | set(_last(groups, _is_assistants))
    fixed = run.tools + run.tokens(view.system) + sum(costs[i] for i in stays)
    most = threshold // SUMMARY_SHARE
    # A result may be shown in part before what stands around it leaves.
    least = run.view(_squeezed(run, state, run.limits.old_bytes)).groups
    least_costs = [run.tokens(group.messages) for group in least]
    start = _tail(run, groups, least_costs, threshold - fixed - most)
    leaves = [i for i in range(start) if i not in stays]
    old = 0 if view.summary is None else run.tokens([view.summary])
    won = sum(costs[i] for i in leaves) + old
    if won < LEAST_COVERED or not (leaves or old > most):
        return state
    left = {origin_of(m) for i in leaves for m in groups[i].messages}
    staying = {origin_of(m) for i, g in enumerate(groups) if i not in leaves for m in g.messages}
    made = _covered(run, state, left - staying)
    budget = run.limits.summary_tokens or summary_budget(made.covered)
    budget = max(LEAST_SUMMARY, min(budget, most, won // 2))
    text, by = _told(run, state, ask, budget)
    new = replace(made, summary=text, made=by)
    if run.tokens([summary_message(new, run.messages[0].created_at)]) >= won:
        return state
    return new


def _last(groups: Sequence[Group], test: Callable[[Message], bool]) -> list[int]:
    """The place of the newest group with such a message, if there is one."""
    found = (i for i in reversed(range(len(groups))) if any(map(test, groups[i].messages)))
    return list(islice(found, 1))


def _is_assistants(message: Message) -> bool:
    return message.role is Role.ASSISTANT


def _is_pinned(run: _Pass, group: Group) -> bool:
    return any(origin_of(message) in run.pinned for message in group.messages)


def _covered(run: _Pass, state: Compaction, ids: Collection[str]) -> Compaction:
    """The state with these messages in the summary too."""
    numbers = numbers_of(run.messages, state)
    run.summarised = tuple(m.id for m in run.messages if m.id in ids)
    number = max([state.number, *(numbers[id] for id in run.summarised)])
    kept = {
        m.id: numbers[m.id]
        for m in run.messages
        if numbers[m.id] <= number
        and m.id not in ids
        and (m.id in state.kept or numbers[m.id] > state.number)
    }
    through = next((m.id for m in run.messages if numbers[m.id] == number), state.through)
    return replace(
        state,
        through=through,
        kept=kept,
        number=number,
        covered=state.covered + len(run.summarised),
        cuts=tuple(cut for cut in state.cuts if cut.message not in ids),
    )


def numbers_of(messages: Sequence[Message], state: Compaction) -> dict[str, int]:
    """Places in the conversation, from 1, of messages that may be only part of it."""
    is_whole = not state.through or any(m.id == state.through for m in messages)
    if is_whole:
        return {message.id: place for place, message in enumerate(messages, 1)}
    numbers, next_number = dict(state.kept), state.number
    for message in messages:
        if message.id not in numbers:
            next_number += 1
            numbers[message.id] = next_number
    return numbers


def _told(run: _Pass, state: Compaction, ask: Ask | None, budget: int) -> tuple[str, str]:
    """The summary of what leaves, and by what it was made."""
    numbers = numbers_of(run.messages, state)
    leaving = frozenset(run.summarised)
    messages = [m for m in run.messages if m.id in leaving]
    places = [numbers[m.id] for m in messages]
    language = language_of(run.messages)
    if ask is not None:
        takes = run.limits.summariser_tokens or run.limits.max_input_tokens
        try:
            text = by_model(
                messages,
                places,
                ask=ask,
                previous=state.summary,
                budget=budget,
                input_tokens=takes,
                language=language,
            )
        except NoSummaryError as error:
            run.failure = str(error)
            run.notes.append(f"the model gave no summary ({error}); the rules made one")
        else:
            return text, "model"
    text = by_rule(messages, places, previous=state.summary, budget=budget, language=language)
    return text, "rule"


def _squeezed(run: _Pass, state: Compaction, limit: int) -> Compaction:
    """Every result that is still sent, held to this many bytes; pinned ones stay."""
    view = view_of(run.messages, state, run.pinned, cut=False)
    sent = [m for group in view.groups for m in group.messages]
    words = asked_words(last_user_text(sent))
    cuts = [
        cut
        for message in sent
        if _may_yield(run, message)
        for result in results(message)
        if (cut := cut_of(message, result, limit, words=words)) is not None
    ]
    return with_cuts(state, cuts)


def _may_yield(run: _Pass, message: Message) -> bool:
    """Whether it may be shown in part at all: it is no system message, not pinned, not made."""
    return not (is_system(message) or is_made(message) or origin_of(message) in run.pinned)


def _leaner(run: _Pass, state: Compaction) -> Compaction:
    """A smaller summary, where it alone stands between the request and its threshold."""
    view = run.view(state)
    over = run.size(view) - run.limits.threshold
    if over <= 0 or view.summary is None or state.made == "model":
        return state
    budget = run.tokens([view.summary]) - over
    if budget < LEAST_SUMMARY:
        return state
    language = language_of(run.messages)
    text = by_rule([], [], previous=state.summary, budget=budget, language=language)
    return replace(state, summary=text) if text else state


def _without_longest(run: _Pass, state: Compaction) -> Compaction:
    """The longest text that is sent, in part: nothing else is left that could yield."""
    view = run.view(state)
    cut = {one.handle for one in state.cuts}
    texts = [
        (run.count(part.text), part, message, handle)
        for group in view.groups
        for message in group.messages
        if _may_yield(run, message) and not results(message)
        for part in parts(message)
        if isinstance(part, Text) and size_of(part.text) > LEAST_TEXT
        if (handle := part_handle(origin_of(message), true_place(message, part.place))) not in cut
    ]
    if not texts:
        return state
    tokens, part, message, handle = max(texts, key=lambda found: found[0])
    over = run.size(view) - run.limits.threshold
    size = size_of(part.text)
    share = max(0.0, 1 - over * 1.05 / tokens)
    limit = max(LEAST_TEXT, int(size * share) - NOTE_BYTES)
    of, place = origin_of(message), true_place(message, part.place)
    run.notes.append(
        f"message {of} alone has {tokens:,} tokens and cannot be sent whole: it is shown "
        f"in part, and {handle!r} gives all of it"
    )
    return with_cuts(state, [Cut(handle, of, place, "text", size, limit)])


def _reply(run: _Pass, view: View, state: Compaction, before: int, after: int) -> Compacted:
    fills = _fills(run, view)
    threshold = run.limits.threshold
    if after > threshold:
        named = ", ".join(f"{what} {tokens:,}" for what, tokens in fills)
        run.notes.append(
            f"the request has {after:,} tokens, {after - threshold:,} over the threshold of "
            f"{threshold:,}, and nothing in it can shrink further: {named}"
        )
    return Compacted(
        view.window,
        state,
        before,
        after,
        threshold,
        summarised=run.summarised,
        notes=tuple(run.notes),
        fills=fills,
        failure=run.failure,
    )


def _fills(run: _Pass, view: View) -> tuple[tuple[str, int], ...]:
    """What the request is made of, the largest first."""
    groups = view.groups
    last = next((groups[i] for i in _last(groups, is_users)), None)
    system = list(filter(is_system, view.messages))
    pinned = [m for g in groups if _is_pinned(run, g) and g is not last for m in g.messages]
    named = {
        "tools": run.tools,
        "system": run.tokens(system),
        "pinned": run.tokens(pinned),
        "summary": run.tokens([view.summary]) if view.summary else 0,
        "last user message": run.tokens(last.messages) if last else 0,
    }
    named["other messages"] = run.size(view) - sum(named.values())
    return tuple(sorted(((w, n) for w, n in named.items() if n > 0), key=lambda x: -x[1]))
