from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.errors import EmptyTextError, InvalidInputError, NotFoundError, ScopeError

Answer = Any
Refused = Any
Run = Any


@pytest.fixture
def mine(folder: Path) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, zone="UTC") as memory:
        yield memory


def facts(memory: Memory, **where: Any) -> list[str]:
    return [record.content for record in memory.list(filter=lamina.Filter(current=True, **where))]


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


# --- correct


def test_a_corrected_claim_is_not_drawn_again_from_the_same_words(mine: Memory) -> None:
    talk = mine.session("talk")
    talk.append("user", "I live in Porto.")
    (wrong,) = mine.list()
    right = mine.correct(wrong.id, "The user lives in Braga.")
    assert (right.id, right.version) == (wrong.id, 2)
    talk.append("user", "I live in Porto.")
    assert facts(mine) == ["The user lives in Braga."]
    assert [event.action for event in mine.history(wrong.id)] == ["add", "correct"]
    assert "Porto" in str(mine.history(wrong.id)[1].before)


def test_a_correction_ends_what_it_speaks_against(mine: Memory) -> None:
    mine.add("The user lives in Lisbon.", infer=True)
    other = mine.add("The user lives in a small flat.").id
    mine.correct(other, "The user lives in Braga.")
    assert facts(mine) == ["The user lives in Braga."]


def test_the_same_claim_in_better_words_can_be_drawn_again(mine: Memory) -> None:
    talk = mine.session("talk")
    talk.append("user", "I live in Porto.")
    (record,) = mine.list()
    mine.correct(record.id, "The user lives in Porto.")
    talk.append("user", "I live in Lisbon now.")
    talk.append("user", "I live in Porto now.")
    assert "Porto" in facts(mine)[0]


@pytest.mark.parametrize("bad", ["", "   ", 3, None])
def test_a_correction_needs_a_text(mine: Memory, bad: Any) -> None:
    id = mine.add("The user lives in Porto.").id
    with pytest.raises(InvalidInputError):
        mine.correct(id, bad)
    assert facts(mine) == ["The user lives in Porto."]


def test_a_message_is_not_corrected(mine: Memory) -> None:
    id = mine.session("talk").append("user", "I live in Porto.").id
    with pytest.raises(InvalidInputError, match="word for word"):
        mine.correct(id, "I live in Braga.")


# --- forget


def test_a_message_goes_with_what_it_alone_says(mine: Memory, folder: Path) -> None:
    talk = mine.session("talk")
    talk.append("user", "I live in Porto.")
    told = talk.append("user", "My sister is called Zulmira.").id
    assert any("Zulmira" in text for text in facts(mine))
    planned = mine.forget(told, dry_run=True)
    assert (planned.messages, len(planned.memories), planned.done) == ((told,), 1, False)
    assert any("Zulmira" in text for text in facts(mine))
    done = mine.forget(told)
    assert done.done
    assert (done.messages, done.memories) == (planned.messages, planned.memories)
    assert facts(mine) == ["User lives in Porto"]
    assert b"Zulmira" not in bytes_of(folder)
    with pytest.raises(NotFoundError):
        mine.get(told)


def test_what_others_say_too_is_made_again_without_it(mine: Memory, folder: Path) -> None:
    talk = mine.session("talk")
    talk.append("user", "Remember that the choir meets on Mondays in the crypt.")
    more = "Remember that the choir meets on Mondays in the crypt at QUARTER-EIGHT."
    second, third = talk.append("user", more).id, talk.append("user", more).id
    (merged,) = mine.list()
    mine.update(merged.id, pinned=True)
    mine.forget(third)
    assert "QUARTER-EIGHT" in facts(mine)[0]
    mine.forget(second)
    (left,) = mine.list()
    assert (left.id, left.pinned) == (merged.id, True)
    assert left.content == "the choir meets on Mondays in the crypt"
    assert b"QUARTER-EIGHT" not in bytes_of(folder)


def test_a_wording_of_ones_own_outlives_the_message(mine: Memory, folder: Path) -> None:
    told = mine.session("talk").append("user", "I live in Zirconia.").id
    (record,) = mine.list()
    mine.correct(record.id, "The user lives in Braga.")
    mine.forget(told)
    assert facts(mine) == ["The user lives in Braga."]
    assert b"Zirconia" not in bytes_of(folder)


def test_a_memory_goes_with_the_messages_that_say_it_alone(mine: Memory, folder: Path) -> None:
    talk = mine.session("talk")
    told = talk.append("user", "I live in Porto and I like pistachio ice cream.").id
    (taste,) = [record for record in mine.list() if "pistachio" in record.content]
    done = mine.forget(taste.id)
    assert (done.memories, done.messages) == ((taste.id,), (told,))
    assert facts(mine) == ["User lives in Porto"]
    assert b"pistachio" not in bytes_of(folder)
    talk.append("user", "I like pistachio ice cream.")
    assert facts(mine) == ["User lives in Porto"]


@pytest.mark.parametrize("way", ["forget", "delete"])
def test_what_was_replaced_holds_again(mine: Memory, way: str) -> None:
    talk = mine.session("talk")
    talk.append("user", "I live in Porto.")
    told = talk.append("user", "I live in Lisbon now.").id
    lisbon = next(r for r in mine.list() if "Lisbon" in r.content)
    assert facts(mine) == [lisbon.content]
    if way == "forget":
        mine.forget(told)
    else:
        mine.delete(lisbon.id)
    assert facts(mine) == ["User lives in Porto"]


def test_what_was_replaced_in_between_ends_when_the_next_begins(mine: Memory) -> None:
    talk = mine.session("talk")
    for town in ("Porto", "Lisbon", "Braga"):
        talk.append("user", f"I live in {town} now.")
    by_town = {record.content.split()[3]: record for record in mine.list()}
    mine.delete(by_town["Lisbon"].id)
    left = {record.content.split()[3]: record for record in mine.list()}
    assert left["Porto"].valid_to == left["Braga"].said_at
    assert facts(mine) == [left["Braga"].content]


def test_all_with_these_words_goes(mine: Memory, folder: Path) -> None:
    mine.session("a").append("user", "Our party is in the boathouse.")
    mine.session("b").append("user", "The PARTY, by the way, is for Odile.")
    mine.session("b").append("user", "A third party is another matter of parties.")
    mine.add("上海的派对在周五")
    mine.add("The user is fond of parties.")
    assert len(mine.forget(query="party odile").messages) == 1
    assert len(mine.forget(query="派对").memories) == 1
    done = mine.forget(query="party", dry_run=True)
    assert len(done.messages) == 2
    mine.forget(query="Party boathouse")
    assert len(mine.session("b").messages()) == 1
    assert mine.session("a").messages() == []
    assert facts(mine) == ["The user is fond of parties."]
    found = bytes_of(folder)
    assert b"boathouse" not in found
    assert "派对".encode() not in found


def test_a_conversation_goes_with_its_notes(mine: Memory, folder: Path) -> None:
    mine.session("s1", title="About OCHRE").append("user", "Remember that the pass is OCHRE.")
    mine.session("s2").append("user", "Remember that the pump is in the hall.")
    mine.add("key point: OCHRE", layer="session", session_id="s1")
    assert len(facts(mine)) == 3
    done = mine.forget(session_id="s1")
    assert (done.sessions, len(done.messages), len(done.memories)) == (("s1",), 1, 2)
    assert facts(mine) == ["The pump is in the hall"]
    assert b"OCHRE" not in bytes_of(folder)


def test_all_of_a_user_goes_and_of_nobody_else(mine: Memory, folder: Path) -> None:
    ann, bob = mine.for_user("ann"), mine.for_user("bob")
    ann.add("The attic key is under the VERMILION tile")
    ann.session("s").append("user", "See you in VERMILION street.")
    ann.archive.add("VERMILION is a colour. " * 50, title="colours")
    coach = mine.for_user("ann", agent_id="coach")
    coach.add("private to the coach: VERMILION")
    bob.add("The cellar key is under the COBALT tile")
    coach.forget(everything=True)
    assert facts(ann) == ["The attic key is under the VERMILION tile"]
    assert ann.forget(everything=True).done
    assert not ann.list()
    assert not ann.search("VERMILION")
    assert "ann" not in mine.admin.users()
    assert facts(bob) == ["The cellar key is under the COBALT tile"]
    assert b"VERMILION" not in bytes_of(folder)
    ann.add("Ann came back")
    assert [hit.text for hit in ann.search("Ann came back")] == ["Ann came back"]
    assert ann.search("VERMILION attic").archival == 0


def test_only_what_is_ones_own_can_be_forgotten(mine: Memory) -> None:
    common = mine.for_everyone().add("The house is blue.").id
    ann = mine.for_user("ann")
    with pytest.raises(ScopeError):
        ann.forget(common)
    hidden = mine.add("The default user's own").id
    unknown: dict[str, str]
    for unknown in ({"id": hidden}, {"id": "nothing"}, {"session_id": "none"}):
        with pytest.raises(NotFoundError):
            ann.forget(**unknown)  # type: ignore[arg-type]
    with pytest.raises(EmptyTextError):
        ann.forget(query=" ")
    given: dict[str, Any]
    for given in ({}, {"id": hidden, "query": "x"}, {"query": "x", "everything": True}):
        with pytest.raises(InvalidInputError, match="one of"):
            ann.forget(**given)
    document = mine.archive.add("a text " * 9, title="text").id
    passage = mine.list(filter=lamina.Filter(layers=(lamina.Layer.ARCHIVAL,)))[0]
    assert passage.id.startswith(document)
    with pytest.raises(InvalidInputError, match="passage of a document"):
        mine.forget(passage.id)
    assert facts(ann) == ["The house is blue."]


# --- the commands


def test_the_command_shows_first_and_erases_on_yes(run: Run, answer: Answer) -> None:
    told = answer("add", "Our boat is called Petrel", "--role", "user", "--session", "s")["ids"][0]
    shown = run("forget", told)
    assert (shown.exit_code, shown.stderr) == (0, "nothing is erased yet: add --yes\n")
    assert f"message  {told}  Our boat is called Petrel" in shown.stdout
    assert answer("get", told)["content"] == "Our boat is called Petrel"
    done = answer("forget", "--query", "petrel", "--yes")
    assert done["done"]
    assert told in done["messages"]
    assert run("get", told).exit_code == 3
    assert "Nothing to forget." in run("forget", "--query", "petrel").stdout


def test_the_command_corrects(run: Run, answer: Answer, refused: Refused) -> None:
    id = answer("add", "The user lives in Porto")["ids"][0]
    done = run("correct", id, "The user lives in Braga")
    assert "The user lives in Braga" in done.stdout
    assert json.loads(run("get", id, "--json").stdout)["content"] == "The user lives in Braga"
    refused(run("correct", "none", "text"), 3, "none")
    refused(run("forget"), 2, "one of")
