"""Facts drawn by a language model: when it is asked, and what is kept of its answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from modelled import FACTS, TOKEN, Open, answering, opening, tell, texts
from parrots import Parrot, item, lines, until

import lamina
from lamina import Memory, SettingsError
from lamina.testing.fakes import FakeClock
from lamina.types import Action, Kind


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(zone="Asia/Shanghai")


@pytest.fixture
def opened(tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    with opening(tmp_path, clock) as opens:
        yield opens


# --- when it is asked


def test_it_reads_when_the_user_has_said_enough(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot, background=True, extract_every=3)
    tell(memory, *FACTS[:2])
    tell(memory, FACTS[3], session="another")
    tell(memory, "I see.", role="assistant")
    memory.search("boat")
    assert parrot.prompts == []
    tell(memory, FACTS[2])
    until(lambda: len(memory.list()) == 3)
    assert texts(memory) == sorted(FACTS[:3])
    assert parrot.heard == FACTS[:3]
    assert len(parrot.prompts) == 1


def test_nobody_waits_while_it_thinks(opened: Open) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def think() -> None:
        asked.set()
        go_on.wait()

    memory = opened(Parrot(meanwhile=think), background=True, extract_every=1)
    try:
        tell(memory, FACTS[0])
        asked.wait()
        tell(memory, *FACTS[1:])
        memory.add("A note.")
        assert memory.search("grey boat")[0].text == FACTS[3]
        memory.delete(memory.add("Another note.").id)
        memory.close()
    finally:
        go_on.set()
    parrot = Parrot()
    memory = opened(parrot)
    memory.admin.flush()
    assert parrot.heard == FACTS, "what it thought about is given to the next"
    assert texts(memory) == sorted(["A note.", *FACTS])


def test_what_was_read_is_not_read_again(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    tell(memory, *FACTS[:2])
    memory.admin.flush()
    memory.admin.flush()
    memory = opened(parrot)
    memory.admin.flush()
    memory.session("talk").extract()
    assert parrot.heard == FACTS[:2]
    tell(memory, *FACTS[2:])
    memory.admin.flush()
    assert parrot.heard == FACTS
    assert texts(memory) == sorted(FACTS)


def test_a_long_conversation_is_read_in_portions(opened: Open) -> None:
    said = [f"Crate {i} holds {'lanterns and ' * 200}ropes." for i in range(40)]
    parrot = Parrot(lambda _: '{"memories": []}')
    memory = opened(parrot)
    memory.add([{"role": "user", "content": text} for text in said], session_id="long", infer=True)
    assert parrot.heard == said
    assert len(parrot.prompts) > 3


def test_messages_can_be_read_at_once(opened: Open) -> None:
    memory = opened(Parrot())
    done = memory.add([{"role": "user", "content": FACTS[0]}], infer=True)
    assert [decision.action for decision in done.decisions] == [Action.CREATE]
    (record,) = memory.list()
    assert (record.content, record.sources[0].id) == (FACTS[0], done.id)
    assert record.sources[0].quote == FACTS[0].rstrip(".")


def test_what_is_not_to_be_inferred_and_what_is_imported_is_read_on_request_only(
    opened: Open, tmp_path: Path
) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    memory.add([{"role": "user", "content": FACTS[0]}], session_id="talk", infer=False)
    file = tmp_path / "chat.json"
    file.write_text(json.dumps([{"messages": [{"role": "user", "content": FACTS[1]}]}]))
    memory.import_(file)
    memory.admin.flush()
    assert parrot.prompts == []
    sessions = {message.session_id for message in map(memory.get, message_ids(memory))}
    assert len(sessions) == 2
    for session in sessions:
        for messages in (1, 0):
            assert memory.session(session).extract().messages == messages
    assert sorted(parrot.heard) == sorted(FACTS[:2])
    assert texts(memory) == sorted(FACTS[:2])


def message_ids(memory: Memory) -> list[str]:
    return [hit.id for hit in memory.search("boat") if hit.kind is Kind.MESSAGE]


def test_a_dry_run_shows_what_would_be_kept_and_writes_nothing(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot, extract="all")
    tell(memory, "I live in Porto.", FACTS[0])
    messages = {"role": "user", "content": "My sister is called Ana."}
    memory.add([messages], session_id="quiet", infer=False)
    memory.list()
    before = memory.admin.status().bytes, texts(memory)
    done = memory.session("quiet").extract(dry_run=True)
    assert "sister" in " ".join(record.content for record in done.memories)
    assert (done.messages, done.tokens, done.dry_run) == (1, 120, True)
    assert texts(memory) == before[1] == ["User lives in Porto"]
    kept = memory.session("quiet").extract()
    assert [r.content for r in kept.memories] == [r.content for r in done.memories]


def test_extracting_is_of_a_conversation_that_there_is(opened: Open) -> None:
    memory = opened(Parrot())
    with pytest.raises(lamina.NotFoundError, match="nowhere"):
        memory.session("nowhere").extract()


# --- what is kept


def test_what_the_rules_found_the_model_does_not_add(opened: Open) -> None:
    said = "I live in Porto and I'm allergic to peanuts."
    memory = opened(
        answering(
            item(0, "The user lives in Porto.", sources=[{"message": 0, "quote": said}]),
            item(0, "The user is allergic to peanuts", sources=[{"message": 0, "quote": said}]),
        ),
        extract="all",
    )
    tell(memory, said)
    by_rule = texts(memory)
    memory.admin.flush()
    assert texts(memory) == by_rule
    assert len(by_rule) == 2


def test_the_model_adds_what_the_rules_do_not_see(opened: Open) -> None:
    memory = opened(Parrot(), extract="all")
    tell(memory, "I live in Porto.", FACTS[0])
    memory.admin.flush()
    assert texts(memory) == sorted([FACTS[0], "User lives in Porto"])


def test_a_newer_statement_takes_the_place_of_an_older_one(opened: Open, clock: FakeClock) -> None:
    parrot = Parrot(lambda prompt: json.dumps({"memories": [
        item(n, text.replace("I live", "The user lives"), category="profile",
             sources=[{"message": n, "quote": text}]) for n, text in lines(prompt)
    ]}))  # fmt: skip
    memory = opened(parrot)
    tell(memory, "I live in Porto.")
    memory.admin.flush()
    clock.advance(days=3)
    tell(memory, "I live in Braga.")
    memory.admin.flush()
    current = memory.list(filter=lamina.Filter(current=True))
    assert [record.content for record in current] == ["The user lives in Braga."]
    assert len(memory.list()) == 2


def test_what_nothing_supports_is_put_aside_with_a_reason(opened: Open) -> None:
    memory = opened(answering(item(0, "The user is a surgeon"), item(0, FACTS[0])))
    done = memory.add([{"role": "user", "content": FACTS[0]}], infer=True)
    aside = [d for d in done.decisions if d.action is Action.QUARANTINE]
    assert [(d.text, d.reason, d.waiting) for d in aside] == [
        ("The user is a surgeon", "unsupported", True)
    ]
    assert texts(memory) == [FACTS[0]]
    assert all("surgeon" not in hit.text for hit in memory.search("who is a surgeon?"))


def test_what_the_assistant_says_is_no_fact(opened: Open) -> None:
    guess = "You are a surgeon, I suppose."
    memory = opened(
        answering(
            item(1, "The user is a surgeon", sources=[{"message": 1, "quote": guess}]),
        )
    )
    tell(memory, "What do you think of boats?")
    tell(memory, guess, role="assistant")
    memory.admin.flush()
    assert texts(memory) == []


def test_in_a_group_a_fact_is_of_who_said_it(opened: Open) -> None:
    text = "I prefer herring."
    quote = [{"message": 0, "quote": text}]
    memory = opened(
        answering(
            item(0, "The user prefers herring", category="preferences", sources=quote),
            item(0, "Bo prefers herring", category="preferences", sources=quote),
        )
    )
    said = {"role": "user", "name": "Bo", "content": text}
    done = memory.for_user("Ann").add([said], infer=True)
    first = done.decisions[0]
    assert (first.action, first.reason) == (Action.QUARANTINE, "speaker")
    records = memory.for_user("Ann").list()
    assert all(record.category == "entities" and "Bo" in record.content for record in records)


def test_a_deleted_fact_is_not_learned_again(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    tell(memory, FACTS[0])
    memory.admin.flush()
    memory.delete(memory.list()[0].id)
    tell(memory, FACTS[0])
    memory.admin.flush()
    assert len(parrot.heard) == 2
    assert texts(memory) == []


def test_what_is_deleted_while_the_model_thinks_leaves_nothing(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    id = memory.session("talk").append("user", FACTS[0]).id
    tell(memory, FACTS[1])

    def delete() -> None:
        parrot.meanwhile = lambda: None
        memory.delete(id)

    parrot.meanwhile = delete
    memory.admin.flush()
    assert texts(memory) == [FACTS[1]]
    assert parrot.heard == [*FACTS[:2], FACTS[1]]


def test_no_secret_reaches_the_model_or_a_memory(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    tell(memory, f"The deploy token of Mirela is {TOKEN} since May.")
    memory.admin.flush()
    assert len(parrot.prompts) == 1
    assert TOKEN not in parrot.prompts[0]
    assert all(TOKEN not in text for text in texts(memory))


def test_what_was_recalled_is_not_read(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    memory.add(FACTS[0])
    block = memory.context("red boat").text
    assert FACTS[0] in block
    tell(memory, f"{block}\nThe oars are new.")
    memory.admin.flush()
    assert FACTS[0] not in parrot.prompts[0]
    assert "The oars are new." in parrot.prompts[0]


def test_an_event_is_of_the_day_that_its_words_mean(opened: Open, clock: FakeClock) -> None:
    said = "The regatta is tomorrow."
    memory = opened(answering(item(0, said, category="events")))
    tell(memory, said)
    memory.admin.flush()
    (record,) = memory.list()
    day = (clock.now().astimezone(clock.zone) + timedelta(days=1)).date()
    assert record.happens_from is not None
    assert record.happens_from.astimezone(clock.zone).date() == day
    assert record.content == f"The regatta is tomorrow ({day})."


def test_the_owner_says_what_matters_and_what_does_not(opened: Open) -> None:
    parrot = Parrot()
    memory = opened(
        parrot, extract_instructions="Boats matter most.", extract_skip="profile, entities",
        extract="all",
    )  # fmt: skip
    tell(memory, "My name is Joanna Pell.", FACTS[0])
    memory.admin.flush()
    assert "Boats matter most." in parrot.systems[0]
    assert "entities, profile" in parrot.systems[0]
    assert texts(memory) == []
    with pytest.raises(SettingsError, match=r"extract_skip.*boats"):
        opened(parrot, extract_skip="events boats")


@pytest.mark.parametrize(("extract", "asked"), [("rules", 0), ("off", 0), ("all", 1)])
def test_the_model_is_asked_where_the_setting_says_so(
    opened: Open, extract: str, asked: int
) -> None:
    parrot = Parrot()
    memory = opened(parrot, extract=extract)
    tell(memory, FACTS[0])
    memory.admin.flush()
    memory.session("talk").extract()
    assert len(parrot.prompts) == asked
