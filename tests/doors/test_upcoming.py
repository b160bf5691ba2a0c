from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory, MemoryRecord
from lamina.testing.fakes import FakeClock

ZONE = "Asia/Shanghai"
MONDAY = datetime(2026, 5, 4, 2, tzinfo=UTC)  # ten in the morning there
QUESTION = "Tell me about octopuses."


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(MONDAY, ZONE)


@pytest.fixture
def mine(folder: Path, clock: FakeClock) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, clock=clock) as memory:
        yield memory


def plan(memory: Memory, text: str, hours: float, lasts: float = 1, **more: Any) -> str:
    start = MONDAY + timedelta(hours=hours)
    end = start + timedelta(hours=lasts)
    id = more.pop("id", text)
    record = MemoryRecord(id, text, MONDAY, happens_from=start, happens_to=end, **more)
    return memory.add(record).id


def shown(memory: Memory, **more: Any) -> list[str]:
    return [hit.id for hit in memory.context(QUESTION, **more).hits]


def test_a_plan_comes_unasked_from_the_day_before_until_it_is_over(
    mine: Memory, clock: FakeClock
) -> None:
    mine.session("s").append("user", "I have a dentist appointment on 6 May 2026 at 3pm.")
    assert len(mine.list()) == 1
    seen = []
    for _ in range(4 * 24):
        found = mine.context(QUESTION).text
        if "dentist" in found:
            assert "upcoming, 2026-05-06 15:00" in found
            seen.append(clock.now().astimezone(clock.zone))
        clock.advance(hours=1)
    assert (seen[0].day, seen[0].hour) == (5, 0)
    assert (seen[-1].day, seen[-1].hour) == (6, 15)
    assert len(seen) == 40


def test_a_moved_plan_comes_at_its_new_time_and_a_cancelled_one_never(
    mine: Memory, clock: FakeClock
) -> None:
    talk = mine.session("s")
    talk.append("user", "I have a dentist appointment on 6 May 2026 at 3pm.")
    talk.append("user", "My dentist appointment was moved to 8 May 2026 at 4pm.")
    talk.append("user", "I have a haircut appointment on 6 May 2026 at 9am.")
    talk.append("user", "I cancelled my haircut appointment.")
    clock.advance(days=1)
    assert "upcoming" not in mine.context(QUESTION).text
    clock.advance(days=2)
    assert "upcoming, 2026-05-08 16:00" in mine.context(QUESTION).text


def test_the_nearest_come_first_and_what_lasts_long_when_it_begins(
    mine: Memory, clock: FakeClock
) -> None:
    plan(mine, "The fair lasts all month", 20, lasts=24 * 30, id="fair")
    plan(mine, "Tea with Odile", 30, id="tea")
    plan(mine, "Boat to Faro", 3, id="boat")
    plan(mine, "A party next week", 24 * 8, id="party")
    assert shown(mine) == ["boat", "fair", "tea"]
    clock.advance(days=3)
    assert shown(mine) == []


def test_only_what_holds_and_concerns_this_user_is_upcoming(mine: Memory) -> None:
    plan(mine, "Tea with Odile", 5, id="over", valid_to=MONDAY - timedelta(hours=1))
    plan(mine, "A talk, says a web page", 5, id="web", origin=lamina.Origin.WEB)
    plan(mine, "A document's day", 5, id="old", layer=lamina.Layer.ARCHIVAL)
    plan(mine, "Release day", 5, id="release", project="apollo")
    plan(mine.for_user("ann"), "Ann's tea", 5, id="ann")
    assert shown(mine) == []
    assert shown(mine, filter=lamina.Filter(project="apollo")) == ["release"]
    assert shown(mine.for_user("ann")) == ["ann"]


def test_the_label_is_in_the_language_of_the_block(mine: Memory) -> None:
    plan(mine, "和小林喝茶", 24)
    assert "即将到来，2026-05-05 10:00" in mine.context("讲讲章鱼吧", frame="auto").text
    plan(mine, "A day at sea", 14, lasts=24)
    assert "upcoming, 2026-05-05)" in mine.context("octopuses", frame="none").text


def test_it_leaves_room_for_the_rest(mine: Memory) -> None:
    for number in range(30):
        plan(mine, f"Meeting number {number} about the yearly budget of the office", 5 + number / 9)
    mine.add("The octopuses of the aquarium are called Ada and Bea")
    block = mine.context(QUESTION, max_tokens=400)
    assert "Ada and Bea" in block.text
    assert block.tokens <= 400
    assert 1 <= block.standing <= 8
