"""The contract of stores, of what facts need: reading, topics, times of events, decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from lamina.errors import AlreadyReadError, ConflictError, InvalidInputError
from lamina.ports.store import Store
from lamina.testing.samples import (
    ANN,
    BOB,
    NOON,
    SURROGATE,
    Reader,
    change,
    cut,
    decided,
    noted,
    put,
    raises,
    said,
)
from lamina.types import Action, Decision, Json, Kind, MemoryRecord, Partition

MANY = 3000  # more than a statement takes parameters, or a page holds


def waiting(store: Store, *partitions: Partition, limit: int = MANY) -> list[str]:
    """Ids of the messages that wait to be read."""
    return [message.id for _, message in store.unread(partitions or None, limit)]


def texts(store: Store, *partitions: Partition, item: str | None = None) -> list[str]:
    """What the decisions are about, in order."""
    return [decision.text for _, decision in store.decisions(partitions or [ANN], item=item)]


def happens(id: str, start: int, end: int | None = None) -> MemoryRecord:
    """A memory of an event, so many hours after noon."""
    till = None if end is None else NOON + timedelta(hours=end)
    return replace(noted(id), happens_from=NOON + timedelta(hours=start), happens_to=till)


class Facts:
    """What waits to be read, what memories are about, and what was decided of them."""

    def test_what_a_memory_states_and_tells_of_reads_back(self, store: Store) -> None:
        told = replace(happens("m", 1, 3), topic="user/家\x00'", valid_from=NOON - timedelta(9))
        put(store, told)
        assert store.get([ANN], "m") == (ANN, told)
        (passage,) = store.passages(ANN, list(Reader(ANN).refresh(store).rows)).values()
        assert passage.item == told
        assert store.twins(ANN, told.content) == store.about(ANN, [told.topic]) == [told]
        changed = replace(told, topic="", happens_from=None, happens_to=None, version=2)
        put(store, changed)
        assert store.get([ANN], "m") == (ANN, changed)
        assert not store.about(ANN, [told.topic])

    def test_an_index_knows_a_memory_by_the_time_it_was_said(self, store: Store) -> None:
        put(store, replace(noted("m"), valid_from=NOON - timedelta(days=400)))
        (line,) = Reader(ANN).refresh(store).rows.values()
        assert line[7] == (NOON - timedelta(days=400)).timestamp()

    # --- reading

    def test_messages_wait_to_be_read_oldest_first(self, store: Store) -> None:
        items = [(said(id, session=id), cut(1)) for id in "abc"]
        assert list(store.append(ANN, items, unread={"c", "a", "none"})) == [True] * 3
        store.append(BOB, [(said("d"), []), (said("e"), [])], unread=["d"])
        store.append(ANN, [(said("f"), [])])
        assert waiting(store) == waiting(store, BOB, ANN) == ["a", "c", "d"]
        assert waiting(store, BOB) == ["d"]
        assert waiting(store, Partition("nobody")) == []
        assert waiting(store, limit=2) == waiting(store, BOB, ANN, limit=2) == ["a", "c"]
        assert waiting(store, limit=0) == []
        assert store.unread([], 9) == []
        partition, message = store.unread(None, 9)[-1]
        assert (partition, message) == (BOB, store.messages(BOB, "s")[0])

    def test_a_message_that_is_known_does_not_wait_again(self, store: Store) -> None:
        store.append(ANN, [(said("a"), []), (said("b"), [])], unread=["b"])
        store.exchange(ANN, [], [], read=["b"])
        store.append(ANN, [(said(id), []) for id in "abcc"], unread="abc")
        assert waiting(store) == ["c"]
        store.append(BOB, [(said("a"), [])], unread=["a"])
        assert waiting(store, BOB) == ["a"]

    def test_a_message_waits_until_it_is_read_or_deleted(self, store: Store) -> None:
        store.append(ANN, [(said(id), cut(1)) for id in "abcd"], unread="abcd")
        store.append(BOB, [(said("a"), [])], unread="a")
        store.exchange(ANN, [], [], read=["c", "c"])
        assert waiting(store, ANN) == ["a", "b", "d"]
        assert store.delete(ANN, Kind.MESSAGE, ["a", "c"]) == 2
        assert waiting(store) == ["b", "d", "a"]
        for partition in (BOB, Partition("nobody")):
            with raises(AlreadyReadError):
                store.exchange(partition, [], [], read=["d"])
        assert waiting(store, ANN) == ["b", "d"], "they wait in another partition"
        store.append(ANN, [(said("a"), [])])
        assert waiting(store, ANN) == ["b", "d"], "it came back, and not to be read"
        put(store, noted("b"))
        assert store.delete(ANN, Kind.MEMORY, ["b"]) == 1
        assert waiting(store, ANN) == ["b", "d"]
        assert store.partitions() == [ANN, BOB]

    def test_a_message_is_read_once_and_what_comes_second_is_refused(self, store: Store) -> None:
        store.append(ANN, [(said(id), cut(1)) for id in "abc"], unread="ab")
        put(store, noted("m"))
        new = [(noted("n"), cut(1), change("n"))]
        store.exchange(ANN, [], [], read=["a"])
        store.delete(ANN, Kind.MESSAGE, ["b"])
        counter = store.counter(ANN)
        for id in ("a", "b", "c", "m", "none"):
            with raises(AlreadyReadError):
                store.exchange(
                    ANN, ["m"], new, read=[id], decisions=[decided("lost")], claims=[b"lost"]
                )
        assert store.counter(ANN) == counter
        assert [record.id for _, record in store.memories([ANN])] == ["m"]
        assert texts(store) == []
        assert not store.claimed(ANN, [b"lost"])

    def test_many_wait_and_are_read_at_once(self, store: Store) -> None:
        ids = [f"m{i}" for i in range(MANY)]
        store.append(ANN, [(said(id), []) for id in ids], unread=set(ids))
        assert waiting(store) == ids
        assert waiting(store, ANN, limit=MANY - 1) == ids[:-1]
        store.exchange(ANN, [], [], read=ids[::2], decisions=[decided(id) for id in ids])
        assert waiting(store) == ids[1::2]
        assert texts(store) == ids

    # --- topics and times

    def test_memories_are_found_by_their_topics_oldest_first(self, store: Store) -> None:
        for id, topic in [("c", "user/home"), ("b", "user/name"), ("a", "user/home"), ("d", "")]:
            put(store, replace(noted(id), topic=topic))
        put(store, replace(noted("e"), topic="user/home"), partition=BOB)

        def found(*topics: str) -> list[str]:
            return [record.id for record in store.about(ANN, topics)]

        assert found("user/home") == ["a", "c"]
        assert found("user/name", "user/home", "user/name", "none") == ["a", "b", "c"]
        assert found("User/home") == found("user") == found("user/%") == found() == []
        assert found("") == found("", "none") == [], "no topic is none"
        assert found("user/name", *(f"user/{i}" for i in range(MANY))) == ["b"]
        store.delete(ANN, Kind.MEMORY, ["a"])
        store.exchange(ANN, ["b"], [])
        assert found("user/name", "user/home") == ["c"]

    def test_events_are_found_from_their_begin_up_to_their_end(self, store: Store) -> None:
        put(store, happens("long", 0, 48))
        put(store, happens("point", 2))
        put(store, happens("short", 2, 3))
        put(store, noted("never"))
        put(store, happens("bob", 1, 2), partition=BOB)

        def found(start: int, end: int, *partitions: Partition, tick: int = 0) -> list[str]:
            since = NOON + timedelta(hours=start, microseconds=tick)
            until = NOON + timedelta(hours=end)
            events = store.happening(partitions or [ANN], since, until)
            return [record.id for _, record in events]

        assert found(2, 3) == ["long", "point", "short"]
        assert found(0, 2) == ["long"], "up to, and not at, the time when it ends"
        assert found(2, 3, tick=1) == ["long", "short"], "a point is over at once"
        assert found(3, 9) == ["long"], "an event is over at its end"
        assert found(48, 99) == found(-9, 0) == []
        assert found(-9, 99, BOB, ANN) == ["long", "bob", "point", "short"]
        assert store.happening([], NOON, NOON + timedelta(9)) == []
        ((partition, record),) = store.happening([BOB], NOON, NOON + timedelta(9))
        assert (partition, record) == (BOB, happens("bob", 1, 2))

    # --- decisions

    def test_a_decision_reads_back_as_it_was_noted(self, store: Store) -> None:
        detail: dict[str, Json] = {"content": "燕麦奶", "n": [1, None, {"deep": 2.5}]}
        full = Decision(
            NOON, Action.QUARANTINE, "unsure", "燕麦奶 \x00'\n", "m", "t", "a", detail, waiting=True
        )
        plain = Decision(NOON, Action.SKIP, "known", "")
        store.decide(ANN, [full])
        store.exchange(ANN, [], [], decisions=[plain])
        detail["content"] = "changed by the caller"
        kept = {**detail, "content": "燕麦奶"}
        (_, first), (_, second) = store.decisions([ANN])
        assert replace(first, id=0) == replace(full, detail=kept)
        assert replace(second, id=0) == plain
        assert 0 < first.id < second.id
        assert store.partitions() == [ANN]

    def test_decisions_are_paged_in_order(self, store: Store) -> None:
        for i, partition in enumerate([ANN, BOB, ANN, BOB, ANN]):
            store.decide(partition, [decided(f"d{i}", waiting=i > 1)])
        assert texts(store, BOB, ANN) == ["d0", "d1", "d2", "d3", "d4"]
        assert texts(store, BOB) == ["d1", "d3"]
        everything = store.decisions([ANN, BOB])
        assert [partition for partition, _ in everything] == [ANN, BOB, ANN, BOB, ANN]
        assert store.decisions([BOB, ANN], limit=2) == everything[:2]
        behind = everything[1][1].id
        assert store.decisions([BOB, ANN], after=behind, limit=2) == everything[2:4]
        assert store.decisions([BOB, ANN], waiting=True, limit=2) == everything[2:4]
        assert store.decisions([ANN], waiting=True, after=everything[2][1].id) == everything[4:]
        assert store.decisions([ANN], after=everything[4][1].id) == []
        assert store.decisions([], waiting=True) == store.decisions([ANN], limit=0) == []

    def test_decisions_are_found_by_what_they_name(self, store: Store) -> None:
        first = replace(decided("first", memory="m", message="a"), waiting=True)
        store.decide(ANN, [first, decided("second", target="m"), decided("third")])
        store.decide(ANN, [decided("fourth", memory="a", target="a", message="a")])
        store.decide(BOB, [decided("fifth", memory="m")])
        assert texts(store, item="m") == ["first", "second"]
        assert texts(store, item="a") == ["first", "fourth"]
        assert texts(store, BOB, ANN, item="m") == ["first", "second", "fifth"]
        assert texts(store, item="none") == texts(store, item="") == []
        (_, one), (_, two) = store.decisions([ANN], item="m")
        assert store.decisions([ANN], item="m", after=one.id) == [(ANN, two)]
        assert store.decisions([ANN], item="m", waiting=True) == [(ANN, one)]
        assert store.decisions([ANN], item="m", limit=1) == [(ANN, one)]

    def test_a_decision_with_an_id_replaces_that_of_its_partition_alone(self, store: Store) -> None:
        store.decide(ANN, [decided("a", message="m", waiting=True), decided("b")])
        (_, first), (_, second) = store.decisions([ANN])
        accepted = replace(decided("accepted", memory="n"), id=first.id, action=Action.CREATE)
        store.decide(BOB, [accepted])
        store.exchange(BOB, [], [], decisions=[accepted])
        assert [one for _, one in store.decisions([ANN])] == [first, second]
        assert store.decisions([BOB]) == []
        store.exchange(ANN, [], [], decisions=[accepted, decided("c")])
        assert [one for _, one in store.decisions([ANN])][:2] == [accepted, second]
        assert texts(store) == ["accepted", "b", "c"]
        assert store.decisions([ANN], waiting=True) == store.decisions([ANN], item="m") == []
        store.decide(ANN, [replace(accepted, id=second.id + 1000)])
        assert texts(store) == ["accepted", "b", "c"], "there is none to replace"

    def test_numbers_of_decisions_are_never_used_twice(self, store: Store) -> None:
        put(store, noted("m"))
        store.decide(ANN, [decided("a", memory="m")])
        ((_, gone),) = store.decisions([ANN])
        store.delete(ANN, Kind.MEMORY, ["m"])
        store.decide(ANN, [replace(gone, text="too late"), decided("b")])
        ((_, new),) = store.decisions([ANN])
        assert new.text == "b"
        assert new.id > gone.id

    def test_decisions_go_with_what_they_name(self, store: Store) -> None:
        store.append(ANN, [(said(id), []) for id in "xy"])
        for partition in (ANN, BOB):
            put(store, noted("m"), partition=partition)
            put(store, noted("n"), partition=partition)
            made = decided("made", memory="m", message="x")
            store.decide(partition, [made, decided("replaced", memory="n", target="m")])
            store.decide(partition, [decided("heard", message="x"), decided("named", target="x")])
            store.decide(partition, [decided("other", memory="x", message="m"), decided("bare")])
        everything = texts(store)
        assert store.delete(ANN, Kind.MEMORY, ["none", "x"]) == 0
        assert texts(store) == everything, "nothing was erased"
        assert store.delete(ANN, Kind.MEMORY, ["m", "x"]) == 1
        assert texts(store) == ["heard", "named", "other", "bare"], "x is no memory"
        assert store.delete(ANN, Kind.MESSAGE, ["x", "m"]) == 1
        assert texts(store) == ["named", "other", "bare"], "m is no message"
        assert texts(store, BOB) == everything

    def test_decisions_go_with_what_is_exchanged(self, store: Store) -> None:
        for id in "abc":
            put(store, noted(id))
        store.decide(ANN, [decided("a", memory="a"), decided("b", target="b"), decided("c", "c")])
        (_, first), *_ = store.decisions([ANN])
        undone = replace(first, memory=None, text="undone")
        late = decided("late", memory="c", target="b")
        new = [(noted("a", "Tea"), cut(1), change("a"))]
        store.exchange(ANN, ["a", "b"], new, decisions=[undone, late, decided("new", "d")])
        assert texts(store) == ["undone", "c", "new"]
        put(store, noted("c", version=2))
        assert texts(store, item="c") == ["c"], "a change is no end"

    # --- all or nothing

    def test_an_exchange_that_fails_reads_and_decides_nothing(self, store: Store) -> None:
        store.append(ANN, [(said(id), cut(1)) for id in "xy"], unread="xy")
        put(store, noted("a"))
        store.decide(ANN, [decided("kept", memory="a")])
        (before,) = store.decisions([ANN])
        counter, rows = store.counter(ANN), Reader(ANN).refresh(store).rows
        good = decided("lost", memory="b", message="x")

        def exchange(
            record: MemoryRecord, decisions: Sequence[Decision], partition: Partition = ANN
        ) -> None:
            new = [(noted("b"), cut(1), change("b")), (record, cut(1), change(record.id))]
            read = ["x", "y"] if partition == ANN else []
            store.exchange(partition, ["a"], new, read=read, decisions=decisions)

        for record, decisions, error in [
            (noted("c", version=2), [good], ConflictError),
            (noted("b"), [good, replace(before[1], text="lost")], ConflictError),
            (noted("c", SURROGATE), [good], InvalidInputError),
            (noted("c"), [good, decided(SURROGATE)], InvalidInputError),
        ]:
            for partition in (ANN, BOB):
                with raises(error):
                    exchange(record, decisions, partition)
        assert store.decisions([ANN]) == [before]
        assert waiting(store) == ["x", "y"]
        assert store.memories([ANN]) == [(ANN, noted("a"))]
        assert store.counter(ANN) == counter
        assert Reader(ANN).refresh(store).rows == rows
        assert store.partitions() == [ANN]
        exchange(noted("c"), [good])
        assert texts(store) == ["lost"]
        assert waiting(store) == []

    def test_a_fact_that_cannot_be_encoded_is_refused_and_nothing_written(
        self, store: Store
    ) -> None:
        plain = decided("text")
        for bad in [
            decided(SURROGATE), replace(plain, reason=SURROGATE), replace(plain, memory=SURROGATE),
            replace(plain, target=SURROGATE), replace(plain, message=SURROGATE),
            replace(plain, detail={"a": [{"b": SURROGATE}]}),
        ]:  # fmt: skip
            with raises(InvalidInputError):
                store.decide(ANN, [plain, bad])
            with raises(InvalidInputError):
                store.exchange(ANN, [], [], decisions=[plain, bad])
        with raises(InvalidInputError):
            put(store, replace(noted("m"), topic=SURROGATE))
        with raises(InvalidInputError):
            store.decide(Partition(SURROGATE), [plain])
        assert not store.partitions()

    def test_many_decisions_go_with_one_memory(self, store: Store) -> None:
        put(store, noted("m"))
        some = [decided(f"d{i}", memory="m" if i % 2 else None) for i in range(MANY)]
        store.decide(ANN, some)
        assert len(store.decisions([ANN], item="m")) == MANY // 2
        store.delete(ANN, Kind.MEMORY, ["m"])
        assert texts(store) == [f"d{i}" for i in range(0, MANY, 2)]
