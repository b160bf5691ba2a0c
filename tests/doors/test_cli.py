"""Every command: its answer on stdout, and what people should know on stderr."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import lamina

Run = Callable[..., Result]
Answer = Callable[..., Any]
Refused = Callable[..., None]
WORDS_ALONE = "no embedder is set: words alone answer\n"


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
        "ids": [first], "skipped": [first], "masked": {}, "replaced": 0, "decisions": []
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
def test_add_refuses_for_a_turn_what_only_a_memory_has(
    run: Run, option: list[str], refused: Refused
) -> None:
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
    assert texts("--since", "1000-01-01", "--until", "9000-12-31") == {"heron one", "heron two"}
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


def test_context_takes_a_level_and_a_frame(run: Run, refused: Refused) -> None:
    run("add", f"BEGIN heron {'pond ' * 500}heron END")
    assert "END" not in run("context", "heron").stdout
    bare = run("context", "heron", "--level", "content", "--frame", "none").stdout
    assert bare.startswith("- ")
    assert "BEGIN heron" in bare
    assert "heron END" in bare
    refused(run("context", "heron", "--level", "half"), 2, "level", "half", "overview")
    refused(run("context", "heron", "--frame", "gold"), 2, "frame", "gold", "none")


def test_search_says_until_when_it_was_true(run: Run, folder: Path) -> None:
    with lamina.open(folder, embedder="none") as memory:
        start, end = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 3, 1, 20, tzinfo=UTC)
        memory.add(lamina.MemoryRecord("a", "a heron in the pond", start, valid_to=end))
    assert "(true until 2025-03-02)" in run("search", "heron").stdout


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


def test_update_of_nothing_is_refused(run: Run, answer: Answer, refused: Refused) -> None:
    id = run("add", "x").stdout.strip()
    refused(run("update", id), 2, id, "give a text or an option")
    assert answer("get", id)["version"] == 1


def test_delete_erases(run: Run, answer: Answer, folder: Path, refused: Refused) -> None:
    ids = [run("add", text).stdout.strip() for text in ("unforgettable", "two", "three")]
    assert run("delete", ids[0]).stdout == f"{ids[0]}  deleted\n"
    refused(run("get", ids[0]), 3, ids[0])
    assert b"unforgettable" not in b"".join(f.read_bytes() for f in folder.iterdir())
    assert [d["id"] for d in answer("delete", ids[1], ids[2], ids[1])] == ids[1:]
    assert answer("list") == []


def test_delete_erases_all_or_none(run: Run, answer: Answer, refused: Refused) -> None:
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
    assert done.stderr == (
        f"{WORDS_ALONE}1 passages wait for their vectors; until then words find them\n"
    )


def test_an_endpoint_that_is_down_is_said_once_and_stops_nothing(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="the client of the endpoint is not installed")
    (tmp_path / "t.json").write_text('[{"role": "user", "content": "heron two"}]', "utf-8")
    down = {"LAMINA_EMBEDDER": "openai", "LAMINA_EMBEDDER_URL": "http://127.0.0.1:9/v1",
            "LAMINA_EMBEDDER_MODEL": "m", "LAMINA_EMBEDDER_KEY": "k"}  # fmt: skip
    for command in (
        ["add", "heron one"],
        ["import", str(tmp_path / "t.json")],
        ["search", "heron"],
    ):
        done = run(*command, **down)
        assert done.exit_code == 0
        assert done.stderr.count("words alone answer: ") == 1
        assert done.stderr.count("http://127.0.0.1:9/v1") == 1
    assert "heron one" in done.stdout
    assert "heron two" in done.stdout


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


def test_demo_leaves_what_is_not_its_own(
    run: Run, answer: Answer, folder: Path, refused: Refused
) -> None:
    run("add", "mine")
    for _ in range(2):
        refused(run("demo", "--store", str(folder)), 8, str(folder), "give an empty folder")
    assert [m["content"] for m in answer("list")] == ["mine"]
    assert answer("status")["messages"] == 0
