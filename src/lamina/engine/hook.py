"""Before a model is called: the caller's own list of messages, kept whole, sent within limits."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from lamina.engine.compacting import compact, report
from lamina.engine.core import Core
from lamina.engine.reading import unread_of
from lamina.pipeline.clean import Cleaner
from lamina.pipeline.compact.values import Ask, Limits
from lamina.pipeline.compact.window import CLOSING, OPENING
from lamina.pipeline.write import prepare_messages
from lamina.replies import Sent
from lamina.text.shapes import Shape, detect, read, results, sendable
from lamina.types import Json, Message, Partition

DIGEST = 12  # bytes of a message's name
_SHORTENED = re.compile(r"expand\('([^'\n]{1,200})#\d*'\)")


def before_model(
    core: Core,
    partition: Partition,
    session_id: str,
    given: Sequence[Mapping[str, Json]],
    limits: Limits,
    *,
    shape: Shape | str | None = None,
    tools: Sequence[Json] = (),
    ask: Ask | None = None,
) -> Sent:
    """Append what is new of a list of messages, compact where need be, and give back the list."""
    form = Shape(shape) if shape is not None else detect(given)
    keep_new(core, partition, session_id, given, form)
    done, after = compact(core, partition, session_id, limits, tools=tools, ask=ask)
    written = sendable(done.window.messages, Shape.OPENAI if form is Shape.TEXT else form)
    return Sent(
        messages=tuple(written.messages),
        system=written.system,
        compacting=report(done, after.memory),
        lost=tuple(f"{one.what} of message {one.message}" for one in written.lost),
    )


def keep_new(
    core: Core,
    partition: Partition,
    session_id: str,
    given: Sequence[Mapping[str, Json]],
    form: Shape,
) -> None:
    """Append those that the conversation does not hold; what a window had made is not its own.

    A message is known again by its own `id`, or by what it says and how often that came before.
    """
    seen: Counter[str] = Counter()
    made: list[Message] = []
    cleaner = Cleaner(masking=core.settings.redact == "messages")
    now, zone = core.clock.now(), core.clock.zone.key
    for fields, message in zip(
        given, read(given, form, session_id=session_id, at=now), strict=True
    ):
        if _is_made(core, partition, message):
            continue
        digest = blake2b(_bytes(fields), digest_size=DIGEST).hexdigest()
        seen[digest] += 1
        own = fields.get("id")
        id = own if isinstance(own, str) and own else f"{session_id}~{digest}.{seen[digest]}"
        content, extra = cleaner.content(message.content), cleaner.fields(message.extra)
        made.append(replace(message, id=id, content=content, extra=extra, zone=zone))
    prepared = prepare_messages(made, core.indexing)
    items = [(m, p.passages) for m, p in zip(made, prepared, strict=True)]
    core.store.append(partition, items, unread=unread_of(core, partition, made))


def _bytes(fields: Mapping[str, Json]) -> bytes:
    return json.dumps(fields, sort_keys=True, ensure_ascii=True, default=str).encode()


def _is_made(core: Core, partition: Partition, message: Message) -> bool:
    """Whether a window made it: a summary, or a result of this conversation shown in part."""
    text = message.text
    if text.startswith(tuple(OPENING.values())) and text.endswith(tuple(CLOSING.values())):
        return True
    found = _SHORTENED.search(text) if results(message) else None
    return found is not None and core.store.get([partition], found[1]) is not None
