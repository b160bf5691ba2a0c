"""Handles: the short names by which whatever was cut or summarised comes back, to the byte.

The id of a message is the handle of all of it; `<id>#<n>` that of its block n from 0, and `<id>#`
that of its content as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lamina.errors import NotFoundError
from lamina.text.shapes import Result, part_of
from lamina.text.shapes.parts import WHOLE
from lamina.types import Json, Message


def part_handle(message_id: str, place: int) -> str:
    """The handle of a part of a message."""
    return f"{message_id}#" if place == WHOLE else f"{message_id}#{place}"


def whose(handle: str) -> tuple[str, str | None]:
    """The id of the message that a handle names, if it is one of a part, and its place as text."""
    id, sign, place = handle.rpartition("#")
    return (id, place) if sign and (not place or place.isdigit()) else (handle, None)


def expand(handle: str, messages: Sequence[Message] | Mapping[str, Message]) -> Message | Json:
    """What a handle stands for: a message, a result's or text's content as it came, or a block.

    `messages` are the originals.

    Raises:
        NotFoundError: no such message, or no such part in it.
    """
    by_id = messages if isinstance(messages, Mapping) else {m.id: m for m in messages}
    if handle in by_id:
        return by_id[handle]
    id, place = whose(handle)
    message = by_id.get(id)
    if message is None or place is None:
        raise NotFoundError(f"no message has the handle {handle!r}; take one that a window named")
    if not place:
        return message.content
    if isinstance(message.content, str) or int(place) >= len(message.content):
        raise NotFoundError(f"{handle!r} names a block that message {id!r} does not have")
    return _content(message.content[int(place)])


def _content(block: Json) -> Json:
    part = part_of(block)
    return part.content if isinstance(part, Result) else block
