"""A reranker hands the best places out anew; broken, it changes nothing and the reply says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from serving import serving

import lamina
from lamina import Memory, SettingsError
from lamina.pipeline.rerank import RERANKED
from lamina.testing.fakes import FakeClock, HashEmbedder

QUERY = "where does the heron sleep"
KEY = "sk-endpoint-0123456789abcdefghij"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
Json = dict[str, Any]


def shortest_first(texts: Sequence[str]) -> list[float]:
    """Scores of no scale in particular: the shorter the better."""
    return [-0.25 * len(text) for text in texts]


def listed(scores: Sequence[float]) -> Json:
    """Best first, as endpoints answer."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return {"results": [{"index": i, "relevance_score": scores[i]} for i in order]}


def good(asked: Json) -> tuple[int, Any]:
    return 200, listed(shortest_first(asked["documents"]))


class Endpoint(ThreadingHTTPServer):
    """Answers as it is told to, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: Callable[[Json], tuple[int, Any]] = good
        self.asked: list[tuple[str, str, Json]] = []  # path, authorization, body

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers.get("Authorization", ""), body))
        status, answer = self.server.answer(body)
        held = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        if status == 307:
            self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", str(len(held)))
        self.end_headers()
        self.wfile.write(held)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(Endpoint()) as server:
        yield server


def opened(folder: Path, endpoint: Endpoint | None = None, **settings: Any) -> Memory:
    if endpoint is not None:
        settings |= {"rerank_url": endpoint.url, "rerank_model": "m", "rerank_key": KEY}
    clock, embedder = FakeClock(), HashEmbedder()
    return lamina.open(folder, clock=clock, embedder=embedder, background=False, **settings)


def filled(memory: Memory, count: int = 12) -> Memory:
    for number in range(count):
        memory.add(f"The heron {'seldom ' * (number * 7 % count)}sleeps in place {number}")
    memory.admin.flush()
    return memory


@pytest.fixture
def usual(tmp_path: Path) -> list[str]:
    """The order without a reranker, of a store that the test opens again."""
    with opened(tmp_path) as memory:
        return [hit.id for hit in filled(memory).search(QUERY)]


def test_nothing_is_reranked_unless_a_url_is_set(tmp_path: Path) -> None:
    with opened(tmp_path, rerank_model="m", rerank_key="k") as memory:
        hits = filled(memory).search(QUERY, explain=True)
        assert hits.degraded == ()
        assert "rerank" not in {signal.name for hit in hits for signal in hit.signals}


def test_the_order_is_the_rerankers_and_raw_stays_the_sum(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    with opened(tmp_path, endpoint) as memory:
        hits = filled(memory).search(QUERY, limit=12, explain=True)
        assert hits.degraded == ()
        lengths = [len(hit.text) for hit in hits]
        assert lengths == sorted(lengths)
        assert [hit.raw for hit in hits] == sorted((hit.raw for hit in hits), reverse=True)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        for place, hit in enumerate(hits, 1):
            assert sum(s.weight * s.value for s in hit.signals) == pytest.approx(hit.raw, abs=1e-4)
            (signal,) = [s for s in hit.signals if s.name == "rerank"]
            assert (signal.raw, signal.rank) == (-0.25 * len(hit.text), place)


def test_scores_mean_what_they_meant(tmp_path: Path, endpoint: Endpoint) -> None:
    with opened(tmp_path) as memory:
        plain = filled(memory).search(QUERY)
    with opened(tmp_path, endpoint) as memory:
        found = memory.search(QUERY)
    assert [hit.id for hit in found] != [hit.id for hit in plain]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in plain])


def test_equal_scores_keep_the_usual_order(
    tmp_path: Path, endpoint: Endpoint, usual: list[str]
) -> None:
    endpoint.answer = lambda asked: (200, listed([0.5] * len(asked["documents"])))
    with opened(tmp_path, endpoint) as memory:
        assert [hit.id for hit in memory.search(QUERY)] == usual


def test_the_best_fifty_are_asked_about_and_the_others_stay_behind(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    with opened(tmp_path) as memory:
        plain = [hit.id for hit in filled(memory, 70).search(QUERY, limit=70)]
    with opened(tmp_path, endpoint) as memory:
        assert len(memory.search(QUERY, limit=3)) == 3
        found = [hit.id for hit in memory.search(QUERY, limit=70)]
    assert [len(body["documents"]) for _, _, body in endpoint.asked] == [RERANKED, RERANKED]
    assert set(found[:RERANKED]) == set(plain[:RERANKED])
    assert found[:RERANKED] != plain[:RERANKED]
    assert found[RERANKED:] == plain[RERANKED:]


def test_the_question_goes_out_in_the_form_that_endpoints_take(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    with opened(tmp_path, endpoint) as memory:
        memory.session("s").append("user", "The heron sleeps \ud83d\ude34 in the reeds", name="Ada")
        memory.search(QUERY)
    ((path, authorization, body),) = endpoint.asked
    assert (path, authorization) == ("/v1/rerank", f"Bearer {KEY}")
    texts = ["Ada: The heron sleeps \ufffd\ufffd in the reeds"]
    assert body == {"model": "m", "query": QUERY, "documents": texts, "top_n": 1}


def test_secrets_are_masked_in_what_goes_out(tmp_path: Path, endpoint: Endpoint) -> None:
    with opened(tmp_path, endpoint) as memory:
        memory.session("s").append("user", f"The build key is {TOKEN} for now")
        memory.search(f"is {TOKEN} the build key")
    ((_, _, body),) = endpoint.asked
    assert "build key" in body["query"]
    assert "build key" in body["documents"][0]
    assert TOKEN not in json.dumps(body)


def test_no_key_is_sent_where_none_is_set(tmp_path: Path, endpoint: Endpoint) -> None:
    with opened(tmp_path, rerank_url=f"{endpoint.url}/", rerank_model="m") as memory:
        filled(memory, 2).search(QUERY)
    ((path, authorization, _),) = endpoint.asked
    assert (path, authorization) == ("/v1/rerank", "")


def test_context_is_made_in_the_rerankers_order(tmp_path: Path, endpoint: Endpoint) -> None:
    with opened(tmp_path, endpoint) as memory:
        block = filled(memory).context(QUERY)
        assert [hit.id for hit in block.hits] == [hit.id for hit in memory.search(QUERY, limit=12)]


def test_why_tells_the_place_and_the_signals_of_the_reranked(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    with opened(tmp_path, endpoint) as memory:
        hits = filled(memory).search(QUERY, limit=12, explain=True)
        for place, hit in enumerate(hits, 1):
            why = memory.why(QUERY, hit.id, limit=5)
            assert (why.rank, why.returned) == (place, place <= 5)
            assert (why.signals, why.raw) == (hit.signals, hit.raw)
        assert memory.why(QUERY, hits[7].id, limit=5).change == {"limit": 8}


def with_score(score: Any) -> Callable[[Json], tuple[int, Any]]:
    def answer(asked: Json) -> tuple[int, Any]:
        held = good(asked)[1]
        held["results"][-1]["relevance_score"] = score
        return 200, held

    return answer


def with_index(index: Any) -> Callable[[Json], tuple[int, Any]]:
    def answer(asked: Json) -> tuple[int, Any]:
        held = good(asked)[1]
        held["results"][-1]["index"] = index
        return 200, held

    return answer


NONSENSE: dict[str, Callable[[Json], tuple[int, Any]]] = {
    "refused": lambda _: (401, {"error": f"{KEY} is unknown"}),
    "broken": lambda _: (500, b"oops"),
    "sent elsewhere": lambda _: (307, b""),
    "no JSON": lambda _: (200, b"<html>hello</html>"),
    "nothing": lambda _: (200, b""),
    "a list": lambda _: (200, []),
    "no results": lambda _: (200, {"results": None}),
    "results of text": lambda _: (200, {"results": "none at all"}),
    "too few": lambda asked: (200, {"results": good(asked)[1]["results"][:-1]}),
    "too many": lambda asked: (200, listed(shortest_first([*asked["documents"], "more"]))),
    "out of range": with_index(12),
    "negative": with_index(-1),
    "an index twice": with_index(0),
    "an index of text": with_index("11"),
    "an index of truth": with_index(True),
    "no score": with_score(None),
    "a score of text": with_score("0.5"),
    "NaN": with_score(float("nan")),
    "infinity": with_score(float("inf")),
    "too large": with_score(10**400),
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE)
def test_a_broken_endpoint_leaves_the_usual_order_and_says_so(
    tmp_path: Path, endpoint: Endpoint, usual: list[str], answer: Callable[[Json], tuple[int, Any]]
) -> None:
    endpoint.answer = answer
    with opened(tmp_path, endpoint) as memory:
        hits = memory.search(QUERY, explain=True)
        assert [hit.id for hit in hits] == usual
        assert "rerank" not in {signal.name for hit in hits for signal in hit.signals}
        (sentence,) = hits.degraded
        assert sentence.startswith("the usual order stands: ")
        assert KEY not in sentence
        assert memory.context(QUERY).degraded == hits.degraded
    assert len(endpoint.asked) == 1  # it is left alone for a while


def test_an_endpoint_that_is_away_leaves_the_usual_order(tmp_path: Path, usual: list[str]) -> None:
    with opened(tmp_path, rerank_url="http://127.0.0.1:9/v1", rerank_model="m") as memory:
        hits = memory.search(QUERY)
        assert [hit.id for hit in hits] == usual
        assert "rerank_url" in hits.degraded[0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rerank_url": "api.jina.ai/v1", "rerank_model": "m"}, "rerank_url"),
        ({"rerank_url": "ftp://a/v1", "rerank_model": "m"}, "rerank_url"),
        ({"rerank_url": "http://[", "rerank_model": "m"}, "rerank_url"),
        ({"rerank_url": "http://me:word@a/v1", "rerank_model": "m"}, "rerank_key"),
        ({"rerank_url": "http://a/v1"}, "rerank_model"),
        ({"rerank_url": "http://a/v1", "rerank_model": "m", "rerank_key": "k\n"}, "rerank_key"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingsError, match=said) as error:
        opened(tmp_path, **settings)
    assert "word@" not in str(error.value)


class Given:
    """A reranker that is handed over."""

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        self.answer = answer
        self.closed = 0

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        assert query == QUERY
        found: Sequence[float] = self.answer(texts)
        return found

    def close(self) -> None:
        self.closed += 1


def test_an_object_of_ones_own_serves_and_is_closed(tmp_path: Path) -> None:
    mine = Given(shortest_first)
    with opened(tmp_path, reranker=mine) as memory:
        lengths = [len(hit.text) for hit in filled(memory).search(QUERY)]
        assert lengths == sorted(lengths)
    assert mine.closed == 1


def fails(_: Sequence[str]) -> Any:
    raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    "answer",
    [fails, lambda _: None, lambda _: [1.0], lambda texts: ["a"] * len(texts), lambda _: 3],
    ids=["raises", "nothing", "too few", "texts", "a number"],
)
def test_an_object_that_fails_leaves_the_usual_order(
    tmp_path: Path, usual: list[str], answer: Callable[[Sequence[str]], Any]
) -> None:
    with opened(tmp_path, reranker=Given(answer)) as memory:
        hits = memory.search(QUERY)
        assert [hit.id for hit in hits] == usual
        assert hits.degraded[0].startswith("the usual order stands: ")
