"""What tests of doors share: one open store for bad input, and a runner of commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import lamina
from lamina import Memory
from lamina.doors.cli.app import app

Run = Callable[..., Result]
Answer = Callable[..., Any]
Refused = Callable[..., None]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("store")
    with lamina.open(folder, embedder="none", zone="Asia/Shanghai") as memory:
        yield memory


@pytest.fixture
def memory(opened: Memory, request: pytest.FixtureRequest) -> Memory:
    """The memory of a user of this test alone, with one turn and one note in it."""
    mine = opened.for_user(str(hash(request.node.nodeid)))
    mine.session("talk").append("user", "a zebra at the start", id="first")
    mine.add("a zebra note")
    return mine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs a command on the test's store, words alone."""
    given = {"LAMINA_STORE": str(folder), "LAMINA_EMBEDDER": "none", "LAMINA_ZONE": "Asia/Shanghai"}

    def runs(*arguments: str, input: str | bytes = "", **environment: str | None) -> Result:
        runner = CliRunner(env={**given, "LAMINA_USER": None, **environment})
        return runner.invoke(app, arguments, input=input, catch_exceptions=False)

    return runs


@pytest.fixture
def answer(run: Run) -> Answer:
    """The JSON that a command answers."""

    def answers(*arguments: str, **options: Any) -> Any:
        done = run(*arguments, "--json", **options)
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)

    return answers


@pytest.fixture
def refused() -> Refused:
    """Checks for an exit code, nothing on stdout, and one sentence with these parts on stderr."""

    def checks(done: Result, code: int, *parts: str) -> None:
        assert (done.exit_code, done.stdout) == (code, "")
        assert done.stderr.startswith("lamina: ")
        assert done.stderr.count("\n") == 1
        for part in parts:
            assert part in done.stderr

    return checks
