"""Conversations come in by every shape that is understood, once, whole, under their own names."""

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import InvalidInputError, Memory, Message

Write = Callable[..., Path]
Json = Any

TURNS = [
    {"id": "1", "session": "tea", "speaker": "user", "text": "我喜欢龙井茶", "time": "2026-03-02"},
    {"id": "2", "session": "tea", "speaker": "assistant", "text": "好茶！", "time": 1772380800},
    {"id": "3", "session": "cat", "speaker": "Wen", "text": "My cat is called Doubao."},
]
CHAT = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "Where is my passport?", "created_at": "2026-03-02T10:00:00Z"},
    {"role": "assistant", "content": "In the blue drawer."},
]
SAID = [("system", "You are helpful."), ("user", "Where is my passport?"),
        ("assistant", "In the blue drawer.")]  # fmt: skip


def conversation(name: str, *texts: str) -> dict[str, Json]:
    turns = [{"id": str(n), "speaker": "user", "text": text} for n, text in enumerate(texts)]
    return {"id": name, "turns": turns}


def said(memory: Memory, session: str) -> list[tuple[str, str]]:
    return [(str(m.role), m.text) for m in memory.session(session).messages()]


def one_session(memory: Memory, word: str) -> str:
    """The session in which a word was said."""
    (source,) = memory.search(word, limit=1)[0].source
    assert source.session_id is not None
    return source.session_id


# --- conversations


def test_a_conversation_keeps_sessions_speakers_times_and_ids(memory: Memory, write: Write) -> None:
    done = memory.import_(write("talk.jsonl", {"id": "talk", "turns": TURNS, "other": [1]}))
    assert (done.messages, done.known, done.sessions, done.unread) == (3, 0, 2, ())
    first, second = memory.session("talk/tea").messages()
    assert (first.id, first.text, first.role) == ("talk/1", "我喜欢龙井茶", "user")
    assert first.created_at == datetime(2026, 3, 1, 16, tzinfo=UTC)  # midnight in the user's zone
    assert second.created_at == datetime(2026, 3, 1, 16, tzinfo=UTC)
    (named,) = memory.session("talk/cat").messages()
    assert (named.role, named.name) == ("user", "Wen")
    assert memory.search("龙井")[0].id == "talk/1"


def test_turns_without_ids_or_session_get_the_same_ones_each_time(
    memory: Memory, write: Write
) -> None:
    bare = {"turns": [{"text": "alpha"}, {"speaker": "AI", "text": "beta"}, {"text": "alpha"}]}
    file = write("log.jsonl", bare)
    assert memory.import_(file).messages == 3
    again = memory.import_(file)
    assert (again.messages, again.known) == (0, 3)
    assert said(memory, one_session(memory, "beta")) == [
        ("user", "alpha"), ("assistant", "beta"), ("user", "alpha")
    ]  # fmt: skip


def test_a_file_that_grew_gives_what_is_new(memory: Memory, write: Write) -> None:
    memory.import_(write("talk.jsonl", {"id": "a", "turns": TURNS[:1]}, {"turns": TURNS[:2]}))
    grown = write(
        "talk.jsonl", {"id": "a", "turns": TURNS}, {"turns": TURNS}, conversation("b", "new one")
    )
    done = memory.import_(grown)
    assert (done.messages, done.known, done.unread) == (2 + 1 + 1, 1 + 2, ())


def test_two_users_may_import_the_same_file(memory: Memory, write: Write) -> None:
    file = write("talk.jsonl", {"id": "talk", "turns": TURNS})
    for user in ("anna", "ben"):
        assert memory.for_user(user).import_(file).messages == 3
    assert said(memory.for_user("ben"), "talk/cat") == [("user", "My cat is called Doubao.")]
    assert said(memory, "talk/cat") == []


def test_nameless_conversations_that_begin_alike_stay_apart(memory: Memory, write: Write) -> None:
    file = write(
        "log.jsonl",
        {
            "turns": [
                {"text": "hi"},
                {"speaker": "bot", "text": "hello"},
                {"text": "tell of otters"},
            ]
        },
        {
            "turns": [
                {"text": "hi"},
                {"speaker": "bot", "text": "hello"},
                {"text": "tell of storks"},
            ]
        },
    )
    assert memory.import_(file).messages == 6
    otters, storks = one_session(memory, "otters"), one_session(memory, "storks")
    assert otters != storks
    assert [text for _, text in said(memory, storks)] == ["hi", "hello", "tell of storks"]
    assert memory.import_(file).messages == 0


# --- chats in the form of OpenAI's API

AS_CHAT: dict[str, Json] = {
    "one record": [{"messages": CHAT}],
    "a list of messages": [CHAT],
    "one message a line": CHAT,
    "a list of chats": [[{"messages": CHAT}]],
    "a list of lists": [[CHAT]],
    "under conversations": [{"conversations": [{"messages": CHAT}]}],
    "under data": [{"data": [{"messages": CHAT}], "object": "list"}],
    "messages under data": [{"data": CHAT}],
    "beside other lists": [{"messages": CHAT, "data": [], "tools": []}],
}


@pytest.mark.parametrize("pretty", [False, True], ids=["compact", "pretty"])
@pytest.mark.parametrize("shape", AS_CHAT)
def test_every_shape_of_a_chat_is_understood(
    memory: Memory, write: Write, shape: str, pretty: bool
) -> None:
    records = AS_CHAT[shape]
    if pretty and len(records) > 1:
        records = [records]  # as a document
    file = write("chat.json", *(
        [json.dumps(records[0], indent=2).encode()] if pretty else records
    ))  # fmt: skip
    done = memory.import_(file)
    assert (done.messages, done.sessions, done.unread) == (3, 1, ())
    assert said(memory, one_session(memory, "passport")) == SAID
    assert memory.import_(file).known == 3


@pytest.mark.parametrize("key", ["session_id", "conversation_id", "thread_id", "chat_id", "id"])
def test_a_chat_is_called_by_its_id(memory: Memory, write: Write, key: str) -> None:
    memory.import_(write("chat.json", {key: "trip", "title": "The trip", "messages": CHAT}))
    assert said(memory, "trip") == SAID
    assert memory.session("trip").info().title == "The trip"


def test_a_title_stays_where_the_first_message_is_empty(memory: Memory, write: Write) -> None:
    empty = {"role": "system", "content": ""}
    memory.import_(write("c.json", {"id": "t", "title": "The trip", "messages": [empty, *CHAT]}))
    assert memory.session("t").info().title == "The trip"


def test_lines_of_several_sessions_go_where_they_say(memory: Memory, write: Write) -> None:
    lines = [{**m, "thread_id": name} for m in CHAT for name in ("one", "two")]
    assert memory.import_(write("chat.jsonl", *lines)).sessions == 2
    assert said(memory, "one") == said(memory, "two") == SAID


def test_chats_under_one_system_prompt_are_chats_of_their_own(memory: Memory, write: Write) -> None:
    def chat(question: str) -> Json:
        return {"messages": [CHAT[0], {"role": "user", "content": question},
                             {"role": "assistant", "content": "Yes."}]}  # fmt: skip

    file = write("tuning.jsonl", chat("Do otters sleep?"), chat("Do storks sleep?"))
    done = memory.import_(file)
    assert (done.messages, done.sessions) == (6, 2)
    assert len(said(memory, one_session(memory, "storks"))) == 3
    assert memory.import_(file).known == 6


def test_a_log_that_repeats_all_that_was_said_is_one_chat(memory: Memory, write: Write) -> None:
    done = memory.import_(write("log.jsonl", *({"messages": CHAT[:n]} for n in (2, 3, 3))))
    assert (done.messages, done.known, done.sessions) == (3, 5, 1)
    assert said(memory, one_session(memory, "passport")) == SAID


def test_a_message_without_a_time_has_that_of_its_chat(memory: Memory, write: Write) -> None:
    memory.import_(write("c.json", {"id": "c", "created": 1683554160, "messages": CHAT}))
    first, second, _ = memory.session("c").messages()
    assert first.created_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert second.created_at == datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "soon", None, [], True, 1e300])
def test_a_time_that_is_none_costs_no_message(memory: Memory, write: Write, at: Json) -> None:
    turn = {"text": "heron", "time": at}
    done = memory.import_(write("t.jsonl", {"id": "a", "turns": [turn]}))
    assert (done.messages, done.unread) == (1, ())
    assert abs(memory.session("a").messages()[0].created_at - datetime.now(UTC)) < timedelta(days=1)


def test_tool_calls_and_results_are_kept(memory: Memory, write: Write) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    chat = [
        {"role": "user", "content": "Rain tomorrow?"},
        {"role": "assistant", "content": None, "tool_calls": [call], "refusal": None},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny in Hangzhou"},
        {"role": "function", "name": "weather", "content": "22 degrees"},
        {"role": "assistant", "content": None, "refusal": "I cannot help with that."},
    ]
    done = memory.import_(write("chat.json", {"id": "rain", "messages": chat}))
    assert (done.messages, done.unread) == (5, ())
    _, asked, answered, old, refused = memory.session("rain").messages()
    assert asked.extra == {"tool_calls": [call]}
    assert (answered.role, answered.extra) == ("tool", {"tool_call_id": "c1"})
    assert (old.role, old.name) == ("tool", "weather")
    assert refused.extra == {"refusal": "I cannot help with that."}
    assert memory.search("sunny Hangzhou")[0].id == answered.id


def test_content_blocks_are_kept_and_found(memory: Memory, write: Write) -> None:
    blocks = [
        {"type": "text", "text": "the heron stands still"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "egret"}]},
    ]
    memory.import_(write("c.json", {"id": "c", "messages": [{"role": "human", "content": blocks}]}))
    (message,) = memory.session("c").messages()
    assert (message.content, message.role) == (blocks, "user")
    assert memory.search("egret")[0].id == message.id


# --- files


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gbk", "gb18030"]
)
@pytest.mark.parametrize("name", ["talk.jsonl", "talk.json"])
def test_every_encoding_is_read(memory: Memory, write: Write, encoding: str, name: str) -> None:
    lines = [conversation("a", "我对花生过敏，请记住这一点"), conversation("b", "猫叫豆包")]
    file = write(name, *(lines if name.endswith("l") else [lines]), encoding=encoding)
    done = memory.import_(file)
    assert (done.messages, done.unread) == (2, ())
    assert said(memory, "b") == [("user", "猫叫豆包")]


@pytest.mark.parametrize("name", ["talk.jsonl.gz", "TALK.JSON.GZ", "talk.ndjson.gz", "talk"])
def test_what_is_compressed_is_read(memory: Memory, tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / name
    file.write_bytes(gzip.compress(json.dumps(conversation("a", "packed herring")).encode()))
    assert memory.import_(file).messages == 1
    assert said(memory, "a") == [("user", "packed herring")]


def test_a_folder_is_read_whole_and_its_share_grows(memory: Memory, write: Write) -> None:
    write("in/b.jsonl", conversation("b", "one", "two"))
    write("in/deep/er/a.json", {"id": "a", "messages": CHAT})
    write("in/notes.txt", b"no conversation")
    write("in/bad.json", b"{")
    shares: list[float] = []
    done = memory.import_(
        write("in/z.ndjson", conversation("z", "x")).parent, progress=shares.append
    )
    assert (done.messages, done.sessions) == (6, 3)
    assert [line.split(":")[0] for line in done.unread] == ["bad.json"]
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1


def test_windows_line_ends_are_no_part_of_the_text(memory: Memory, write: Write) -> None:
    memory.import_(write("t.jsonl", conversation("a", "x"), conversation("b", "y"), end="\r\n"))
    assert said(memory, "b") == [("user", "y")]


@pytest.mark.parametrize(
    "inside", ["\r", "\t", "\v", "\x1c", "\x1e", "\x85", "\0", "\u2028", "\u2029"], ids=ascii
)
def test_a_line_ends_only_at_its_line_end(memory: Memory, write: Write, inside: str) -> None:
    raw = json.dumps(conversation("a", "before|after")).replace("|", inside)
    done = memory.import_(write("t.jsonl", conversation("b", "y"), raw.encode()))
    assert (done.messages, done.unread) == (2, ())
    assert said(memory, "a") == [("user", f"before{inside}after")]


def test_a_line_of_five_megabytes_is_kept(memory: Memory, write: Write) -> None:
    text = "heron " * 1000 + "x" * 5_000_000 + " egret"
    memory.import_(write("t.jsonl", conversation("small", "x"), conversation("big", text)))
    assert said(memory, "big") == [("user", text)]


def test_a_name_too_long_and_a_path_that_is_not_there_are_refused(
    memory: Memory, tmp_path: Path
) -> None:
    for path in (tmp_path / "nothing", "x" * 5000, "a\0b"):
        with pytest.raises(InvalidInputError, match="not there; give a file or a folder"):
            memory.import_(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInputError, match=r"holds no file ending in \.json"):
        memory.import_(tmp_path / "empty")
    with pytest.raises(
        InvalidInputError, match="no format 'chatml'; one of: conversations, openai"
    ):
        memory.import_(tmp_path / "empty", format="chatml")


# --- ids


def test_an_id_that_another_text_has_is_said(memory: Memory, write: Write) -> None:
    turns = [{"id": "1", "text": "the first"}, {"id": "1", "text": "the second"}]
    done = memory.import_(write("t.jsonl", {"id": "a", "turns": turns}))
    assert (done.messages, done.known) == (1, 0)
    (sentence,) = done.unread
    assert sentence.startswith("turn 2 of line 1 of t.jsonl: another text has the id 'a/1'")
    assert said(memory, "a") == [("user", "the first")]


def test_the_same_record_twice_in_a_file_is_kept_once(memory: Memory, write: Write) -> None:
    done = memory.import_(write("t.jsonl", *[conversation("a", "x", "y")] * 2))
    assert (done.messages, done.known, done.unread) == (2, 2, ())


def test_an_edited_message_is_said_and_stays(memory: Memory, write: Write) -> None:
    memory.import_(write("t.jsonl", conversation("a", "as it was")))
    done = memory.import_(write("t.jsonl", conversation("a", "as it is now")))
    assert (done.messages, done.known, len(done.unread)) == (0, 0, 1)
    assert said(memory, "a") == [("user", "as it was")]


def test_secrets_and_private_words_are_treated_as_in_add(memory: Memory, write: Write) -> None:
    texts = ("my password: hunter2secret", "keep <private>this</private> out", "lone \ud800 one")
    raw = json.dumps(conversation("a", *texts)).encode()  # as escapes, which lone ones need
    done = memory.import_(write("t.jsonl", raw))
    assert (dict(done.masked), done.replaced) == ({"password": 1}, 1)
    assert "hunter2secret" not in memory.search("password")[0].text
    assert [text for _, text in said(memory, "a")][1:] == ["keep [private] out", "lone \ufffd one"]


def test_an_import_is_found_after_the_store_is_opened_again(tmp_path: Path, write: Write) -> None:
    with lamina.open(tmp_path / "s", embedder="none") as memory:
        memory.import_(write("t.jsonl", *(conversation(f"c{n}", f"word{n}") for n in range(1200))))
    with lamina.open(tmp_path / "s", embedder="none") as memory:
        found = memory.get(memory.search("word1199")[0].id)
        assert isinstance(found, Message)
        assert found.session_id == "c1199"
