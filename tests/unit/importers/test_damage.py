"""What cannot be read is reported with its place and its reason, and the rest is kept."""

import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lamina import Memory
from lamina.replies import Imported

Write = Callable[..., Path]
Json = Any


def turn(name: str, text: str) -> dict[str, Json]:
    return {"id": name, "turns": [{"id": "1", "speaker": "user", "text": text}]}


A, B, C = turn("a", "alpha"), turn("b", "beta"), turn("c", "gamma")


def line(record: Json) -> bytes:
    return json.dumps(record).encode()


def has(memory: Memory, *names: str) -> bool:
    return [name for name in "abc" if memory.session(name).messages()] == list(names)


def places(done: Imported) -> list[str]:
    return [sentence.split(": ")[0] for sentence in done.unread]


BAD: dict[str, tuple[list[Json], list[str]]] = {
    "in the middle": ([A, b"{oops", C], ["line 2 of t.jsonl"]),
    "first": ([b'{"id": "b", "tur', A, C], ["line 1 of t.jsonl"]),
    "first, of words": ([b"exported by me", A, C], ["line 1 of t.jsonl"]),
    "first, of another format": ([{"hello": 1}, A, C], ["line 1 of t.jsonl"]),
    "a truncated last line": ([A, C, line(B)[:-9]], ["line 3 of t.jsonl"]),
    "after blank lines": ([b"", b"  ", A, b"", b"{oops", C], ["line 5 of t.jsonl"]),
    "a run of NULs": ([A, b"\0" * 5000, C], []),
    "NULs before a record": ([A, b"\0" * 5000 + line(C)], []),
    "NULs at the beginning": ([b"\0" * 5000, A, C], []),
    "NULs in the first record": ([b"\0" * 7 + line(A) + b"\0" * 70_000, C], []),
    "two records on a line": ([line(A) + line(C)], []),
    "two with a NUL between": ([line(A) + b"\0\0" + line(C)], []),
    "old line ends": ([line(A) + b"\r" + line(C)], []),
    "a record and a half": ([line(A) + line(B)[:20], C], ["line 1 of t.jsonl"]),
    "a number and a text": ([A, 7, "text", None, C], [f"line {n} of t.jsonl" for n in (2, 3, 4)]),
    "nested too deep": ([A, b'{"turns": ' + b"[" * 100_000, C], ["line 2 of t.jsonl"]),
    "a number too long": ([A, b'{"turns": ' + b"1" * 9000 + b"}", C], ["line 2 of t.jsonl"]),
    "bytes of no encoding": ([A, b"\xff\xfe\xfd", C], ["line 2 of t.jsonl"]),
}


@pytest.mark.parametrize("damage", BAD)
def test_bad_lines_are_named_and_the_others_kept(memory: Memory, write: Write, damage: str) -> None:
    records, bad = BAD[damage]
    done = memory.import_(write("t.jsonl", *records))
    assert places(done) == bad
    assert done.messages == 2
    assert has(memory, "a", "c")


@pytest.mark.parametrize(
    "bad",
    [
        7,
        None,
        {"speaker": "user"},
        {"text": 7},
        {"text": ""},
        {"id": "x\ny", "text": "control"},
        {"id": "", "text": ""},
        {"session": "s\0", "text": "control"},
        {"speaker": "A\x1bB", "text": "control"},
    ],
    ids=repr,
)
def test_a_bad_turn_costs_itself_alone(memory: Memory, write: Write, bad: Json) -> None:
    turns = [*A["turns"], bad, {"id": "3", "text": "omega"}]
    done = memory.import_(write("t.jsonl", {"id": "a", "turns": turns}))
    assert done.messages == 2
    assert places(done) == ["turn 2 of line 1 of t.jsonl"]


@pytest.mark.parametrize(
    "bad",
    [
        7,
        {"content": "no role"},
        {"role": "user", "content": ""},
        {"role": "user", "content": []},
        {"role": 7, "content": "x"},
        {"role": "user", "content": 7},
        {"role": "user", "content": {"text": "x"}},
        {"role": "user", "content": "x", "metadata": "none"},
        {"role": "user", "content": "x", "score": float("nan")},
        {"role": "user", "content": "x", "name": "a\nb"},
    ],
    ids=repr,
)
def test_a_bad_message_costs_itself_alone(memory: Memory, write: Write, bad: Json) -> None:
    good = {"role": "user", "content": "alpha"}
    done = memory.import_(write("t.json", {"id": "a", "messages": [good, bad, good]}))
    assert done.messages == 2
    assert places(done) == ["message 2 of line 1 of t.json"]


@pytest.mark.parametrize("field", ["content", "tool_calls", "id", "created_at", "text"])
def test_no_depth_ends_an_import(memory: Memory, write: Write, field: str) -> None:
    depths = [50, 200, 400, 480, 700, 900, 960, 980, 990, 5000]
    records = []
    for depth in depths:
        begin = b'{"turns": [{"text": "x"' if field == "text" else b'{"messages": [{"role": "user"'
        content = b'"content": "x", ' if field != "text" else b""
        deep = b"[" * depth + b"]" * depth
        records.append(begin + b", " + content + b'"' + field.encode() + b'": ' + deep + b"}]}")
    done = memory.import_(write("t.jsonl", *records))
    assert done.messages + done.known + len(done.unread) == len(depths)
    assert memory.import_(write("t.jsonl", C)).messages == 1


def test_a_list_that_was_cut_gives_its_whole_elements(memory: Memory, write: Write) -> None:
    whole = json.dumps([A, C, B], indent=1).encode()
    done = memory.import_(write("t.json", whole[:-30]))
    assert places(done) == ["what follows element 2 of t.json"]
    assert has(memory, "a", "c")
    assert memory.import_(write("t.json", whole)).messages == 1


def test_a_list_of_messages_that_was_cut_goes_on_when_it_is_whole(
    memory: Memory, write: Write
) -> None:
    chat = [{"role": "user", "content": f"message {n}"} for n in range(5)]
    for data in (json.dumps(chat).encode(), json.dumps(chat, indent=2).encode()):
        done = memory.import_(write("t.json", data[:-40]))
        assert len(done.unread) == 1
        after = memory.import_(write("t.json", data))
        assert after.unread == ()
    assert len({hit.source[0].session_id for hit in memory.search("message", limit=20)}) == 1
    assert len(memory.search("message", limit=20)) == 5


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n\r\n\t\n", "the file is empty"),
        (b"\0" * 10_000, "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"[]", None),
        (b"{}", "of no known format"),
        (b"{", "no JSON"),
        (b"plain words\nof two lines\n", "no JSON"),
        (b'{"a": 1}', "of no known format"),
        (b'{\n "a": [1,\n 2]\n}', "of no known format"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "no JSON"),
        (b'{"turns": []}', None),
        (b'{"messages": []}', None),
    ],
)
def test_a_file_of_nothing_says_so(
    memory: Memory, write: Write, data: bytes, reason: str | None
) -> None:
    done = memory.import_(write("t.json", data))
    assert done.messages == 0
    if reason is None:
        assert done.unread == ()
    else:
        assert "t.json: " in done.unread[0]
        assert reason in done.unread[0]


def test_a_format_asked_for_is_held_to(memory: Memory, write: Write) -> None:
    done = memory.import_(write("t.jsonl", A, C), format="openai")
    assert (done.messages, places(done)) == (0, ["line 1 of t.jsonl", "line 2 of t.jsonl"])
    assert memory.import_(write("t.jsonl", A, C), format="conversations").messages == 2


@pytest.mark.parametrize("damage", ["cut", "flipped", "trailing"])
def test_a_damaged_archive_gives_what_it_can(memory: Memory, write: Write, damage: str) -> None:
    noise = [turn(f"n{n}", os.urandom(40).hex()) for n in range(500)]
    data = gzip.compress(b"\n".join(map(line, [A, *noise, C])) + b"\n")
    middle = len(data) // 2
    harmed = {
        "cut": data[:-100],
        "flipped": data[:middle] + bytes(b ^ 0xFF for b in data[middle : middle + 40])
        + data[middle + 40 :],
        "trailing": data + b"garbage",
    }[damage]  # fmt: skip
    done = memory.import_(write("t.jsonl.gz", harmed))
    assert has(memory, "a") or has(memory, "a", "c")
    assert any("the file does not read" in s or "no JSON" in s for s in done.unread)


def test_one_bad_byte_costs_one_character(memory: Memory, write: Write) -> None:
    data = json.dumps(turn("a", "我喜欢西湖边的龙井茶"), ensure_ascii=False).encode()
    middle = data.index("龙井".encode())
    memory.import_(write("t.jsonl", data[:middle] + b"\xff" + data[middle:]))
    (message,) = memory.session("a").messages()
    assert message.text == "我喜欢西湖边的\ufffd龙井茶"


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nothing is unreadable to an administrator"
)
def test_a_file_that_may_not_be_read_is_named(memory: Memory, write: Write) -> None:
    write("in/a.jsonl", A)
    write("in/b.jsonl", B).chmod(0)
    done = memory.import_(write("in/c.jsonl", C).parent)
    assert places(done) == ["b.jsonl"]
    assert has(memory, "a", "c")
