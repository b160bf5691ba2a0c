"""What a language model cannot do, or does too late, costs no fact and no peace."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from modelled import FACTS, TOKEN, Open, answering, opening, tell, texts
from parrots import Parrot, item, repeated

import lamina
from lamina import SettingsError
from lamina.errors import LLMError
from lamina.stores.sqlite import SqliteStore
from lamina.testing.fakes import FakeClock
from lamina.testing.scripted import ScriptedLLM


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(zone="Asia/Shanghai")


@pytest.fixture
def opened(tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    with opening(tmp_path, clock) as opens:
        yield opens


def test_a_failed_call_is_repeated_later_and_the_rules_go_on(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    memory = opened(ScriptedLLM(LLMError("the endpoint is gone; see llm_url")), extract="all")
    tell(memory, "I live in Porto.", FACTS[0])
    memory.admin.flush()
    assert texts(memory) == ["User lives in Porto"]
    (said,) = memory.admin.status().degraded
    assert "the endpoint is gone; see llm_url" in said
    assert sum("the endpoint is gone" in record.message for record in caplog.records) == 1
    memory = opened(Parrot(), extract="all")
    memory.admin.flush()
    assert texts(memory) == sorted([FACTS[0], "User lives in Porto"])
    assert memory.admin.status().degraded == ()


def test_tries_come_later_each_time(opened: Open, clock: FakeClock, tmp_path: Path) -> None:
    memory = opened(ScriptedLLM(LLMError("busy")))
    tell(memory, FACTS[0])
    pauses = []
    for _ in range(5):
        memory.admin.flush()
        store, waited = SqliteStore(tmp_path / "lamina.db"), 0
        while store.lease(["extract"], "me", clock.now() + timedelta(seconds=waited), 0) is None:
            waited += 1
        store.close()
        pauses.append(waited)
        clock.advance(seconds=waited)
    assert pauses[0] >= 1, pauses
    assert all(later > 1.5 * earlier for earlier, later in pairwise(pauses)), pauses


def test_the_day_has_a_budget(
    opened: Open, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    parrot = Parrot()
    memory = opened(parrot, llm_daily_tokens=100, extract="all")
    for number, fact in enumerate(FACTS):
        tell(memory, fact, session=str(number))
    memory.admin.flush()
    assert parrot.heard == FACTS[:1], "the call that reaches the budget is the last"
    for _ in range(2):
        memory = opened(parrot, llm_daily_tokens=100, extract="all")
        memory.admin.flush()
        assert parrot.heard == FACTS[:1]
        for degraded in (memory.admin.status().degraded, memory.search("boat").degraded):
            assert any("llm_daily_tokens" in sentence for sentence in degraded)
    assert any("llm_daily_tokens" in record.message for record in caplog.records)
    clock.advance(days=1)
    assert not any("llm_daily_tokens" in said for said in memory.search("boat").degraded)
    memory.admin.flush()
    assert parrot.heard == FACTS[:2]
    memory = opened(parrot, llm_daily_tokens=100_000)
    memory.admin.flush()
    assert sorted(parrot.heard) == sorted(FACTS)
    assert texts(memory) == sorted(FACTS)


def test_an_answer_that_is_cut_keeps_what_is_whole_and_is_asked_for_again(opened: Open) -> None:
    parrot = Parrot(lambda prompt: repeated(prompt)[:-60])
    memory = opened(parrot)
    tell(memory, *FACTS[:2])
    memory.admin.flush()
    assert texts(memory) == FACTS[:1]
    parrot.answer = repeated
    memory.admin.flush()
    assert texts(memory) == sorted(FACTS[:2])


def test_another_users_words_stay_with_that_user(opened: Open) -> None:
    memory = opened(Parrot())
    memory.for_user("ann").session("talk").append("user", FACTS[0])
    memory.for_user("bob").session("talk").append("user", FACTS[1])
    memory.for_everyone().session("talk").append("user", FACTS[2])
    memory.admin.flush()
    assert texts(memory.for_user("ann")) == FACTS[:1]
    assert texts(memory.for_user("bob")) == FACTS[1:2]


def test_what_was_put_aside_is_kept_where_a_person_accepts_it(opened: Open) -> None:
    memory = opened(answering(item(0, "The user is a surgeon"), item(0, "x", category="odd")))
    tell(memory, FACTS[0])
    memory.admin.flush()
    proposals = {proposal.text: proposal for proposal in memory.review.list()}
    assert proposals["The user is a surgeon"].reason == "unsupported"
    memory.review.accept(proposals["The user is a surgeon"].id)
    assert texts(memory) == ["The user is a surgeon"]


def test_a_name_of_no_model_is_refused(opened: Open) -> None:
    with pytest.raises(SettingsError, match="anthropic"):
        opened("gpt")
    with pytest.raises(SettingsError, match="llm_url"):
        opened("openai", llm_model="m")


def test_of_a_huge_paste_the_model_sees_both_ends(opened: Open) -> None:
    parrot = Parrot(lambda _: '{"memories": []}')
    memory = opened(parrot)
    paste = f"The first line. {'noise ' * 3_300}{TOKEN} {'noise ' * 90_000}The last line."
    tell(memory, paste)
    memory.session("talk").append("tool", f"found {TOKEN} " * 100_000)
    memory.session("talk").extract()
    seen = "".join(parrot.prompts)
    assert "The first line." in seen
    assert "The last line." in seen
    assert len(seen) < 60_000
    assert TOKEN[:12] not in seen


def test_who_was_slower_than_another_keeps_nothing_twice(
    opened: Open, clock: FakeClock, tmp_path: Path
) -> None:
    parrot = Parrot()
    memory = opened(parrot)
    tell(memory, *FACTS[:2])

    def other() -> None:
        parrot.meanwhile = lambda: None
        clock.advance(minutes=11)  # the first one's lease is over
        with lamina.open(
            tmp_path, llm=parrot, embedder="none", clock=clock, background=False, extract="model"
        ) as second:
            assert len(second.session("talk").extract().memories) == 2

    parrot.meanwhile = other
    done = memory.session("talk").extract()
    assert (done.memories, done.decisions) == ((), ())
    assert texts(memory) == sorted(FACTS[:2])
    assert len(parrot.prompts) == 2


def test_what_is_past_meanwhile_is_not_made_anew(opened: Open, clock: FakeClock) -> None:
    said = "I live in Porto."
    quote = [{"message": 0, "quote": said}]
    memory = opened(
        answering(item(0, "The user lives in Porto", category="profile", sources=quote)),
        extract="all",
    )
    tell(memory, said)
    memory.list()
    clock.advance(days=1)
    tell(memory, "I live in Braga.", session="another")
    memory.list()
    memory.session("talk").extract()
    current = memory.list(filter=lamina.Filter(current=True))
    assert [record.content for record in current] == ["User lives in Braga"]
    assert len(memory.list()) == 2
