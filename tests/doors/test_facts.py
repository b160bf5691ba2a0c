"""Facts drawn from talk: what becomes of what users say, in a store and over time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina
from lamina import Filter, Layer, Memory
from lamina.testing.fakes import FakeClock, HashEmbedder

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CURRENT = Filter(current=True, layers=(Layer.LONG_TERM,))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START + timedelta(days=90), "Asia/Shanghai")


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    with lamina.open(tmp_path, embedder="none", clock=clock, background=False) as opened:
        yield opened


def say(memory: Memory, text: str, day: int = 0, *, role: str = "user") -> str:
    return memory.session("s").append(role, text, created_at=START + timedelta(days=day)).id


def current(memory: Memory) -> list[str]:
    return sorted(record.content for record in memory.list(filter=CURRENT))


def past(memory: Memory) -> list[str]:
    gone = Filter(current=False, layers=(Layer.LONG_TERM,))
    return sorted(record.content for record in memory.list(filter=gone))


def test_a_fact_names_the_message_that_says_it(memory: Memory) -> None:
    id = say(memory, "Hi! My name is Joanna Pell and I live in Porto.")
    found = {record.topic: record for record in memory.list(filter=CURRENT)}
    assert found["user/name"].content == "User's name is Joanna Pell"
    home = found["user/home"]
    assert (home.sources[0].id, home.valid_from) == (id, START)
    assert "I live in Porto" in home.sources[0].quote


def test_a_newer_statement_takes_the_place_of_the_older(memory: Memory) -> None:
    say(memory, "我住在苏州。")
    say(memory, "我搬家了，现在住在青岛。", 30)
    assert current(memory) == ["用户住在青岛"]
    (old,) = memory.list(filter=Filter(current=False, layers=(Layer.LONG_TERM,)))
    assert (old.content, old.valid_to) == ("用户住在苏州", START + timedelta(days=30))


def test_an_older_statement_that_comes_late_is_history(memory: Memory) -> None:
    say(memory, "I live in Braga.", 30)
    assert current(memory) == ["User lives in Braga"]
    say(memory, "I live in Porto.", 0)
    assert current(memory) == ["User lives in Braga"]
    assert past(memory) == ["User lives in Porto"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_any_order_of_statements_gives_the_same_current_facts(
    memory: Memory, order: tuple[int, ...]
) -> None:
    said = ["I live in Porto.", "I live in Braga.", "I live in Porto.", "I hate celery."]
    for day in order:
        say(memory, said[day], day)
        current(memory)
    assert current(memory) == ["User does not like celery", "User lives in Porto"]


def test_many_things_stand_side_by_side(memory: Memory) -> None:
    say(memory, "I have a dog named Rufus.")
    say(memory, "I have a cat named Olive.", 1)
    assert len(current(memory)) == 2


def test_what_is_said_again_is_kept_once(memory: Memory) -> None:
    say(memory, "我对芒果过敏。")
    say(memory, "再说一遍，我对芒果过敏！", 3)
    assert current(memory) == ["用户对芒果过敏"]
    (record,) = memory.list(filter=CURRENT)
    assert record.confirmed_at == START + timedelta(days=3)
    assert len(record.sources) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Porto?",
        "If I lived in Porto, I would surf every day.",
        'My boss said: "I live in Porto and love karaoke."',
        "Just kidding, I live in Porto!",
        'Translate into French: "I live in Porto."',
        "我住在青岛吗？",
        "要是我住在青岛就好了。",
        "同事说：“我住在青岛。”",
    ],
)
def test_what_nobody_states_becomes_no_fact(memory: Memory, text: str) -> None:
    say(memory, text)
    assert current(memory) == []


def test_assistant_and_tool_state_nothing_about_the_user(memory: Memory) -> None:
    say(memory, "I live in Porto.", role="assistant")
    say(memory, "name: I am called Dario", role="tool")
    assert current(memory) == []


def test_a_block_that_comes_back_is_not_learned(memory: Memory) -> None:
    memory.add("The user's boat is called Petrel")
    block = memory.context("What is the boat called?").text
    assert "Petrel" in block
    for day in range(3):
        say(memory, f"{block}\nThanks!", day)
    assert current(memory) == ["The user's boat is called Petrel"]


def test_what_the_assistant_said_before_is_not_learned_from_an_echo(memory: Memory) -> None:
    say(memory, "I live in a small village near Porto.", role="assistant")
    say(memory, "I live in a small village near Porto.", 1)
    assert current(memory) == []


def test_an_erased_fact_is_not_learned_again(memory: Memory) -> None:
    say(memory, "I have a dog named Rufus.")
    (record,) = memory.list(filter=CURRENT)
    memory.delete(record.id)
    say(memory, "As I said, I have a dog named Rufus.", 2)
    assert current(memory) == []
    memory.add("User has a dog named Rufus")  # on purpose
    assert current(memory) == ["User has a dog named Rufus"]


def test_a_secret_is_masked_before_anything_is_drawn(memory: Memory) -> None:
    key = "sk-demo-" + "9f8e7d6c5b4a3928" * 2
    say(memory, f"Remember that the weather key is {key} and allows 60 calls a minute.")
    (content,) = current(memory)
    assert "60 calls" in content
    assert key not in content


def test_a_group_keeps_each_speakers_facts_apart(memory: Memory) -> None:
    chat = memory.session("group")
    chat.append("user", "I live in Porto.", name="Mira")
    chat.append("user", "I live in Braga.", name="Tom")
    assert current(memory) == ["Mira lives in Porto", "Tom lives in Braga"]


def test_a_plain_yes_makes_a_fact_of_what_was_suggested(memory: Memory) -> None:
    say(memory, "Which cache should we use?")
    say(memory, "I suggest Redis for the cache.", role="assistant")
    id = say(memory, "Sounds good.", role="user")
    (record,) = memory.list(filter=CURRENT)
    assert "Redis" in record.content
    assert record.sources[0].id == id


def test_a_text_is_held_against_what_is_known_on_request(memory: Memory, clock: FakeClock) -> None:
    first = memory.add("User lives in Porto", infer=True)
    clock.advance(days=1)
    assert memory.add("user lives in PORTO!", infer=True).skipped == first.ids
    newer = memory.add("User lives in Braga", infer=True)
    assert [decision.action for decision in newer.decisions] == ["supersede"]
    assert current(memory) == ["User lives in Braga"]


def test_an_assistants_note_stands_beside_what_the_user_said(memory: Memory) -> None:
    say(memory, "I live in Porto.")
    memory.list()
    note = memory.add("User lives in Faro", infer=True, origin="assistant")
    assert note.decisions[0].reason == "beside"
    assert current(memory) == ["User lives in Faro", "User lives in Porto"]


def test_an_assistant_who_repeats_himself_replaces_nothing(memory: Memory) -> None:
    say(memory, "I live in Porto.")
    memory.list()
    for _ in range(3):
        memory.add("User lives in Faro", infer=True, origin="assistant")
    assert current(memory) == ["User lives in Faro", "User lives in Porto"]
    say(memory, "I live in Porto.", 1)
    assert current(memory) == ["User lives in Faro", "User lives in Porto"]
    say(memory, "I live in Faro.", 2)  # he says so himself now
    (record,) = memory.list(filter=CURRENT)
    assert (record.content, record.origin) == ("User lives in Faro", "user")


def test_that_an_assistant_says_it_again_confirms_nothing(memory: Memory) -> None:
    say(memory, "I live in Porto.")
    (before,) = memory.list()
    memory.add("User lives in Porto", infer=True, origin="assistant")
    assert memory.list() == [before]


def test_things_of_two_topics_are_two_though_one_says_more(memory: Memory) -> None:
    say(memory, "I like green tea.")
    say(memory, "I like tea.", 1)
    assert current(memory) == ["User likes green tea", "User likes tea"]


def test_a_fact_of_two_messages_is_one_hit(memory: Memory) -> None:
    first = say(memory, "I live in Porto.")
    second = say(memory, "I still live in Porto, by the way.", 1)
    (record,) = memory.list(filter=CURRENT)
    hits = memory.search("where do I live")
    assert [hit.id for hit in hits].count(record.id) == 1
    assert {source.id for hit in hits for source in hit.source} == {first, second}


def test_what_was_erased_may_be_written_again_on_purpose(memory: Memory) -> None:
    memory.delete(memory.add("User lives in Porto").id)
    refused = memory.add("User lives in Porto", infer=True, origin="assistant")
    assert (refused.ids, refused.decisions[0].reason) == ((), "erased")
    assert memory.add("User lives in Porto", infer=True, session_id="s").decisions[0].memory
    (record,) = memory.list(filter=CURRENT)
    assert (record.content, record.session_id) == ("User lives in Porto", "s")


def test_what_is_for_everyone_is_nobodys_fact(memory: Memory) -> None:
    memory.for_everyone().session("s").append("user", "I live in Porto.")
    assert memory.for_user("ann").list() == []
    assert memory.for_everyone().list() == []


def test_a_message_is_read_as_it_is_stored(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "I live in Porto.", "id": "x"}], infer=False)
    memory.add([{"role": "user", "content": "I live in Rome.", "id": "x"}], infer=True)
    assert current(memory) == ["User lives in Porto"]


@pytest.mark.parametrize("name", ["Mi\\1ra", "{who}", "Ann\\g<0>", "小{0}"])
def test_any_name_may_speak(memory: Memory, name: str) -> None:
    chat = memory.session("group")
    chat.append("user", "My sister lives in Porto.", name=name)
    chat.append("user", "我姐姐住在青岛，我的猫叫团子。", name=name)
    assert any(name in content for content in current(memory))


def test_nothing_is_read_where_it_is_turned_off(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "off", embedder="none", extract="off") as memory:
        say(memory, "I live in Porto.")
        assert memory.list() == []
    with lamina.open(tmp_path / "once", embedder="none") as memory:
        turn = {"role": "user", "content": "I live in Porto."}
        memory.add([turn], infer=False)
        assert memory.list() == []
        assert memory.add([turn], infer=True).decisions[0].action == "create"


def test_the_work_behind_reads_what_was_said(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=HashEmbedder()) as memory:
        memory.add([{"role": "user", "content": f"I have a dog named Rex{i}."} for i in range(90)])
        memory.admin.flush()
        assert sorted(record.topic for record in memory.list(limit=200)) == sorted(
            f"user/pet/rex{i}" for i in range(90)
        )


def test_messages_of_one_moment_are_read_in_their_order(memory: Memory) -> None:
    homes = ["Porto", "Braga", "Faro", "Lisbon", "Oslo", "Turin"]
    turns = [{"role": "user", "content": f"I live in {home}."} for home in homes]
    added = memory.add(turns, infer=True)
    assert [d.text for d in added.decisions] == [f"User lives in {home}" for home in homes]
    assert current(memory) == ["User lives in Turin"]


def test_what_is_only_confirmed_or_ended_is_not_embedded_again(
    tmp_path: Path, clock: FakeClock
) -> None:
    with lamina.open(tmp_path, embedder=HashEmbedder(), clock=clock, background=False) as memory:
        say(memory, "I live in Porto.")
        memory.list()
        memory.admin.flush()
        say(memory, "I still live in Porto, you know.", 1)
        say(memory, "I live in Braga.", 2)
        (old,) = memory.list(filter=Filter(current=False, layers=(Layer.LONG_TERM,)))
        assert (old.version, old.content) == (3, "User lives in Porto")
        pending = memory.admin.status().pending
        assert pending == 3, "two messages, and the one new memory"
        assert [hit.id for hit in memory.search("Porto")].count(old.id) == 1
