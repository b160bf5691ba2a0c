import base64
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoints import Answer, Endpoint, Json, answering

import lamina
from lamina.embedders.openai import OpenAIEmbedder
from lamina.errors import EmbedderError, MissingPackageError, SettingsError
from lamina.types import Space

pytest.importorskip("openai", reason="the openai package is not installed")

NOW = {"Retry-After": "0"}


def numbers(text: str) -> list[float]:
    """Four numbers that tell texts apart; not of unit length."""
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0, -2.0]


def direction(text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    held = np.asarray(numbers(text), np.float32)
    return held / np.float32(np.linalg.norm(held))


def listed(texts: list[str]) -> Json:
    items = [
        {"object": "embedding", "index": i, "embedding": numbers(t)} for i, t in enumerate(texts)
    ]
    return {"object": "list", "data": items, "model": "m", "usage": {}}


def good(asked: Json) -> Answer:
    return 200, listed(asked["input"]), {}


def sizes(endpoint: Endpoint) -> list[int]:
    return [len(body["input"]) for _, _, body in endpoint.asked]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with answering(good) as server:
        yield server


@pytest.fixture
def made(endpoint: Endpoint) -> Iterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(endpoint.url("/v1"), "m", api_key="sk-secret", dimensions=4)
    yield embedder
    embedder.close()


@pytest.mark.parametrize("base", ["/v1", "/v4", "/compatible-mode/v1", "/v1/", "", "/api/paas/v4/"])
def test_the_base_url_is_used_as_given_with_embeddings_after_it(
    base: str, endpoint: Endpoint
) -> None:
    embedder = OpenAIEmbedder(endpoint.url(base), "m", api_key="k", dimensions=4)
    embedder.embed(["a"], "query")
    embedder.close()
    assert [path for path, _, _ in endpoint.asked] == [f"{base.rstrip('/')}/embeddings"]


def test_vectors_are_float32_of_unit_length_in_the_order_of_the_texts(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    texts = ["tea", "面试准备", "Встреча"]
    vectors = made.embed(texts, "passage")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [direction(text) for text in texts], atol=1e-6)
    ((_, key, body),) = endpoint.asked
    assert key == "Bearer sk-secret"
    assert body == {"input": texts, "model": "m", "dimensions": 4, "encoding_format": "float"}


def test_dimensions_that_are_not_given_are_asked_once_and_never_sent(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(endpoint.url("/v1"), "bge-m3", api_key="k")
    with ThreadPoolExecutor(4) as pool:
        spaces = set(pool.map(lambda _: embedder.space, range(8)))
    assert spaces == {Space(f"openai@127.0.0.1:{endpoint.server_port}", "bge-m3", 4)}
    assert len(endpoint.asked) == 1
    embedder.embed(["a"], "query")
    assert all("dimensions" not in body for _, _, body in endpoint.asked)
    embedder.close()


def test_nothing_is_asked_before_the_first_use_and_nothing_for_no_texts(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    assert made.space.dimensions == 4
    assert made.embed([], "query").shape == (0, 4)
    assert endpoint.asked == []


def test_answers_out_of_order_are_put_in_order(endpoint: Endpoint, made: OpenAIEmbedder) -> None:
    texts = ["one", "three", "eleven"]
    answer = listed(texts)
    answer["data"].reverse()
    endpoint.script = [(200, answer, {})]
    vectors = made.embed(texts, "passage")
    np.testing.assert_allclose(vectors, [direction(text) for text in texts], atol=1e-6)


def test_answers_without_an_index_are_taken_in_order(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    texts = ["one", "three"]
    endpoint.script = [(200, {"data": [{"embedding": numbers(text)} for text in texts]}, {})]
    vectors = made.embed(texts, "passage")
    np.testing.assert_allclose(vectors, [direction(text) for text in texts], atol=1e-6)


def test_base64_is_read_as_little_endian_float32(endpoint: Endpoint, made: OpenAIEmbedder) -> None:
    held = base64.b64encode(np.asarray(numbers("tea"), "<f4").tobytes()).decode()
    endpoint.script = [(200, {"data": [{"index": 0, "embedding": held}]}, {})]
    np.testing.assert_allclose(made.embed(["tea"], "query"), [direction("tea")], atol=1e-6)


def test_many_texts_go_in_requests_of_64(endpoint: Endpoint, made: OpenAIEmbedder) -> None:
    texts = [f"text {i}" for i in range(150)]
    vectors = made.embed(texts, "passage")
    assert sizes(endpoint) == [64, 64, 22]
    np.testing.assert_allclose(vectors, [direction(text) for text in texts], atol=1e-6)


def test_long_texts_go_in_requests_of_about_8000_tokens(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    made.embed(["word " * 3000] * 5 + ["word " * 20_000, "short"], "passage")
    assert sizes(endpoint) == [2, 2, 1, 1, 1]


def at_most(most: int, status: int, words: str) -> Callable[[Json], Answer]:
    def answer(asked: Json) -> Answer:
        if len(asked["input"]) > most:
            return status, {"error": {"message": words}}, {}
        return good(asked)

    return answer


@pytest.mark.parametrize(
    ("most", "status", "words"),
    [
        (10, 400, "batch size is invalid, it should not be larger than 10"),
        (32, 413, "batch size 64 > maximum allowed batch size 32"),
        (1, 422, "input数组过大"),
    ],
)
def test_a_batch_that_is_refused_is_halved_and_the_limit_remembered(
    most: int, status: int, words: str, endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    endpoint.otherwise = at_most(most, status, words)
    texts = [f"text {i}" for i in range(70)]
    vectors = made.embed(texts, "passage")
    np.testing.assert_allclose(vectors, [direction(text) for text in texts], atol=1e-6)
    before = len(endpoint.asked)
    made.embed(texts, "passage")
    assert all(size <= most for size in sizes(endpoint)[before:])


def test_a_text_that_is_refused_alone_is_an_error_and_changes_no_limit(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    def picky(asked: Json) -> Answer:
        if "bad" in asked["input"]:
            return 400, {"error": {"message": "input is too long"}}, {}
        return good(asked)

    endpoint.otherwise = picky
    with pytest.raises(EmbedderError, match=r"input is too long.*embedder_model"):
        made.embed(["good"] * 40 + ["bad"] + ["good"] * 20, "passage")
    assert len(endpoint.asked) < 20
    before = len(endpoint.asked)
    made.embed(["good"] * 64, "passage")
    assert sizes(endpoint)[before:] == [64]


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_endpoint_is_waited_for(
    status: int, endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    ago = format_datetime(datetime.now(UTC) - timedelta(seconds=5), usegmt=True)
    endpoint.script = [
        (status, {"error": {"message": "busy"}}, NOW),
        (status, b"", {"Retry-After": ago}),
    ]
    np.testing.assert_allclose(made.embed(["tea"], "query"), [direction("tea")], atol=1e-6)
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize("status", [429, 500])
def test_an_endpoint_that_stays_busy_is_an_error_after_four_tries(
    status: int, endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    endpoint.otherwise = lambda _: (status, {"error": {"message": "come back later"}}, NOW)
    with pytest.raises(EmbedderError, match=r"4 times.*come back later"):
        made.embed(["tea"], "query")
    assert len(endpoint.asked) == 4


def test_an_endpoint_that_asks_for_a_long_pause_is_not_waited_for(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    endpoint.script = [
        (429, {"error": {"message": "quota"}}, {"Retry-After": "3600"}),
        (503, {"error": {"message": "quota"}}, {"Retry-After": later}),
        (503, {"error": {"message": "quota"}}, {"Retry-After": "inf"}),
    ]
    for _ in range(3):
        with pytest.raises(EmbedderError, match="quota"):
            made.embed(["tea"], "query")
    assert len(endpoint.asked) == 3


@pytest.mark.parametrize(
    ("status", "setting"),
    [(401, "embedder_key"), (403, "embedder_key"), (404, "embedder_url and embedder_model")],
)
def test_what_no_retry_mends_fails_at_once_and_names_the_setting(
    status: int, setting: str, endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    endpoint.script = [(status, {"error": {"message": "no: sk-secret"}}, {})]
    with pytest.raises(EmbedderError, match=setting) as raised:
        made.embed(["tea", "milk"], "query")
    assert len(endpoint.asked) == 1
    assert "sk-secret" not in str(raised.value)


def data(*vectors: object, first: int = 0) -> Json:
    items = [{"index": i, "embedding": vector} for i, vector in enumerate(vectors, first)]
    return {"data": items}


NONSENSE: dict[str, Json | bytes] = {
    "too few": data([1, 2, 3, 4]),
    "too many": data(*[[1, 2, 3, 4]] * 3),
    "none": data(),
    "other dimensions": data([1, 2, 3], [1, 2, 3]),
    "lengths that differ": data([1, 2, 3, 4], [1, 2, 3]),
    "NaN": data([1, 2, 3, 4], [1, float("nan"), 3, 4]),
    "infinity": data([1, 2, 3, 4], [1, float("inf"), 3, 4]),
    "null": data([1, 2, 3, 4], [1, None, 3, 4]),
    "zeros": data([1, 2, 3, 4], [0, 0, 0, 0]),
    "words": data([1, 2, 3, 4], ["a", "b", "c", "d"]),
    "no vector": data([1, 2, 3, 4], None),
    "a number": data([1, 2, 3, 4], 7),
    "an empty vector": data([], []),
    "bad base64": data("AAAA", "!!!"),
    "half a number": data("AAA=", "AAA="),
    "an index of another batch": data([1, 2, 3, 4], [1, 2, 3, 4], first=64),
    "an index twice": {"data": data([1, 2, 3, 4])["data"] * 2},
    "indices of two kinds": {"data": [{"index": "a", "embedding": [1]}, {"index": 1}]},
    "items that are none": {"data": ["x", "y"]},
    "an error with status 200": {"error": {"message": "no such model"}},
    "a list": b"[1, 2]",
    "a page": b"<!doctype html><title>Sign in</title>",
    "nothing": b"",
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_an_error_and_never_a_vector(
    answer: Json | bytes, endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    endpoint.script = [(200, answer, {})]
    with pytest.raises(EmbedderError, match=r"127\.0\.0\.1"):
        made.embed(["tea", "milk"], "query")
    assert len(endpoint.asked) == 1


def test_an_endpoint_that_is_not_there_is_an_error_that_names_it(endpoint: Endpoint) -> None:
    url = endpoint.url("/v1")
    endpoint.server_close()
    embedder = OpenAIEmbedder(url, "m", api_key="k")
    with pytest.raises(EmbedderError, match=r"127\.0\.0\.1.*embedder_url"):
        embedder.embed(["tea"], "query")
    with pytest.raises(EmbedderError, match="embedder_url"):
        _ = embedder.space
    embedder.close()


def test_no_key_is_fine_for_an_endpoint_that_wants_none(endpoint: Endpoint) -> None:
    embedder = OpenAIEmbedder(endpoint.url("/v1"), "m")
    assert embedder.embed(["tea"], "query").shape == (1, 4)
    embedder.close()


@pytest.mark.parametrize(
    ("url", "model", "key", "setting"),
    [
        ("", "m", "k", "embedder_url"),
        ("api.openai.com/v1", "m", "k", "embedder_url"),
        ("ftp://host/v1", "m", "k", "embedder_url"),
        ("http://[::1", "m", "k", "embedder_url"),
        ("https://host/v1", "", "k", "embedder_model"),
        ("https://host/v1", "m", "k\n", "embedder_key"),
        ("https://host/v1", "m", "密钥", "embedder_key"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(
    url: str, model: str, key: str, setting: str
) -> None:
    with pytest.raises(SettingsError, match=setting):
        OpenAIEmbedder(url, model, api_key=key)


def test_a_password_in_the_url_is_in_no_error(endpoint: Endpoint) -> None:
    url = endpoint.url("/v1").replace("//", "//me:hunter2@")
    endpoint.otherwise = lambda _: (404, {"error": {"message": "no"}}, {})
    embedder = OpenAIEmbedder(url, "m", api_key="k", dimensions=4)
    with pytest.raises(EmbedderError) as raised:
        embedder.embed(["tea"], "query")
    assert "hunter2" not in str(raised.value) + embedder.space.name
    embedder.close()


def test_threads_that_share_one_get_their_own_vectors(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    def work(turn: int) -> bool:
        texts = [f"{turn} says {i}" for i in range(turn + 1)]
        wanted = [direction(text) for text in texts]
        return bool(np.allclose(made.embed(texts, "passage"), wanted, atol=1e-6))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(32)))
    assert len(endpoint.asked) == 32


def test_it_can_be_used_after_close_and_closed_twice(made: OpenAIEmbedder) -> None:
    made.embed(["tea"], "query")
    made.close()
    made.close()
    assert made.embed(["tea"], "query").shape == (1, 4)


def test_a_lone_surrogate_is_sent_as_the_mark_for_it(
    endpoint: Endpoint, made: OpenAIEmbedder
) -> None:
    made.embed(["a \ud83d b"], "query")
    assert endpoint.asked[0][2]["input"] == ["a \ufffd b"]


def test_without_the_openai_package_the_line_for_pip_is_said(
    made: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'lamina\[openai\]'"):
        _ = made.space


def test_importing_and_making_one_does_not_load_the_sdk() -> None:
    code = (
        "import sys; from lamina.embedders.openai import OpenAIEmbedder;"
        "OpenAIEmbedder('http://host/v1', 'm'); sys.exit('openai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_memory_is_searched_by_an_endpoints_vectors_and_by_words_when_it_fails(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    url = endpoint.url("/v1")
    with lamina.open(
        tmp_path, embedder="openai", embedder_url=url, embedder_model="m", embedder_key="k"
    ) as memory:
        memory.add("The key lies under the mat.")
        found = memory.search("where is the key?")
        assert [hit.text for hit in found.hits] == ["The key lies under the mat."]
        assert found.degraded == ()
        endpoint.otherwise = lambda _: (401, {"error": {"message": "revoked"}}, {})
        found = memory.search("where did I put the key?")
        assert [hit.text for hit in found.hits] == ["The key lies under the mat."]
        assert any("embedder_key" in reason for reason in found.degraded)
