from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.pipeline.extract.loose import documents

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)
CONTAINERS = st.lists(VALUES) | st.dictionaries(st.text(), VALUES)


def kept(value: Any) -> Any:
    """What a memory can hold of a value: texts without NUL, numbers as they count."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [kept(part) for part in value]
    if isinstance(value, dict):
        return {kept(key): kept(part) for key, part in value.items()}
    return float(value) if isinstance(value, int) and len(str(value)) > 18 else value


@settings(max_examples=200, deadline=None)
@given(CONTAINERS, st.booleans(), st.sampled_from([None, 2]))
def test_valid_json_is_read_as_json(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    ((found, whole),) = documents(text)
    assert whole
    assert found == kept(value)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(), VALUES, min_size=1), st.data())
def test_json_that_is_cut_is_never_called_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    end = data.draw(st.integers(1, len(text) - 1))
    assert not any(whole and found == kept(value) for found, whole in documents(text[:end]))
    first = next(documents(text[:end]), None)
    assert first is None or not first.whole


@pytest.mark.parametrize("end", ["-", "1.", "1e", "1e-", "nul", "tru"])
def test_a_value_that_breaks_off_is_cut(end: str) -> None:
    assert [found.whole for found in documents(f'{{"a": [[1], {end}')] == [False]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="{}[]\"':,\\/#*a1 \n", max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for value, _ in documents(text):
        assert isinstance(value, dict | list)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("{'a': 'it's', b: None, \"c\": True,}", [{"a": "it's", "b": None, "c": True}]),
        ('{"a": "he said "hi" twice"}', [{"a": 'he said "hi" twice'}]),
        ('{"a": [1,, 2,],}', [{"a": [1, 2]}]),
        ('{"a": [{"b": 1}}', [{"a": [{"b": 1}]}]),
        ('{"a": 1 "b": 2}', [{"a": 1, "b": 2}]),
        ("[1, // one\n 2, /* two */ 3 # three\n]", [[1, 2, 3]]),
        ('see {this} and [that], then {"a": 1}', [{"a": 1}]),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"path": "C:\\dev", "tab": "\\t"}', [{"path": "C:\\dev", "tab": "\t"}]),
        ('{"url": "http://host/#top"}', [{"url": "http://host/#top"}]),
        ('{"a": "[a,] {b,}"}', [{"a": "[a,] {b,}"}]),
        ('{"a": "\\ud83d\\ude00"}', [{"a": "\U0001f600"}]),
        ('{"a": "x\\ud83d"}', [{"a": "x"}]),
        ("no brackets at all", []),
    ],
)
def test_what_models_write_is_read(text: str, values: list[Any]) -> None:
    assert [document.value for document in documents(text)] == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [{"b": 1}, {"b": 2', {"a": [{"b": 1}]}),
        ('{"a": [{"b": 1}, {"b": 2}', {"a": [{"b": 1}, {"b": 2}]}),
        ('{"a": [{"b": [{"c": 1}, {"c"', {"a": []}),
        ('{"a": 1, "b": "tex', {"a": 1}),
        ("[1, tru", [1]),
    ],
)
def test_what_was_whole_before_a_cut_is_kept(text: str, value: Any) -> None:
    ((found, whole),) = documents(text)
    assert found == value
    assert not whole


def test_what_is_too_deep_is_not_read() -> None:
    assert list(documents("[" * 100_000)) == []
