"""Plays a case of compaction on the pure functions, and says which of its promises do not hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lamina.pipeline.compact.handles import expand
from lamina.pipeline.compact.results import is_users, words_of
from lamina.pipeline.compact.stages import compacted
from lamina.pipeline.compact.values import (
    Compacted,
    Compaction,
    Limits,
    Window,
    is_made,
    origin_of,
    state_json,
    state_of,
)
from lamina.pipeline.compact.window import windowed
from lamina.testing.validity import is_valid_for
from lamina.text.shapes import Media, calls, parts, read, results, sendable, write
from lamina.types import Message


@dataclass
class Played:
    """A case's conversation, and what became of it."""

    shape: str
    originals: tuple[Message, ...]
    pinned: frozenset[str]
    reply: Compacted
    window: Window
    seen: list[str]  # what the summariser was shown
    previous: str = ""
    passes: int = 0

    @property
    def state(self) -> Compaction:
        return self.reply.state

    @property
    def summary(self) -> str:
        return self.state.summary

    @property
    def own(self) -> list[Message]:
        """The window's messages that are the conversation's."""
        return [m for m in self.window.messages if not is_made(m)]

    def handles(self) -> set[str]:
        """All that comes back by a handle."""
        ids = {m.id for m in self.originals}
        known = {cut.handle for cut in self.state.cuts} | set(self.window.left_out)
        if self.state.through:
            sent = set(map(origin_of, self.window.messages))
            place = [m.id for m in self.originals].index(self.state.through)
            known |= {m.id for m in self.originals[: place + 1] if m.id not in sent}
        return known & (ids | {h for h in known if "#" in h})


def played(case: Mapping[str, Any]) -> Played:
    """The case as it says: compacted, appended to, compacted again."""
    shape = case["shape"]
    messages = list(read(case["messages"], shape, system=case.get("system")))
    own = len(messages) - len(case["messages"])
    pinned = frozenset(messages[own + n].id for n in case.get("pinned", ()))
    seen: list[str] = []
    state = Compaction()
    if case.get("previous_summary"):
        state = Compaction(summary=case["previous_summary"], made="model")
    limits = Limits(**{k: v for k, v in case["settings"].items() if v is not None})
    asked = summariser(case.get("summariser"), seen)

    def go(state: Compaction) -> Compacted:
        return compacted(
            messages, limits, state=state, tools=case.get("tools", ()), pinned=pinned, ask=asked
        )

    reply = go(state)
    passes = reply.passes
    for _ in range(3):  # more calls of the same request must come to rest
        again = go(reply.state)
        passes += again.passes
        if not again.passes:
            break
        reply = again
    if "then_append" in case:
        messages += read(case["then_append"], shape, start=len(messages))
        reply = go(reply.state)
    messages += read(case.get("during", ()), shape, start=len(messages))
    window = windowed(messages, reply.state, pinned=pinned)
    previous = case.get("previous_summary", "")
    return Played(shape, tuple(messages), pinned, reply, window, seen, previous, passes)


def summariser(spec: Any, seen: list[str]) -> Callable[[str, str, int], object] | None:
    """The model of a case."""
    if spec is None or spec == "rule":
        return None

    def ask(system: str, user: str, _: int) -> object:
        seen.append(f"{system}\n{user}")
        if "raises" in spec and spec.get("raises_on_call", len(seen)) == len(seen):
            raise TimeoutError(spec["raises"])
        return spec.get("returns")

    return ask


def faults(case: Mapping[str, Any], done: Played) -> list[str]:
    """What of the case's expectations does not hold."""
    expect = case["expect"]
    found = [name for name in expect["invariants"] if not INVARIANTS[name](done)]
    found += [key for key, check in CHECKS.items() if key in expect and not check(done, expect)]
    return found


def no_orphan(done: Played) -> bool:
    for provider in ("openai", "anthropic"):
        sent = sendable(done.window.messages, provider)
        wrong = is_valid_for(provider, sent.messages, system=sent.system)
        assert not wrong, wrong
    return True


def group_whole(done: Played) -> bool:
    sent = set(map(origin_of, done.window.messages))
    owner: dict[str, Message] = {}
    for message in done.originals:
        for result in results(message):
            caller = owner.get(result.call_id)
            if caller is not None and (caller.id in sent) != (message.id in sent):
                return False
        owner.update({call.id: message for call in calls(message)})
    return True


def last_user_kept(done: Played) -> bool:
    last = next(m for m in reversed(done.originals) if is_users(m))
    if last in done.window.messages:
        return True
    sent = [m for m in done.window.messages if origin_of(m) == last.id]
    return bool(results(last)) and any(words_of(m) == words_of(last) for m in sent)


def order_kept(done: Played) -> bool:
    places = {m.id: n for n, m in enumerate(done.originals)}
    said = [places[origin_of(m)] for m in done.own if not results(m)]
    return said == sorted(said)


def system_first(done: Played) -> bool:
    system = [m for m in done.originals if m.role == "system"]
    return list(done.window.messages[: len(system)]) == system


def pinned_kept(done: Played) -> bool:
    return all(m in done.window.messages for m in done.originals if m.id in done.pinned)


def expandable(done: Played) -> bool:
    for handle in done.handles():
        found = expand(handle, done.originals)
        id, sign, place = handle.rpartition("#")
        message = next(m for m in done.originals if m.id == (id if sign else handle))
        if not sign:
            assert found is message
        elif not place:
            assert found is message.content
        else:
            block = message.content[int(place)]
            assert isinstance(block, dict)
            assert found in (block, block.get("content"), block.get("output"))
    return True


def nothing_lost(done: Played) -> bool:
    sent = {origin_of(m) for m in done.window.messages}
    known = {handle.rpartition("#")[0] or handle for handle in done.handles()}
    return all(m.id in sent | known for m in done.originals)


def under_budget_or_reported(done: Played) -> bool:
    return done.reply.after <= done.reply.threshold or bool(done.reply.notes)


def cut_is_marked(done: Played) -> bool:
    texts = {(m.id, n): r.text for m in done.originals for n, r in enumerate(results(m))}
    for message in done.own:
        for n, result in enumerate(results(message)):
            if result.text != texts[message.id, n] and not message.metadata.get("cuts"):
                return False
    return True


def utf8_whole(done: Played) -> bool:
    text = json.dumps([m.content for m in done.window.messages], ensure_ascii=False)
    text.encode()
    return "\ufffd" not in text


def media_whole(done: Played) -> bool:
    came = [p.raw for m in done.originals for p in parts(m) if isinstance(p, Media)]
    return all(p.raw in came for m in done.own for p in parts(m) if isinstance(p, Media))


def unchanged(done: Played) -> bool:
    written = write(done.window.messages, done.shape)
    return written == write(done.originals, done.shape)


def same_after_reopen(done: Played) -> bool:
    back = state_of(json.loads(json.dumps(state_json(done.state))))
    return windowed(done.originals, back, pinned=done.pinned) == done.window


def one_summary(done: Played) -> bool:
    made = [m for m in done.window.messages if m.metadata.get("made") == "summary"]
    return len(made) <= 1


INVARIANTS: Mapping[str, Callable[[Played], bool]] = {
    check.__name__: check
    for check in (
        no_orphan, group_whole, last_user_kept, order_kept, system_first, pinned_kept, expandable,
        nothing_lost, under_budget_or_reported, cut_is_marked, utf8_whole, media_whole, unchanged,
        same_after_reopen, one_summary,
    )
}  # fmt: skip
INVARIANTS = {
    **INVARIANTS,
    "old_summary_kept": lambda done: all(w in done.summary for w in done.previous.split()),
}


def _texts(messages: Sequence[Message]) -> list[str]:
    return [t for m in messages for t in (m.text, *(r.text for r in results(m)))]


def _results(messages: Sequence[Message]) -> dict[str, str]:
    return {r.call_id: r.text for m in messages for r in results(m)}


def _comes_back(done: Played, id: str) -> Any:
    whole = _results(done.originals)[id]
    for message in done.window.messages:
        for result in results(message):
            if result.call_id == id and result.text != whole:
                (cut,) = message.metadata["cuts"]
                content = expand(cut["handle"], done.originals)
                came = [r for m in done.originals for r in results(m) if r.call_id == id]
                return any(content == result.content for result in came)
    return id in _results(done.window.messages) or nothing_lost(done)


def _sees(done: Played, wanted: str) -> bool:
    places = [*done.seen, done.summary, *_texts(done.window.messages)]
    lost = [m.text for m in done.originals if m.id in done.handles()] if not done.seen else []
    return any(wanted in text for text in [*places, *lost])


CHECKS: Mapping[str, Callable[[Played, Any], bool]] = {
    "compacts": lambda done, e: e["compacts"] is None or bool(done.passes) == e["compacts"],
    "kept_texts": lambda done, e: all(t in _texts(done.window.messages) for t in e["kept_texts"]),
    "first_message": lambda done, e: done.window.messages[0].text == e["first_message"],
    "last_message": lambda done, e: done.window.messages[-1].text == e["last_message"],
    "last_user_starts_with": lambda done, e: next(
        m for m in reversed(done.window.messages) if is_users(m)
    ).text.startswith(e["last_user_starts_with"]),
    "repaired": lambda done, e: [r.id for r in done.window.repairs] == e["repaired"],
    "results_at_most_bytes": lambda done, e: all(
        len(_results(done.window.messages).get(id, "").encode()) <= most + 200
        for id, most in e["results_at_most_bytes"].items()
    ),
    "expand_equals": lambda done, e: all(_comes_back(done, id) for id in e["expand_equals"]),
    "reported": lambda done, e: bool(done.reply.notes) == e["reported"],
    "passes_at_most": lambda done, e: done.passes <= e["passes_at_most"],
    "summary_has": lambda done, e: all(t in done.summary for t in e["summary_has"]),
    "absent_from_summary": lambda done, e: (
        not any(t in done.summary for t in e["absent_from_summary"])
    ),
    "summariser_sees": lambda done, e: all(_sees(done, t) for t in e["summariser_sees"]),
}
