"""Whose memory, which store and settings; what is refused, how it is said, and its exit code."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import lamina
from lamina import errors
from lamina.doors.wire import EXITS, exit_code

Run = Callable[..., Result]
Answer = Callable[..., Any]
Refused = Callable[..., None]


def test_users_and_agents_are_apart(run: Run, answer: Answer, refused: Refused) -> None:
    id = run("add", "anna's heron", "--user", "anna").stdout.strip()
    run("add", "the coder's heron", "--user", "anna", "--agent", "coder")
    run("add", "ben's heron", LAMINA_USER="ben")

    def texts(*scope: str, **environment: str) -> set[str]:
        return {h["text"] for h in answer("search", "heron", *scope, **environment)["hits"]}

    assert texts() == set()
    assert texts("--user", "anna") == {"anna's heron", "the coder's heron"}
    assert texts("--user", "anna", "--agent", "coder") == {"anna's heron", "the coder's heron"}
    assert texts("--user", "anna", "--agent", "other") == {"anna's heron"}
    assert texts(LAMINA_USER="ben") == texts("--user", "ben") == {"ben's heron"}
    for command in (["get", id], ["update", id, "x"], ["delete", id], ["history", id]):
        refused(run(*command, "--user", "ben"), 3, id)


def test_the_store_is_that_of_the_option_then_of_the_environment(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    run("add", "x")
    run("add", "y", "--store", str(tmp_path / "other"))
    assert (folder / "lamina.db").is_file()
    assert (tmp_path / "other" / "lamina.db").is_file()


REFUSED: dict[str, tuple[list[str], int, str]] = {
    "an empty text": (["add", " \n"], 2, "nothing to remember"),
    "importance": (["add", "x", "--importance", "nan"], 2, "from 0.0 to 1.0"),
    "a layer": (["add", "x", "--layer", "deep"], 2, "'deep'"),
    "the working layer": (["add", "x", "--layer", "working"], 2, "never stored"),
    "a category": (["add", "x", "--category", "zoo"], 2, "'zoo'"),
    "a role": (["add", "x", "--role", "king"], 2, "'king'"),
    "metadata": (["add", "x", "--metadata", "[1]"], 2, "give a mapping"),
    "metadata cut": (["add", "x", "--metadata", '{"a": '], 2, "no JSON"),
    "metadata of NaN": (["add", "x", "--metadata", '{"a": NaN}'], 2, "JSON"),
    "deep metadata": (["add", "x", "--metadata", "[" * 99_999], 2, "no JSON"),
    "a user": (["add", "x", "--user", ""], 2, "not empty"),
    "an agent": (["search", "x", "--agent", "a\nb"], 2, "control character"),
    "a day": (["search", "x", "--since", "tomorrow"], 2, "give a day such as"),
    "a time": (["list", "--until", "2026-13-01"], 2, "'2026-13-01'"),
    "the calendar's end": (["search", "x", "--since", "0001-01-01"], 2, "0001-01-01"),
    "a limit": (["list", "--limit", "0"], 2, "at least 1"),
    "an operator": (["list", "--metadata", '{"a": {"near": 1}}'], 2, "'near'"),
    "an id": (["get", "nope"], 3, "'nope'"),
    "no id": (["get", ""], 3, "''"),
    "an id to update": (["update", "nope", "x"], 3, "'nope'"),
    "an id to delete": (["delete", "nope"], 3, "'nope'"),
    "an id's history": (["history", "nope"], 3, "'nope'"),
    "a file": (["import", "/no/such/file"], 2, "/no/such/file is not there"),
    "a long path": (["import", "x" * 5000], 2, "is not there"),
    "a format": (["import", ".", "--format", "zip"], 2, "conversations, openai"),
    "a store that is a file": (["status", "--store", __file__], 8, "a store is a folder"),
    "a store below a file": (["list", "--store", f"{__file__}/x"], 8, "choose another place"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_done_is_said_in_one_sentence(run: Run, what: str, refused: Refused) -> None:
    command, code, part = REFUSED[what]
    refused(run(*command), code, part)
    done = run(*command, "--json")
    assert (done.exit_code, done.stdout) == (code, "")
    said = json.loads(done.stderr)
    assert part in said["message"]
    assert exit_code(getattr(errors, said["error"])("")) == code


def test_a_message_is_not_changed_nor_what_is_everyones(
    run: Run, folder: Path, refused: Refused
) -> None:
    (id,) = json.loads(run("add", "said", "--role", "user", "--json").stdout)["ids"]
    refused(run("update", id, "x"), 2, "kept word for word")
    with lamina.open(folder, embedder="none") as memory:
        shared = memory.for_everyone().add("for all").id
    assert run("get", shared).exit_code == 0
    refused(run("update", shared, "x"), 4, "for everyone")
    refused(run("delete", shared), 4, "for everyone")


def test_a_store_that_is_held_too_long_is_busy(run: Run, folder: Path, refused: Refused) -> None:
    run("add", "x")
    with closing(sqlite3.connect(folder / "lamina.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused(run("add", "y", LAMINA_BUSY_SECONDS="0.05"), 6, str(folder))


SETTINGS: dict[str, tuple[bytes, str]] = {
    "no TOML": (b"redact = ", "does not read as TOML"),
    "no UTF-8": (b'zone = "\xff"', "cannot be read"),
    "an unknown name": (b"colour = 1", "'colour'"),
    "a wrong type": (b"threads = []", "threads"),
    "an impossible value": (b'redact = "some"', "'some'"),
    "a zone": (b'zone = "Mars/Base"', "'Mars/Base'"),
    "an embedder": (b'embedder = "magic"', "'magic'"),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_a_broken_settings_file_is_refused(
    run: Run, folder: Path, what: str, refused: Refused
) -> None:
    data, part = SETTINGS[what]
    folder.mkdir()
    (folder / "lamina.toml").write_bytes(data)
    refused(run("list", LAMINA_ZONE=None, LAMINA_EMBEDDER=None), 2, part)
    assert [f.name for f in folder.iterdir()] == ["lamina.toml"]


def test_a_broken_setting_of_the_environment_is_refused(run: Run, refused: Refused) -> None:
    refused(run("list", LAMINA_THREADS="many"), 2, "the environment sets threads to 'many'")
    refused(run("list", LAMINA_REDACT="maybe"), 2, "'maybe'")


@pytest.mark.parametrize(
    "command",
    [["fly"], ["search"], ["search", "x", "--bogus"], ["add", "x", "--importance", "much"],
     ["list", "--limit", "ten"], ["get", "a", "b"], ["--bogus"]],
)  # fmt: skip
def test_wrong_usage_is_said_on_stderr(run: Run, command: list[str]) -> None:
    done = run(*command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: ")


def test_version_and_help_are_answers(run: Run) -> None:
    for flag in ("--version", "-V"):
        assert run(flag).stdout == f"lamina {lamina.__version__}\n"
    help = run("--help").stdout
    for command in ("add", "search", "get", "list", "update", "delete", "history", "context",
                    "import", "status", "demo"):  # fmt: skip
        assert command in help
        assert run(command, "-h").exit_code == 0


def test_every_kind_of_error_has_its_exit_code() -> None:
    codes = dict(EXITS)
    kinds = [k for k in vars(errors).values() if isinstance(k, type)]
    for kind in kinds:
        code = exit_code(kind("")) if issubclass(kind, lamina.LaminaError) else 0
        parents = [codes[k] for k in kind.__mro__ if k in codes]
        assert code == (parents[0] if parents else 1)
