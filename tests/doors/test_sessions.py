from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Filter, Layer, Memory, MemoryRecord, Source
from lamina.errors import ConflictError, InvalidInputError, NotFoundError
from lamina.testing.fakes import FakeClock

NOTES = Filter(layers=(Layer.SESSION,))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def mine(folder: Path, clock: FakeClock) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, clock=clock) as memory:
        yield memory


def noted(memory: Memory, id: str, *, session: str = "s", **more: object) -> None:
    at = memory.session(session).append("user", f"about {id}").created_at
    record = MemoryRecord(id, f"Note on {id}", at, layer=Layer.SESSION, session_id=session)
    memory.add(replace(record, **more))  # type: ignore[arg-type]


# --- the end of a conversation


def test_what_is_worth_keeping_is_promoted_and_the_rest_expires(mine: Memory) -> None:
    told = mine.session("s").append("user", "The tides matter to me.")
    quote = Source(lamina.Kind.MESSAGE, told.id, "s", None, "The tides matter to me.")
    noted(mine, "pins", pinned=True)
    noted(mine, "weights", importance=0.75)
    noted(mine, "tides", sources=(quote,))
    noted(mine, "guesses", sources=(quote,), origin=lamina.Origin.ASSISTANT)
    noted(mine, "chatter")
    noted(mine, "elsewhere", session="other")
    done = mine.session("s").end()
    assert set(done.promoted) == {"pins", "weights", "tides"}
    assert set(done.expired) == {"guesses", "chatter"}
    kept = mine.list(filter=Filter(layers=(Layer.LONG_TERM,)))
    assert {record.id for record in kept} == set(done.promoted)
    assert [record.id for record in mine.list(filter=NOTES)] == ["elsewhere"]
    assert "chatter" not in [hit.id for hit in mine.search("note on chatter")]
    assert [event.action for event in mine.history("chatter")] == ["add", "expire"]
    reasons = {e.payload["reason"] for e in mine.admin.log() if e.event == "decision"}
    assert {"pinned", "important", "said", "expired"} <= reasons
    again = mine.session("s").end()
    assert again.promoted == again.expired == ()
    assert len(mine.session("s").messages()) == 6


def test_a_note_that_is_known_already_is_not_kept_twice(mine: Memory) -> None:
    known = mine.add("The boat is called Petrel").id
    noted(mine, "boat", content="the boat is called PETREL", importance=0.9)
    assert mine.session("s").end().promoted == ()
    assert [record.id for record in mine.list(filter=Filter(current=True))] == [known]


def test_notes_of_an_idle_conversation_end_by_themselves(folder: Path, clock: FakeClock) -> None:
    with lamina.open(folder, embedder="none", background=False, clock=clock) as memory:
        noted(memory, "old", pinned=True)
        clock.advance(days=4)
        noted(memory, "young", session="young", pinned=True)
        clock.advance(days=4)
    with lamina.open(folder, embedder="none", clock=clock) as memory:
        memory.add("something, so that the work behind begins")
        for _ in range(100):
            if [record.id for record in memory.list(filter=NOTES)] == ["young"]:
                break
            time.sleep(0.05)
        assert memory.get("old").layer is Layer.LONG_TERM  # type: ignore[union-attr]
        assert memory.get("young").layer is Layer.SESSION  # type: ignore[union-attr]


# --- all conversations


def test_they_are_listed_renamed_and_each_user_has_his_own(mine: Memory, clock: FakeClock) -> None:
    for user in ("ann", "bob"):
        mine.for_user(user).session("one", title="First").append("user", "hello")
        clock.advance(hours=1)
    ann = mine.for_user("ann")
    ann.session("two").append("user", "hello again")
    assert [info.id for info in ann.sessions.list()] == ["two", "one"]
    assert ann.sessions.rename("one", "Renamed").title == "Renamed"
    assert [info.title for info in ann.sessions.list()] == ["", "Renamed"]
    assert [info.title for info in mine.for_user("bob").sessions.list()] == ["First"]
    assert mine.sessions.list() == []
    with pytest.raises(NotFoundError):
        mine.sessions.rename("one", "x")
    with pytest.raises(InvalidInputError):
        ann.sessions.rename("one", 3)  # type: ignore[arg-type]


def test_one_is_got_where_it_lives(mine: Memory) -> None:
    mine.for_user("ann", agent_id="coach").session("c").append("user", "to the coach")
    ann = mine.for_user("ann")
    ann.session("s").append("user", "to all")
    assert [turn.text for turn in ann.sessions.get("c").messages()] == ["to the coach"]
    other = mine.for_user("ann", agent_id="cook")
    assert [info.id for info in other.sessions.list()] == ["s"]
    assert [turn.text for turn in other.sessions.get("s").messages()] == ["to all"]
    with pytest.raises(NotFoundError):
        other.sessions.get("c")


def test_the_commands(run: Any, answer: Any, refused: Any) -> None:
    assert run("session", "list").stdout == "No conversations.\n"
    for text in ("I live in Porto.", "I like tea."):
        answer("add", text, "--role", "user", "--session", "s")
    answer("add", "A note", "--layer", "session", "--session", "s")
    assert "s  " in run("session", "list").stdout
    assert [turn["content"] for turn in answer("session", "show", "s", "-n", "1")] == [
        "I like tea."
    ]
    assert "I live in Porto." in run("session", "window", "s").stdout
    assert answer("session", "rename", "s", "Tea")["title"] == "Tea"
    assert answer("session", "fork", "s", "t")["messages"] == 2
    assert answer("session", "end", "s")["expired"]
    assert run("session", "delete", "t").stdout == "t  deleted, with 2 messages\n"
    refused(run("session", "show", "t"), 3, "no session")


def test_a_fork_goes_its_own_way(mine: Memory) -> None:
    talk = mine.session("talk", project="apollo", title="Plans")
    talk.state = {"step": 2}
    first = talk.append("user", "I live in Porto.")
    second = talk.append("assistant", "Noted.", metadata={"model": "m"})
    talk.append("user", "Forget the rest.")
    info = mine.sessions.fork("talk", "other", until=second.id)
    assert (info.messages, info.project, info.title) == (2, "apollo", "Plans")
    assert info.state == {"step": 2}
    copies = mine.session("other").messages()
    assert [copy.text for copy in copies] == ["I live in Porto.", "Noted."]
    assert [copy.metadata.get("forked_from") for copy in copies] == [first.id, second.id]
    assert copies[1].metadata["model"] == "m"
    assert copies[0].created_at == first.created_at
    mine.session("other").append("user", "I like tea.")
    assert len(talk.messages()) == 3
    assert len(mine.list()) == 2
    assert mine.sessions.fork("talk").messages == 3
    with pytest.raises(ConflictError):
        mine.sessions.fork("talk", "other")
    for bad in ({"id": "none"}, {"id": "talk", "until": "none"}):
        with pytest.raises(NotFoundError):
            mine.sessions.fork(**bad)


def test_a_deleted_conversation_leaves_what_was_drawn_from_it(mine: Memory, folder: Path) -> None:
    mine.session("s", title="OCHRE").append("user", "I live in Porto, by OCHRE street.")
    mine.session("s").append("user", "I like tea.")
    noted(mine, "OCHRE note")
    before = [record.content for record in mine.list(filter=Filter(layers=(Layer.LONG_TERM,)))]
    assert "User likes tea" in before
    done = mine.sessions.delete("s")
    assert (done.done, done.sessions, done.memories) == (True, ("s",), ("OCHRE note",))
    assert [record.content for record in mine.list()] == before
    assert {s.quote for record in mine.list() for s in record.sources} == {""}
    assert mine.sessions.list() == []
    found = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert b"OCHRE" not in found
    with pytest.raises(NotFoundError):
        mine.sessions.delete("s")
