"""A broken, slow or changed embedder: words answer, the reply says so, and nothing is lost."""

import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lamina
from lamina import EmbedderError, Memory, MissingPackageError, Space

DIMENSIONS = 16


class Fake:
    """Words as random directions that depend on the space: alike texts are near each other."""

    def __init__(self, model: str = "one", dimensions: int = DIMENSIONS) -> None:
        self.model, self.dimensions = model, dimensions
        self.embedded: list[tuple[str, str]] = []
        self.closed = 0

    @property
    def space(self) -> Space:
        return Space("fake", self.model, self.dimensions)

    def embed(self, texts: Sequence[str], purpose: str) -> NDArray[np.float32]:
        self.embedded += [(purpose, text) for text in texts]
        return np.stack([self.vector(text) for text in texts])

    def vector(self, text: str) -> NDArray[np.float32]:
        total = np.full(self.dimensions, 0.01)
        for word in text.lower().split():
            seed = zlib.crc32(f"{self.model} {word}".encode())
            total += np.random.default_rng(seed).standard_normal(self.dimensions)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def close(self) -> None:
        self.closed += 1


class Faulty(Fake):
    """One that answers with `fault(texts)` as long as there is one."""

    def __init__(self, fault: Callable[[Sequence[str]], Any] | None) -> None:
        super().__init__()
        self.fault = fault

    def embed(self, texts: Sequence[str], purpose: str) -> NDArray[np.float32]:
        if self.fault is None:
            return super().embed(texts, purpose)
        answer: NDArray[np.float32] = self.fault(texts)
        return answer


def raising(fault: BaseException, *, after: float = 0.0) -> Callable[[Sequence[str]], Any]:
    def answer(_: Sequence[str]) -> Any:
        time.sleep(after)
        raise fault

    return answer


def with_nan(texts: Sequence[str]) -> NDArray[np.float32]:
    vectors = np.full((len(texts), DIMENSIONS), 0.25, np.float32)
    vectors[-1, 3] = np.nan
    return vectors


FAULTS: dict[str, Callable[[Sequence[str]], Any]] = {
    "its own error": raising(EmbedderError("the endpoint is away")),
    "any error": raising(RuntimeError("the endpoint is away")),
    "a missing package": raising(MissingPackageError("the endpoint is away: pip install it")),
    "a timeout after a wait": raising(TimeoutError("the endpoint is away"), after=0.2),
    "too few": lambda texts: np.zeros((len(texts) - 1, DIMENSIONS), np.float32),
    "too many": lambda texts: np.zeros((len(texts) + 1, DIMENSIONS), np.float32),
    "other dimensions": lambda texts: np.zeros((len(texts), DIMENSIONS + 1), np.float32),
    "one row": lambda _: np.zeros(DIMENSIONS, np.float32),
    "nothing": lambda _: None,
    "text": lambda _: "vectors",
    "ragged lists": lambda texts: [[0.5] * (i + 1) for i in range(len(texts) + 1)],
    "NaN": with_nan,
    "infinity": lambda texts: np.full((len(texts), DIMENSIONS), np.inf, np.float32),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("background", [True, False], ids=["background", "foreground"])
def test_a_failing_embedder_leaves_words_says_so_and_loses_nothing(
    tmp_path: Path, fault: Callable[[Sequence[str]], Any], *, background: bool
) -> None:
    with lamina.open(tmp_path, embedder=Faulty(fault), background=background) as memory:
        session = memory.session("talk")
        session.append("user", "a zebra crossed the road")
        note = memory.add("zebra stripes are all different")
        hits = memory.search("zebra")
        assert len(hits) == 2
        assert len(hits.degraded) == 1
        assert "words alone answer" in hits.degraded[0]
        assert memory.context("zebra").degraded == hits.degraded
        assert session.context("zebra", window=[]).degraded == hits.degraded
        assert memory.admin.status().degraded == hits.degraded
        session.append("user", "the zebra came back")
        memory.update(note.id, "zebra stripes are like fingerprints")
        assert len(memory.search("zebra")) == 3
        with pytest.raises(EmbedderError):
            memory.admin.flush()
        assert memory.admin.status().vectors == 0
    good = Fake()
    with lamina.open(tmp_path, embedder=good, background=False) as memory:
        assert memory.admin.status().pending == 3
        assert memory.admin.flush() == 3
        hits = memory.search("zebra")
        assert (len(hits), hits.degraded) == (3, ())
        status = memory.admin.status()
        assert (status.pending, status.vectors, status.degraded) == (0, 3, ())


def test_an_embedder_that_fails_later_leaves_what_it_did(tmp_path: Path) -> None:
    embedder = Faulty(None)
    with lamina.open(tmp_path, embedder=embedder, background=False) as memory:
        memory.add("a zebra crossed the road")
        assert memory.admin.flush() == 1
        embedder.fault = raising(OSError("the line is cut"))
        memory.add("a second zebra")
        hits = memory.search("zebra")
        assert len(hits) == 2
        assert "the line is cut" in hits.degraded[0]
        assert memory.admin.status().vectors == 1


def test_an_embedder_that_cannot_name_its_space_leaves_words(tmp_path: Path) -> None:
    class Spaceless(Fake):
        @property
        def space(self) -> Space:
            raise ValueError("no model")

    class Odd(Fake):
        @property
        def space(self) -> Space:
            return "a space"  # type: ignore[return-value]

    for embedder, why in ((Spaceless(), "no model"), (Odd(), "a space")):
        with lamina.open(tmp_path, embedder=embedder) as memory:
            memory.add("a zebra")
            hits = memory.search("zebra")
            assert len(hits) == 1
            assert why in hits.degraded[0]


def test_an_embedder_that_does_not_close_keeps_no_store_open(tmp_path: Path) -> None:
    class Stuck(Fake):
        def close(self) -> None:
            raise OSError("no")

    memory = lamina.open(tmp_path, embedder=Stuck(), background=False)
    memory.add("a zebra")
    memory.close()
    assert not (tmp_path / "lamina.db-wal").exists()  # the last connection takes it away


def test_close_does_not_wait_for_a_hanging_embedder(tmp_path: Path) -> None:
    entered, go = threading.Event(), threading.Event()

    class Hanging(Fake):
        def embed(self, texts: Sequence[str], purpose: str) -> NDArray[np.float32]:
            entered.set()
            go.wait(30)
            return super().embed(texts, purpose)

    memory = lamina.open(tmp_path, embedder=Hanging())
    added = memory.add("a zebra").id
    assert entered.wait(30)
    assert memory.get(added).content == "a zebra"  # reading and writing go on meanwhile
    memory.add("a second zebra")
    memory.close()
    assert not go.is_set()
    go.set()
    with lamina.open(tmp_path, embedder=Fake(), background=False) as again:
        assert len(again.search("zebra")) == 2


def test_a_locked_store_leaves_words(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none") as memory:
        memory.add("a zebra")
    with lamina.open(tmp_path, embedder=Fake(), busy_seconds=0.05, background=False) as memory:
        with closing(sqlite3.connect(tmp_path / "lamina.db", isolation_level=None)) as other:
            other.execute("begin immediate")
            hits = memory.search("zebra")
            assert len(hits) == 1
            assert "another process holds" in hits.degraded[0]
            other.execute("rollback")
        assert len(memory.search("zebra")) == 1


def filled(memory: Memory, count: int) -> None:
    turns = [{"role": "user", "content": f"zebra number {n}", "id": f"m{n}"} for n in range(count)]
    memory.add(turns, session_id="talk")


def alone_cosines(memory: Memory, question: str) -> dict[str, float]:
    """By message id, the cosine of question and turn alone, of those that have one."""
    hits = memory.search(question, limit=1000, explain=True)
    found = {hit.id: s.raw for hit in hits for s in hit.signals if s.name == "turn"}
    return {id: cosine for id, cosine in found.items() if not np.isnan(cosine)}


def expected(embedder: Fake, question: str, count: int) -> dict[str, float]:
    asked = embedder.vector(question)
    turns = (embedder.vector(f"zebra number {n}").astype(np.float16) for n in range(count))
    return {f"m{n}": float(asked @ turn.astype(np.float32)) for n, turn in enumerate(turns)}


@pytest.mark.parametrize("new", [Fake("two"), Fake("one", 24)], ids=["model", "dimensions"])
def test_a_changed_embedder_never_meets_the_old_ones_vectors(tmp_path: Path, new: Fake) -> None:
    count, old, question = 100, Fake(), "zebra number 7"
    with lamina.open(tmp_path, embedder=old, background=False) as memory:
        filled(memory, count)
        memory.admin.flush()
        assert alone_cosines(memory, question) == pytest.approx(expected(old, question, count))
    with lamina.open(tmp_path, embedder=new, background=False) as memory:
        right = expected(new, question, count)
        hits = memory.search(question, limit=1000)
        assert len(hits) == count
        assert "wait for their vectors" in hits.degraded[0]
        some = alone_cosines(memory, question)  # two searches' worth of new ones
        assert 0 < len(some) < count
        assert some == pytest.approx({id: right[id] for id in some})
        memory.admin.flush()
        assert alone_cosines(memory, question) == pytest.approx(right)
        assert memory.search(question).degraded == ()
        assert memory.admin.status().space == new.space.name
        assert memory.admin.status().vectors == count
    old.embedded.clear()
    with lamina.open(tmp_path, embedder=old, background=False) as memory:
        assert alone_cosines(memory, question) == pytest.approx(expected(old, question, count))
    assert [purpose for purpose, _ in old.embedded] == ["query"]  # its vectors were still there


def test_flush_rebuilds_for_a_changed_embedder_before_anyone_searches(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=Fake(), background=False) as memory:
        filled(memory, 50)
        assert memory.admin.flush() == 50
        assert memory.admin.flush() == 0
    with lamina.open(tmp_path, embedder=Fake("two"), background=False) as memory:
        assert memory.admin.flush() == 50


def test_a_search_sets_the_rebuilding_off_in_the_background(tmp_path: Path) -> None:
    new, question = Fake("two"), "zebra number 7"
    with lamina.open(tmp_path, embedder=Fake(), background=False) as memory:
        filled(memory, 100)
        memory.admin.flush()
    with lamina.open(tmp_path, embedder=new) as memory:
        assert len(memory.search(question, limit=1000)) == 100
        for _ in range(3000):
            if memory.admin.status().pending == 0:
                break
            time.sleep(0.01)
        assert alone_cosines(memory, question) == pytest.approx(expected(new, question, 100))


def test_two_embedders_on_one_store_step_back_and_never_spin_or_mix(tmp_path: Path) -> None:
    one, two, question = Fake(), Fake("two"), "zebra number 7"
    with (
        lamina.open(tmp_path, embedder=one, background=False) as first,
        lamina.open(tmp_path, embedder=two, background=False) as second,
    ):
        filled(first, 40)
        first.admin.flush()
        second.admin.flush()
        second.add("zebra number late", metadata={"late": True})
        with pytest.raises(EmbedderError, match="another embedder"):
            first.admin.flush()
        hits = first.search(question, limit=1000)
        assert len(hits) == 41
        assert "another embedder" in hits.degraded[0]
        second.admin.flush()
        cosines = alone_cosines(second, question)
        assert {id: cosines[id] for id in cosines if id.startswith("m")} == pytest.approx(
            expected(two, question, 40)
        )
        assert len(cosines) == 41
    assert (one.closed, two.closed) == (1, 1)


def test_vectors_of_another_width_under_the_same_name_are_passed_over(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=Fake(), background=False) as memory:
        filled(memory, 5)
        memory.admin.flush()
    with closing(sqlite3.connect(tmp_path / "lamina.db")) as db:
        db.execute("update vector set data = substr(data, 1, 20) where id = 3")
        db.commit()
    with lamina.open(tmp_path, embedder=Fake(), background=False) as memory:
        assert len(memory.search("zebra", limit=10)) == 5
        assert len(alone_cosines(memory, "zebra number 7")) == 4
