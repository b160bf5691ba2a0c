"""Every command: its answer on stdout, what people should know on stderr, and its exit code."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import lamina
from lamina import errors
from lamina.doors.cli.app import app
from lamina.doors.wire import EXITS, exit_code

Run = Callable[..., Result]
Answer = Callable[..., Any]
WORDS_ALONE = "no embedder is set: words alone answer\n"


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


def refused(done: Result, code: int, *parts: str) -> None:
    """Nothing on stdout, one sentence with these parts on stderr."""
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith("lamina: ")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


# --- add


def test_add_prints_the_id_and_nothing_else(run: Run, answer: Answer) -> None:
    done = run("add", "我对花生过敏")
    assert re.fullmatch(r"\w{26}\n", done.stdout)
    assert (done.exit_code, done.stderr) == (0, "")
    assert answer("get", done.stdout.strip())["content"] == "我对花生过敏"


def test_add_says_a_twin_and_keeps_it_once(run: Run, answer: Answer) -> None:
    first = run("add", "tea").stdout.strip()
    assert run("add", "tea").stdout == f"{first}  (was there already)\n"
    assert answer("add", "tea") == {
        "ids": [first], "skipped": [first], "masked": {}, "replaced": 0
    }  # fmt: skip
    assert len(answer("list")) == 1


def test_add_takes_every_option(answer: Answer) -> None:
    options = ["--layer", "archival", "--category", "events", "--importance", "0.9", "--pin"]
    (id,) = answer("add", "x", *options, "--metadata", '{"topic": "茶"}', "--session", "s")["ids"]
    found = answer("get", id)
    assert {k: found[k] for k in ("layer", "category", "importance", "pinned")} == {
        "layer": "archival", "category": "events", "importance": 0.9, "pinned": True
    }  # fmt: skip
    assert (found["metadata"], found["session_id"]) == ({"topic": "茶"}, "s")


def test_add_with_a_role_appends_to_the_conversation(run: Run, answer: Answer) -> None:
    options = ["--role", "assistant", "--session", "s", "--metadata", '{"a": 1}']
    (id,) = answer("add", "hello", *options)["ids"]
    found = answer("get", id)
    assert (found["role"], found["session_id"], found["metadata"]) == ("assistant", "s", {"a": 1})
    assert answer("list") == []
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d  assistant in s\nhello\n", run("get", id).stdout
    )


@pytest.mark.parametrize("option", [["--pin"], ["--importance", "1"], ["--category", "events"]])
def test_add_refuses_for_a_turn_what_only_a_memory_has(run: Run, option: list[str]) -> None:
    refused(run("add", "x", "--role", "user", *option), 2, "--role", "leave")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("读自管道 😀\n".encode(), "读自管道 😀"),
        (b"two\nlines\n\n", "two\nlines\n"),
        (b"from windows\r\n", "from windows"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"no line end", "no line end"),
    ],
)
def test_add_reads_the_pipe(answer: Answer, data: bytes, text: str) -> None:
    (id,) = answer("add", "-", input=data)["ids"]
    assert answer("get", id)["content"] == text


def test_add_survives_bytes_of_no_encoding(run: Run, answer: Answer) -> None:
    done = run("add", "-", input=b"good \xff\xfe\x80 bad")
    assert done.exit_code == 0
    assert answer("get", done.stdout.strip())["content"].startswith("good ")


def test_secrets_are_masked_and_said(run: Run, answer: Answer) -> None:
    for text in ("my password: hunter2secret", "key sk-abcdefghijklmnop1234"):
        done = run("add", text)
        assert re.fullmatch(r"masked in what is searched and shown: 1 \w+\n", done.stderr)
        assert "[secret:" in answer("get", done.stdout.strip())["content"]
    id = run("add", "plain").stdout.strip()
    done = run("update", id, "token = abc123def456ghi")
    assert "masked in what is searched and shown: 1 token" in done.stderr
    assert "abc123" not in run("list", "--json").stdout + done.stdout


def test_private_words_are_not_kept(answer: Answer) -> None:
    (id,) = answer("add", "a <private>secret</private> b")["ids"]
    assert answer("get", id)["content"] == "a [private] b"


# --- search, context


def test_search_shows_hits_and_says_what_is_missing(run: Run, answer: Answer) -> None:
    id = run("add", "我对花生过敏").stdout.strip()
    run("add", "the cat eats sixty grams")
    done = run("search", "花生")
    assert re.match(r" 1\. 0\.\d\d  \d{4}-\d\d-\d\d  我对花生过敏\n    memory ", done.stdout)
    assert (done.exit_code, done.stderr) == (0, WORDS_ALONE)
    found = answer("search", "花生")
    assert found["hits"][0]["id"] == id
    assert "signals" not in found["hits"][0]
    assert found["degraded"] == [WORDS_ALONE.strip()]
    assert len(answer("search", "花生 cat", "--limit", "1")["hits"]) == 1


def test_search_says_that_nothing_was_found(run: Run, answer: Answer) -> None:
    for query in ("nothing here", "", "?!", "\x01", "的"):
        assert run("search", query).stdout == "Nothing found.\n"
    assert answer("search", "nothing here")["hits"] == []


def test_explanations_add_up(run: Run, answer: Answer) -> None:
    for n in range(5):
        run("add", f"the heron stands in pond {n}", "--role", "user", "--session", f"s{n % 2}")
    hits = answer("search", "what did I say of the heron in pond 3", "--explain")["hits"]
    assert len(hits) == 5
    for hit in hits:
        assert sum(s["weight"] * s["value"] for s in hit["signals"]) == pytest.approx(hit["raw"])
    lines = re.findall(
        r"raw (\S+) = (.+)", run("search", "what did I say of the heron", "--explain").stdout
    )
    assert len(lines) == 5
    for raw, parts in lines:
        terms = [float(number) for number in re.findall(r"[+-]\d+\.\d\d", parts)]
        assert sum(terms) == pytest.approx(float(raw), abs=0.006 * (len(terms) + 1))


def test_search_is_narrowed_by_its_options(run: Run, answer: Answer) -> None:
    run("add", "heron in the archive", "--layer", "archival")
    run("add", "heron one", "--category", "events", "--metadata", '{"topic": "birds"}')
    run("add", "heron two", "--role", "assistant", "--session", "s")

    def texts(*options: str) -> set[str]:
        return {hit["text"] for hit in answer("search", "heron", *options)["hits"]}

    assert texts() == {"heron one", "heron two"}
    assert texts("--layer", "archival") == {"heron in the archive"}
    assert texts("--category", "events") == {"heron one"}
    assert texts("--metadata", '{"topic": "birds"}') == {"heron one"}
    assert texts("--session", "s") == {"heron two"}
    assert texts("--origin", "assistant") == {"heron two"}
    assert texts("--since", "2020-01-01") == {"heron one", "heron two"}
    assert texts("--until", "2020-01-01") == set()
    assert texts("--since", "0001-01-01", "--until", "9999-12-31") == {"heron one", "heron two"}
    assert texts("--min-score", "1") == set()
    assert "1 matches in the archive: add --layer archival" in run("search", "heron").stderr


def test_context_prints_the_block(run: Run, answer: Answer) -> None:
    run("add", "我对花生过敏")
    done = run("context", "花生")
    assert "我对花生过敏" in done.stdout
    assert (done.exit_code, done.stderr) == (0, "")
    block = answer("context", "花生")
    assert block["text"] + "\n" == done.stdout
    assert 0 < block["tokens"] <= 1000
    assert answer("context", "花生", "--max-tokens", "1")["text"] == ""


# --- get, list, update, history, delete


def test_list_shows_newest_first_by_pages(run: Run, answer: Answer) -> None:
    assert run("list").stdout == "No memories.\n"
    ids = [run("add", f"note {n}").stdout.strip() for n in range(5)]
    assert [m["id"] for m in answer("list")] == ids[::-1]
    first = answer("list", "--limit", "2")
    assert [m["id"] for m in answer("list", "--after", first[-1]["id"])] == ids[2::-1]
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ids[::-1]
    assert all(line.endswith(f"note {4 - n}") for n, line in enumerate(lines))


def test_update_changes_and_history_tells(run: Run, answer: Answer) -> None:
    id = run("add", "likes tea").stdout.strip()
    done = run("update", id, "喜欢咖啡", "--category", "preferences", "--pin")
    assert "喜欢咖啡" in done.stdout
    assert answer("update", id, "--unpin", "--importance", "0.25")["version"] == 3
    found = answer("get", id)
    assert (found["content"], found["importance"], found["pinned"]) == ("喜欢咖啡", 0.25, False)
    events = answer("history", id)
    assert [event["action"] for event in events] == ["add", "update", "update"]
    assert events[1]["before"]["content"] == "likes tea"
    assert [datetime.fromisoformat(e["at"]).tzinfo is None for e in events] == [False] * 3
    said = run("history", id).stdout.splitlines()
    assert len(said) == 3
    assert "content: likes tea -> 喜欢咖啡" in said[1]
    assert "pinned: True -> False" in said[2]


def test_update_reads_the_pipe(run: Run, answer: Answer) -> None:
    id = run("add", "before").stdout.strip()
    assert answer("update", id, "-", input="后来\n")["content"] == "后来"


def test_update_of_nothing_is_refused(run: Run, answer: Answer) -> None:
    id = run("add", "x").stdout.strip()
    refused(run("update", id), 2, id, "give a text or an option")
    assert answer("get", id)["version"] == 1


def test_delete_erases(run: Run, answer: Answer, folder: Path) -> None:
    ids = [run("add", text).stdout.strip() for text in ("unforgettable", "two", "three")]
    assert run("delete", ids[0]).stdout == f"{ids[0]}  deleted\n"
    refused(run("get", ids[0]), 3, ids[0])
    assert b"unforgettable" not in b"".join(f.read_bytes() for f in folder.iterdir())
    assert [d["id"] for d in answer("delete", ids[1], ids[2], ids[1])] == ids[1:]
    assert answer("list") == []


def test_delete_erases_all_or_none(run: Run, answer: Answer) -> None:
    id = run("add", "stays").stdout.strip()
    refused(run("delete", id, "nope"), 3, "'nope'")
    assert answer("get", id)["content"] == "stays"


# --- import, status, demo


def test_import_says_what_came_in(run: Run, answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    turns = [{"text": "my password: hunter2secret"}, {"speaker": "assistant", "text": "noted"}]
    bad = [b"{oops"] * 12
    file.write_bytes(b"\n".join([json.dumps({"id": "t", "turns": turns}).encode(), *bad]))
    done = run("import", str(file), "--no-wait")
    assert done.stdout == "2 messages in 1 sessions, 12 could not be read\n"
    assert done.stderr.count("not read: line ") == 10
    assert "not read: 2 more; --json lists all" in done.stderr
    assert "masked in what is searched and shown: 1 password" in done.stderr
    again = answer("import", str(file), "--no-wait")
    assert (again["messages"], again["known"], len(again["unread"])) == (0, 2, 12)
    assert answer("search", "noted")["hits"][0]["id"].startswith("t/")


def test_import_without_an_embedder_says_that_words_find_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('[{"role": "user", "content": "heron"}]', "utf-8")
    done = run("import", str(tmp_path / "t.json"))
    assert (done.exit_code, done.stdout) == (0, "1 messages in 1 sessions\n")
    assert done.stderr.startswith("words alone find it for now: ")


def test_status_counts(run: Run, answer: Answer, folder: Path) -> None:
    run("add", "x")
    run("add", "y", "--user", "anna")
    run("add", "z", "--role", "user")
    found = answer("status")
    assert {k: found[k] for k in ("users", "memories", "messages", "sessions", "passages")} == {
        "users": 2, "memories": 2, "messages": 1, "sessions": 1, "passages": 3
    }  # fmt: skip
    assert found["path"] == str(folder)
    rows = dict(line.split(maxsplit=1) for line in run("status").stdout.splitlines())
    assert rows["users"] == "2: (default), anna"
    assert rows["note"] == WORDS_ALONE.strip()


def test_demo_tells_its_story_and_may_be_repeated(run: Run, folder: Path, tmp_path: Path) -> None:
    place = ["--store", str(tmp_path / "demo")]
    for _ in range(2):
        done = run("demo", *place)
        assert done.exit_code == 0
        assert done.stdout.startswith("Remembered 60 turns of 7 conversations.\n")
        assert "? 我对什么过敏？\n 1. " in done.stdout
        assert "花生" in done.stdout
    told = json.loads(run("demo", *place, "--json").stdout)
    assert len(told["answers"]) == 6
    assert "⟦" in told["context"]["text"]
    assert not folder.exists()


def test_demo_leaves_what_is_not_its_own(run: Run, answer: Answer, folder: Path) -> None:
    run("add", "mine")
    for _ in range(2):
        refused(run("demo", "--store", str(folder)), 8, str(folder), "give an empty folder")
    assert [m["content"] for m in answer("list")] == ["mine"]
    assert answer("status")["messages"] == 0


# --- scopes, settings, errors


def test_users_and_agents_are_apart(run: Run, answer: Answer) -> None:
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
def test_what_cannot_be_done_is_said_in_one_sentence(run: Run, what: str) -> None:
    command, code, part = REFUSED[what]
    refused(run(*command), code, part)
    done = run(*command, "--json")
    assert (done.exit_code, done.stdout) == (code, "")
    said = json.loads(done.stderr)
    assert part in said["message"]
    assert exit_code(getattr(errors, said["error"])("")) == code


def test_a_message_is_not_changed_nor_what_is_everyones(run: Run, folder: Path) -> None:
    (id,) = json.loads(run("add", "said", "--role", "user", "--json").stdout)["ids"]
    refused(run("update", id, "x"), 2, "kept word for word")
    with lamina.open(folder, embedder="none") as memory:
        shared = memory.for_everyone().add("for all").id
    assert run("get", shared).exit_code == 0
    refused(run("update", shared, "x"), 4, "for everyone")
    refused(run("delete", shared), 4, "for everyone")


def test_a_store_that_is_held_too_long_is_busy(run: Run, folder: Path) -> None:
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
def test_a_broken_settings_file_is_refused(run: Run, folder: Path, what: str) -> None:
    data, part = SETTINGS[what]
    folder.mkdir()
    (folder / "lamina.toml").write_bytes(data)
    refused(run("list", LAMINA_ZONE=None, LAMINA_EMBEDDER=None), 2, part)
    assert [f.name for f in folder.iterdir()] == ["lamina.toml"]


def test_a_broken_setting_of_the_environment_is_refused(run: Run) -> None:
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


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Shanghai"])
def test_the_calendars_ends_can_be_shown(run: Run, folder: Path, zone: str) -> None:
    with lamina.open(folder, embedder="none") as memory:
        for name, at in (("first", "0001-01-01T00:00:00Z"), ("last", "9999-12-31T23:59:59Z")):
            turn = {"role": "user", "content": f"the {name} heron", "id": name, "created_at": at}
            memory.add([turn], session_id="s")
    for command in (["get", "first"], ["get", "last"], ["search", "heron"], ["context", "heron"]):
        assert run(*command, LAMINA_ZONE=zone).exit_code == 0
