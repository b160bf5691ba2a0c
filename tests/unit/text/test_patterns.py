from __future__ import annotations

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina import InvalidInputError
from lamina.text.patterns import Regex, glob, glob_starts, glob_steps

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "c",
        ".",
        r"\d",
        r"\w",
        r"\s",
        "[ab]",
        "[^a]",
        "[a-c]",
        r"\.",
        "^",
        "$",
        r"\b",
        r"\B",
    ]
)
ONCE = st.sampled_from(["a", "b", ".", r"\d", "[ab]", "[^a]", "中"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(ONCE, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"])).map(
            "".join
        ),
        inner.map(lambda one: f"({one}a)*"),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("aAbBc1 中.", min_size=1, max_size=12))
def test_an_expression_finds_what_pythons_own_finds(pattern: str, text: str) -> None:
    expected = re.compile(pattern, re.IGNORECASE).search(text)
    assert (Regex(pattern).find(text) is not None) == (expected is not None)


def test_a_find_says_where_it_ends() -> None:
    assert Regex("b+").find("aabbb") == 3
    assert Regex("^$").find("") == 0
    assert Regex(r"port \d{4}").find("on port 5432.") == 12
    assert Regex(r"\bhost\b").find("localhost, host") == 15
    assert Regex("数据库|database").find("用的数据库") == 5


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "a*a*a*a*a*a*b", "(a?){80}a{80}", "(x+x+)+y"]
)
def test_no_expression_tries_again_and_again(pattern: str) -> None:
    assert Regex(pattern).find("a" * 20_000 + "!") is None or pattern.startswith("(a?)")


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "(a", "a)", "[a", "*a", "a{5,2}", "a{200}", "(?=a)", "(?i)a", r"\1", r"\p{L}",
     "\\", "^*", "(" * 60 + ")" * 60, "((a{100}){100}){100}", "(?"],
)  # fmt: skip
def test_what_is_no_expression_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInputError):
        Regex(pattern)


@given(st.text("ab*?", max_size=8), st.text("abAB", max_size=8))
def test_a_glob_is_what_a_shell_s_is(pattern: str, name: str) -> None:
    assert glob(pattern, name) == fnmatch.fnmatchcase(name.lower(), pattern.lower())


def test_a_huge_glob_ends() -> None:
    assert not glob("*a" * 400 + "b", "a" * 20_000)


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("a/*/c", "a/b/c", True),
        ("a/*", "a/b/c", False),
        ("a/**", "a/b/c", True),
        ("a/**/c", "a/c", True),
        ("**/c", "c", True),
        ("**/**/x", "a/b/c", False),
        ("a/**", "a", True),
        ("a", "a/b", False),
    ],
)
def test_two_stars_stand_for_any_way(pattern: str, path: str, *, found: bool) -> None:
    parts = pattern.split("/")
    at = glob_starts(parts)
    for name in path.split("/"):
        at = glob_steps(parts, at, name)
    assert (len(parts) in at) == found
