from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.errors import InvalidInputError
from lamina.testing.validity import is_valid_for
from lamina.text.shapes import (
    Calibration,
    Call,
    Media,
    Result,
    Shape,
    Text,
    Thinking,
    calibrated,
    detect,
    message_tokens,
    parts,
    read,
    request_tokens,
    sendable,
    write,
)

PIXEL = "iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAYAAAC6uhUNAAAA"  # 1024 x 768
OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {
        "content": [
            {"type": "text", "text": "看这张图"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ],
        "role": "user",
        "name": "Ada",
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "ls", "arguments": '{"p": "/"}'}},
            {"id": "b", "type": "function", "function": {"name": "cat", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "bin\nusr"},
    {"role": "tool", "tool_call_id": "b", "content": ""},
    {"role": "assistant", "content": "", "reasoning_content": "hm"},
    {"role": "user", "content": "And?"},
]
ANTHROPIC: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
            },
            {"type": "text", "text": "What is it?", "cache_control": {"type": "ephemeral"}},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Let me look.", "signature": "c2ln"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"深": 2}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": [{"type": "text", "text": "a cat"}],
                "is_error": True,
            },
            {"type": "text", "text": "Well?"},
        ],
    },
    {"role": "assistant", "content": "A cat."},
]
AGENTSCOPE: list[dict[str, Any]] = [
    {
        "id": "m1", "name": "user", "role": "user",
        "content": [{"type": "text", "text": "我叫小张"}],
        "metadata": None, "timestamp": "2026-03-01 09:00:00.123",
    },
    {
        "id": "m2", "name": "Friday", "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "read_file",
                     "input": {"file_path": "a.txt"}, "raw_input": '{"file_path": "a.txt"}'}],
        "metadata": None, "timestamp": "2026-03-01 09:00:05.000",
    },
    {
        "id": "m3", "name": "system", "role": "system",
        "content": [{"type": "tool_result", "id": "t1", "name": "read_file",
                     "output": [{"type": "text", "text": "ok"}]}],
        "metadata": None, "timestamp": "2026-03-01 09:00:06.000",
    },
]  # fmt: skip
RESPONSES: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List it."}]},
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "ls it"}]},
    {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"p":1}'},
    {"type": "function_call", "call_id": "c2", "name": "ls", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "one"},
    {"type": "function_call_output", "call_id": "c2", "output": "two"},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
    },
]
PLAIN = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "你好"}]
BY_SHAPE = {
    Shape.OPENAI: OPENAI,
    Shape.ANTHROPIC: ANTHROPIC,
    Shape.AGENTSCOPE: AGENTSCOPE,
    Shape.TEXT: PLAIN,
}


@pytest.mark.parametrize("shape", BY_SHAPE)
def test_a_round_trip_in_one_shape_is_exact(shape: Shape) -> None:
    given_ = BY_SHAPE[shape]
    assert detect(given_) is shape
    written = write(read(given_), shape)
    assert json.dumps(list(written.messages)) == json.dumps(given_)
    assert not written.lost


def test_anthropics_system_goes_and_comes_apart() -> None:
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    messages = read(ANTHROPIC, system=system)
    assert messages[0].role == "system"
    assert write(messages, "anthropic").system == system
    openai = write(messages, "openai")
    assert openai.messages[0] == {"role": "system", "content": "Be brief."}
    assert ("system", "field", "cache_control") in {
        (one.message, one.what, one.detail) for one in openai.lost
    }


@pytest.mark.parametrize("target", ["openai", "anthropic"])
@pytest.mark.parametrize("source", [*BY_SHAPE.values(), RESPONSES])
def test_every_shape_is_written_validly_in_any_other(
    source: list[dict[str, Any]], target: str
) -> None:
    written = sendable([m for m in read(source) if not m.extra.get("reasoning_content")], target)
    assert is_valid_for(target, written.messages, system=written.system) == []


@pytest.mark.parametrize("source", [OPENAI, ANTHROPIC, AGENTSCOPE, RESPONSES])
@pytest.mark.parametrize("target", ["openai", "anthropic", "agentscope"])
def test_calls_results_and_words_come_over_whole(source: list[Any], target: str) -> None:
    messages = read(source)
    back = read(write(messages, target).messages, Shape(target), system=None)

    def held(kind: type, of: Any) -> list[Any]:
        found: list[Any] = [p for m in of for p in parts(m) if isinstance(p, kind)]
        if kind is Call:
            return [(part.id, part.name, part.as_object) for part in found]
        if kind is Result:
            return [(part.call_id, part.text) for part in found]
        return [part.text for part in found if part.text.strip()]

    for kind in (Call, Result, Text):
        before = [m for m in messages if m.role != "system"]
        assert held(kind, before) == held(kind, [m for m in back if m.role != "system"])


def test_what_a_target_cannot_carry_is_named() -> None:
    lost = write(read(ANTHROPIC), "openai").lost
    named = {(one.message, one.what) for one in lost}
    assert named == {("m0", "field"), ("m1", "thinking"), ("m2", "failed")}
    lost = write(read(OPENAI), "anthropic").lost
    assert {(one.message, one.what) for one in lost} == {("m1", "name"), ("m5", "thinking")}
    lost = write(read(OPENAI), "text").lost
    assert {one.what for one in lost} == {"image", "structure", "thinking"}


def test_parts_are_the_same_whatever_the_shape() -> None:
    image = next(p for p in parts(read(OPENAI)[1]) if isinstance(p, Media))
    other = next(p for p in parts(read(ANTHROPIC)[0]) if isinstance(p, Media))
    assert (image.kind, image.mime, image.data) == (other.kind, other.mime, other.data)
    thought = [type(part) for part in parts(read(ANTHROPIC)[1])]
    assert thought == [Thinking, Text, Call]
    called = parts(read(RESPONSES)[1])
    assert [type(part) for part in called] == [Thinking, Call, Call]


def test_responses_items_are_read_only() -> None:
    with pytest.raises(InvalidInputError, match="openai, anthropic"):
        write(read(RESPONSES), "responses")


def test_what_is_no_message_is_refused_by_its_place() -> None:
    with pytest.raises(InvalidInputError, match="message 1"):
        read([PLAIN[0], 7])


def test_images_cost_by_their_size_not_by_their_base64() -> None:
    small, large = (
        message_tokens(
            read([{"role": "user", "content": [{"type": "image", "source": source}]}])[0]
        )
        for source in (
            {"type": "base64", "media_type": "image/png", "data": PIXEL},
            {"type": "base64", "media_type": "image/png", "data": PIXEL + "A" * 400_000},
        )
    )
    assert small == large
    assert 1000 <= small <= 1200


def test_results_count_wherever_their_text_stands() -> None:
    text = "entry 100.00 paid\n" * 500
    blocks = [
        {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": text}]}
    ]
    (nested,) = read([{"role": "user", "content": blocks}])
    (flat,) = read([{"role": "tool", "tool_call_id": "x", "content": text}])
    assert message_tokens(nested) == message_tokens(flat) > 3000


def test_tools_and_framing_are_counted() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    messages = read(PLAIN)
    assert request_tokens(messages, [tool] * 100) > request_tokens(messages) + 1500


def test_calibration_follows_the_providers_usage() -> None:
    known = calibrated([1000, 2000], [{"prompt_tokens": 1300}, {"prompt_tokens": 2600}])
    assert known.factor == pytest.approx(1.3)
    assert known.counter()("word " * 1000) == pytest.approx(1300, rel=0.02)
    cached = {"input_tokens": 10, "cache_read_input_tokens": 700, "cache_creation_input_tokens": 90}
    assert calibrated([1000], [cached]).factor == pytest.approx(0.8)
    assert calibrated([1000, 5], [{"odd": 1}, {"prompt_tokens": 90}]) == Calibration()


VALUES: Any = st.sampled_from(
    [None, True, 7, "", "x", [], [{}], [{"type": "text", "text": 3}], {"a": []}]
)


@settings(max_examples=100)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "system", "tool", "function", "x"])},
            optional={
                "content": st.text(max_size=9) | st.none() | st.lists(VALUES, max_size=3),
                "name": st.text(max_size=5) | st.none(),
                "id": VALUES, "tool_calls": VALUES, "function_call": VALUES, "refusal": VALUES,
            },
        ),
        max_size=4,
    ),
    st.sampled_from([Shape.OPENAI, Shape.ANTHROPIC, Shape.AGENTSCOPE]),
)  # fmt: skip
def test_any_message_at_all_is_kept_to_the_byte(raw: list[Any], shape: Shape) -> None:
    messages = read(raw, shape)
    if shape is Shape.ANTHROPIC:
        messages = tuple(m for m in messages if m.role != "system")
        raw = [m for m in raw if m["role"] != "system"]
    assert json.dumps(list(write(messages, shape).messages)) == json.dumps(raw)
    for message in messages:
        assert message_tokens(message) > 0
