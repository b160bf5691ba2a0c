"""`lamina ls`, `tree`, `read`, `glob`, `grep` as a person or program runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]
Answer = Callable[..., Any]
Refused = Callable[..., None]


@pytest.fixture
def ids(run: Run) -> list[str]:
    """A preference and a turn of a conversation; their ids."""
    added = [
        run("add", "喜欢燕麦奶，不要糖", "--category", "preferences"),
        run("add", "Is the fair far?", "--role", "user", "--session", "mon day"),
    ]
    return [done.stdout.strip() for done in added]


def test_folders_and_what_is_in_them(run: Run, answer: Answer, ids: list[str]) -> None:
    uri = f"lamina://default/preferences/喜欢燕麦奶-不要糖~{ids[0]}"
    assert run("ls").stdout.splitlines()[0] == "lamina://default/preferences  (1)"
    (line,) = run("ls", "preferences").stdout.splitlines()
    assert line.startswith(uri)
    assert line.endswith("喜欢燕麦奶，不要糖")
    (entry,) = answer("ls", "preferences")
    assert (entry["uri"], entry["kind"], entry["id"]) == (uri, "memory", ids[0])
    lines = run("tree", "--depth", "3").stdout.splitlines()
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 0, 2, 4]
    assert lines[-1].lstrip().startswith(ids[1])
    assert len(answer("tree", "--depth", "3")) == 5
    assert run("ls", "events").stdout == "Nothing.\n"
    assert run("ls", "--user", "li").stdout == "Nothing.\n"
    assert "--after lamina://default/preferences" in run("ls", "-n", "1").stderr
    rest = run("ls", "--after", "lamina://default/preferences").stdout
    assert rest.startswith("lamina://default/sessions")


def test_a_text_is_read(run: Run, answer: Answer, ids: list[str]) -> None:
    assert run("read", f"preferences/x~{ids[0]}").stdout == "喜欢燕麦奶，不要糖\n"
    uri = answer("get", ids[0])["uri"]
    assert answer("get", uri)["id"] == ids[0]
    read = answer("read", f"sessions/mon%20day/{ids[1]}", "--level", "abstract")
    assert (read["level"], read["text"]) == ("abstract", "Is the fair far?")


def test_patterns_are_found(run: Run, answer: Answer, ids: list[str]) -> None:
    assert [entry["id"] for entry in answer("glob", "**/*燕麦*")] == [ids[0]]
    assert ids[0] in run("glob", "preferences/*").stdout
    assert run("glob", "cases/*").stdout == "Nothing.\n"
    assert run("grep", "FAIR").stdout.endswith(f"{ids[1]}:1: Is the fair far?\n")
    (match,) = answer("grep", "f.r[?]", "--regex")
    assert (match["id"], match["line"]) == (ids[1], 1)
    assert run("grep", "f.r").stdout == "Nothing found.\n"
    assert json.loads(run("grep", "糖", "sessions", "--json").stdout) == []


def test_what_is_wrong_is_said(run: Run, refused: Refused, ids: list[str]) -> None:
    refused(run("ls", "nowhere"), 3, "nowhere", "ls")
    refused(run("read", "preferences"), 2, "folder")
    refused(run("tree", f"preferences/x~{ids[0]}"), 2, "read")
    refused(run("read", "../x"), 2, "../x")
    refused(run("ls", "lamina://li"), 3, "lamina://li")
    refused(run("grep", "(", "--regex"), 2, "pattern")
    refused(run("glob", ""), 2, "pattern")
