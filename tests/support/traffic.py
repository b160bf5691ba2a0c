"""Random conversations with tools, as they come in: parallel, late, interrupted, twice, huge."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_WORDS = ["Deploy v2.4 on Friday.", "好的，改用方案B。", "", "Why?", "🦊 the 路径 is /srv/a b.txt"]
_SIZES = [0, 1, 40, 900, 60_000]
_PIECES = ["line ok\n", "数据，", "0123456789abcdef", '{"k": [1, 2]}, ', "👩‍💻 "]


@st.composite
def traffic(draw: st.DrawFn, *, shape: str, most: int = 24) -> list[dict[str, Any]]:
    """Messages in the form of `shape`, valid or not in the order of their calls and results."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Begin."}]
    open_calls: list[str] = []
    for number in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(["user", "say", "call", "call", "result", "result", "mixed"]))
        if kind == "user":
            messages.append({"role": "user", "content": draw(_texts()) or "."})
        elif kind == "say":
            messages.append({"role": "assistant", "content": draw(_texts())})
        elif kind == "call":
            # Ids come again, within a message too.
            count = draw(st.integers(1, 4))
            ids = [draw(st.sampled_from([f"c{number}-{n}", "call_1"])) for n in range(count)]
            open_calls += ids
            messages.append(_call(shape, ids, draw(st.sampled_from(["", "Looking."]))))
        else:
            known = draw(st.sampled_from([*open_calls[-4:], *open_calls[:2], "gone"]))
            if known in open_calls and draw(st.booleans()):
                open_calls.remove(known)
            words = draw(_texts()) if kind == "mixed" else ""
            messages += _result(shape, known, draw(_texts()), words)
    return messages


@st.composite
def _texts(draw: st.DrawFn) -> str:
    size = draw(st.sampled_from(_SIZES))
    piece = draw(st.sampled_from(_PIECES))
    return draw(st.sampled_from(_WORDS)) + piece * (size // len(piece.encode()))


def _call(shape: str, ids: list[str], words: str) -> dict[str, Any]:
    if shape == "openai":
        called = [
            {
                "id": id,
                "type": "function",
                "function": {"name": "read", "arguments": '{"p": "a.py"}'},
            }
            for id in ids
        ]
        return {"role": "assistant", "content": words or None, "tool_calls": called}
    blocks: list[Any] = [{"type": "text", "text": words}] if words else []
    blocks += [{"type": "tool_use", "id": id, "name": "read", "input": {"p": "a.py"}} for id in ids]
    return {"role": "assistant", "content": blocks}


def _result(shape: str, id: str, text: str, words: str) -> list[dict[str, Any]]:
    if shape == "openai":
        result = {"role": "tool", "tool_call_id": id, "content": text}
        return [result, {"role": "user", "content": words}] if words else [result]
    inner: Any = [{"type": "text", "text": text}] if len(text) % 2 else text
    if shape == "agentscope":
        block: dict[str, Any] = {"type": "tool_result", "id": id, "output": inner}
        brought = {"role": "system", "content": [block]}
        return [brought, {"role": "user", "content": words}] if words else [brought]
    blocks: list[Any] = [{"type": "tool_result", "tool_use_id": id, "content": inner}]
    blocks += [{"type": "text", "text": words}] if words else []
    return [{"role": "user", "content": blocks}]
