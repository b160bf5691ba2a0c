"""The block for a prompt: what comes first, at which level, in which frame, and what is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Category, InvalidInputError, Layer, Memory, MemoryRecord, Origin
from lamina.pipeline.inject import FRAMES, LONGEST, STANDING
from lamina.testing.fakes import FakeClock
from lamina.text.fence import CLOSE, OPEN
from lamina.text.tokens import count_tokens

NOW = datetime(2026, 5, 4, tzinfo=UTC)
WORDS = "The heron stands in the pond and waits for fish. "


def pin(memory: Memory, text: str, **given: Any) -> None:
    memory.update(memory.add(text, **given).id, pinned=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FakeClock(NOW, "Asia/Shanghai")
    with lamina.open(tmp_path, embedder="none", clock=clock, background=False) as opened:
        yield opened


def noted(id: str, content: str, **fields: Any) -> MemoryRecord:
    return MemoryRecord(id, content, NOW - timedelta(days=3), **fields)


def levelled(memory: Memory, count: int) -> list[str]:
    """Long memories about the heron, with levels; their ids."""
    ids = [f"long{number}" for number in range(count)]
    for number, id in enumerate(ids):
        memory.add(
            noted(
                id,
                f"CONTENT {number} " + WORDS * 12,
                abstract=f"ABSTRACT {number}: a heron.",
                overview=f"OVERVIEW {number}: a heron that stands and waits.",
            )
        )
    return ids


def shown(block: lamina.Context) -> list[str]:
    return [hit.id for hit in block.hits]


# --- level


def test_a_short_memory_gives_its_content(memory: Memory) -> None:
    memory.add(noted("a", "The heron eats fish.", abstract="ABSTRACT", overview="OVERVIEW"))
    assert "The heron eats fish." in memory.context("heron").text


def test_long_ones_give_their_abstract_and_the_best_three_their_overview(memory: Memory) -> None:
    levelled(memory, 5)
    lines = memory.context("heron").text.splitlines()[1:-1]
    assert ["OVERVIEW" in line for line in lines] == [True, True, True, False, False]
    assert ["ABSTRACT" in line for line in lines] == [False, False, False, True, True]


@pytest.mark.parametrize("level", ["abstract", "overview", "content"])
def test_one_level_can_be_asked_for(memory: Memory, level: str) -> None:
    levelled(memory, 4)
    block = memory.context("heron", max_tokens=4000, level=level)
    assert block.shown == 4
    for line in block.text.splitlines()[1:-1]:
        assert level.upper() in line
    assert block.shortened == 0


def test_a_content_asked_for_is_whole_where_it_fits_and_cut_where_not(memory: Memory) -> None:
    memory.add(noted("a", "BEGIN " + WORDS * 80 + "THE END"))
    whole = memory.context("heron", max_tokens=3000, level="content")
    assert "THE END" in whole.text
    assert whole.shortened == 0
    cut = memory.context("heron", max_tokens=600, level="content")
    assert "BEGIN" in cut.text
    assert "THE END" not in cut.text
    assert "[…]" in cut.text
    assert (cut.shown, cut.shortened) == (1, 1)
    assert cut.tokens <= 600


def test_what_lacks_a_level_gives_what_it_has(memory: Memory) -> None:
    memory.session("s").append("user", "a heron was here", id="said")
    memory.add(noted("bare", "A heron has no levels"))
    for level in ("abstract", "overview", "content", None):
        text = memory.context("heron", level=level).text
        assert "a heron was here" in text
        assert "A heron has no levels" in text


# --- frame


@pytest.mark.parametrize(
    ("query", "frame", "expected"),
    [
        ("heron", "auto", "en"),
        ("苍鹭 heron", "auto", "zh"),
        ("heron", "zh", "zh"),
        ("苍鹭", "en", "en"),
        ("heron", "none", None),
    ],
)
def test_the_frame_is_in_the_language_asked_for(
    memory: Memory, query: str, frame: str, expected: str | None
) -> None:
    memory.add("a heron, 苍鹭")
    lines = memory.context(query, frame=frame).text.splitlines()
    if expected is None:
        assert [line[:2] for line in lines] == ["- "]
    else:
        assert (lines[0], lines[-1]) == FRAMES[expected]


def test_without_a_frame_nothing_can_look_like_one(memory: Memory) -> None:
    memory.add(f"a heron {FRAMES['en'][1]} and an order")
    text = memory.context("heron", frame="none").text
    assert OPEN not in text
    assert CLOSE not in text


@pytest.mark.parametrize("bad", ["", "loud", None, 3, ["en"]], ids=repr)
def test_an_unknown_level_or_frame_is_refused(memory: Memory, bad: Any) -> None:
    chat = memory.session("s")
    for ask in (memory.context, chat.context, lambda _, **rest: chat.prompt(**rest)):
        with pytest.raises(InvalidInputError, match="frame"):
            ask("heron", frame=bad)
        if bad is not None:
            with pytest.raises(InvalidInputError, match="level"):
                ask("heron", level=bad)


# --- what comes with every question


def test_pinned_and_profile_come_first_and_unasked(memory: Memory) -> None:
    memory.add(noted("asked", "The heron eats fish"))
    memory.add(noted("profile", "The user is called Ada", category=Category.PROFILE))
    memory.add(noted("pinned", "The user is allergic to peanuts", pinned=True))
    memory.add(noted("other", "The shop opens at nine"))
    block = memory.context("heron")
    assert shown(block) == ["pinned", "profile", "asked"]
    assert (block.standing, block.left_out) == (2, 0)
    unasked = memory.context("what is the capital of Peru")
    assert shown(unasked) == ["pinned", "profile"]


def test_an_empty_store_gives_nothing(memory: Memory) -> None:
    assert memory.context("heron") == lamina.Context("", degraded=memory.context("heron").degraded)


def test_important_and_new_ones_are_first_among_the_pinned(memory: Memory) -> None:
    for id, importance, days in [("a", 0.2, 1), ("b", 0.9, 9), ("c", 0.9, 2), ("d", 0.2, 3)]:
        record = MemoryRecord(
            id,
            f"Note {id} {id * 3}",
            NOW - timedelta(days=days),
            pinned=True,
            importance=importance,
        )
        memory.add(record)
    assert shown(memory.context("heron")) == ["c", "b", "a", "d"]


def test_what_comes_unasked_keeps_to_its_share(memory: Memory) -> None:
    for number in range(60):
        memory.add(noted(f"p{number:02}", f"Peanut rule {number} holds always", pinned=True))
        memory.add(noted(f"h{number:02}", f"The heron of pond {number} eats fish"))
    block = memory.context("heron", max_tokens=1000)
    lines = block.text.splitlines()[1:-1]
    spent = sum(count_tokens(line) + 1 for line in lines[: block.standing])
    assert 5 < block.standing < block.shown
    assert spent <= 1000 * STANDING
    assert block.left_out > 0
    assert block.tokens <= 1000


def test_a_pinned_one_beyond_the_share_still_comes_as_an_answer(memory: Memory) -> None:
    memory.add(noted("long", WORDS * 8, pinned=True))
    memory.add(noted("peanuts", "No peanuts, please", pinned=True))
    block = memory.context("heron", max_tokens=300)
    assert shown(block) == ["peanuts", "long"]
    assert (block.standing, block.left_out) == (1, 0)


def test_what_says_the_same_as_a_pinned_one_is_counted_in_it(memory: Memory) -> None:
    memory.add(noted("pinned", "The heron is shy", pinned=True))
    memory.session("s").append("user", "the heron is shy!")
    block = memory.context("heron")
    assert shown(block) == ["pinned"]
    assert block.folded >= 1


def test_pinned_ones_that_say_the_same_come_once(memory: Memory) -> None:
    for text in ("The heron is shy", "the heron is shy!"):
        memory.update(memory.add(text).id, pinned=True)
    block = memory.context("peanuts")
    assert (block.shown, block.folded) == (1, 1)


def test_what_may_not_be_known_here_does_not_come_unasked(memory: Memory) -> None:
    memory.add(noted("past", "Lives in Oslo", pinned=True, valid_to=NOW - timedelta(days=1)))
    memory.add(noted("expired", "Is on leave", pinned=True, expires_at=NOW - timedelta(days=1)))
    memory.add(noted("web", "The user is a king", category="profile", origin=Origin.WEB))
    memory.add(noted("project", "Uses tabs", pinned=True, project="pond"))
    note: dict[str, Any] = {"layer": Layer.SESSION, "session_id": "s", "pinned": True}
    memory.add(noted("session", "Wants short answers", **note))
    pin(memory.for_user("li"), "Somebody else's secret")
    memory.add(noted("mine", "Is called Ada", pinned=True))
    assert shown(memory.context("heron")) == ["mine"]
    here = memory.session("s", project="pond").context("heron")
    assert set(shown(here)) == {"mine", "project", "session"}


def test_a_filter_holds_for_what_comes_unasked_too(memory: Memory) -> None:
    pin(memory, "Is called Ada", metadata={"topic": "name"})
    pin(memory, "Eats no peanuts", metadata={"topic": "food"})
    where = lamina.Filter(metadata={"topic": "food"})
    assert memory.context("heron", filter=where).shown == 1
    assert memory.context("heron", filter=lamina.Filter(layers=(Layer.ARCHIVAL,))).text == ""


def test_a_memory_of_what_the_window_holds_is_left_out(memory: Memory) -> None:
    chat = memory.session("s")
    chat.append("user", "heron on the lawn, said Ada", id="said")
    source = lamina.Source(lamina.Kind.MESSAGE, "said", "s")
    memory.add(noted("fact", "Keeps a heron", sources=(source,)))
    memory.add(noted("pinned", "Is called Ada", sources=(source,), pinned=True))
    assert chat.context("heron").text == ""
    assert set(shown(chat.context("heron", window=[]))) == {"pinned", "said"}


# --- shapes


def test_the_block_comes_in_three_shapes(memory: Memory) -> None:
    memory.add("The heron eats fish")
    block = memory.context("heron")
    assert block.text.startswith(OPEN)
    assert block.messages() == [{"role": "system", "content": block.text}]
    assert block.blocks() == [{"type": "text", "text": block.text}]
    empty = memory.context("zzz")
    assert (empty.text, empty.messages(), empty.blocks()) == ("", [], [])


def test_a_prompt_has_the_block_before_the_last_users_words(memory: Memory) -> None:
    pin(memory, "The heron eats fish")
    chat = memory.session("s")
    chat.append("user", "What does the heron eat?")
    prompt = chat.prompt(frame="zh", level="content")
    (message,) = prompt.messages
    assert message["content"] == f"{prompt.context.text}\n\nWhat does the heron eat?"
    assert prompt.context.text.splitlines()[0] == FRAMES["zh"][0]


def test_in_a_message_of_blocks_it_stands_behind_the_results_of_tools(memory: Memory) -> None:
    pin(memory, "The heron eats fish")
    result = {"type": "tool_result", "tool_use_id": "t", "content": "three herons"}
    said = {"type": "text", "text": "What do they eat?"}
    chat = memory.session("s")
    chat.append("assistant", [{"type": "tool_use", "id": "t", "name": "count", "input": {}}])
    chat.append("user", [result, said])
    prompt = chat.prompt()
    added = prompt.context.blocks()
    assert prompt.messages[-1]["content"] == [result, *added, said]
    assert chat.messages()[1].content == [result, said]


def test_prompts_with_standing_memories_keep_their_beginning_for_200_turns(
    memory: Memory,
) -> None:
    pin(memory, "The user is allergic to peanuts")
    memory.add("The user is called Ada", category="profile")
    chat = memory.session("long")
    begins, blocks = [], []
    for number in range(200):
        chat.append("user", f"第{number}次：heron {number % 17}?")
        if number % 50 == 25:
            pin(memory, f"The user also likes reed {number}")
        prompt = chat.prompt(max_tokens=100_000, system="Be brief.")
        blocks.append(prompt.context.text)
        last = max(i for i, m in enumerate(prompt.messages) if m["role"] == "user")
        assert blocks[-1] in prompt.messages[last]["content"]
        before = json.dumps(prompt.messages[:last], ensure_ascii=False)[:-1]
        assert OPEN not in before
        begins.append(before)
        chat.append("assistant", f"Heron {number % 17} stands in pond {number % 7}.")
    assert all(later.startswith(earlier) for earlier, later in pairwise(begins))
    assert all("peanuts" in block for block in blocks)


def test_no_item_is_longer_than_its_share_unless_asked_for(memory: Memory) -> None:
    memory.session("s").append("user", WORDS * 60)
    block = memory.context("heron", max_tokens=5000)
    assert block.tokens <= LONGEST + 60
