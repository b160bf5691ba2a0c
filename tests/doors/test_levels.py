"""The levels of a memory: made by rule, within their caps, and made anew with the content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina import Level, Memory, MemoryRecord
from lamina.pipeline.levels import ABSTRACT_TOKENS, OVERVIEW_TOKENS, text_at
from lamina.testing.fakes import FakeClock
from lamina.text.tokens import count_tokens

CLOCK = FakeClock()
MEETING = """Hi all, thanks for coming today. It was a nice morning and everyone had coffee first.
We talked a bit about the weekend and the weather. Someone showed pictures of a dog.

The billing service moves from MySQL to PostgreSQL 16 because the customer needs row-level security.
Dr. Amara Obi will own the migration. It took some time to agree. The deadline is 30 June.
Then lunch arrived and we paused for a while. Nobody had further questions about that.
The room was rather warm in the afternoon. We finished a little late."""
ZH_MEETING = (
    "大家好，今天我们开个会。天气不错，大家都来了。先说一下上周的事情，上周整体还可以。"
    "我们项目的数据库用的是 PostgreSQL，连接池最大 100，读写分离，主库写从库读。"
    "决定选择本地部署方案，因为客户有数据安全要求。小张负责部署，截止日期是 6 月 30 日。"
    "然后大家聊了聊午饭，中午去吃了面条。下午又讨论了一些别的事情，没有什么结论。谢谢大家。"
)


def plan(sections: int) -> str:
    lines = ["# Rollout plan", ""]
    for n in range(sections):
        lines += [f"## Region {n}", "", f"- host r{n} runs Debian {n}", f"1. owner is Engineer{n}"]
        lines += ["", f"We chose option {n} for region {n}. " + "Words come and go. " * 30, ""]
    return "\n".join(lines)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(tmp_path, embedder="none", background=False) as opened:
        yield opened


def record(memory: Memory, text: str) -> MemoryRecord:
    found = memory.get(memory.add(text).id)
    assert isinstance(found, MemoryRecord)
    return found


def test_a_short_memory_has_no_levels_of_its_own(memory: Memory) -> None:
    found = record(memory, "The heron eats fish.")
    assert (found.abstract, found.overview) == ("", "")


@pytest.mark.parametrize(
    ("text", "told", "untold"),
    [
        (MEETING, ["PostgreSQL 16", "Dr. Amara Obi will own", "30 June"], ["coffee", "lunch"]),
        (
            ZH_MEETING,
            ["PostgreSQL，连接池最大 100", "本地部署方案", "6 月 30 日"],
            ["大家好", "面条"],
        ),
    ],
)
def test_an_abstract_is_what_tells_most_not_what_comes_first(
    memory: Memory, text: str, told: list[str], untold: list[str]
) -> None:
    found = record(memory, text)
    assert 0 < count_tokens(found.abstract) <= ABSTRACT_TOKENS
    assert found.overview == ""
    assert [words for words in told if words not in found.abstract] == []
    assert [words for words in untold if words in found.abstract] == []


def test_an_overview_keeps_headings_and_lists(memory: Memory) -> None:
    found = record(memory, plan(60))
    lines = found.overview.splitlines()
    assert ABSTRACT_TOKENS < count_tokens(found.overview) <= OVERVIEW_TOKENS
    assert lines[0] == "# Rollout plan"
    assert lines.index("## Region 3") < lines.index("- host r3 runs Debian 3")
    assert lines.index("- host r3 runs Debian 3") < lines.index("## Region 4")
    assert sum(line.startswith("## Region ") for line in lines) > 40
    assert 0 < count_tokens(found.abstract) <= ABSTRACT_TOKENS


def test_headings_alone_cannot_fill_an_overview(memory: Memory) -> None:
    text = "\n".join(f"# Chapter {n}\n\n### Detail {n} of {n}\n\nFact {n}." for n in range(400))
    overview = record(memory, text).overview
    assert count_tokens(overview) <= OVERVIEW_TOKENS
    assert "# Chapter 0" in overview
    assert "Fact " in overview


def bare(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


@given(
    st.lists(
        st.sampled_from(
            [*MEETING.splitlines(), *ZH_MEETING.split("。"), "# 标题", "- a_b `c` **d**", ""]
        ),
        min_size=1,
        max_size=60,
    )
)
def test_levels_hold_only_sentences_of_the_content(lines: list[str]) -> None:
    text = "\n".join(lines)
    for level, cap in ((Level.ABSTRACT, ABSTRACT_TOKENS), (Level.OVERVIEW, OVERVIEW_TOKENS)):
        made = text_at(text, level)
        assert count_tokens(made) <= cap
        for sentence in re.split(r"[；;。\n]|\. ", made):
            assert bare(sentence) in bare(text)


@given(st.text(max_size=3000), st.sampled_from([Level.ABSTRACT, Level.OVERVIEW]))
def test_any_text_has_levels_within_their_caps(text: str, level: Level) -> None:
    cap = {Level.ABSTRACT: ABSTRACT_TOKENS, Level.OVERVIEW: OVERVIEW_TOKENS}[level]
    for given_text in (text, text * 40, "```\n" + text * 5 + "\n```"):
        made = text_at(given_text, level)
        assert count_tokens(made) <= cap
        assert bool(made.strip()) == bool(given_text.strip())


@pytest.mark.parametrize("text", ["数" * 6000, "aZ9+" * 4000, "x " * 9000, "|a|b|\n|-|-|\n" * 900])
def test_what_has_no_sentences_is_cut(memory: Memory, text: str) -> None:
    found = record(memory, text)
    assert 0 < count_tokens(found.abstract) <= ABSTRACT_TOKENS
    assert 0 < count_tokens(found.overview) <= OVERVIEW_TOKENS


# --- given levels, and changes


def test_given_levels_stay_and_too_long_ones_end_with_a_sentence(memory: Memory) -> None:
    now = CLOCK.now()
    memory.add(MemoryRecord("a", MEETING, now, abstract="Of billing.", overview="# Billing"))
    memory.add(MemoryRecord("b", "A note.", now, abstract=MEETING * 3, overview=plan(200)))
    kept, cut = memory.get("a"), memory.get("b")
    assert isinstance(kept, MemoryRecord)
    assert isinstance(cut, MemoryRecord)
    assert (kept.abstract, kept.overview) == ("Of billing.", "# Billing")
    assert MEETING.startswith(cut.abstract)
    assert cut.abstract.endswith(".")
    assert count_tokens(cut.abstract) <= ABSTRACT_TOKENS
    assert count_tokens(cut.overview) <= OVERVIEW_TOKENS


def test_levels_are_made_anew_when_the_content_changes(memory: Memory) -> None:
    id = memory.add(MemoryRecord("a", MEETING, CLOCK.now(), abstract="Of billing.")).id
    assert memory.update(id, pinned=True).abstract == "Of billing."
    changed = memory.update(id, ZH_MEETING)
    assert "本地部署方案" in changed.abstract
    assert memory.update(id, "No meeting.").abstract == ""
    assert "PostgreSQL 16" in memory.correct(id, MEETING).abstract


def test_a_record_put_anew_keeps_the_levels_that_come_with_it(memory: Memory) -> None:
    memory.add(MemoryRecord("a", MEETING, CLOCK.now()))
    first = memory.get("a")
    assert isinstance(first, MemoryRecord)
    memory.add(replace(first, content=ZH_MEETING))
    second = memory.get("a")
    assert isinstance(second, MemoryRecord)
    assert "本地部署方案" in second.abstract
    memory.add(replace(second, content=MEETING, abstract="Of billing."))
    third = memory.get("a")
    assert isinstance(third, MemoryRecord)
    assert third.abstract == "Of billing."


def test_what_talk_adds_to_a_memory_makes_its_levels_anew(memory: Memory) -> None:
    first = memory.add("Ada keeps bees", infer=True).id
    more = "Ada keeps bees on the roof of the town hall, " + ", ".join(
        f"in hive {n} from the valley of Sorrel{n}" for n in range(20)
    )
    added = memory.add(more, infer=True)
    assert (added.decisions[0].action, added.id) == ("merge", first)
    found = memory.get(first)
    assert isinstance(found, MemoryRecord)
    assert 0 < count_tokens(found.abstract) <= ABSTRACT_TOKENS


def test_an_abstract_finds_its_memory_before_others(memory: Memory) -> None:
    now = CLOCK.now()
    filler = "The pond is calm and the reeds are green. " * 12
    memory.add(MemoryRecord("far", filler + "A kingfisher was seen.", now))
    memory.add(MemoryRecord("near", filler, now, abstract="All about the kingfisher"))
    assert [hit.id for hit in memory.search("kingfisher")] == ["near", "far"]


def test_a_hit_shows_the_passage_that_answers(memory: Memory) -> None:
    filler = "The pond is calm and the reeds are green today. " * 60
    text = f"{filler} We decided that Zelda buys the kingfisher on 3 May for 90 euro. {filler}"
    found = record(memory, text)
    assert "kingfisher" in found.abstract
    (hit,) = memory.search("who buys the kingfisher")
    assert "Zelda buys the kingfisher" in hit.text
    assert "Zelda buys the kingfisher" in memory.context("who buys the kingfisher").text


def test_the_files_keep_nothing_of_a_deleted_memory_s_levels(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "s", embedder="none", background=False) as memory:
        levels: dict[str, Any] = {"abstract": "QUOKKA-ABSTRACT", "overview": "QUOKKA-OVERVIEW"}
        memory.add(MemoryRecord("a", MEETING, CLOCK.now(), **levels))
        memory.update("a", MEETING + " QUOKKA-CONTENT")
        assert not memory.delete("a").pending
        files = b"".join(f.read_bytes() for f in (tmp_path / "s").rglob("*") if f.is_file())
    assert b"QUOKKA" not in files
