"""What of a conversation goes with the next call: the newest whole groups within a budget."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from lamina.pipeline.compact.groups import Group
from lamina.pipeline.compact.results import is_users
from lamina.pipeline.compact.stages import compacted
from lamina.pipeline.compact.values import Compaction, Limits, origin_of
from lamina.pipeline.compact.window import View, view_of
from lamina.replies import Window
from lamina.text.shapes import message_tokens, tools_tokens
from lamina.text.tokens import count_tokens
from lamina.types import Json, Message

FRAMING = 4  # tokens that a message's role and borders cost beside its text
BLOCKS = 4  # old turns leave a quarter of the window at a time


def window_of(
    messages: Sequence[Message],
    state: Compaction,
    pinned: Collection[str],
    max_tokens: int,
    *,
    system: str = "",
    tools: Sequence[Json] = (),
) -> Window:
    """System and pinned messages, the summary, and the newest groups that fit; nothing is kept.

    The cut moves in steps of a quarter of the budget, so that it stays where it is for many turns.
    The last user message and what follows it are always there: where these alone are over the
    budget they are shown in part, and where nothing can shrink `notes` says so.
    """
    fixed = tools_tokens(tools) + (count_tokens(system) + FRAMING if system else 0)
    view = view_of(messages, state, pinned)
    costs = [_tokens(group.messages) for group in view.groups]
    always = fixed + _tokens(view.system) + (_tokens([view.summary]) if view.summary else 0)
    start = _start(view, costs, max_tokens - always, pinned)
    shown = [g for i, g in enumerate(view.groups) if i >= start or _is_pinned(g, pinned)]
    held = [*view.system, *([view.summary] if view.summary else [])]
    first = len(view.first)
    before = [g for g in shown if g in view.groups[:first]]
    sent = [*view.system, *_flat(before), *held[len(view.system) :], *_flat(shown[len(before) :])]
    notes: tuple[str, ...] = ()
    tokens = _tokens(sent) + fixed
    if tokens > max_tokens:
        ids = {origin_of(m) for m in sent}
        own = [m for m in messages if m.id in ids]
        limits = Limits(max(1, max_tokens - fixed), ratio=1.0)
        done = compacted(own, limits, state=state, pinned=pinned)
        sent, notes = list(done.window.messages), done.notes
        tokens = _tokens(sent) + fixed
    kept = {origin_of(m) for m in sent}
    left_out = [m.id for m in messages if m.id not in kept and m.id not in view.left_out]
    return Window(
        tuple(sent),
        tokens,
        left_out=(*left_out, *view.left_out),
        repaired=tuple(repair.sentence for repair in view.repairs),
        notes=notes,
    )


def _start(view: View, costs: Sequence[int], room: int, pinned: Collection[str]) -> int:
    """The first group of those that are sent, pinned ones aside."""
    groups = view.groups
    loose = [0 if _is_pinned(g, pinned) else c for g, c in zip(groups, costs, strict=True)]
    over = sum(costs) - room
    if over <= 0:
        return 0
    begins = [any(map(is_users, group.messages)) for group in groups]
    last = max((i for i, is_start in enumerate(begins) if is_start), default=len(groups) - 1)
    step = max(room // BLOCKS, 1)
    border = math.ceil(over / step) * step
    gone = 0
    for place, cost in enumerate(loose):
        if place >= last or (gone >= border and begins[place]):
            return min(place, last)
        gone += cost
    return last


def _is_pinned(group: Group, pinned: Collection[str]) -> bool:
    return any(origin_of(message) in pinned for message in group.messages)


def _flat(groups: Sequence[Group]) -> list[Message]:
    return [message for group in groups for message in group.messages]


def _tokens(messages: Sequence[Message]) -> int:
    return sum(map(message_tokens, messages))
