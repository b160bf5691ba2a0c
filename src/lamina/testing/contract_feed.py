"""The contract of stores, of partitions, changes and vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lamina.ports.store import Cursor, Store
from lamina.testing.samples import (
    ANN,
    BEHIND,
    BOB,
    NOON,
    SPACE,
    Reader,
    cut,
    embed_all,
    lines,
    noted,
    put,
    said,
    waiting,
)
from lamina.types import (
    Kind,
    Origin,
    Partition,
    Role,
    SessionInfo,
)


class Feed:
    """Partitions, changes and vectors."""

    def test_partitions_come_to_be_with_their_first_write(self, store: Store) -> None:
        assert store.partitions() == []
        mate = Partition("bob", "writer")
        for partition in (mate, ANN, BOB):
            put(store, noted("m"), partition=partition)
        assert store.partitions() == [ANN, BOB, mate]
        assert store.partitions("bob") == [BOB, mate]
        assert store.partitions("nobody") == []

    def test_every_write_raises_the_counter_of_its_partition(self, store: Store) -> None:
        assert store.counter(ANN) == 0
        put(store, noted("elsewhere"), partition=BOB)
        writes: list[Callable[[], object]] = [
            lambda: store.append(ANN, [(said("a"), cut(1))]),
            lambda: put(store, noted("m")),
            lambda: store.put_session(ANN, SessionInfo("s", NOON, NOON, "Milk")),
            lambda: store.use_space(SPACE),
            lambda: embed_all(store),
            lambda: store.delete(ANN, Kind.MESSAGE, ["a"]),
            lambda: store.delete(ANN, Kind.MEMORY, ["m"]),
        ]
        last = 0
        for write in writes:
            write()
            assert store.counter(ANN) > last
            last = store.counter(ANN)
        Reader(BOB).refresh(store)
        store.append(BOB, [(said("b"), cut(1))])
        store.append(ANN, [])
        assert store.delete(ANN, Kind.MESSAGE, ["none"]) == 0
        assert store.counter(ANN) == last

    def test_numbers_are_never_used_twice(self, store: Store) -> None:
        store.append(ANN, [(said("a"), cut(2))])
        (message,) = store.messages(ANN, "s")
        seqs = waiting(store)
        store.delete(ANN, Kind.MESSAGE, ["a"])
        store.append(ANN, [(said("a"), cut(2))])
        assert store.messages(ANN, "s")[0].seq > message.seq
        assert min(waiting(store)) > max(seqs)

    def test_changes_tell_an_index_what_it_wants_to_know(self, store: Store) -> None:
        store.append(ANN, [(replace(said("a"), role=Role.TOOL, name="grep"), cut(2))])
        put(store, replace(noted("m"), session_id="s", importance=0.75, origin=Origin.WEB))
        first, second, third = lines(store.changes(ANN, Cursor(), SPACE, 10).rows).values()
        at = NOON.timestamp()
        assert first[2:] == (
            "message",
            "session",
            "tool",
            "grep",
            "s",
            at,
            0.5,
            "han",
            "",
            b"terms 0",
        )
        assert second[2:] == (*first[2:-1], b"terms 1")
        assert first[1] == second[1]
        assert third[2:] == (
            "memory",
            "long_term",
            "web",
            None,
            "s",
            at,
            0.75,
            "han",
            "note",
            b"terms 0",
        )
        nothing = store.changes(BOB, Cursor(), SPACE, 10)
        assert (nothing.cursor, nothing.more, nothing.rebuild) == (Cursor(), False, False)
        assert not lines(nothing.rows)

    def test_a_reader_that_follows_knows_what_a_new_one_knows(self, store: Store) -> None:
        store.use_space(SPACE)
        reader = Reader(ANN)
        for i in range(8):
            store.append(ANN, [(said(f"a{i}", session=f"s{i}"), cut(i % 4))])
            put(store, noted("m", version=i + 1), 2)
            store.put_vectors(ANN, "another/space", [(n, b"no") for n in waiting(store)])
            embed_all(store)
            store.append(BOB, [(said(f"a{i}"), cut(1))])
            if i % 3 == 2:
                store.delete(ANN, Kind.MESSAGE, [f"a{i}", f"a{i - 1}"])
            if i % 2:
                reader.refresh(store)
        new = Reader(ANN, limit=100).refresh(store)
        assert reader.refresh(store).rows == new.rows != {}
        assert reader.vectors == new.vectors
        assert reader.vectors.keys() == new.rows.keys()
        assert reader.cursor.counter == store.counter(ANN)
        assert not reader.rebuilt

    def test_a_vector_that_is_stored_anew_comes_anew(self, store: Store) -> None:
        store.append(ANN, [(said("a"), cut(2))])
        seqs = embed_all(store)
        reader = Reader(ANN).refresh(store)
        assert store.put_vectors(ANN, SPACE, [(seqs[0], b"better")]) == 1
        assert reader.refresh(store).vectors == {seqs[0]: b"better", seqs[1]: b"v%d" % seqs[1]}

    def test_a_reader_that_fell_far_behind_ends_with_what_is_there(self, store: Store) -> None:
        put(store, noted("old"), 2)
        put(store, noted("m"), 2)
        reader = Reader(ANN, limit=1000).refresh(store)
        store.delete(ANN, Kind.MEMORY, ["old"])
        for version in range(2, BEHIND):
            put(store, noted("m", version=version), 1)
        assert reader.refresh(store).rows == Reader(ANN).refresh(store).rows
        assert len(reader.rows) == 1

    def test_passages_come_with_their_items(self, store: Store) -> None:
        store.append(ANN, [(said("a"), cut(2))])
        store.append(BOB, [(said("b"), cut(1))])
        put(store, noted("m"), 1)
        third, second, first = waiting(store)
        found = store.passages(ANN, [third, first, second, 10_000, *waiting(store, BOB)])
        assert found.keys() == {first, second, third}
        assert found[third].item == noted("m")
        assert found[second].item == store.messages(ANN, "s")[0]
        one = found[second]
        shown = (one.seq, one.partition, one.start, one.end, one.embed, one.redactor)
        assert shown == (second, ANN, 10, 20, True, 1)

    def test_passages_wait_for_the_space_in_use_newest_first(self, store: Store) -> None:
        store.append(ANN, [(said("a"), cut(1)), (said("words"), cut(1, embed=False))])
        store.append(BOB, [(said("b"), cut(1))])
        put(store, noted("m"))
        everyone = store.pending(None, 10)
        assert [p for p, _ in everyone] == [ANN, BOB, ANN]
        assert everyone == sorted(everyone, key=lambda one: -one[1])
        assert store.pending(None, 2) == store.pending([BOB, ANN], 2) == everyone[:2]
        store.use_space(SPACE)
        embed_all(store)
        embed_all(store, "other")
        assert store.put_vectors(BOB, "other", [(everyone[1][1], b"v")]) == 1
        assert store.pending(None, 10) == [everyone[1]], "vectors of another space do not count"
        store.use_space("other")
        assert waiting(store) == [everyone[0][1], everyone[2][1]]
        assert waiting(store, BOB) == []

    def test_vectors_of_what_is_gone_are_skipped(self, store: Store) -> None:
        store.append(ANN, [(said("a"), cut(1)), (said("b", session="t"), cut(1))])
        late, gone = waiting(store)
        store.delete(ANN, Kind.MESSAGE, ["a"])
        assert store.put_vectors(ANN, SPACE, [(gone, b"v"), (late, b"v")]) == 1
        assert store.put_vectors(BOB, SPACE, [(late, b"theirs")]) == 0
        assert Reader(ANN).refresh(store).vectors == {late: b"v"}

    def test_other_spaces_can_be_dropped(self, store: Store) -> None:
        store.append(ANN, [(said("a"), cut(2))])
        store.use_space("old")
        seqs = embed_all(store, "old")
        store.use_space(SPACE)
        embed_all(store)
        assert store.drop_spaces(SPACE) == 2
        assert store.drop_spaces(SPACE) == 0
        assert Reader(ANN).refresh(store).vectors.keys() == set(seqs)
        assert Reader(ANN, "old").refresh(store).vectors == {}
        assert store.counts([ANN]).vectors == 2
