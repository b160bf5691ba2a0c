"""How many tokens messages, tools and media cost in a request, and what providers say they did."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lamina.text.shapes.parts import Call, Media, Part, Result, Text, Thinking, inner, parts
from lamina.text.tokens import count_tokens
from lamina.types import Json, Message

Counter = Callable[[str], int]  # tokens of a text: the built-in estimate, or a caller's tokenizer

FRAMING = 4  # tokens that a message's role and borders cost beside its text
CALL = 8  # that a call's or a result's id and borders cost
TOOL = 8  # that a tool's schema costs beside its JSON
PRIMING = 3  # before the answer
IMAGE, IMAGE_LEAST, IMAGE_MOST = 1000, 85, 1600  # unknown, smallest and largest
PIXELS = 750  # of an image, a token
FILE_LEAST, FILE_BYTES = 1500, 4  # of a document; its bytes, a token
SOUND_BYTES = 3000  # a token
HEAD = 4096  # characters of base64 in which an image's size is looked for

_FACTOR = (0.5, 2.5)  # a provider's count beside ours, at most: beyond, something else was counted
_FEW = 200  # tokens; smaller calls say little


def message_tokens(message: Message, count: Counter = count_tokens) -> int:
    """Tokens of a message with its calls, results, media and framing."""
    named = 1 + count(message.name) if message.name else 0
    return FRAMING + named + sum(part_tokens(part, count) for part in parts(message))


def part_tokens(part: Part, count: Counter = count_tokens) -> int:
    """Tokens of a part of a message."""
    if isinstance(part, Text | Thinking):
        return count(part.text)
    if isinstance(part, Call):
        return CALL + count(part.name) + count(part.as_text)
    if isinstance(part, Result):
        return CALL + sum(part_tokens(one, count) for one in inner(part))
    if isinstance(part, Media):
        return media_tokens(part, count)
    return count(json.dumps(part.raw, ensure_ascii=False, default=str))


def media_tokens(media: Media, count: Counter = count_tokens) -> int:
    """Tokens of an image by its size, of a document or a sound by its bytes; not of its base64."""
    size = len(media.data) * 3 // 4
    if media.kind == "image":
        found = _pixels(media.data) if media.data else None
        if found is None:
            return IMAGE
        return min(IMAGE_MOST, max(IMAGE_LEAST, found[0] * found[1] // PIXELS))
    if media.kind == "file":
        return max(FILE_LEAST, size // FILE_BYTES)
    return max(count(media.url), size // SOUND_BYTES)


def tools_tokens(tools: Sequence[Json], count: Counter = count_tokens) -> int:
    """Tokens of the schemas of the tools that are sent with a request."""
    return sum(TOOL + count(json.dumps(tool, ensure_ascii=False, default=str)) for tool in tools)


def request_tokens(
    messages: Sequence[Message], tools: Sequence[Json] = (), *, count: Counter = count_tokens
) -> int:
    """Tokens of a request as a whole."""
    said = sum(message_tokens(message, count) for message in messages)
    return said + tools_tokens(tools, count) + PRIMING


def _pixels(data: str) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF or JPEG in base64."""
    try:
        head = base64.b64decode(data[: HEAD - HEAD % 4], validate=False)
    except binascii.Error:
        return None
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    if head[:4] == b"GIF8" and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    return next(_jpeg(head), None) if head.startswith(b"\xff\xd8") else None


def _jpeg(head: bytes) -> Iterator[tuple[int, int]]:
    """Width and height from the frame of a JPEG, which stands behind its other segments."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        kind = head[at + 1]
        if 0xC0 <= kind <= 0xCF and kind not in {0xC4, 0xC8, 0xCC}:
            yield int.from_bytes(head[at + 7 : at + 9]), int.from_bytes(head[at + 5 : at + 7])
        at += 2 + int.from_bytes(head[at + 2 : at + 4])


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a model's own counts stand to ours, from what its provider said of calls that were made.

    Keep one for each model: `calibrated` gives the next one.
    """

    ours: float = 0.0
    theirs: float = 0.0
    calls: int = 0

    @property
    def factor(self) -> float:
        """By what our count is to be multiplied; 1.0 while nothing is known."""
        if self.ours <= 0 or self.theirs <= 0:
            return 1.0
        return min(max(self.theirs / self.ours, _FACTOR[0]), _FACTOR[1])

    def counter(self, count: Counter = count_tokens) -> Counter:
        """A counter that counts as this model does."""
        factor = self.factor
        return lambda text: round(count(text) * factor)


def calibrated(
    counts: Sequence[int],
    usage: Sequence[Json],
    *,
    known: Calibration | None = None,
    fading: float = 0.9,
) -> Calibration:
    """What calls to one model teach: our count of each request, and the provider's usage of it.

    Usage is the mapping of OpenAI (`prompt_tokens`), of Anthropic (`input_tokens` and what was read
    from and written to its cache) or a number. Newer calls weigh more: each older one `fading`
    times the next. Usage that says nothing, and very short requests, are passed over.
    """
    told = known or Calibration()
    for ours, said in zip(counts, usage, strict=True):
        theirs = used(said)
        if theirs is None or ours < _FEW or theirs <= 0:
            continue
        told = Calibration(told.ours * fading + ours, told.theirs * fading + theirs, told.calls + 1)
    return told


def used(usage: Json) -> int | None:
    """Tokens of a request by its provider's usage; None where that says nothing."""
    if isinstance(usage, int) and not isinstance(usage, bool):
        return usage
    if not isinstance(usage, Mapping):
        return None
    if isinstance(usage.get("prompt_tokens"), int):
        return int(usage["prompt_tokens"])
    cached = ("cache_read_input_tokens", "cache_creation_input_tokens")
    told = [usage.get("input_tokens"), *map(usage.get, cached)]
    known = [one for one in told if isinstance(one, int)]
    return sum(known) if isinstance(told[0], int) else None
