from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from lamina.errors import EmbedderError, InvalidInputError
from lamina.pipeline.embed import checked
from lamina.testing.fakes import FakeClock, HashEmbedder
from lamina.testing.faults import (
    FaultyEmbedder,
    HangingEmbedder,
    NanEmbedder,
    RaisingEmbedder,
    TooFewEmbedder,
    WrongShapeEmbedder,
)


def test_a_fake_clock_stands_still_until_it_is_advanced() -> None:
    start = datetime(2026, 5, 4, tzinfo=UTC)
    clock = FakeClock(start, "Asia/Shanghai")
    assert clock.now() == clock.now() == start
    assert clock.advance(days=1, seconds=-1) == clock.now() == start + timedelta(1, -1)
    assert clock.zone.key == "Asia/Shanghai"
    with pytest.raises(InvalidInputError, match="names no zone"):
        FakeClock(datetime(2026, 5, 4))  # noqa: DTZ001


def test_hashed_words_are_unit_vectors_alike_as_far_as_they_share_words() -> None:
    texts = [
        "Oat milk, please!",
        "please OAT milk",
        "咖啡不加糖",
        "咖啡加牛奶",
        "",
        "quarterly tax",
    ]
    vectors = checked(HashEmbedder(dimensions=512), texts, "passage")
    assert vectors.dtype == np.float32
    alike = vectors @ vectors.T
    np.testing.assert_allclose(np.diag(alike), 1, rtol=1e-6)
    assert alike[0, 1] == pytest.approx(1)
    assert 0.5 < alike[2, 3] < 0.9
    assert alike[0, 5] < 0.1
    assert HashEmbedder(8).embed([], "query").shape == (0, 8)


@pytest.mark.parametrize(
    "faulty", [RaisingEmbedder, WrongShapeEmbedder, TooFewEmbedder, NanEmbedder]
)
def test_a_faulty_embedder_is_found_out_and_recovers(faulty: type[FaultyEmbedder]) -> None:
    embedder = faulty(times=2)
    for _ in range(2):
        with pytest.raises(EmbedderError):
            checked(embedder, ["tea", "milk"], "passage")
    good = checked(embedder, ["tea", "milk"], "passage")
    assert (good == HashEmbedder().embed(["tea", "milk"], "passage")).all()
    assert embedder.calls == 3


def test_a_raising_embedder_raises_what_it_is_given() -> None:
    with pytest.raises(OSError, match="unplugged"):
        RaisingEmbedder(error=OSError("unplugged")).embed(["tea"], "query")


def test_a_hanging_embedder_hangs_until_it_is_released_and_fails() -> None:
    embedder = HangingEmbedder(seconds=60)
    failed: list[EmbedderError] = []

    def ask() -> None:
        try:
            embedder.embed(["tea"], "query")
        except EmbedderError as fault:
            failed.append(fault)

    thread = threading.Thread(target=ask)
    thread.start()
    assert embedder.asked.wait(30)
    assert not failed
    embedder.release()
    thread.join(30)
    assert len(failed) == 1
