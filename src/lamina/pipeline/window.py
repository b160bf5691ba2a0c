"""What of a conversation goes with the next call: the newest whole turns within a budget."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from lamina.text.tokens import count_tokens
from lamina.types import Message, Role

FRAMING = 4  # tokens that a message's role and borders cost beside its text
BLOCKS = 4  # old turns leave a quarter of the window at a time


def tokens_of(message: Message) -> int:
    """Tokens of a message with its tool calls and framing, by the built-in estimate."""
    extra = json.dumps(message.extra, ensure_ascii=False) if message.extra else ""
    return count_tokens(message.text) + count_tokens(extra) + FRAMING


def newest_turns(messages: Sequence[Message], max_tokens: int) -> Sequence[Message]:
    """The end of a conversation that fits, begun at a user's message.

    The cut moves in steps of a quarter of the budget, counted from the beginning of the
    conversation, so that it stays where it is for many turns. The last user message and what
    follows it are kept even where they alone are over the budget.
    """
    costs = [tokens_of(message) for message in messages]
    over = sum(costs) - max_tokens
    if over <= 0:
        return messages
    step = max(max_tokens // BLOCKS, 1)
    border = math.ceil(over / step) * step
    last_user = max((i for i, m in enumerate(messages) if m.role is Role.USER), default=0)
    before = 0
    for place, (message, cost) in enumerate(zip(messages, costs, strict=True)):
        if place >= last_user or (before >= border and message.role is Role.USER):
            return messages[min(place, last_user) :]
        before += cost
    return messages[last_user:]
