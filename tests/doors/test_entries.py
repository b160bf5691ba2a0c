"""`memory.entries`: URIs that lead to memories for ever; listing, reading, searching by them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina import InvalidInputError, Layer, Memory, MemoryRecord, Message, NotFoundError
from lamina.pipeline.uris import Place, parsed, quoted
from lamina.testing.fakes import FakeClock
from lamina.text.tokens import count_tokens
from lamina.types import DEFAULT_USER, EVERYONE

NOW = datetime(2026, 5, 4, tzinfo=UTC)
GUIDE = "# Guide\n\nAbout the zebra house.\n\n## Install\n\nFeed the zebra at dawn.\n"


def open_at(folder: Path) -> Memory:
    clock = FakeClock(NOW, "Asia/Shanghai")
    return lamina.open(folder, embedder="none", clock=clock, background=False)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_at(tmp_path) as opened:
        yield opened


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A user with two preferences, an event, a conversation and a document."""
    mine = memory.for_user("zhang")
    mine.add("Likes oat milk", category="preferences")
    mine.add("喜欢燕麦奶，不要糖", category="preferences")
    mine.add("The fair opens on 9 May\nGate B, at noon", category="events")
    chat = mine.session("a/b 月")
    chat.append("user", "Is the fair far?")
    chat.append("assistant", "Two stops.")
    mine.archive.add(GUIDE, title="Zebra guide")
    return mine


def uris(found: Any) -> list[str]:
    return [entry.uri for entry in found]


# --- URIs


def test_a_uri_names_user_category_and_first_words(filled: Memory) -> None:
    for record in filled.list():
        uri = filled.entries.uri(record.id)
        assert uri.startswith(f"lamina://zhang/{record.category}/")
        assert uri.endswith(f"~{record.id}")
        assert filled.entries.read(uri) == record.content
        assert filled.get(uri) == record
    (english, chinese) = sorted(uris(filled.entries.ls("preferences")), key=len, reverse=True)
    assert "/likes-oat-milk~" in english
    assert "/喜欢燕麦奶-不要糖~" in chinese


def test_a_uri_stays_when_all_else_of_its_memory_changes(tmp_path: Path) -> None:
    with open_at(tmp_path) as memory:
        id = memory.add("Likes oat milk", category="preferences").id
        uri = memory.entries.uri(id)
        assert uri.startswith("lamina://default/preferences/")
        memory.update(uri, "Likes soy milk", category="note")
        assert memory.entries.uri(id) != uri
    with open_at(tmp_path) as memory:
        memory.session("later").append("user", "hello")
        assert memory.entries.read(uri) == "Likes soy milk"
        assert memory.entries.read(memory.entries.uri(id)) == "Likes soy milk"
        assert [event.action for event in memory.history(uri)] == ["add", "update"]
        memory.correct(uri, "Likes no milk")
        assert memory.entries.read(uri) == "Likes no milk"
        memory.forget(uri)
        with pytest.raises(NotFoundError):
            memory.entries.read(uri)


def test_no_two_memories_share_a_uri(memory: Memory) -> None:
    for number in range(30):
        memory.add(MemoryRecord(f"n{number}", f"Likes oat milk {'and honey ' * 9}{number}", NOW))
        memory.add(MemoryRecord(f"n/{number} ~é%", "喜欢" * 40 + str(number), NOW))
    found = uris(memory.entries.ls("note", limit=100))
    assert len(set(found)) == 60
    assert len({memory.get(uri).id for uri in found}) == 60


def test_first_words_alone_will_do_where_they_are_one_memory_s(filled: Memory) -> None:
    assert filled.entries.read("preferences/likes-oat-milk") == "Likes oat milk"
    assert filled.entries.read("lamina://~/preferences/likes-oat-milk/") == "Likes oat milk"
    filled.add("Likes oat milk!", category="preferences")
    with pytest.raises(InvalidInputError, match="2 memories"):
        filled.entries.read("preferences/likes-oat-milk")


def test_percent_encoding_is_accepted(filled: Memory) -> None:
    id = next(r.id for r in filled.list() if r.content.startswith("喜欢"))
    encoded = f"lamina://zhang/preferences/%E5%96%9C%E6%AC%A2~{id}"
    assert filled.entries.read(encoded) == "喜欢燕麦奶，不要糖"
    assert filled.entries.read(f"LAMINA://%7Ahang/preferences/x~{id}") == "喜欢燕麦奶，不要糖"


@given(
    st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20),
    st.lists(
        st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20), max_size=3
    ),
)
def test_any_names_make_a_uri_that_leads_back(user: str, names: list[str]) -> None:
    for owner in (user, DEFAULT_USER, EVERYONE, "default", "everyone", "~"):
        place = Place(owner, tuple(names))
        assert parsed(place.uri, "somebody") == place
        assert "/" not in quoted(user)
        assert " " not in place.uri


def test_a_uri_of_another_system_leads_to_what_an_import_kept(memory: Memory) -> None:
    uri = "ov://memory/s1/facts/db"
    memory.add("noise")
    memory.add("Runs PostgreSQL", metadata={"uri": uri})
    found = memory.get(uri)
    assert isinstance(found, MemoryRecord)
    assert found.content == "Runs PostgreSQL"
    assert memory.entries.read(uri) == "Runs PostgreSQL"
    assert [hit.text for hit in memory.search("facts db")] == ["Runs PostgreSQL"]
    with pytest.raises(NotFoundError):
        memory.get("ov://memory/s1/facts/other")
    with pytest.raises(NotFoundError):
        memory.for_user("li").entries.read(uri)


# --- ls and tree


def test_folders_are_categories_documents_and_conversations(filled: Memory) -> None:
    folders = filled.entries.ls()
    assert [(entry.uri, entry.count) for entry in folders] == [
        ("lamina://zhang/preferences", 2),
        ("lamina://zhang/events", 1),
        ("lamina://zhang/archive", 1),
        ("lamina://zhang/sessions", 1),
    ]
    assert uris(filled.entries.ls("lamina://")) == ["lamina://zhang"]
    assert filled.entries.ls("cases") == []


def test_conversations_hold_messages_and_documents_passages(filled: Memory) -> None:
    (chat,) = filled.entries.ls("sessions")
    assert (chat.uri, chat.count) == ("lamina://zhang/sessions/a%2Fb%20月", 2)
    said = filled.entries.ls(chat.uri)
    assert [entry.text for entry in said] == ["Is the fair far?", "Two stops."]
    assert filled.entries.uri(said[0].id) == said[0].uri
    message = filled.get(said[1].uri)
    assert isinstance(message, Message)
    assert filled.entries.read(said[1].uri) == message.text
    (document,) = filled.entries.ls("archive")
    assert (document.kind, document.text, document.count) == ("document", "Zebra guide", 2)
    assert filled.entries.uri(document.id) == document.uri
    passages = filled.entries.ls(document.uri)
    assert [filled.entries.uri(one.id) for one in passages] == uris(passages)
    whole = filled.entries.read(document.uri)
    assert whole.index("zebra house") < whole.index("at dawn")
    assert "at dawn" in filled.entries.read(passages[1].uri)


def test_a_page_goes_on_behind_its_last_entry(memory: Memory) -> None:
    for number in range(7):
        memory.add(f"Note number {number}")
    pages, after = [], None
    while page := memory.entries.ls("note", limit=3, after=after):
        pages.append([entry.text for entry in page])
        after = page[-1].uri
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [text for page in pages for text in page] == [
        f"Note number {number}" for number in range(6, -1, -1)
    ]
    with pytest.raises(NotFoundError):
        memory.entries.ls("note", after="lamina://default/note/gone")


def test_a_tree_is_cut_at_its_depth_and_limit(filled: Memory) -> None:
    assert uris(filled.entries.tree(depth=1)) == uris(filled.entries.ls())
    two, three = uris(filled.entries.tree()), uris(filled.entries.tree(depth=3))
    assert len(two) == 4 + 2 + 1 + 1 + 1
    assert len(three) == len(two) + 2 + 2
    assert uris(filled.entries.tree(depth=9, limit=5)) == three[:5]
    assert uris(filled.entries.tree("events")) == uris(filled.entries.ls("events"))


def test_entries_say_when_and_until_when(memory: Memory) -> None:
    start, end = NOW - timedelta(days=9), NOW - timedelta(days=2)
    memory.add(MemoryRecord("a", "Lives in Oslo", NOW, valid_from=start, valid_to=end))
    memory.add(MemoryRecord("b", "Is on leave", NOW, expires_at=end))
    (entry,) = memory.entries.ls("note")
    assert (entry.id, entry.date, entry.valid_to) == ("a", start, end)


def test_what_was_just_said_is_listed(memory: Memory) -> None:
    memory.session("s").append("user", "I live in Porto.")
    assert [entry.text for entry in memory.entries.ls("profile")] == ["User lives in Porto"]


# --- read


def test_a_text_is_read_at_a_level(memory: Memory) -> None:
    long = "The pond is calm. " * 40 + "Ada decided to buy the blue heron on 3 May for 90 euro. "
    uri = memory.entries.uri(memory.add(long).id)
    assert memory.entries.read(uri) == long
    abstract = memory.entries.read(uri, "abstract")
    assert "blue heron" in abstract
    assert count_tokens(abstract) <= 100
    assert memory.entries.read(uri, "overview") == long
    (entry,) = memory.entries.ls("note")
    assert entry.text == abstract
    said = memory.session("s").append("user", long)
    assert count_tokens(memory.entries.read(memory.entries.uri(said.id), "abstract")) <= 100


def test_secrets_are_masked_in_whatever_is_listed_read_or_found(memory: Memory) -> None:
    key = "sk-" + "abcdefgh12345678" * 2
    said = memory.session("s").append("user", f"{'so ' * 60}my key is {key}\nand that is all")
    uri = memory.entries.uri(said.id)
    listed = [*memory.entries.tree(depth=3), *memory.entries.glob("sessions/**")]
    shown = [memory.entries.read(uri), *(entry.text for entry in listed)]
    shown += [match.text for match in memory.entries.grep("my key")]
    assert len(shown) > 4
    assert not [text for text in shown if key[:12] in text]
    assert memory.entries.grep(key) == []


@pytest.mark.parametrize(
    "uri", ["", "preferences", "sessions/a%2Fb%20月", "lamina://", "lamina://zhang"]
)
def test_a_folder_is_not_read_and_a_text_not_listed(filled: Memory, uri: str) -> None:
    with pytest.raises(InvalidInputError, match="ls"):
        filled.entries.read(uri)
    (text, *_) = filled.entries.ls("events")
    with pytest.raises(InvalidInputError, match="read"):
        filled.entries.ls(text.uri)


# --- glob and grep


def test_patterns_find_entries(filled: Memory) -> None:
    def found(pattern: str, **options: Any) -> list[str]:
        return [entry.text for entry in filled.entries.glob(pattern, **options)]

    assert found("preferences/*oat*") == ["Likes oat milk"]
    assert found("**/LIKES-?at*") == ["Likes oat milk"]
    assert found("**/*燕麦*") == ["喜欢燕麦奶，不要糖"]
    assert found("lamina://zhang/*/*fair*") == ["The fair opens on 9 May Gate B, at noon"]
    assert found("lamina://*/events/*") == ["The fair opens on 9 May Gate B, at noon"]
    assert uris(filled.entries.glob("*"))[:1] == ["lamina://zhang/preferences"]
    assert found("sessions/*/*") == ["Is the fair far?", "Two stops."]
    assert len(found("archive/**")) == 4
    assert "Two stops." not in found("**")
    assert len(found("**", limit=2)) == 2
    assert found("nothing/**") == []


def test_lines_are_found_by_their_text(filled: Memory) -> None:
    (match,) = filled.entries.grep("gate b")
    assert (match.line, match.text) == (2, "Gate B, at noon")
    assert filled.entries.read(match.uri).split("\n")[match.line - 1] == match.text
    assert [m.text for m in filled.entries.grep("喜歡燕麥")] == ["喜欢燕麦奶，不要糖"]
    everywhere = [m.text for m in filled.entries.grep("fair")]
    assert everywhere == ["The fair opens on 9 May", "Is the fair far?"]
    assert [m.text for m in filled.entries.grep("fair", "sessions")] == ["Is the fair far?"]
    assert [m.text for m in filled.entries.grep("zebra at dawn")] == ["Feed the zebra at dawn."]
    assert [m.text for m in filled.entries.grep("noon", match.uri)] == ["Gate B, at noon"]
    assert filled.entries.grep("o.t") == []
    assert [m.text for m in filled.entries.grep("o.t m", regex=True)] == ["Likes oat milk"]
    assert [m.text for m in filled.entries.grep(r"\b9 May$|^gate", regex=True)] == [
        "The fair opens on 9 May",
        "Gate B, at noon",
    ]
    assert len(filled.entries.grep("a", limit=2)) == 2


def test_of_a_long_line_what_stands_around_the_find_is_shown(memory: Memory) -> None:
    memory.add("左边的字，" * 200 + "黄色的门" + "，右边的字" * 200)
    (match,) = memory.entries.grep("黃色的門")
    assert "黄色的门" in match.text
    assert len(match.text) < 300
    assert match.text[0] == match.text[-1] == "…"


# --- whose


def test_each_sees_his_own_and_what_is_for_everyone(memory: Memory) -> None:
    everyone = memory.for_everyone()
    everyone.add("The office closes at six", category="entities")
    li, zhang = memory.for_user("li"), memory.for_user("zhang")
    li.add("Li keeps quails")
    secret = li.entries.uri(li.list()[0].id)
    assert uris(zhang.entries.ls("lamina://")) == ["lamina://zhang", "lamina://everyone"]
    shared = zhang.entries.glob("lamina://everyone/*/*")
    assert zhang.entries.read(shared[0].uri) == "The office closes at six"
    assert [m.text for m in zhang.entries.grep("six", "lamina://")] == ["The office closes at six"]
    assert zhang.entries.grep("six") == []
    assert uris(zhang.entries.glob("lamina://*/**")) == [
        "lamina://zhang", "lamina://everyone", "lamina://everyone/entities", shared[0].uri
    ]  # fmt: skip
    for uri in (secret, "lamina://li", "lamina://li/note"):
        with pytest.raises(NotFoundError):
            zhang.entries.read(uri)
        with pytest.raises(NotFoundError):
            zhang.entries.ls(uri)
        with pytest.raises(NotFoundError):
            zhang.entries.grep("quails", uri)
        with pytest.raises(NotFoundError):
            zhang.get(uri)
    assert zhang.entries.glob("lamina://li/**") == []
    assert uris(everyone.entries.ls("lamina://")) == ["lamina://everyone"]


def test_an_agent_sees_its_own_and_the_shared(memory: Memory) -> None:
    coach, cook = (memory.for_user("li", agent_id=name) for name in ("coach", "cook"))
    memory.for_user("li").add("Shared by all")
    coach.add("Runs on Mondays")
    uri = coach.entries.uri(coach.list()[0].id)
    assert coach.entries.read(uri) == "Runs on Mondays"
    assert [entry.text for entry in cook.entries.ls("note")] == ["Shared by all"]
    with pytest.raises(NotFoundError):
        cook.entries.read(uri)


def test_users_called_as_the_special_ones_have_uris_of_their_own(memory: Memory) -> None:
    memory.add("the default user's")
    for name in ("default", "everyone", "~", "*", "a/b", "..", "张三", "%64efault"):
        mine = memory.for_user(name)
        mine.add(f"of {name}")
        (folder,) = mine.entries.ls("lamina://")
        (entry,) = mine.entries.ls(f"{folder.uri}/note")
        assert mine.entries.read(entry.uri) == f"of {name}"
        with pytest.raises(NotFoundError):
            memory.entries.read(entry.uri)


# --- what is no URI


@pytest.mark.parametrize(
    "uri",
    [
        "lamina://zhang/../li", "..", "./note", "note//x", "a\\b", "note/\x00", "note/%ff",
        "file:///etc/passwd", "x" * 9000, "note/\ud800", 7, None,
    ],
)  # fmt: skip
def test_what_cannot_be_a_uri_is_refused(filled: Memory, uri: Any) -> None:
    for verb in (filled.entries.ls, filled.entries.read, filled.entries.tree):
        with pytest.raises((InvalidInputError, NotFoundError)):
            verb(uri)


@pytest.mark.parametrize(
    "uri",
    ["nowhere", "note/none~x", "note/none", "note/a/b", "sessions/none", "sessions/a%2Fb%20月/none",
     "archive/none", "archive/none~x/0", "archive/x/y", "note/x~%00"],
)  # fmt: skip
def test_what_is_not_there_is_not_found(filled: Memory, uri: str) -> None:
    for verb in (filled.entries.ls, filled.entries.read, filled.entries.tree):
        with pytest.raises(NotFoundError):
            verb(uri)


@pytest.mark.parametrize("pattern", ["", None, 3, "x" * 1001])
def test_what_is_no_pattern_is_refused(filled: Memory, pattern: Any) -> None:
    with pytest.raises(InvalidInputError, match="pattern"):
        filled.entries.glob(pattern)
    with pytest.raises(InvalidInputError, match="pattern"):
        filled.entries.grep(pattern)


def test_bad_numbers_levels_and_flags_are_refused(filled: Memory) -> None:
    (entry,) = filled.entries.ls("events")
    refused: list[Any] = [
        lambda: filled.entries.ls(limit=0),
        lambda: filled.entries.tree(depth=0),
        lambda: filled.entries.glob("*", limit=-1),
        lambda: filled.entries.grep("x", limit=True),
        lambda: filled.entries.read(entry.uri, "half"),
        lambda: filled.entries.grep("(", regex=True),
        lambda: filled.entries.grep("x", regex="yes"),  # type: ignore[arg-type]
        lambda: filled.entries.uri(3),  # type: ignore[arg-type]
    ]
    for call in refused:
        with pytest.raises(InvalidInputError):
            call()
    with pytest.raises(NotFoundError):
        filled.entries.uri("none")


def test_a_session_s_notes_stand_among_the_memories(memory: Memory) -> None:
    memory.add("Wants short answers", layer=Layer.SESSION, session_id="s")
    assert [entry.text for entry in memory.entries.ls("note")] == ["Wants short answers"]
