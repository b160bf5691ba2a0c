"""Calls with their results: told apart, put together, and mended where a provider would refuse.

A group is a message that calls tools with all its results right behind it, or any other message
alone. Calls and results are paired by place, never by id alone: ids come again, results come late.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lamina.pipeline.compact.handles import part_handle
from lamina.pipeline.compact.values import Repair, marked
from lamina.text.shapes import Call, Result, Shape, calls, results, shape_of
from lamina.text.shapes.parts import WHOLE
from lamina.types import Json, Message, Role

NO_RESULT = "(no result: the call was interrupted, or is still running)"
LATE_RESULT = "(the result of an earlier call, {})"


@dataclass(frozen=True, slots=True)
class Group:
    """Messages that stay or go together."""

    messages: tuple[Message, ...]
    open: bool = False  # a call of it has no result

    @property
    def head(self) -> Message:
        """The message that calls, or the only one."""
        return self.messages[0]


@dataclass(frozen=True, slots=True)
class Mended:
    """Groups in order, what was mended, and the handles of what was left out."""

    groups: tuple[Group, ...]
    repairs: tuple[Repair, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Slot:
    """A call that waits for its result."""

    call: Call
    caller: int  # place of its message
    number: int  # among the calls of its message
    id: str  # under which it goes out
    result: tuple[int, Result] | None = None


@dataclass(slots=True)
class _Traffic:
    """Who answers whom."""

    slots: dict[int, list[_Slot]] = field(default_factory=dict)
    answers: dict[tuple[int, int], _Slot] = field(default_factory=dict)  # (message, which result)
    repairs: list[Repair] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def mended(messages: Sequence[Message], *, gone: Collection[str] = ()) -> Mended:
    """The messages as groups that any provider takes, in order; originals wherever they will do.

    A result that stands apart from its call moves behind it; a call without one gets one that says
    so; a result without a call is left out, or, where its call is one of those `gone` into the
    summary, becomes words. Every repair is listed.
    """
    held = [results(message) for message in messages]
    traffic = _paired(messages, held)
    groups: list[Group] = []
    whole: set[int] = set()  # places of messages that went with their calls as they are
    for place, message in enumerate(messages):
        if place in whole:
            continue
        if place in traffic.slots:
            groups.append(_group(messages, held, traffic=traffic, place=place, whole=whole))
        elif held[place]:
            rest = _rest(message, held[place], place=place, traffic=traffic, gone=gone)
            groups.extend(Group((one,)) for one in rest)
        else:
            groups.append(Group((message,)))
    return Mended(tuple(groups), tuple(traffic.repairs), tuple(traffic.left_out))


def _paired(messages: Sequence[Message], held: Sequence[Sequence[Result]]) -> _Traffic:
    traffic = _Traffic()
    waiting: dict[str, list[_Slot]] = {}
    unmatched: list[tuple[int, int, Result]] = []
    for place, message in enumerate(messages):
        for number, result in enumerate(held[place]):
            slot = _take(waiting.get(result.call_id, []))
            if slot is None:
                unmatched.append((place, number, result))
            else:
                slot.result = (place, result)
                traffic.answers[place, number] = slot
        called = calls(message) if message.role is Role.ASSISTANT else ()
        if called:
            traffic.slots[place] = _slots(message, place, called, traffic)
            for slot in traffic.slots[place]:
                waiting.setdefault(slot.call.id, []).append(slot)
    for place, number, result in unmatched:  # those that stand before their call
        later = [s for s in waiting.get(result.call_id, []) if s.caller > place and not s.result]
        if later:
            later[0].result = (place, result)
            traffic.answers[place, number] = later[0]
    return traffic


def _take(slots: list[_Slot]) -> _Slot | None:
    """The first free call of the newest message that has one."""
    free = [slot for slot in slots if slot.result is None]
    return next((s for s in free if s.caller == free[-1].caller), None)


def _slots(message: Message, place: int, called: Sequence[Call], traffic: _Traffic) -> list[_Slot]:
    """The calls of a message, each under an id of its own."""
    taken: set[str] = set()
    made = []
    for number, call in enumerate(called):
        id, count = call.id, 2
        while id in taken:
            id, count = f"{call.id}_{count}", count + 1
        if id != call.id:
            traffic.repairs.append(Repair(call.id, message.id, "twin_id"))
        taken.add(id)
        made.append(_Slot(call, place, number, id))
    return made


def _group(
    messages: Sequence[Message],
    held: Sequence[Sequence[Result]],
    *,
    traffic: _Traffic,
    place: int,
    whole: set[int],
) -> Group:
    """A call's message, all its results, and last the one that says more than a result."""
    slots = traffic.slots[place]
    message = messages[place]
    renamed = {slot.number: slot.id for slot in slots if slot.id != slot.call.id}
    brought: list[Message] = []
    near = _near(messages, held, traffic, place)
    for source in sorted({slot.result[0] for slot in slots if slot.result is not None}):
        mine = {n: s for (p, n), s in traffic.answers.items() if p == source and s in slots}
        if source in near:
            brought.append(_with_result_ids(messages[source], held[source], mine))
            whole.add(source)
            continue
        ids = dict.fromkeys(slot.call.id for slot in mine.values())
        traffic.repairs += [Repair(id, messages[source].id, "late") for id in ids]
        brought.append(_only_results(messages[source], held[source], mine))
    unanswered = [slot for slot in slots if slot.result is None]
    traffic.repairs += [Repair(slot.call.id, message.id, "unanswered") for slot in unanswered]
    brought += [_no_result(message, slot) for slot in unanswered]
    brought.sort(key=lambda one: not is_all_results(one))
    head = _with_call_ids(message, renamed) if renamed else message
    return Group((head, *brought), bool(unanswered))


def _near(
    messages: Sequence[Message],
    held: Sequence[Sequence[Result]],
    traffic: _Traffic,
    place: int,
) -> set[int]:
    """Places right behind a call that hold nothing but its results, and at most words at last."""
    near = set()
    for at in range(place + 1, len(messages)):
        mine = all(
            (at, n) in traffic.answers and traffic.answers[at, n].caller == place
            for n in range(len(held[at]))
        )
        if not held[at] or not mine or at in traffic.slots:
            break
        near.add(at)
        if not is_all_results(messages[at]):
            break
    return near


def is_all_results(message: Message) -> bool:
    """Whether it brings results and nothing beside."""
    brought = len(results(message))
    if not brought:
        return False
    return (
        isinstance(message.content, str)
        or message.role is Role.TOOL
        or (brought == len(message.content))
    )


def _rest(
    message: Message,
    held: Sequence[Result],
    *,
    place: int,
    traffic: _Traffic,
    gone: Collection[str],
) -> Iterator[Message]:
    """What is left of a message when its results went to their calls, or have none."""
    known = {slot.call.id for slots in traffic.slots.values() for slot in slots}
    for number, result in enumerate(held):
        if (place, number) in traffic.answers:
            continue
        if result.call_id in gone and result.call_id not in known:
            traffic.repairs.append(Repair(result.call_id, message.id, "late"))
            yield _in_words(message, result, number)
            continue
        what = "twin_result" if result.call_id in known else "orphan"
        traffic.repairs.append(Repair(result.call_id, message.id, what))
        traffic.left_out.append(part_handle(message.id, result.place))
    if not is_all_results(message) and not isinstance(message.content, str):
        places = {result.place for result in held}
        kept = [at for at in range(len(message.content)) if at not in places]
        metadata = marked(message, of=message.id, places=kept)
        content = [message.content[at] for at in kept]
        yield replace(message, id=f"{message.id}+", content=content, metadata=metadata)


def _in_words(message: Message, result: Result, number: int) -> Message:
    """A result whose call is in the summary, as words."""
    said = f"{LATE_RESULT.format(result.name or result.call_id)}\n{result.text}"
    return replace(
        message,
        id=f"{message.id}+{number}",
        role=Role.USER,
        content=said,
        name=None,
        extra={},
        metadata={"of": message.id, "made": "late"},
    )


def _only_results(message: Message, held: Sequence[Result], mine: Mapping[int, _Slot]) -> Message:
    """A message with just these of its results; itself where it holds nothing else."""
    if isinstance(message.content, str) or held[0].place == WHOLE:
        return _with_result_ids(message, held, mine)
    if len(mine) == len(message.content):
        return _with_result_ids(message, held, mine)
    blocks = [_renamed(message.content[held[n].place], slot) for n, slot in mine.items()]
    first = min(mine)
    return replace(
        message,
        id=f"{message.id}.{first}",
        content=blocks,
        metadata=marked(message, of=message.id, places=[held[n].place for n in mine]),
    )


def _with_result_ids(
    message: Message, held: Sequence[Result], mine: Mapping[int, _Slot]
) -> Message:
    """Itself, its results under the ids that their calls go out by."""
    if all(slot.id == slot.call.id for slot in mine.values()):
        return message
    if held[0].place == WHOLE:
        (slot,) = mine.values()
        return replace(message, extra={**message.extra, "tool_call_id": slot.id})
    blocks = list(message.content)
    for number, slot in mine.items():
        blocks[held[number].place] = _renamed(blocks[held[number].place], slot)
    return replace(message, content=blocks)


def _renamed(block: Json, slot: _Slot) -> Json:
    if slot.id == slot.call.id or not isinstance(block, Mapping):
        return block
    key = next((k for k in ("tool_use_id", "call_id", "id") if k in block), "id")
    return {**block, key: slot.id}


def _with_call_ids(message: Message, renamed: Mapping[int, str]) -> Message:
    """The message with these of its calls under other ids."""
    found = calls(message)
    blocks: list[Json] = [] if isinstance(message.content, str) else list(message.content)
    beside = list(message.extra.get("tool_calls") or ())
    first = len(found) - sum(call.place == WHOLE for call in found)
    for number, id in renamed.items():
        place = found[number].place
        if place != WHOLE:
            key = "call_id" if "call_id" in blocks[place] else "id"
            blocks[place] = {**blocks[place], key: id}
        elif number - first < len(beside):
            beside[number - first] = {**beside[number - first], "id": id}
    content = message.content if isinstance(message.content, str) else blocks
    extra = {**message.extra, "tool_calls": beside} if beside else message.extra
    return replace(message, content=content, extra=extra)


def _no_result(message: Message, slot: _Slot) -> Message:
    """A result that says that there is none, in the form of the call."""
    shape = shape_of(message)
    if slot.call.place == WHOLE:
        role, content, extra = Role.TOOL, NO_RESULT, {"tool_call_id": slot.id}
        if not slot.call.id:
            extra = {"role": "function", "name": slot.call.name}
        shape = Shape.OPENAI
    else:
        role, content, extra = _blocks_no_result(shape, slot)
    return replace(
        message,
        id=f"{message.id}?{slot.number}",
        role=role,
        content=content,
        name=None,
        extra=extra,
        metadata={"of": message.id, "made": "no_result", "shape": str(shape)},
    )


def _blocks_no_result(shape: Shape, slot: _Slot) -> tuple[Role, Json, dict[str, Json]]:
    if shape is Shape.AGENTSCOPE:
        block = {"type": "tool_result", "id": slot.id, "name": slot.call.name, "output": NO_RESULT}
        return Role.TOOL, [block], {"role": "system"}
    if shape is Shape.RESPONSES:
        block = {"type": "function_call_output", "call_id": slot.id, "output": NO_RESULT}
        return Role.TOOL, [block], {}
    return (
        Role.USER,
        [{"type": "tool_result", "tool_use_id": slot.id, "content": NO_RESULT}],
        {},
    )
