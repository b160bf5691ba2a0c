"""The contract of stores, of forgetting: messages with memories, sessions, and all of a user."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from lamina.errors import ConflictError, InvalidInputError
from lamina.ports.store import Counts, Store
from lamina.testing.samples import (
    ANN,
    BOB,
    NOON,
    SPACE,
    SURROGATE,
    Reader,
    change,
    cut,
    decided,
    embed_all,
    noted,
    put,
    raises,
    said,
    waiting,
)
from lamina.types import Event, Kind, SessionInfo


class Forgetting:
    """What goes goes as a whole, and nothing takes its place unnoticed."""

    def test_messages_memories_and_what_is_made_again_go_in_one_exchange(
        self, store: Store
    ) -> None:
        store.use_space(SPACE)
        store.append(ANN, [(said(id), cut(1)) for id in "abc"], unread=["a", "c"])
        for id in ("m", "merged", "kept"):
            put(store, noted(id))
        store.decide(ANN, [decided("of a", message="a"), decided("of b", message="b")])
        embed_all(store)
        again = [(noted("merged"), cut(1), change("merged"))]
        ahead = [(noted("merged", version=3), cut(1), change("merged"))]
        with raises(ConflictError):
            store.exchange(ANN, ["m"], ahead, unsaid=["a"], claims=[b"claim"])
        assert store.counts([ANN]).messages == 3
        assert not store.claimed(ANN, [b"claim"])
        reader = Reader(ANN).refresh(store)
        store.exchange(ANN, ["m", "merged", "none"], again, unsaid=["a", "none"], claims=[b"claim"])
        assert [message.id for message in store.messages(ANN, "s")] == ["b", "c"]
        assert [record.id for _, record in store.memories([ANN])] == ["merged", "kept"]
        assert store.claimed(ANN, [b"claim"]) == {b"claim"}
        assert [decision.text for _, decision in store.decisions([ANN])] == ["of b"]
        assert [message.id for _, message in store.unread([ANN], 9)] == ["c"]
        assert len(store.history(ANN, "merged")) == 1
        assert len(waiting(store)) == 2  # the follower's vectors held the end of what went
        assert reader.refresh(store).rows == Reader(ANN).refresh(store).rows

    def test_a_session_goes_with_its_messages_alone(self, store: Store) -> None:
        items = [(said(id, session=id[0]), cut(1)) for id in ("a1", "a2", "b1")]
        store.append(ANN, items, unread=["a1"])
        store.put_session(ANN, SessionInfo("empty", NOON, NOON, title="only a title"))
        reader = Reader(ANN).refresh(store)
        assert store.drop_session(ANN, "a") == 2
        assert store.drop_session(ANN, "empty") == 0
        assert store.drop_session(ANN, "none") == store.drop_session(BOB, "b") == 0
        assert [info.id for _, info in store.sessions([ANN])] == ["b"]
        assert store.messages(ANN, "a") == []
        assert store.unread(None, 9) == []
        assert reader.refresh(store).rows.keys() == Reader(ANN).refresh(store).rows.keys()
        assert len(reader.rows) == 1
        assert store.append(ANN, [(said("a1", session="a"), cut(1))]) == [True]

    def test_what_was_decided_about_a_session_goes_with_it(self, store: Store) -> None:
        assert store.compaction(ANN, "s") is None
        with raises(ConflictError):
            store.put_compaction(ANN, "s", {"a": 1}, 1)
        store.append(ANN, [(said("a"), [])])
        with raises(ConflictError):
            store.put_compaction(ANN, "s", {"a": 1}, 2)
        store.put_compaction(ANN, "s", {"summary": "燕麦", "cuts": []}, 1)
        store.put_compaction(ANN, "s", {"summary": "oats", "cuts": [{"n": 1}]}, 2)
        for stale in (1, 2, 4):
            with raises(ConflictError):
                store.put_compaction(ANN, "s", {}, stale)
        assert store.compaction(ANN, "s") == (2, {"summary": "oats", "cuts": [{"n": 1}]})
        assert store.compaction(BOB, "s") is None
        store.drop_session(ANN, "s")
        assert store.compaction(ANN, "s") is None
        store.append(ANN, [(said("b"), [])])
        assert store.compaction(ANN, "s") is None
        store.put_compaction(ANN, "s", {"a": 1}, 1)
        store.drop_partition(ANN)
        assert store.compaction(ANN, "s") is None

    def test_of_a_dropped_partition_nothing_is_left(self, store: Store) -> None:
        store.use_space(SPACE)
        for partition in (ANN, BOB):
            store.append(partition, [(said("a"), cut(2))], unread=["a"])
            put(store, replace(noted("m"), topic="user/home", happens_from=NOON), 1, partition)
            store.decide(partition, [decided("told", "m", waiting=True)])
            store.exchange(partition, (), (), claims=[b"claim"])
            embed_all(store, SPACE, partition)
        store.drop_partition(ANN)
        store.drop_partition(ANN)
        assert store.partitions() == [BOB]
        assert store.counter(ANN) == 0
        assert store.counts([ANN]) == Counts()
        assert store.counts([BOB]) == Counts(1, 1, 1, 3, 3, 0)
        assert store.claimed(ANN, [b"claim"]) == set()
        assert store.decisions([ANN]) == []
        assert [partition for partition, _ in store.unread(None, 9)] == [BOB]
        assert store.happening([ANN, BOB], NOON, NOON + timedelta(1))[0][0] == BOB
        assert store.get([ANN], "m") is store.get([ANN], "a") is None
        assert store.history(ANN, "m") == []

    def test_the_log_keeps_events_and_changes_by_their_time(self, store: Store) -> None:
        def between(start: int, end: int) -> tuple[list[str], list[str]]:
            since, until = NOON + timedelta(seconds=start), NOON + timedelta(seconds=end)
            events = [one.name for _, one in store.events([ANN, BOB], since, until)]
            return events, [one.memory for _, one in store.changed([ANN, BOB], since, until)]

        for second, partition in ((2, ANN), (0, BOB), (1, ANN)):
            at = NOON + timedelta(seconds=second)
            store.note(partition, [Event(at, f"e{second}", {"ids": ["燕麦"]})])
            record = noted(f"m{second}")
            store.exchange(partition, (), [(record, [], replace(change(record.id), at=at))])
        counter = store.counter(ANN)
        assert between(0, 9) == (["e0", "e1", "e2"], ["m0", "m1", "m2"])
        assert between(1, 2) == (["e1"], ["m1"])
        assert store.events([BOB], NOON, NOON + timedelta(1)) == [
            (BOB, Event(NOON, "e0", {"ids": ["燕麦"]}))
        ]
        with raises(InvalidInputError):
            store.note(ANN, [Event(NOON, SURROGATE)])
        store.drop_partition(ANN)
        assert between(0, 9) == (["e0"], ["m0"])
        assert counter >= 2

    def test_a_partition_made_anew_is_not_taken_for_the_old_one(self, store: Store) -> None:
        for number in range(5):
            put(store, noted(f"m{number}"))
        reader = Reader(ANN).refresh(store)
        old = store.counter(ANN)
        store.drop_partition(ANN)
        store.append(ANN, [(said("new"), cut(1))])
        assert store.counter(ANN) > old
        assert reader.refresh(store).rows.keys() == Reader(ANN).refresh(store).rows.keys()
        assert len(reader.rows) == 1
        assert store.delete(ANN, Kind.MESSAGE, ["new"]) == 1
        assert reader.refresh(store).rows == {}
