"""Stage one: tool results, and media in them, shown in part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lamina.pipeline.compact.cutting import NOTE_BYTES, asked_words, shortened, size_of
from lamina.pipeline.compact.handles import part_handle
from lamina.pipeline.compact.values import Cut, Limits, is_made, marked, origin_of
from lamina.text.shapes import Media, Result, Text, inner, part_of, parts, results
from lamina.text.shapes.parts import WHOLE
from lamina.types import Json, Message, Role


def result_cuts(
    messages: Sequence[Message], limits: Limits, *, pinned: frozenset[str] = frozenset()
) -> tuple[Cut, ...]:
    """What stage one would cut of the results in these messages, pinned ones excepted.

    Recent are the results since the assistant last spoke, and the newest so many; each is held to
    its limit on its own. Images and files in old ones become notes.
    """
    recent = _recent(messages, limits.recent_results)
    words = asked_words(last_user_text(messages))
    made: list[Cut] = []
    asked: tuple[str, ...] = ()
    for place, message in enumerate(messages):
        if message.role is Role.USER and (said := words_of(message)):
            asked = asked_words(said)
        if message.id in pinned or is_made(message):
            continue
        for number, result in enumerate(results(message)):
            is_recent = (place, number) in recent
            limit = limits.recent_bytes if is_recent else limits.old_bytes
            looked_for = tuple(dict.fromkeys((*words, *asked)))
            cut = cut_of(message, result, limit, words=looked_for, media=not is_recent)
            made += [] if cut is None else [cut]
    return tuple(made)


def cut_of(
    message: Message,
    result: Result,
    limit: int,
    *,
    words: tuple[str, ...] = (),
    media: bool = False,
) -> Cut | None:
    """How a result is held to a limit of bytes; None where it is within."""
    size = size_of(result.text)
    has_media = media and any(isinstance(part, Media) for part in inner(result))
    if size <= limit + NOTE_BYTES and not has_media:
        return None
    place = true_place(message, result.place)
    of = origin_of(message)
    what = "media" if has_media else "result"
    return Cut(part_handle(of, place), of, place, what, size, limit, words)


def true_place(message: Message, place: int) -> int:
    """The place of a block in the message that it came in."""
    came = message.metadata.get("places")
    return int(came[place]) if came and place != WHOLE else place


def _recent(messages: Sequence[Message], newest: int) -> set[tuple[int, int]]:
    spoke = max((i for i, m in enumerate(messages) if _speaks(m)), default=-1)
    places = [(i, n) for i, m in enumerate(messages) for n, _ in enumerate(results(m))]
    return {p for p in places if p[0] > spoke} | set(places[max(0, len(places) - newest) :])


def _speaks(message: Message) -> bool:
    return message.role is Role.ASSISTANT and bool(words_of(message))


def words_of(message: Message) -> str:
    """What its speaker says in it, results and thoughts apart; "" for blanks."""
    said = "\n".join(part.text for part in parts(message) if isinstance(part, Text))
    return said if said.strip() else ""


def is_users(message: Message) -> bool:
    """Whether the user speaks in it, with words or with a picture."""
    if message.role is not Role.USER or is_made(message):
        return False
    return not results(message) or bool(words_of(message))


def last_user_text(messages: Sequence[Message]) -> str:
    """What the user said last."""
    return next((words_of(m) for m in reversed(messages) if is_users(m)), "")


def applied(messages: Sequence[Message], cuts: Mapping[str, Cut]) -> tuple[Message, ...]:
    """The messages with these cuts, by handle; each cut one says so in `metadata["cuts"]`."""
    return tuple(_cut(message, cuts) for message in messages) if cuts else tuple(messages)


def _cut(message: Message, cuts: Mapping[str, Cut]) -> Message:
    if is_made(message):
        return message
    made, done = message, []
    for cut in _cuts_of(message, cuts):
        made = _with_cut(made, cut)
        done.append(cut)
    if not done:
        return message
    fields = [
        {"handle": cut.handle, "what": cut.what, "bytes": cut.bytes, "limit": cut.limit}
        for cut in done
    ]
    return replace(made, metadata=marked(message, cuts=fields))


def _cuts_of(message: Message, cuts: Mapping[str, Cut]) -> Iterator[Cut]:
    of = origin_of(message)
    if (whole := cuts.get(part_handle(of, WHOLE))) is not None:
        yield whole
    if isinstance(message.content, str):
        return
    for place in range(len(message.content)):
        cut = cuts.get(part_handle(of, true_place(message, place)))
        if cut is not None:
            yield replace(cut, place=place)


def _with_cut(message: Message, cut: Cut) -> Message:
    if cut.place == WHOLE:
        return replace(message, content=_shown(message.content, cut))
    blocks = list(message.content)
    block = blocks[cut.place]
    part = part_of(block)
    if isinstance(part, Result):
        key = "content" if "content" in block or "output" not in block else "output"
        blocks[cut.place] = {**block, key: _shown(part.content, cut)}
    elif isinstance(part, Text):
        shown = shortened(part.text, cut.limit, words=cut.words, handle=cut.handle)
        blocks[cut.place] = {**block, "text": shown} if isinstance(block, Mapping) else shown
    return replace(message, content=blocks)


def _shown(content: str | Sequence[Json], cut: Cut) -> str | list[Json]:
    """Text, or blocks whose text is one block; old media become notes."""
    if isinstance(content, str):
        return shortened(content, cut.limit, words=cut.words, handle=cut.handle)
    kept: list[Json] = []
    texts = []
    for block in content:
        part = part_of(block)
        if isinstance(part, Text):
            texts.append(part.text)
        elif isinstance(part, Media) and cut.what == "media":
            texts.append(f"[{part.kind} left out; expand({cut.handle!r}) gives it]")
        else:
            kept.append(block)
    text = shortened("\n".join(texts), cut.limit, words=cut.words, handle=cut.handle)
    first = next((b for b in content if isinstance(part_of(b), Text)), None)
    kind = first.get("type", "text") if isinstance(first, Mapping) else "text"
    return [{"type": kind, "text": text}, *kept] if text else kept
