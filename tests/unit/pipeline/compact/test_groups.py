from __future__ import annotations

from typing import Any

from lamina.pipeline.compact.groups import NO_RESULT, mended
from lamina.pipeline.compact.values import origin_of
from lamina.text.shapes import calls, read, results


def call(*ids: str) -> dict[str, Any]:
    function = {"name": "f", "arguments": "{}"}
    called = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": called}


def result(id: str, text: str = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def sorted_out(*given: dict[str, Any]) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """Places of the messages by group, and what was mended."""
    found = mended(read(given))
    groups = [[origin_of(m).removeprefix("m") for m in group.messages] for group in found.groups]
    return groups, [(repair.id, repair.what) for repair in found.repairs]


def test_calls_and_their_results_are_one_group() -> None:
    assert sorted_out(said("go"), call("a", "b"), result("b"), result("a"), said("so?")) == (
        [["0"], ["1", "2", "3"], ["4"]],
        [],
    )


def test_a_late_result_moves_behind_its_call() -> None:
    assert sorted_out(call("a"), said("wait"), result("a")) == (
        [["0", "2"], ["1"]],
        [("a", "late")],
    )


def test_two_calls_in_a_row_get_each_its_own() -> None:
    assert sorted_out(call("a"), call("b"), result("a"), result("b")) == (
        [["0", "2"], ["1", "3"]],
        [("a", "late"), ("b", "late")],
    )


def test_a_result_before_its_call_moves_behind_it() -> None:
    assert sorted_out(result("a"), call("a")) == ([["1", "0"]], [("a", "late")])


def test_reused_ids_are_paired_by_place() -> None:
    found = mended(read([call("x"), result("x", "1"), call("x"), result("x", "2"), call("x")]))
    texts = [[r.text for m in group.messages for r in results(m)] for group in found.groups]
    assert texts == [["1"], ["2"], [NO_RESULT]]
    assert [repair.what for repair in found.repairs] == ["unanswered"]


def test_twin_ids_in_one_message_become_two() -> None:
    found = mended(read([call("x", "x"), result("x", "1"), result("x", "2")]))
    (group,) = found.groups
    assert [c.id for c in calls(group.head)] == ["x", "x_2"]
    assert [r.call_id for m in group.messages for r in results(m)] == ["x", "x_2"]
    assert [repair.sentence for repair in found.repairs] == [
        "two calls of one message were called 'x'; one was renamed"
    ]


def test_a_second_result_and_one_without_a_call_are_left_out_by_handle() -> None:
    found = mended(read([result("gone"), call("a"), result("a"), result("a", "again")]))
    assert [len(group.messages) for group in found.groups] == [2]
    assert found.left_out == ("m0#", "m3#")
    assert [repair.what for repair in found.repairs] == ["orphan", "twin_result"]


def test_a_result_whose_call_is_in_the_summary_becomes_words() -> None:
    found = mended(read([said("hi"), result("old", "42")]), gone={"old"})
    assert "42" in found.groups[1].head.text
    assert found.groups[1].head.role == "user"
    assert not found.left_out


def test_words_behind_results_stay_where_results_leave() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    brought = {"type": "tool_result", "tool_use_id": "a", "content": "done"}
    late = [
        {"role": "assistant", "content": [use]},
        said("wait"),
        {"role": "user", "content": [brought, {"type": "text", "text": "And now?"}]},
    ]
    found = mended(read(late))
    assert [[m.text for m in group.messages] for group in found.groups] == [
        ["", "done"],
        ["wait"],
        ["And now?"],
    ]
