"""The index against brute force: counted naively, multiplied by NumPy, built anew."""

import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
from corpus import DIMENSIONS, SPACE, WORDS, Corpus
from numpy.typing import NDArray

import lamina
from lamina.index.cache import IndexCache
from lamina.index.columns import NONE
from lamina.index.gather import Gathered, gather
from lamina.index.partition import ARCHIVAL, GROUPS, SAID, TOOL, PartitionIndex, group_of
from lamina.index.vectors import ALONE, WINDOW
from lamina.stores.sqlite import SqliteStore
from lamina.text.words import index_words
from lamina.types import (
    MemoryRecord,
    Message,
    Partition,
    Role,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lamina.db"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(file)
    yield opened
    opened.close()


# --- words, counted naively

WEIGHT_OF = {"content": 1.0, "abstract": 10 / 3, "overview": 5 / 3, "metadata": 2 / 3, "name": 1.0}


def fields_of(item: Message | MemoryRecord) -> dict[str, str]:
    if isinstance(item, Message):
        return {"content": item.text, "name": item.name or ""}
    fields = {"content": item.content, "metadata": " ".join(item.metadata.values())}
    if f" {item.abstract} " not in f" {item.content} ":
        fields["abstract"] = item.abstract
    if f" {item.overview} " not in f" {item.content} " and item.overview != item.abstract:
        fields["overview"] = item.overview
    return fields


def weighted(item: Message | MemoryRecord) -> Counter[str]:
    """Words with their weighted counts: up to 31 a field, in quarters, up to 63.75 in all."""
    counts: Counter[str] = Counter()
    for name, text in fields_of(item).items():
        for word, count in Counter(index_words(text)).items():
            counts[word] += max(1, round(WEIGHT_OF[name] * min(count, 31) * 4)) / 4  # type: ignore[assignment]
    return counts


def group_of_item(item: Message | MemoryRecord) -> str:
    if isinstance(item, Message):
        return group_of("message", "session", item.role)
    return group_of("memory", item.layer, item.origin)


def naive_bm25(
    items: Sequence[Message | MemoryRecord], words: Sequence[str], *, near: bool = True
) -> dict[str, float]:
    """By the formula, one item after the other."""
    counts = [weighted(item) for item in items]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(items)
    sessions: dict[str | None, list[int]] = {}
    for place, item in enumerate(items):
        if isinstance(item, Message):  # a memory was not said in between
            sessions.setdefault(item.session_id, []).append(place)
    around: dict[int, list[tuple[int, float]]] = {}
    for session, places in sessions.items():
        for i, place in enumerate(places if session is not None and near else []):
            reach = [(i - 2, 0.25), (i - 1, 0.5), (i + 1, 0.5), (i + 2, 0.25)]
            around[place] = [(places[j], s) for j, s in reach if 0 <= j < len(places)]
    scores = {item.id: 0.0 for item in items}
    for word in dict.fromkeys(words):
        own = [min(count[word], 63.75) for count in counts]
        holders = sum(1 for tf in own if tf)
        if not holders:
            continue
        rarity = log(1 + (len(items) - holders + 0.5) / (holders + 0.5)) * 1.9
        for place, item in enumerate(items):
            tf = own[place]
            for other, share in around.get(place, []):
                tf += share * own[other] * min(1.0, 40 / max(lengths[other], 1))
            norm = 0.9 * (1 - 0.6 + 0.6 * lengths[place] / average)
            scores[item.id] += rarity * tf / (tf + norm)
    return scores


def found_scores(corpus: Corpus, found: Gathered, owner: int = 0) -> dict[str, float]:
    """The word scores of one partition's living items by id."""
    mine = np.flatnonzero(found.alive & (found.owner == owner)).tolist()
    passages = corpus.store.passages(corpus.home, [int(found.seq[i]) for i in mine])
    return {passages[int(found.seq[i])].item.id: float(found.words[i]) for i in mine}


@pytest.mark.parametrize("seed", range(4))
def test_bm25_is_what_a_naive_count_gives_through_adds_updates_and_deletes(
    store: SqliteStore, seed: int
) -> None:
    corpus = Corpus(store, seed)
    index = PartitionIndex.empty(corpus.home, SPACE, DIMENSIONS)
    checked = 0
    for round_ in range(12):
        for _ in range(6):
            corpus.at_random()
        index = index.refreshed(store)
        words = [token for word in corpus.chance.sample(WORDS, 4) for token in index_words(word)]
        words += ["absent"] if round_ % 2 else ["ann"]
        for group in GROUPS:
            items = [item for item in corpus.items if group_of_item(item) == group]
            if items:
                right = naive_bm25(items, words)
                found = gather([index], group, corpus.terms(words), {})
                assert found_scores(corpus, found) == pytest.approx(right, rel=1e-4)
                checked += sum(score > 0 for score in right.values())
    assert checked > 500


def test_bm25_over_two_partitions_takes_their_statistics_together(store: SqliteStore) -> None:
    one, two = Corpus(store, 1), Corpus(store, 2, Partition("zhang", "coder"))
    one.say(60)
    two.made = 1000
    two.say(200)
    indexes = [one.fresh(), two.fresh()]
    words = index_words(" ".join(WORDS[:3]))
    found = gather(indexes, SAID, one.terms(words), {})
    apart = [  # sessions of one name in two partitions are two sessions
        replace(item, session_id=f"{item.session_id} of {owner}")
        for owner, corpus in enumerate((one, two))
        for item in corpus.items
        if isinstance(item, Message) and item.role is not Role.TOOL
    ]
    right = naive_bm25(apart, words)
    scores = found_scores(one, found) | found_scores(two, found, owner=1)
    assert scores == pytest.approx(right, rel=1e-4)


def test_a_deleted_turns_words_no_longer_speak_for_its_neighbours(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none") as memory:
        session = memory.session("talk")
        for turn in ("good morning", "the zebra is ill", "poor thing"):
            last = session.append("user", turn, id=turn)
        memory.add("another zebra elsewhere")
        assert {"good morning", last.id} <= {hit.id for hit in memory.search("zebra")}
        memory.delete("the zebra is ill")
        assert [hit.text for hit in memory.search("zebra")] == ["another zebra elsewhere"]


# --- vectors, multiplied by NumPy


@pytest.mark.parametrize("count", [3, 255, 256, 257, 900])
def test_cosines_are_what_numpy_gives(store: SqliteStore, count: int) -> None:
    corpus = Corpus(store, count)
    random_numbers = np.random.default_rng(count)
    stored: dict[int, NDArray[np.float16]] = {}
    index = corpus.fresh()
    while corpus.made < count:  # it grows and fills step by step, newest and oldest
        corpus.say(min(97, count - corpus.made))
        waiting = store.pending([corpus.home], 10_000)
        rows = {}
        for _, seq in waiting:
            if corpus.chance.random() < 0.8:
                row = random_numbers.standard_normal((2, DIMENSIONS)).astype(np.float16)
                rows[seq] = row if corpus.chance.random() < 0.9 else row[:1]
        store.put_vectors(corpus.home, SPACE, [(seq, row.tobytes()) for seq, row in rows.items()])
        stored |= rows
        index = index.refreshed(store)
        for some in (1, 3):
            queries = random_numbers.standard_normal((some, DIMENSIONS)).astype(np.float32)
            found = gather([index], SAID, [], {ALONE: queries, WINDOW: queries})
            for place, seq in enumerate(found.seq.tolist()):
                for view in (ALONE, WINDOW):
                    value = found.views[view][place]
                    if seq not in stored:
                        assert np.isnan(value)
                    else:
                        row = stored[seq][min(view, len(stored[seq]) - 1)].astype(np.float64)
                        right = (queries.astype(np.float64) @ row).max()
                        assert value == pytest.approx(right, abs=1e-4)
    other = gather([index], SAID, [], {ALONE: np.ones((1, DIMENSIONS + 1), np.float32)})
    assert np.isnan(other.views[ALONE]).all()


# --- kept fresh, or built anew


def sight(
    index: PartitionIndex, terms: Sequence[int], queries: Mapping[int, NDArray[np.float32]]
) -> dict[str, object]:
    """All that a question can see of an index, free of how it is laid out."""
    out: dict[str, object] = {}
    for group in GROUPS:
        found = gather([index], group, terms, queries)
        mine = index.groups[group]
        living = np.flatnonzero(found.alive)
        out[f"{group} size"] = (mine.live, round(mine.length, 2), np.count_nonzero(found.alive))
        _, first, item = np.unique(found.item[living], return_index=True, return_inverse=True)
        out[f"{group} item"] = first[item].tolist()  # which passages are of one item
        for name in ("seq", "at", "importance", "length"):
            out[f"{group} {name}"] = getattr(found, name)[living].tolist()
        for name in ("kind", "layer", "role", "name", "session"):
            texts = {number: text for text, number in getattr(index.codes, name + "s").items()}
            out[f"{group} {name}"] = [texts.get(n) for n in getattr(found, name)[living].tolist()]
        for name in ("before", "after"):
            links = getattr(mine.columns, name)[living]
            out[f"{group} {name}"] = [int(found.seq[n]) if n != NONE else None for n in links]
        numbers = {"words": found.words, **{f"view {v}": c for v, c in found.views.items()}}
        for name, values in numbers.items():
            out[f"{group} {name}"] = pytest.approx(values[living].tolist(), abs=1e-4, nan_ok=True)
    return out


def plain(view: Mapping[str, object]) -> dict[str, object]:
    return {name: getattr(value, "expected", value) for name, value in view.items()}


@pytest.mark.parametrize("seed", range(6))
def test_an_index_kept_fresh_equals_one_built_anew(store: SqliteStore, seed: int) -> None:
    corpus = Corpus(store, seed)
    index = corpus.fresh()
    queries = np.random.default_rng(seed).standard_normal((2, DIMENSIONS)).astype(np.float32)
    for _ in range(15):
        for _ in range(corpus.chance.randrange(1, 6)):
            corpus.at_random()
        corpus.embed()  # what a deletion left waiting
        index = index.refreshed(store)
        terms = corpus.terms(corpus.chance.sample(WORDS, 5))
        asked = {ALONE: queries, WINDOW: queries[:1]}
        assert plain(sight(index, terms, asked)) == sight(corpus.fresh(), terms, asked)


def test_an_index_that_merged_and_was_compacted_equals_one_built_anew(store: SqliteStore) -> None:
    corpus = Corpus(store, 7)
    index = corpus.fresh()
    queries = np.random.default_rng(7).standard_normal((1, DIMENSIONS)).astype(np.float32)
    for erased in (0, 700, 900, 1500, 0, 400):
        corpus.say(1100)
        corpus.embed()
        corpus.erase(erased)
        corpus.embed()
        index = index.refreshed(store)
        terms = corpus.terms(corpus.chance.sample(WORDS, 5))
        asked = {ALONE: queries, WINDOW: queries}
        assert plain(sight(index, terms, asked)) == sight(corpus.fresh(), terms, asked)
    group = index.groups[SAID]
    assert group.words.merged > 0
    assert group.count < corpus.made // 2  # the dead were swept out


def test_a_reader_behind_the_log_of_deletions_builds_anew(store: SqliteStore, file: Path) -> None:
    corpus = Corpus(store, 3)
    corpus.say(30)
    index = corpus.fresh()
    corpus.erase(10)
    database = sqlite3.connect(file, isolation_level=None)  # as thousands of later writes do
    database.execute("delete from gone")
    database.execute("update partition set cut = counter, counter = counter + 1")
    database.close()
    terms = corpus.terms(WORDS[:5])
    assert plain(sight(index.refreshed(store), terms, {})) == sight(corpus.fresh(), terms, {})


def test_a_cache_gives_fresh_indexes_within_its_bound(store: SqliteStore) -> None:
    corpora = [Corpus(store, n, Partition(f"user {n}")) for n in range(6)]
    for corpus in corpora:
        corpus.say(200)
        corpus.embed()
    one = IndexCache(store, 1 << 30)
    size = one.get(corpora[0].home, SPACE, DIMENSIONS).nbytes
    small = IndexCache(store, size * 2 + size // 2)
    for corpus in corpora * 2:
        index = small.get(corpus.home, SPACE, DIMENSIONS)
        assert index.groups[SAID].live + index.groups[TOOL].live == 200
        assert small.nbytes <= size * 2 + size // 2
        assert small.get(corpus.home, SPACE, DIMENSIONS) is index
    corpora[0].say(1)
    index = small.get(corpora[0].home, SPACE, DIMENSIONS)
    assert index.groups[SAID].live + index.groups[TOOL].live == 201
    assert index.groups[ARCHIVAL].count == 0


def test_a_cache_asked_for_another_space_shows_none_of_the_first_ones_vectors(
    store: SqliteStore,
) -> None:
    corpus, other = Corpus(store, 4), "fake/others/24/1"
    corpus.say(40)
    corpus.embed()
    cache = IndexCache(store, 1 << 30)
    queries = {ALONE: np.ones((1, DIMENSIONS), np.float32)}

    def cosines(space: str) -> NDArray[np.float32]:
        index = cache.get(corpus.home, space, DIMENSIONS)
        return gather([index], SAID, [], queries).views[ALONE]

    before = cosines(SPACE)
    assert np.isfinite(before).any()
    store.use_space(other)
    assert np.isnan(cosines(other)).all()
    waiting = store.pending([corpus.home], 1000)
    unit = np.eye(1, DIMENSIONS, dtype=np.float16).tobytes() * 2
    store.put_vectors(corpus.home, other, [(seq, unit) for _, seq in waiting[:9]])
    fresh = cosines(other)
    assert fresh[np.isfinite(fresh)].tolist() == [1.0] * 9
    np.testing.assert_array_equal(cosines(SPACE), before)


# --- read while it is written


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def consistent(found: Gathered) -> None:
    sizes = {
        len(getattr(found, name))
        for name in (
            "owner", "seq", "item", "kind", "layer", "role", "name", "session", "at",
            "importance", "length", "alive", "words",
        )
    } | {len(view) for view in found.views.values()}  # fmt: skip
    assert len(sizes) == 1, sizes
    assert (np.diff(found.seq) > 0).all()
    assert np.isfinite(found.words).all()
    assert (found.words >= 0).all()


@pytest.mark.usefixtures("hasty")
def test_readers_in_threads_see_whole_indexes_while_a_writer_writes(store: SqliteStore) -> None:
    corpus = Corpus(store, 5)
    corpus.say(50)
    cache = IndexCache(store, 1 << 30)
    stop = threading.Event()
    faults: list[BaseException] = []
    terms = corpus.terms(WORDS[:6])
    queries = {ALONE: np.ones((1, DIMENSIONS), np.float32)}

    def read() -> None:
        kept: list[tuple[PartitionIndex, NDArray[np.int64]]] = []
        last = 0
        try:
            while not stop.is_set():
                index = cache.get(corpus.home, SPACE, DIMENSIONS)
                found = gather([index], SAID, terms, queries)
                consistent(found)
                assert index.cursor.counter >= last
                last = index.cursor.counter
                kept = [*kept[-3:], (index, found.seq[found.alive])]
                for old, seqs in kept:  # an index that somebody holds never changes
                    again = gather([old], SAID, terms, queries)
                    consistent(again)
                    assert (again.seq[again.alive] == seqs).all()
        except BaseException as fault:  # noqa: BLE001 - whatever it is, the test shows it
            faults.append(fault)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(120):
        corpus.at_random()
        if corpus.chance.random() < 0.1:
            corpus.say(300)
            corpus.erase(250)
    stop.set()
    for reader in readers:
        reader.join()
    assert faults == []
    index = cache.get(corpus.home, SPACE, DIMENSIONS)
    corpus.embed()
    index = cache.get(corpus.home, SPACE, DIMENSIONS)
    assert plain(sight(index, terms, queries)) == sight(corpus.fresh(), terms, queries)


@pytest.mark.usefixtures("hasty")
def test_searches_in_threads_bear_new_speakers_sessions_and_roles(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none", background=False) as memory:
        memory.session("s").append("user", "zebra", name="Ann 0")
        stop = threading.Event()
        faults: list[BaseException] = []

        def read() -> None:
            try:
                while not stop.is_set():
                    assert memory.search("what did Ann 0 say of the zebra").hits
            except BaseException as fault:  # noqa: BLE001 - whatever it is, the test shows it
                faults.append(fault)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        for part in range(60):
            turns = [
                {"role": "user", "content": "zebra", "name": f"Ann {part} {n}"} for n in range(40)
            ]
            memory.add(turns, session_id=f"s{part}")
        stop.set()
        for reader in readers:
            reader.join()
        assert faults == []
