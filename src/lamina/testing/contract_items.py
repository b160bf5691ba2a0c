"""The contract of stores, of messages, sessions and memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from lamina.errors import ConflictError, InvalidInputError
from lamina.ports.store import Counts, NewPassage, Store
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
    Category,
    HistoryEvent,
    Json,
    Kind,
    Layer,
    MemoryRecord,
    Message,
    Origin,
    Role,
    SessionInfo,
    Source,
)


class Conversations:
    """Messages and sessions."""

    def test_a_message_reads_back_as_it_was_written(self, store: Store) -> None:
        blocks = [{"type": "text", "text": "看图"}, {"type": "image", "url": None}]
        full = Message(
            "m", "s", Role.TOOL, blocks, NOON, "Zoë", {"call": [1, 2.5]}, {"a": {}}, "Asia/Shanghai"
        )
        odd = said("n", "nul \x00, a fox 🦊, e\u0301 and '; drop table --\r\n")
        large = said("o", "长" * 700_000)
        assert list(store.append(ANN, [(full, cut(1)), (odd, []), (large, [])])) == [True] * 3
        kept = store.messages(ANN, "s")
        assert [replace(message, seq=0) for message in kept] == [full, odd, large]
        assert 0 < kept[0].seq < kept[1].seq < kept[2].seq
        for message in kept:
            assert store.get([ANN], message.id) == (ANN, message)

    def test_an_id_that_is_there_already_stays_as_it_is(self, store: Store) -> None:
        store.append(ANN, [(said("a", "first"), cut(1))])
        again = [(said("a", "second"), cut(2)), (said("b"), []), (said("b", "twin"), [])]
        assert list(store.append(ANN, again)) == [False, True, False]
        assert [message.text for message in store.messages(ANN, "s")] == ["first", said("b").text]
        assert store.counts([ANN]).passages == 1
        assert list(store.append(BOB, [(said("a", "mine"), [])])) == [True]

    def test_what_is_kept_does_not_change_with_what_was_given(self, store: Store) -> None:
        metadata: dict[str, Json] = {"tags": ["a"]}
        store.append(ANN, [(replace(said("a"), metadata=metadata), [])])
        put(store, replace(noted("m"), metadata=metadata))
        metadata["tags"].append("b")
        assert store.messages(ANN, "s")[0].metadata == {"tags": ["a"]}
        assert store.memories([ANN])[0][1].metadata == {"tags": ["a"]}

    def test_a_session_is_read_in_order_and_in_part(self, store: Store) -> None:
        store.append(ANN, [(said(f"a{i}", session="s" if i % 2 else "t"), []) for i in range(10)])
        line = store.messages(ANN, "s")
        assert [message.id for message in line] == ["a1", "a3", "a5", "a7", "a9"]
        first, last = line[0].seq, line[-1].seq
        assert store.messages(ANN, "s", limit=2) == line[:2]
        assert store.messages(ANN, "s", limit=0) == []
        assert store.messages(ANN, "s", limit=2, newest=True) == line[-2:]
        assert store.messages(ANN, "s", limit=0, newest=True) == []
        assert store.messages(ANN, "s", newest=True) == line
        assert store.messages(ANN, "s", after=first, before=last) == line[1:-1]
        assert store.messages(ANN, "s", after=first, limit=1) == line[1:2]
        assert store.messages(ANN, "s", before=last, limit=1, newest=True) == line[-2:-1]
        assert store.messages(ANN, "none") == store.messages(BOB, "s") == []

    def test_neighbours_are_of_the_same_session(self, store: Store) -> None:
        store.append(ANN, [(said(f"a{i}", session="s" if i % 2 else "t"), []) for i in range(10)])
        around = store.neighbours(ANN, ["a5", "a1", "gone"], 1, 2)
        names = {id: [message.id for message in line] for id, line in around.items()}
        assert names == {"a5": ["a3", "a5", "a7", "a9"], "a1": ["a1", "a3", "a5"]}
        assert store.neighbours(ANN, ["a5"], 0, 0) == {"a5": around["a5"][1:2]}
        assert store.neighbours(BOB, ["a5"], 1, 1) == {}

    def test_a_session_comes_with_its_first_message_and_keeps_its_times(self, store: Store) -> None:
        store.append(ANN, [(said("a", at=5), []), (said("b", at=60), [])])
        made, used = NOON + timedelta(seconds=5), NOON + timedelta(seconds=60)
        assert store.session(ANN, "s") == SessionInfo("s", made, used, messages=2)
        later = NOON + timedelta(days=1)
        told = SessionInfo("s", later, later, "Milk", "kitchen", {"open": [1]}, 99)
        store.put_session(ANN, told)
        kept = replace(told, created_at=made, updated_at=used, messages=2)
        assert store.session(ANN, "s") == kept
        store.put_session(ANN, replace(told, id="empty"))
        assert store.session(ANN, "empty") == replace(told, id="empty", messages=0)
        assert store.session(ANN, "none") is None
        assert store.session(BOB, "s") is None

    def test_sessions_come_with_the_most_recently_used_first(self, store: Store) -> None:
        store.append(ANN, [(said("a", session="old"), []), (said("b", session="new", at=9), [])])
        store.append(BOB, [(said("c", session="mid", at=5), [])])
        found = store.sessions([ANN, BOB])
        assert [(p, info.id) for p, info in found] == [(ANN, "new"), (BOB, "mid"), (ANN, "old")]
        assert store.sessions([]) == []

    def test_the_follower_of_a_deleted_message_waits_anew(self, store: Store) -> None:
        store.use_space(SPACE)
        ids = ["a", "b", "c", "d"]
        store.append(ANN, [(said(id), cut(2)) for id in ids])
        store.append(ANN, [(said("other", session="t"), cut(1))])
        seqs = embed_all(store)
        reader = Reader(ANN).refresh(store)
        assert store.delete(ANN, Kind.MESSAGE, ["a", "b", "a", "none"]) == 2
        assert waiting(store) == [seqs[4]], "the first passage of c held the end of b"
        assert reader.refresh(store).rows.keys() == set(seqs[4:])
        assert Reader(ANN).refresh(store).vectors.keys() == set(seqs[5:])
        assert [message.id for message in store.messages(ANN, "s")] == ["c", "d"]
        assert store.delete(ANN, Kind.MESSAGE, ["d"]) == 1
        assert waiting(store) == [seqs[4]], "nothing follows d"

    def test_a_follower_of_words_only_does_not_wait(self, store: Store) -> None:
        items = [(said("a"), cut(1)), (said("b"), cut(1, embed=False)), (said("c"), cut(1))]
        store.append(ANN, items)
        embed_all(store)
        store.delete(ANN, Kind.MESSAGE, ["a"])
        assert waiting(store) == []


class Memories:
    """Memories, their versions and their end."""

    def test_a_memory_reads_back_as_it_was_written(self, store: Store) -> None:
        source = Source(Kind.MESSAGE, "m1", "s", "Zoë", "oat 🌾")
        full = MemoryRecord(
            "m", "燕麦奶\x00", NOON, Layer.ARCHIVAL, Category.EVENTS, "short", "longer", 0.25,
            pinned=True, origin=Origin.WEB, sources=(source, Source(Kind.DOCUMENT, "d")),
            metadata={"n": {"deep": [None, 1.5]}}, session_id="s", project="kitchen",
            valid_from=NOON, valid_to=NOON + timedelta(1), expires_at=NOON + timedelta(2),
            updated_at=NOON + timedelta(3),
        )  # fmt: skip
        event = HistoryEvent("m", "add", Origin.PERSON, NOON, None, {"content": "燕麦奶"})
        store.put(ANN, full, cut(1), event)
        assert store.get([ANN], "m") == (ANN, full)
        assert store.memories([ANN]) == [(ANN, full)]
        assert store.history(ANN, "m") == [event]
        assert store.history(BOB, "m") == store.history(ANN, "none") == []

    def test_a_write_over_another_version_is_a_conflict_and_changes_nothing(
        self, store: Store
    ) -> None:
        with raises(ConflictError):
            put(store, noted("m", version=2))
        assert store.partitions() == []
        put(store, noted("m"))
        put(store, noted("m", "second", version=2), 2)
        before = store.counter(ANN)
        for version in (0, 1, 2, 4):
            with raises(ConflictError):
                put(store, noted("m", "lost", version=version))
        assert store.counter(ANN) == before
        assert store.memories([ANN]) == [(ANN, noted("m", "second", version=2))]
        assert len(store.history(ANN, "m")) == store.counts([ANN]).passages == 2

    def test_a_change_puts_new_passages_in_place_of_the_old(self, store: Store) -> None:
        put(store, noted("m"), 2)
        put(store, noted("n"))
        old = embed_all(store)
        reader = Reader(ANN).refresh(store)
        item = reader.rows[old[0]][1]
        put(store, noted("m", version=2), 1)
        (new,) = waiting(store)
        assert new > max(old)
        assert reader.refresh(store).rows.keys() == {old[2], new}
        assert reader.rows[new][1] == item
        assert reader.vectors.keys() == {old[2]}
        assert store.passages(ANN, [*old, new]).keys() == {old[2], new}

    def test_a_change_without_passages_keeps_those_there_are(self, store: Store) -> None:
        store.use_space(SPACE)
        put(store, noted("m"), 3)
        put(store, noted("other"))
        seqs = embed_all(store)
        reader = Reader(ANN).refresh(store)
        rows, vectors = reader.rows, reader.vectors
        told = replace(noted("m", version=2), confirmed_at=NOON, valid_to=NOON)
        store.put(ANN, told, None, change("m", "confirm"))
        assert store.get([ANN], "m") == (ANN, told)
        assert [event.action for event in store.history(ANN, "m")] == ["add", "confirm"]
        assert waiting(store) == []
        for one in (reader.refresh(store), Reader(ANN).refresh(store)):
            assert (one.rows, one.vectors) == (rows, vectors)
        assert store.passages(ANN, seqs[:1])[seqs[0]].item == told
        store.exchange(ANN, [], [(replace(told, version=3), None, change("m", "confirm"))])
        put(store, noted("m", "Ann drinks tea.", version=4))
        assert len(waiting(store)) == 1
        assert len(reader.refresh(store).rows) == 2
        store.put(ANN, noted("bare"), None, change("bare"))
        assert store.get([ANN], "bare") == (ANN, noted("bare"))
        assert len(reader.refresh(store).rows) == 2, "there were none to keep"
        assert store.delete(ANN, Kind.MEMORY, ["m"]) == 1
        assert len(reader.refresh(store).rows) == 1

    def test_deleted_is_gone_from_everywhere_but_the_tombstones(self, store: Store) -> None:
        store.use_space(SPACE)
        put(store, noted("m"), 2)
        put(store, noted("kept"))
        seqs = embed_all(store)
        put(store, noted("m", version=2), 2)
        assert store.delete(ANN, Kind.MEMORY, ["m", "m", "none"], [b"claim", b"other"]) == 1
        assert store.get([ANN], "m") is None
        assert not store.history(ANN, "m")
        assert store.twins(ANN, noted("m").content) == [noted("kept")]
        assert store.counts([ANN]) == Counts(memories=1, passages=1, vectors=1)
        assert Reader(ANN).refresh(store).vectors.keys() == {seqs[2]}
        assert store.claimed(ANN, [b"claim", b"new"]) == {b"claim"}
        assert store.claimed(BOB, [b"claim"]) == set()
        put(store, noted("m"))
        assert len(store.history(ANN, "m")) == 1
        assert store.delete(BOB, Kind.MEMORY, ["m"]) == 0

    def test_an_exchange_is_made_as_a_whole_or_not_at_all(self, store: Store) -> None:
        for id in ("a", "b", "c"):
            put(store, noted(id), 2)
        reader = Reader(ANN).refresh(store)

        def new(
            *records: MemoryRecord,
        ) -> list[tuple[MemoryRecord, list[NewPassage], HistoryEvent]]:
            return [(record, cut(1), change(record.id)) for record in records]

        before = store.counter(ANN)
        for wrong, error in [
            (noted("c"), ConflictError),
            (noted("d", version=2), ConflictError),
            (noted("d", SURROGATE), InvalidInputError),
        ]:
            with raises(error):
                store.exchange(ANN, ["a"], new(noted("e"), wrong))
        assert store.counter(ANN) == before
        assert [record.id for _, record in store.memories([ANN])] == ["c", "b", "a"]
        store.exchange(ANN, ["a", "b", "none"], new(noted("a", "Tea"), noted("d")))
        assert [record.id for _, record in store.memories([ANN])] == ["d", "c", "a"]
        assert store.get([ANN], "a") == (ANN, noted("a", "Tea"))
        assert len(store.history(ANN, "a")) == 1
        assert not store.history(ANN, "b")
        assert len(reader.refresh(store).rows) == store.counts([ANN]).passages == 4
        store.exchange(BOB, ["a"], [])
        assert store.partitions() == [ANN]

    def test_an_item_is_found_in_the_first_partition_that_has_it(self, store: Store) -> None:
        put(store, noted("m"))
        put(store, noted("m", "Bob's"), partition=BOB)
        assert store.get([BOB, ANN], "m") == (BOB, noted("m", "Bob's"))
        assert store.get([ANN, BOB], "m") == (ANN, noted("m"))
        assert store.get([], "m") is store.get([ANN], "none") is None

    def test_memories_are_paged_newest_first(self, store: Store) -> None:
        for i, partition in enumerate([ANN, BOB, ANN, BOB, ANN]):
            put(store, noted(f"m{i}"), partition=partition)
        ids = [record.id for _, record in store.memories([ANN, BOB])]
        assert ids == ["m4", "m3", "m2", "m1", "m0"]
        page = store.memories([ANN, BOB], after="m3", limit=2)
        assert page == [(ANN, noted("m2")), (BOB, noted("m1"))]
        assert store.memories([ANN], after="m0") == store.memories([], limit=3) == []

    def test_standing_are_the_pinned_and_the_profile_newest_first(self, store: Store) -> None:
        put(store, replace(noted("a"), pinned=True))
        put(store, noted("b"))
        put(store, replace(noted("c"), category=Category.PROFILE))
        put(store, replace(noted("d"), pinned=True), partition=BOB)
        found = store.standing([ANN, BOB])
        assert [(p, record.id) for p, record in found] == [(BOB, "d"), (ANN, "c"), (ANN, "a")]
        put(store, noted("a", version=2))
        assert [record.id for _, record in store.standing([ANN])] == ["c"]
        store.delete(ANN, Kind.MEMORY, ["c"])
        assert store.standing([ANN]) == store.standing([]) == []

    def test_notes_are_the_session_layers_newest_first(self, store: Store) -> None:
        for id, layer in (("a", Layer.SESSION), ("b", Layer.LONG_TERM), ("c", Layer.SESSION)):
            put(store, replace(noted(id), layer=layer))
        put(store, replace(noted("d"), layer=Layer.SESSION), 1, BOB)
        assert [record.id for _, record in store.notes([ANN])] == ["c", "a"]
        assert [record.id for _, record in store.notes([ANN, BOB])] == ["d", "c", "a"]
        put(store, replace(noted("c", version=2), layer=Layer.LONG_TERM))
        assert [record.id for _, record in store.notes([ANN])] == ["a"]

    def test_twins_have_exactly_this_content(self, store: Store) -> None:
        for id, content in [("a", "Tea"), ("b", "tea"), ("c", "Tea"), ("d", "Tea ")]:
            put(store, noted(id, content))
        assert sorted(record.id for record in store.twins(ANN, "Tea")) == ["a", "c"]
        assert store.twins(ANN, "Coffee") == store.twins(BOB, "Tea") == []
