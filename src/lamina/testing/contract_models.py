"""The contract of stores, of what language models need: what waits for one, leases, tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from lamina.errors import ConflictError
from lamina.ports.store import Store
from lamina.testing.samples import ANN, BOB, NOON, change, cut, decided, noted, raises, said
from lamina.types import Kind, Partition, Role


def unheard(store: Store, partition: Partition = ANN, *, waiting: bool = False) -> list[str]:
    """Ids of the messages of session s that no model has read."""
    return [message.id for message in store.unheard(partition, "s", waiting=waiting)]


class Models:
    """What a model has read of a conversation, and what that took."""

    def test_messages_wait_for_a_model_in_their_session(self, store: Store) -> None:
        store.append(ANN, [(said(id), cut(1)) for id in "abc"], unheard={"a", "c", "none"})
        store.append(ANN, [(said("d", session="t"), [])], unheard="d")
        store.append(BOB, [(said("a"), [])], unheard="a")
        assert unheard(store) == ["a", "b", "c"]
        assert unheard(store, waiting=True) == ["a", "c"]
        assert store.unheard(ANN, "s") == store.messages(ANN, "s")
        assert unheard(store, Partition("nobody")) == []
        assert store.unheard(ANN, "none") == []
        assert store.unread(None, 9) == []
        store.append(ANN, [(said("b"), [])], unheard="b")
        assert unheard(store, waiting=True) == ["a", "c"], "it was there already"

    def test_sessions_are_to_hear_where_enough_of_the_user_waits(self, store: Store) -> None:
        answer = replace(said("b"), role=Role.ASSISTANT)
        store.append(BOB, [(said("a", session="t"), [])], unheard="a")
        store.append(ANN, [(said("a"), []), (answer, []), (said("c"), [])], unheard="abc")
        store.append(ANN, [(said("d", session="u"), [])])
        assert store.to_hear(1) == [(BOB, "t"), (ANN, "s")]
        assert store.to_hear(2) == [(ANN, "s")]
        assert store.to_hear(3) == []

    def test_what_was_heard_is_heard_once(self, store: Store) -> None:
        store.append(ANN, [(said(id), []) for id in "abcd"], unheard="abc")
        new = [(noted("m"), cut(1), change("m"))]
        store.exchange(ANN, [], new, heard=["a", "d"], decisions=[decided("x")])
        assert unheard(store) == ["b", "c"]
        assert unheard(store, waiting=True) == ["b", "c"]
        for ids in (["b", "a"], ["d"], ["none"]):
            more = [(noted("n"), cut(1), change("n"))]
            with raises(ConflictError):
                store.exchange(ANN, [], more, heard=ids, decisions=[decided("y")])
        with raises(ConflictError):
            store.exchange(BOB, [], [], heard=["b"])
        assert unheard(store) == ["b", "c"], "all or nothing"
        assert [record.id for _, record in store.memories([ANN])] == ["m"]
        assert [decision.text for _, decision in store.decisions([ANN])] == ["x"]

    def test_what_is_deleted_cannot_be_heard(self, store: Store) -> None:
        store.append(ANN, [(said(id), []) for id in "ab"], unheard="ab")
        store.delete(ANN, Kind.MESSAGE, ["a"])
        assert unheard(store, waiting=True) == ["b"]
        with raises(ConflictError):
            store.exchange(ANN, [], [], heard=["a", "b"])
        assert unheard(store, waiting=True) == ["b"]

    def test_a_job_is_taken_by_its_key_also_before_it_is_due(self, store: Store) -> None:
        store.enqueue("extract", "first", {})
        store.enqueue("extract", "second", {})
        job = store.lease(["extract"], "me", NOON, 60, key="second")
        assert job is not None
        assert (job.key, job.attempts) == ("second", 1)
        assert store.lease(["extract"], "you", NOON, 60, key="second") is None
        assert store.lease(["extract"], "you", NOON, 60, key="third") is None
        assert store.lease(["embed"], "you", NOON, 60, key="first") is None
        store.retry(job, "me", NOON + timedelta(hours=1), "no answer")
        again = store.lease(["extract"], "you", NOON, 60, key="second")
        assert again is not None
        assert (again.attempts, again.error) == (2, "no answer")

    def test_a_lease_is_held_longer_by_who_holds_it(self, store: Store) -> None:
        store.enqueue("extract", "all", {})
        job = store.lease(["extract"], "me", NOON, 60)
        assert job is not None
        later = NOON + timedelta(seconds=59)
        assert not store.renew(job, "you", later, 60)
        assert store.renew(job, "me", later, 60)
        assert store.lease(["extract"], "you", later + timedelta(seconds=59), 60) is None
        assert store.lease(["extract"], "you", later + timedelta(seconds=60), 60) is not None
        assert not store.renew(job, "me", later, 60), "somebody else has it"

    def test_tokens_are_counted_by_the_day(self, store: Store) -> None:
        assert store.spent("2026-05-04") == 0
        assert store.spent("2026-05-04", 70) == 70
        assert store.spent("2026-05-04", -20) == 50
        assert store.spent("2026-05-05", 1) == 1
        assert store.spent("2026-05-04") == 50
