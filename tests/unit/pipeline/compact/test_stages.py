from __future__ import annotations

from typing import Any

import pytest

from lamina.errors import NotFoundError
from lamina.pipeline.compact.cutting import NOTE_BYTES, asked_words, shortened
from lamina.pipeline.compact.handles import expand
from lamina.pipeline.compact.lines import parsed
from lamina.pipeline.compact.stages import compacted
from lamina.pipeline.compact.values import Compaction, Limits
from lamina.pipeline.compact.window import windowed
from lamina.text.shapes import read, results
from lamina.types import Message

SMALL = Limits(max_input_tokens=3000)


def talk(turns: int, *, size: int = 30) -> tuple[Message, ...]:
    """A long talk with a number in every message."""
    roles = ("user", "assistant")
    given = [
        {"role": roles[n % 2], "content": f"Point {n} has code-{n:05d}. " + "more of it " * size}
        for n in range(turns)
    ]
    return read([{"role": "system", "content": "Be brief."}, *given])


@pytest.mark.parametrize("limit", [350, 3000, 50_000])
@pytest.mark.parametrize("piece", ["数据在这里。", "one line\n", "0123456789", "👩‍💻", "é\r\n"])
def test_a_shortened_text_keeps_its_limit_its_ends_and_the_lines_asked_for(
    limit: int, piece: str
) -> None:
    text = "BEGIN " + piece * 20_000 + "\nhere is ORCHID-7 at last\n" + piece * 20_000 + " END"
    cut = shortened(text, limit, words=asked_words("Where is ORCHID-7?"), handle="m1#")
    assert len(cut.encode()) <= limit + NOTE_BYTES
    assert cut.startswith("BEGIN")
    assert cut.endswith("END")
    assert "ORCHID-7" in cut
    assert "expand('m1#')" in cut
    assert "\ufffd" not in cut


def test_a_short_text_is_not_touched() -> None:
    assert shortened("完整", 6) == "完整"


def test_nothing_changes_under_the_threshold() -> None:
    messages = talk(4)
    reply = compacted(messages, SMALL)
    assert reply.window.messages == messages
    assert (reply.passes, reply.state) == (0, Compaction())


def test_what_leaves_is_summarised_and_what_is_sent_has_room_again() -> None:
    messages = talk(60)
    reply = compacted(messages, SMALL)
    assert reply.before > SMALL.threshold >= reply.after
    assert reply.window.messages[0] == messages[0]
    assert reply.window.messages[1].metadata["made"] == "summary"
    assert reply.window.messages[-1] == messages[-1]
    assert set(reply.summarised) | {m.id for m in reply.window.messages} >= {m.id for m in messages}
    assert all(expand(id, messages).text for id in reply.summarised)
    assert "-> " in reply.status


def test_compacting_twice_does_nothing_more() -> None:
    messages = talk(60)
    once = compacted(messages, SMALL)
    again = compacted(messages, SMALL, state=once.state)
    assert again.passes == 0
    assert again.window == once.window


def test_the_window_grows_at_its_end_alone_between_two_passes() -> None:
    messages = talk(80)
    state = compacted(messages[:60], SMALL).state
    before = windowed(messages[:60], state).messages
    assert windowed(messages[:64], state).messages[: len(before)] == before


def test_a_window_needs_only_what_is_kept_and_what_came_since() -> None:
    messages = talk(120)
    pinned = {"m3"}
    state = compacted(messages[:80], SMALL, pinned=pinned).state
    part = [m for n, m in enumerate(messages) if m.id in state.kept or n >= state.number]
    whole = compacted(messages, SMALL, state=state, pinned=pinned)
    assert compacted(part, SMALL, state=state, pinned=pinned).state == whole.state


def test_the_numbers_of_a_summary_go_on_from_pass_to_pass() -> None:
    messages = talk(120)
    state = Compaction()
    for moment in range(20, 121, 20):
        state = compacted(messages[:moment], SMALL, state=state).state
    lines = [line for line in parsed(state.summary) if "has code" in line.text]
    assert len(lines) > 20
    for line in lines:
        assert line.text.split("; ")[0] in messages[line.number - 1].text


def test_a_message_pinned_since_comes_back() -> None:
    messages = talk(60)
    state = compacted(messages, SMALL).state
    assert messages[5] not in windowed(messages, state).messages
    sent = windowed(messages, state, pinned={messages[5].id}).messages
    assert sent.index(messages[5]) == 1


def test_recent_results_get_more_room_than_old_ones_and_say_what_they_miss() -> None:
    given: list[dict[str, Any]] = [{"role": "user", "content": "Read them."}]
    for n in range(4):
        function = {"name": "read", "arguments": "{}"}
        called = [{"id": f"r{n}", "type": "function", "function": function}]
        given.append({"role": "assistant", "content": None, "tool_calls": called})
        given.append(
            {"role": "tool", "tool_call_id": f"r{n}", "content": f"{n} " + "line\n" * 15_000}
        )
    given += [{"role": "assistant", "content": "Read."}, {"role": "user", "content": "So?"}]
    messages = read(given)
    reply = compacted(messages, Limits(max_input_tokens=100_000))
    sizes = [len(r.text) for m in reply.window.messages for r in results(m)]
    assert [size <= 3200 for size in sizes] == [True, True, False, False]
    assert max(sizes) <= 50_200
    for message in reply.window.messages:
        for cut in message.metadata.get("cuts", ()):
            assert expand(cut["handle"], messages) == next(
                m.content for m in messages if m.id == message.id
            )
    assert not reply.summarised


def test_old_pictures_in_results_become_notes_with_a_handle() -> None:
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "A"},
    }
    given: list[dict[str, Any]] = [{"role": "user", "content": "Look."}]
    for n in range(4):
        use = {"type": "tool_use", "id": f"p{n}", "name": "look", "input": {}}
        given.append({"role": "assistant", "content": [use]})
        brought = {"type": "tool_result", "tool_use_id": f"p{n}", "content": [picture]}
        given.append({"role": "user", "content": [brought]})
    given += [{"role": "assistant", "content": "Seen."}, {"role": "user", "content": "So?"}]
    messages = read(given)
    reply = compacted(messages, Limits(max_input_tokens=5000))
    shown: list[Any] = [r.content for m in reply.window.messages for r in results(m)]
    assert shown[2:] == [[picture], [picture]]
    assert "image left out; expand('m2#0')" in shown[0][0]["text"]
    assert expand("m2#0", messages) == [picture]


def test_what_cannot_shrink_is_named_and_after_two_passes_left_alone() -> None:
    messages = read([
        {"role": "system", "content": "Rule: cite the handbook. " * 600},
        {"role": "user", "content": "Hello."},
    ])  # fmt: skip
    state, passes = Compaction(), 0
    for _ in range(5):
        reply = compacted(messages, SMALL, state=state)
        state, passes = reply.state, passes + reply.passes
        assert reply.over > 0
        assert reply.notes
        assert reply.fills[0][0] == "system"
    assert passes == 2
    grown = [*messages, *read([{"role": "user", "content": "word " * 900}], start=9)]
    assert compacted(grown, SMALL, state=state).passes == 1


def test_a_handle_of_nothing_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        expand("nowhere", talk(2))
    with pytest.raises(NotFoundError, match="m1#7"):
        expand("m1#7", talk(2))


def test_an_exact_counter_of_the_callers_is_used() -> None:
    messages = talk(10)
    assert compacted(messages, SMALL, count=len).before > 10 * 300
