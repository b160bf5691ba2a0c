"""The contract of stores, of jobs and of what holds for all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

from lamina.errors import ClosedError, InvalidInputError
from lamina.ports.store import Counts, Cursor, Store
from lamina.testing.samples import (
    ANN,
    BOB,
    NOON,
    SPACE,
    SURROGATE,
    Reader,
    change,
    cut,
    embed_all,
    noted,
    put,
    raises,
    said,
    waiting,
)
from lamina.types import (
    Json,
    Kind,
    Partition,
    SessionInfo,
    Source,
)


class Whole:
    """Jobs, counts, and what holds for all of it."""

    def test_a_job_waits_once(self, store: Store) -> None:
        assert store.enqueue("embed", "all", {"n": [1]})
        assert not store.enqueue("embed", "all", {"n": [2]})
        assert store.enqueue("embed", "ann", {})
        assert store.enqueue("sweep", "all", {})
        jobs = store.jobs()
        assert [(job.kind, job.key) for job in jobs] == [
            ("embed", "all"), ("embed", "ann"), ("sweep", "all"),
        ]  # fmt: skip
        assert (jobs[0].payload, jobs[0].attempts, jobs[0].error) == ({"n": [1]}, 0, "")

    def test_a_job_is_done_by_who_holds_it(self, store: Store) -> None:
        store.enqueue("embed", "all", {})
        assert store.lease(["sweep"], "me", NOON, 60) is None
        job = store.lease(["sweep", "embed"], "me", NOON, 60)
        assert job is not None
        assert job.attempts == 1
        assert store.lease(["embed"], "you", NOON + timedelta(seconds=59), 60) is None
        assert not store.finish(job, "you")
        taken = store.lease(["embed"], "you", NOON + timedelta(seconds=60), 60)
        assert taken is not None
        assert (taken.id, taken.attempts) == (job.id, 2)
        assert not store.finish(job, "me")
        assert not store.retry(job, "me", NOON, "late")
        assert store.finish(taken, "you")
        assert store.jobs() == []
        assert not store.finish(taken, "you")
        assert store.enqueue("embed", "all", {})
        assert store.jobs()[0].id > job.id

    def test_a_job_given_back_is_tried_later(self, store: Store) -> None:
        store.enqueue("embed", "first", {})
        store.enqueue("embed", "second", {})
        job = store.lease(["embed"], "me", NOON, 60)
        assert job is not None
        assert job.key == "first"
        later = NOON + timedelta(minutes=5)
        assert store.retry(job, "me", later, "no answer")
        assert not store.finish(job, "me"), "it is no longer mine"
        assert store.jobs()[0].error == "no answer"
        other = store.lease(["embed"], "me", NOON, 60)
        assert other is not None
        assert other.key == "second"
        assert store.lease(["embed"], "me", later - timedelta(seconds=1), 400) is not None
        again = store.lease(["embed"], "me", later, 60)
        assert again is not None
        assert (again.key, again.attempts, again.error) == ("first", 2, "no answer")

    def test_counts_are_of_the_partitions_asked_for(self, store: Store) -> None:
        store.use_space(SPACE)
        store.append(ANN, [(said("a"), cut(2)), (said("b", session="t"), cut(1, embed=False))])
        embed_all(store)
        put(store, noted("m"))
        put(store, noted("m"), partition=BOB)
        assert store.counts([ANN]) == Counts(2, 2, 1, 4, 2, 1)
        assert store.counts([BOB]) == Counts(0, 0, 1, 1, 0, 1)
        assert store.counts([BOB, ANN]) == Counts(2, 2, 2, 5, 2, 2)
        assert store.counts([]) == store.counts([Partition("nobody")]) == Counts()

    def test_what_cannot_be_encoded_is_refused_and_nothing_written(self, store: Store) -> None:
        nobody = Partition(SURROGATE)
        deep: dict[str, Json] = {"a": [{"b": SURROGATE}]}
        messages = [
            said("x", SURROGATE), said(SURROGATE), said("x", session=SURROGATE),
            replace(said("x"), metadata=deep), replace(said("x"), extra=deep),
            replace(said("x"), name=SURROGATE), replace(said("x"), content=[SURROGATE]),
        ]  # fmt: skip
        records = [
            noted("x", SURROGATE), noted(SURROGATE), replace(noted("x"), abstract=SURROGATE),
            replace(noted("x"), metadata=deep), replace(noted("x"), project=SURROGATE),
            replace(noted("x"), sources=(Source(Kind.MESSAGE, "m", quote=SURROGATE),)),
        ]  # fmt: skip
        for message in messages:
            with raises(InvalidInputError):
                store.append(ANN, [(said("good"), cut(1)), (message, cut(1))])
        for record in records:
            with raises(InvalidInputError):
                put(store, record)
        refused: list[Callable[[], object]] = [
            lambda: store.put(ANN, noted("x"), cut(1), replace(change("x"), after=deep)),
            lambda: store.append(nobody, [(said("a"), [])]),
            lambda: put(store, noted("x"), partition=nobody),
            lambda: store.put_session(ANN, SessionInfo("s", NOON, NOON, SURROGATE)),
            lambda: store.put_session(ANN, SessionInfo("s", NOON, NOON, state=deep)),
            lambda: store.use_space(SURROGATE),
            lambda: store.enqueue("embed", "all", deep),
        ]
        for write in refused:
            with raises(InvalidInputError):
                write()
        assert not store.partitions()
        assert not store.jobs()
        assert store.counter(ANN) == 0

    def test_threads_write_side_by_side(self, store: Store) -> None:
        for i in range(8):
            store.enqueue("embed", str(i), {})

        def work(n: int) -> Sequence[str]:
            for i in range(10):
                store.append(ANN, [(said(f"{n}-{i}", session=str(n)), cut(1))])
                Reader(ANN).refresh(store)
            jobs = [store.lease(["embed"], str(n), NOON, 60) for _ in range(2)]
            return [job.key for job in jobs if job is not None]

        with ThreadPoolExecutor(4) as threads:
            keys = [key for found in threads.map(work, range(4)) for key in found]
        assert sorted(keys) == [str(i) for i in range(8)], "each job is leased once"
        for n in range(4):
            line = [message.id for message in store.messages(ANN, str(n))]
            assert line == [f"{n}-{i}" for i in range(10)]
        assert len(set(waiting(store))) == 40

    def test_a_store_has_a_key_and_a_size(self, store: Store) -> None:
        assert len(store.key) == 16
        assert store.key == store.key
        assert store.size() >= 0

    def test_a_closed_store_says_so(self, store: Store) -> None:
        put(store, noted("m"))
        store.enqueue("embed", "all", {})
        job = store.lease(["embed"], "me", NOON, 60)
        assert job is not None
        store.close()
        store.close()
        calls: list[Callable[[], object]] = [
            lambda: store.append(ANN, [(said("a"), [])]),
            lambda: store.unread(None, 1),
            lambda: store.unheard(ANN, "s"),
            lambda: store.to_hear(1),
            lambda: store.messages(ANN, "s"),
            lambda: store.neighbours(ANN, ["a"], 1, 1),
            lambda: store.put_session(ANN, SessionInfo("s", NOON, NOON)),
            lambda: store.session(ANN, "s"),
            lambda: store.sessions([ANN]),
            lambda: put(store, noted("n")),
            lambda: store.exchange(ANN, [], [], read=["a"]),
            lambda: store.delete(ANN, Kind.MEMORY, ["m"]),
            lambda: store.claimed(ANN, [b"claim"]),
            lambda: store.get([ANN], "m"),
            lambda: store.memories([ANN]),
            lambda: store.twins(ANN, "Tea"),
            lambda: store.about(ANN, ["user/home"]),
            lambda: store.happening([ANN], NOON, NOON),
            lambda: store.history(ANN, "m"),
            lambda: store.decisions([ANN]),
            lambda: store.decide(ANN, []),
            store.partitions,
            lambda: store.counter(ANN),
            lambda: store.changes(ANN, Cursor(), SPACE, 1),
            lambda: store.passages(ANN, [1]),
            lambda: store.use_space(SPACE),
            lambda: store.pending(None, 1),
            lambda: store.put_vectors(ANN, SPACE, [(1, b"v")]),
            lambda: store.drop_spaces(SPACE),
            lambda: store.enqueue("embed", "ann", {}),
            lambda: store.lease(["embed"], "me", NOON, 60),
            lambda: store.renew(job, "me", NOON, 60),
            lambda: store.finish(job, "me"),
            lambda: store.retry(job, "me", NOON, ""),
            store.jobs,
            lambda: store.spent("2026-05-04"),
            lambda: store.spent("2026-05-04", 1),
            lambda: store.counts([ANN]),
            store.size,
        ]
        for call in calls:
            with raises(ClosedError):
                call()
