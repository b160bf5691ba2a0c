"""Whatever the order in which statements arrive, the same is true afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina import Filter, Layer
from lamina.testing.fakes import FakeClock

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
CURRENT = Filter(current=True, layers=(Layer.LONG_TERM,))
ABOUT = [  # what may be said, by what it is about: no two wordings of one thing
    [
        "I live in Porto.",
        "I live in Braga.",
        "I moved to Faro.",
        "我住在青岛。",
        "我现在住在苏州。",
    ],
    ["I work at Birchwell.", "I work at Oakhurst now."],
    ["My name is Jon.", "Sorry, my name is John."],
    ["I love Thai food.", "I don't like Thai food any more."],
    ["我喜欢爵士乐。", "我不喜欢爵士乐了。"],
    ["I have a dog named Rufus.", "I have a cat named Olive."],
    ["I'm allergic to walnuts.", "我对海鲜过敏。"],
]
NOTED = [  # what may be noted, without a topic
    ["The gate is locked", "The gate is no longer locked"],
    ["大门锁着", "大门不再锁着"],
    ["The printer jams", "The printer never jams"],
]
Said = Sequence[tuple[int, str]]  # each of its day


def any_order(pool: Sequence[Sequence[str]]) -> st.SearchStrategy[tuple[Said, Said]]:
    """Some statements in order, and in another one."""
    text = st.sampled_from([text for texts in pool for text in texts])
    in_order = st.lists(text, min_size=2, max_size=6).map(lambda texts: list(enumerate(texts)))
    return in_order.flatmap(lambda said: st.tuples(st.just(said), st.permutations(said)))


def true_at_the_end(said: Said, *, noted: bool) -> list[str]:
    """What holds after statements were heard, or notes made, one by one as they came."""
    clock = FakeClock(START, "Asia/Shanghai")

    def go_to(day: int) -> datetime:
        at = START + timedelta(days=day)
        clock.advance(seconds=(at - clock.now()).total_seconds())
        return at

    with (
        tempfile.TemporaryDirectory() as folder,
        lamina.open(Path(folder), embedder="none", clock=clock, background=False) as memory,
    ):
        for day, text in said:
            at = go_to(day)
            if noted:
                memory.add(text, infer=True)
            else:
                memory.session("s").append("user", text, created_at=at)
                memory.list()
        go_to(90)
        return sorted(record.content for record in memory.list(filter=CURRENT, limit=100))


@settings(max_examples=60, deadline=None)
@given(any_order(ABOUT))
def test_any_order_of_statements_gives_the_same_facts(orders: tuple[Said, Said]) -> None:
    in_order, as_they_came = (true_at_the_end(said, noted=False) for said in orders)
    assert as_they_came == in_order


@settings(max_examples=60, deadline=None)
@given(any_order(NOTED))
def test_any_order_of_notes_gives_the_same_facts(orders: tuple[Said, Said]) -> None:
    in_order, as_they_came = (true_at_the_end(said, noted=True) for said in orders)
    assert as_they_came == in_order
