"""Summaries by a model: written behind, in the place of what the rules made at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from modelled import TOKEN, Open, opening
from parrots import Parrot, until

import lamina
from lamina import Memory
from lamina.errors import LLMError
from lamina.pipeline.compact.values import Limits
from lamina.testing.fakes import FakeClock
from lamina.testing.scripted import ScriptedLLM

SMALL = Limits(max_input_tokens=2000, summariser_tokens=16_000)
FULLER = "## Facts\n- 1: Vessel Kittiwake sails from Faro, says the model."


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(zone="Asia/Shanghai")


@pytest.fixture
def opened(tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    with opening(tmp_path, clock) as opens:
        yield lambda llm, **more: opens(llm, **{"extract": "rules", **more})


def talked(memory: Memory, turns: int = 30, *, session: str = "s", start: int = 0) -> None:
    chat = memory.session(session)
    for number in range(start, start + turns):
        chat.append("user", f"Does part {number} of the machine hold water, do you think?")
        chat.append("assistant", f"Part {number} is sound; its serial number is {number * 37}.")


def summary(memory: Memory, session: str = "s") -> str:
    (made,) = [m for m in memory.session(session).window(1500) if m.metadata.get("made")]
    return made.text


def found(memory: Memory) -> list[str]:
    where = lamina.Filter(categories=(lamina.Category.SUMMARY,))
    return [record.content for record in memory.list(filter=where)]


def test_the_rules_answer_at_once_and_the_model_writes_its_own_behind(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot)
    talked(memory)
    done = memory.session("s").compact(limits=SMALL)
    assert (done.made, parrot.prompts) == ("rule", [])
    assert done.summary in summary(memory)
    memory.admin.flush()
    assert FULLER in summary(memory)
    assert done.summary not in summary(memory)
    assert found(memory) == [FULLER]
    assert done.memory is not None
    record = memory.get(done.memory)
    assert isinstance(record, lamina.MemoryRecord)
    assert record.metadata["made"] == "model"
    for id in done.summarised:
        assert memory.session("s").expand(id).text in "".join(parrot.prompts)
    asked = len(parrot.prompts)
    memory.admin.flush()
    assert len(parrot.prompts) == asked, "it is written once"


def test_the_hook_answers_at_once_too_and_the_work_is_done_behind(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot, background=True)
    given = [
        {"role": role, "content": f"{role} {number}: {'the tide table of Faro ' * 8}"}
        for number in range(40)
        for role in ("user", "assistant")
    ]
    sent = memory.session("s").before_model(
        [*given, {"role": "user", "content": "And?"}], limits=SMALL
    )
    assert sent.compacting.made == "rule"
    until(lambda: found(memory) == [FULLER])
    assert FULLER in summary(memory)


def test_a_summariser_of_the_caller_leaves_nothing_to_do(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot)
    talked(memory)
    done = memory.session("s").compact(limits=SMALL, summariser=lambda *_: "The caller's own.")
    memory.admin.flush()
    assert (done.made, parrot.prompts, found(memory)) == ("model", [], ["The caller's own."])


def test_a_failed_call_leaves_the_rules_summary_and_the_work_queued(
    opened: Open, clock: FakeClock
) -> None:
    memory = opened(ScriptedLLM(LLMError("the endpoint is gone; see llm_url")))
    talked(memory)
    done = memory.session("s").compact(limits=SMALL)
    memory.admin.flush()
    assert done.summary in summary(memory)
    (said,) = memory.admin.status().degraded
    assert "the endpoint is gone; see llm_url" in said
    memory = opened(ScriptedLLM("", "far too long " * 2000, FULLER))
    for _ in range(2):
        memory.admin.flush()
        assert done.summary in summary(memory)
        (said,) = memory.admin.status().degraded
        assert "of no use" in said
        clock.advance(days=1)
    memory.admin.flush()
    assert FULLER in summary(memory)
    assert memory.admin.status().degraded == ()


def test_it_begins_anew_where_the_conversation_was_compacted_meanwhile(opened: Open) -> None:
    parrot = Parrot(lambda prompt: FULLER + ("\n- 90: too." if "Part 59 " in prompt else ""))
    memory = opened(parrot)
    talked(memory)
    memory.session("s").compact(limits=SMALL)

    def further() -> None:
        parrot.meanwhile = lambda: None
        talked(memory, 40, start=30)
        memory.session("s").compact(limits=SMALL)

    parrot.meanwhile = further
    memory.admin.flush()
    assert found(memory) == [FULLER + "\n- 90: too."]
    assert len(parrot.prompts) == 2
    assert "Part 0 is sound" in parrot.prompts[1], "the messages are read, not an older summary"


def test_a_long_conversation_is_summarised_in_pieces(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot)
    chat = memory.session("s")
    for number in range(60):
        chat.append("user", f"Crate {number} holds {'lanterns and ' * 400}ropes.")
        chat.append("assistant", "I see.")
    done = chat.compact(limits=Limits(max_input_tokens=30_000))
    memory.admin.flush()
    assert len(parrot.prompts) > 2
    numbers = [n for n in range(60) if f"Crate {n} holds" in "".join(parrot.prompts)]
    assert len(numbers) == sum(chat.expand(id).text.startswith("Crate") for id in done.summarised)
    assert FULLER in parrot.prompts[-1]
    assert found(memory) == [FULLER]


def test_it_counts_in_the_days_budget(opened: Open, clock: FakeClock) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot, llm_daily_tokens=120)
    for session in ("one", "two"):
        talked(memory, session=session)
        memory.session(session).compact(limits=SMALL)
    memory.admin.flush()
    assert (len(parrot.prompts), memory.admin.status().tokens) == (1, 120)
    assert any("llm_daily_tokens" in said for said in memory.admin.status().degraded)
    clock.advance(days=1)
    memory.admin.flush()
    assert found(memory) == [FULLER, FULLER]


def test_what_a_days_budget_cannot_pay_is_not_begun(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot, llm_daily_tokens=20_000)
    chat = memory.session("s")
    for number in range(60):
        chat.append("user", f"Crate {number} holds {'lanterns and ' * 400}ropes.")
        chat.append("assistant", "I see.")
    done = chat.compact(limits=Limits(max_input_tokens=30_000))
    memory.admin.flush()
    assert (parrot.prompts, found(memory)) == ([], [done.summary])
    (said,) = memory.admin.status().degraded
    assert "llm_daily_tokens" in said
    memory = opened(parrot)
    memory.admin.flush()
    assert found(memory) == [FULLER]


def test_forgetting_a_conversation_ends_the_work_at_it(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot)
    for session in ("s", "t"):
        talked(memory, session=session)
        memory.session(session).compact(limits=SMALL)
    memory.forget(session_id="s")
    memory.admin.flush()
    assert (len(parrot.prompts), found(memory)) == (1, [FULLER])
    talked(memory)
    memory.session("s").compact(limits=SMALL)
    parrot.meanwhile = lambda: memory.forget(everything=True)
    memory.admin.flush()
    assert found(memory) == []
    assert memory.admin.status().degraded == ()
    assert memory.admin.status().memories == 0


def test_what_is_forgotten_leaves_the_models_summary(opened: Open) -> None:
    parrot = Parrot(lambda prompt: "1: Part 3 was there." if "Part 3 is" in prompt else FULLER)
    memory = opened(parrot)
    talked(memory)
    memory.session("s").compact(limits=SMALL)
    memory.admin.flush()
    assert found(memory) == ["1: Part 3 was there."]
    (gone,) = [m.id for m in memory.session("s").messages() if m.text.startswith("Part 3 is")]
    memory.forget(gone)
    assert "Part 3 " not in found(memory)[0]
    memory.admin.flush()
    assert found(memory) == [FULLER]


def test_no_secret_and_nothing_recalled_reaches_the_model(opened: Open) -> None:
    parrot = Parrot(lambda _: FULLER)
    memory = opened(parrot)
    memory.add("The red boat belongs to Mirela.")
    chat = memory.session("s")
    chat.append("user", f"{memory.context('red boat').text}\nMy key is {TOKEN}, keep it.")
    talked(memory)
    memory.session("s").compact(limits=SMALL)
    memory.admin.flush()
    seen = "".join(parrot.prompts)
    assert "keep it." in seen
    assert TOKEN[:12] not in seen
    assert "belongs to Mirela" not in seen


def test_nobody_waits_while_it_thinks(opened: Open) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def think() -> None:
        asked.set()
        go_on.wait()

    memory = opened(Parrot(lambda _: FULLER, meanwhile=think), background=True)
    try:
        talked(memory)
        memory.session("s").compact(limits=SMALL)
        asked.wait()
        talked(memory, 3, session="other")
        memory.delete(memory.add("A note.").id)
        memory.close()
    finally:
        go_on.set()
    memory = opened(Parrot(lambda _: FULLER))
    memory.admin.flush()
    assert found(memory) == [FULLER]
