import base64
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lamina.embedders.e5 import E5
from lamina.embedders.unigram import Unigram
from lamina.errors import MissingPackageError
from lamina.types import Space

lamina_e5 = pytest.importorskip("lamina_e5", reason="the weights (lamina-e5) are not installed")

FIXED = Path(__file__).with_name("e5_fixed.json")
CASES: list[dict[str, Any]] = json.loads(FIXED.read_text("utf-8"))["cases"]
TEXTS = [str(case["text"]) for case in CASES]


@pytest.fixture(scope="module")
def e5() -> E5:
    return E5()


@pytest.fixture(scope="module")
def pieces() -> Unigram:
    return Unigram(lamina_e5.FOLDER)


def vector(case: dict[str, Any]) -> NDArray[np.float32]:
    held = np.frombuffer(base64.b64decode(case["vector"]), "<f2").astype(np.float32)
    out: NDArray[np.float32] = held / np.linalg.norm(held)
    return out


@pytest.mark.parametrize("case", CASES, ids=[text[:12] for text in TEXTS])
def test_ids_and_vectors_of_many_scripts_are_those_of_the_weights_own_engine(
    case: dict[str, Any], e5: E5, pieces: Unigram
) -> None:
    assert pieces(f"{case['purpose']}: {case['text']}") == case["ids"]
    (made,) = e5.raw([case["text"]], case["purpose"])
    assert float(made @ vector(case)) >= 0.9999


def test_vectors_are_float32_of_unit_length_in_the_space_it_names(e5: E5) -> None:
    made = e5.embed(TEXTS, "passage")
    assert made.shape == (len(TEXTS), e5.space.dimensions)
    assert made.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, atol=1e-6)
    assert e5.space == Space("e5", "multilingual-e5-small-q4", 384, "2")


def test_a_text_has_the_same_vector_alone_in_a_batch_and_in_any_order(e5: E5) -> None:
    texts = [*TEXTS, "word " * 700]
    together = e5.embed(texts, "passage")
    backwards = e5.embed(texts[::-1], "passage")[::-1]
    alone = np.concatenate([e5.embed([text], "passage") for text in texts])
    np.testing.assert_allclose(backwards, together, atol=1e-5)
    np.testing.assert_allclose(alone, together, atol=1e-5)


def test_a_question_and_a_passage_of_the_same_words_differ(e5: E5) -> None:
    question, passage = e5.embed(["tea"], "query")[0], e5.embed(["tea"], "passage")[0]
    assert float(question @ passage) < 0.999


def test_a_question_asked_again_has_the_same_vector_and_cannot_be_spoilt(e5: E5) -> None:
    first = e5.embed(["where is the key?"], "query")
    kept = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(e5.embed(["where is the key?"], "query"), kept)


def test_the_end_of_a_long_text_has_its_part_in_the_vector(e5: E5) -> None:
    rain = "It rained on the hills all day and the river rose. " * 120
    chess = "She opened with the queen's gambit and won the chess match. " * 120
    alone, both = e5.embed([rain, rain + chess], "passage")
    question = e5.embed(["Who won the game of chess?"], "query")[0]
    assert float(question @ both) > float(question @ alone) + 0.01
    assert float(alone @ both) < 0.99


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\ud83d", "\x00", "<s>", "</s><pad>"])
def test_empty_and_odd_texts_have_vectors_too(text: str, e5: E5) -> None:
    made = e5.embed([text, "something else"], "passage")
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, atol=1e-6)


def test_no_texts_make_no_vectors(e5: E5) -> None:
    assert e5.embed([], "query").shape == (0, 384)
    assert e5.embed([], "passage").shape == (0, 384)


def test_marks_of_the_model_written_in_a_text_are_text(pieces: Unigram) -> None:
    assert not {0, 1, 2} & set(pieces("passage: <s> a </s> <pad>"))


def test_threads_that_share_one_get_what_one_thread_gets() -> None:
    shared = E5()
    alone = shared.embed(TEXTS, "passage")
    shared.close()  # so that all of them find it unloaded

    def work(turn: int) -> NDArray[np.float32]:
        if turn == 5:
            shared.close()
        return shared.embed(TEXTS, "passage")

    with ThreadPoolExecutor(8) as pool:
        for made in pool.map(work, range(16)):
            np.testing.assert_allclose(made, alone, atol=1e-5)


def test_it_can_be_used_after_close_and_closed_twice() -> None:
    e5 = E5()
    before = e5.embed(["tea"], "passage")
    e5.close()
    e5.close()
    np.testing.assert_array_equal(e5.embed(["tea"], "passage"), before)


def test_without_the_weights_the_line_for_pip_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lamina_e5", None)
    with pytest.raises(MissingPackageError, match="pip install"):
        _ = E5().space


def test_importing_it_loads_neither_the_runtime_nor_the_weights() -> None:
    code = (
        "import sys; from lamina.embedders.e5 import E5; E5();"
        "sys.exit(bool({'onnxruntime', 'lamina_e5'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
