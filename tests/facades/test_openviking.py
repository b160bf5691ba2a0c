"""The OpenViking façade: the walk-through of its own text, and what that text got wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import InvalidInputError
from lamina.facades.openviking import ContextEntry, MemoryExtractor, OpenVikingStore

DATABASE = "我们项目的数据库用的是 PostgreSQL，连接池最大 100，读写分离，主库写从库读"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OpenVikingStore]:
    with OpenVikingStore(tmp_path, embedder="none", background=False) as opened:
        yield opened


def database(store: OpenVikingStore) -> ContextEntry:
    return store.put(
        ContextEntry(
            uri="ov://memory/s1/facts/db",
            l0="数据库：PostgreSQL，读写分离",
            l1="## 数据库\n\n- 连接池最大 100\n- 主库写，从库读",
            l2=DATABASE,
            metadata={"category": "entities", "topic": "storage"},
        )
    )


# --- the walk-through


def test_messages_are_kept_in_order(store: OpenVikingStore) -> None:
    store.add_message("s1", {"role": "user", "content": "今天早上吃了面条"})
    store.add_message("s1", "assistant", "好的")
    store.add_message("s1", "再见")
    assert store.get_messages("s1") == [
        {"role": "user", "content": "今天早上吃了面条"},
        {"role": "assistant", "content": "好的"},
        {"role": "user", "content": "再见"},
    ]
    assert store.get_messages("s2") == []


def test_facts_are_lines(store: OpenVikingStore) -> None:
    facts = ["用户偏好：叫他小张", "项目技术栈：.NET 8 + SQLite", "上次决策：选择了本地部署方案"]
    decisions = [store.add_fact(fact, "s1") for fact in facts]
    assert [one.decision for one in decisions] == ["create"] * 3
    assert store.facts() == facts
    kinds = [one.entry.metadata["category"] for one in decisions if one.entry is not None]
    assert kinds == ["preferences", "entities", "events"]


def test_an_entry_has_three_levels_and_answers_to_its_uri(store: OpenVikingStore) -> None:
    entry = database(store)
    assert store.get("ov://memory/s1/facts/db") == entry
    assert entry.l0 == "数据库：PostgreSQL，读写分离"
    assert entry.l1 is not None
    assert "连接池最大 100" in entry.l1
    assert entry.l2 == DATABASE
    assert entry.metadata == {"category": "entities", "topic": "storage"}
    assert store.get("ov://memory/s1/facts/none") is None
    assert store.facts() == ["数据库：PostgreSQL，读写分离"]


def test_a_find_in_l0_is_worth_ten_and_in_l2_three(store: OpenVikingStore) -> None:
    best = ContextEntry(uri="ov://memory/s1/facts/a", l0="数据库：PostgreSQL，读写分离")
    deep = ContextEntry(uri="ov://memory/s1/facts/b", l0="连接", l2="数据库连接池最大 100")
    assert store.calculate_relevance_score("数据库", best) == 10
    assert store.calculate_relevance_score("数据库", deep) == 3
    store.put(deep)
    store.put(best)
    store.put(ContextEntry(uri="ov://memory/s1/facts/c", l0="午饭吃面条"))
    assert [entry.uri[-1] for entry in store.search("数据库")] == ["a", "b"]
    assert [entry.uri[-1] for entry in store.search("数据库", top_k=1)] == ["a"]


def test_what_is_said_again_is_skipped_and_what_is_new_kept(store: OpenVikingStore) -> None:
    first = store.add_fact("项目数据库使用 PostgreSQL")
    again = store.add_fact("项目数据库使用PostgreSQL。")
    assert (first.decision, again.decision) == ("create", "skip")
    assert again.entry == first.entry
    more = store.add_fact("项目数据库使用 PostgreSQL，连接池最大 100")
    assert more.decision == "merge"
    assert store.facts() == ["项目数据库使用 PostgreSQL，连接池最大 100"]


def test_facts_are_drawn_from_a_session_once(store: OpenVikingStore) -> None:
    store.add_message("s1", "user", "我住在苏州。")
    store.add_message("s1", "assistant", "您大概喜欢园林。")
    (decision,) = store.extract("s1")
    assert (decision.decision, decision.text) == ("create", "用户住在苏州")
    entry = decision.entry
    assert entry is not None
    assert entry.uri.startswith("ov://memory/s1/profile/用户住在苏州~")
    assert store.get(entry.uri) == entry
    assert store.facts() == ["用户住在苏州"]
    assert store.extract("s1") == []
    assert MemoryExtractor(store).extract("s1") == []


# --- what the text got wrong


def test_words_are_found_whatever_their_case_and_order(store: OpenVikingStore) -> None:
    database(store)
    for query in (
        "postgresql",
        "数据库用的什么",
        "數據庫",
        "ＰｏｓｔｇｒｅＳＱＬ",
        "读写分离 数据库",
    ):
        assert [entry.uri for entry in store.search(query)] == ["ov://memory/s1/facts/db"], query


@pytest.mark.parametrize("query", ["", "  ", "？！"])
def test_an_empty_query_finds_nothing(store: OpenVikingStore, query: str) -> None:
    entry = database(store)
    assert store.calculate_relevance_score(query, entry) == 0
    assert store.search(query) == []


def test_every_level_counts_once_and_none_may_be_missing(store: OpenVikingStore) -> None:
    def score(query: str, **levels: Any) -> int:
        return store.calculate_relevance_score(query, ContextEntry(**levels))

    assert score("db", l0="db", l1="db", l2="db") == 10
    assert score("db", l0="the db", l1="a db", l2="one db") == 18
    assert score("db", metadata={"topic": "db"}) == 2
    assert score("db", metadata={"db": "x"}) == 0
    assert score("db", uri="ov://memory/s/facts/db") == 1
    assert score("memory", uri="ov://memory/s/facts/db") == 0
    assert score("db") == 0
    everything = {"l0": "a db", "l1": "the db", "l2": "db", "metadata": {"t": "my db"}}
    assert score("db", uri="ov://memory/db/x", **everything) == 21


def test_the_score_orders_before_recall_does(store: OpenVikingStore) -> None:
    for number in range(8):
        store.put(ContextEntry(f"ov://memory/s/f/{number}", l2=f"数据库 数据库 数据库 {number}"))
    store.put(ContextEntry("ov://memory/s/f/top", l0="数据库 " + "很长的一行 " * 8, l2="别的"))
    found = store.search("数据库", top_k=20)
    scores = [store.calculate_relevance_score("数据库", entry) for entry in found]
    assert scores == sorted(scores, reverse=True)
    assert len(found) == 9


def test_memory_is_the_user_s_and_outlives_session_and_process(tmp_path: Path) -> None:
    with OpenVikingStore(tmp_path, embedder="none", background=False) as store:
        store.add_message("a/../b %", "user", "I live in Porto.")
        (decision,) = store.extract("a/../b %")
        entry = decision.entry
        assert entry is not None
        assert entry.uri.startswith("ov://memory/a%2F..%2Fb%20%25/profile/")
        database(store)
    with OpenVikingStore(tmp_path, embedder="none", background=False) as store:
        assert store.get(entry.uri) == entry
        assert store.extract("a/../b %") == []
        assert [one.uri for one in store.search("Porto")] == [entry.uri]
        store.add_message("other", "user", "I live in Porto.")
        (again,) = store.extract("other")
        assert (again.decision, again.entry) == ("skip", entry)
        assert len(store.facts()) == 2


def test_a_newer_fact_replaces_the_older(store: OpenVikingStore) -> None:
    store.add_message("s1", "user", "我住在苏州。")
    (old,) = store.extract("s1")
    store.add_message("s1", "user", "我搬家了，现在住在青岛。")
    (new,) = store.extract("s1")
    assert old.entry is not None
    assert (new.decision, new.reason, new.target) == ("merge", "newer", old.entry.uri)
    assert store.facts() == ["用户住在青岛"]
    assert [entry.l2 for entry in store.search("住在")] == ["用户住在青岛"]


def test_facts_are_one_line_each_and_within_their_budget(store: OpenVikingStore) -> None:
    store.add_fact("first\nsecond line")
    for number in range(50):
        store.add_fact(f"Server number {number} stands in hall {number * 7}")
    assert store.facts()[0] == "first second line"
    few = store.facts(max_tokens=60)
    assert 0 < len(few) < 10
    assert few[-1] == store.facts()[-1]


def test_an_entry_is_put_anew_under_its_uri(store: OpenVikingStore) -> None:
    database(store)
    store.put(ContextEntry("ov://memory/s1/facts/db", l0="数据库：MySQL", l2="换成了 MySQL 8"))
    entry = store.get("ov://memory/s1/facts/db")
    assert entry is not None
    assert (entry.l0, entry.l1, entry.l2) == ("数据库：MySQL", None, "换成了 MySQL 8")
    assert store.search("连接池") == []
    assert len(store.memory.history("ov://memory/s1/facts/db")) == 2


def test_the_same_text_twice_is_one_entry_that_answers_to_both(store: OpenVikingStore) -> None:
    one = store.put(ContextEntry("ov://memory/s1/facts/a", l2="The port is 5432"))
    two = store.put(ContextEntry("ov://memory/s1/facts/b", l2="The port is 5432"))
    assert one.uri == two.uri
    assert store.get("ov://memory/s1/facts/b") == store.get("ov://memory/s1/facts/a")
    assert len(store.facts()) == 1


def test_what_an_entry_lacks_is_made(store: OpenVikingStore) -> None:
    long = "The pond is calm. " * 40 + "Ada decided to buy the blue heron on 3 May for 90 euro."
    entry = store.put(ContextEntry(l2=long, metadata={"category": "cases"}))
    assert entry.uri.startswith("ov://memory/user/cases/the-pond-is-calm")
    assert entry.l0 is not None
    assert "blue heron" in entry.l0
    assert store.get(entry.uri) == entry
    only = store.put(ContextEntry(l0="Only a line"))
    assert (only.l0, only.l2) == ("Only a line", "Only a line")


def test_secrets_do_not_enter_memory(store: OpenVikingStore) -> None:
    key = "sk-" + "abcdefgh12345678" * 2
    store.add_fact(f"The key is {key}")
    store.put(ContextEntry("ov://memory/s/f/k", l0=f"key {key}", l2=f"the key: {key}"))
    assert key not in str(store.facts()) + str(store.get("ov://memory/s/f/k"))


def test_nobody_sees_another_s(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none", background=False) as memory:
        zhang, li = (OpenVikingStore(memory, user_id=name) for name in ("zhang", "li"))
        database(zhang)
        assert li.search("数据库") == []
        assert li.get("ov://memory/s1/facts/db") is None
        li.close()
        assert zhang.search("数据库")


def test_many_threads_may_add(store: OpenVikingStore) -> None:
    def add(name: str) -> None:
        for number in range(10):
            store.add_message("s", "user", f"{name} says {number}")

    threads = [threading.Thread(target=add, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.get_messages("s")) == 40


def test_bad_input_is_refused(store: OpenVikingStore) -> None:
    refused: list[Any] = [
        lambda: store.put(ContextEntry(l0=" ")),
        lambda: store.put(ContextEntry("file:///etc/passwd", l0="x")),
        lambda: store.add_fact(""),
        lambda: store.add_fact(7),  # type: ignore[arg-type]
        lambda: store.search("x", top_k=0),
        lambda: store.get(None),  # type: ignore[arg-type]
        lambda: store.facts(max_tokens=-1),
        lambda: store.add_fact("x y z", category="wishes"),
    ]
    for call in refused:
        with pytest.raises(InvalidInputError):
            call()
