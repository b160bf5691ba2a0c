"""Reranking by an endpoint that speaks the way of Jina, Cohere and their like: POST /rerank."""

from __future__ import annotations

import http.client
import json
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from lamina.endpoint import Endpoint
from lamina.errors import RerankerError, SettingsError
from lamina.text.clean import scrub

TIMEOUT = 10.0  # seconds; a search waits for it, and goes on without it
LARGEST = 4 << 20  # bytes of an answer: fifty scores with their texts are far less
SHOWN = 300  # characters of the endpoint's own words in an error
_KEY = "set rerank_key to a key that the endpoint knows"
REMEDIES = {
    401: _KEY,
    403: _KEY,
    404: "check rerank_url and rerank_model",
    422: "check that rerank_model suits it",
    429: "wait, or raise the limits of rerank_key",
}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address is not followed: it would be given the key and the texts."""

    def redirect_request(self, *_: object) -> None:
        """Nothing is asked."""


class EndpointReranker:
    """Scores from an endpoint; asks nothing before first use.

    `base_url` is used as given, with `/rerank` after it.

    Raises:
        SettingsError: `base_url` is no http address, `model` is empty, or `api_key` is no key. An
            empty key is one: servers at home want none.
    """

    def __init__(self, base_url: str, model: str, *, api_key: str = "") -> None:
        self._at = Endpoint("rerank", base_url, model, api_key, "bge-reranker-v2-m3")
        if "@" in urlsplit(base_url).netloc:
            raise SettingsError("rerank_url holds a name or password; give it as rerank_key")
        self._url = f"{base_url.rstrip('/')}/rerank"
        self._opener = urllib.request.build_opener(_NoRedirect)

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, in their order.

        Raises:
            RerankerError: the endpoint refused, did not answer in time, or answered nonsense.
        """
        if not texts:
            return []
        documents = [scrub(text)[0] for text in texts]
        body = {
            "model": self._at.model,
            "query": scrub(query)[0],
            "documents": documents,
            "top_n": len(documents),
        }
        answer = self._ask(json.dumps(body).encode())
        try:
            return _scores(json.loads(answer)["results"], len(documents))
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as fault:
            raise RerankerError(
                f"{self._at.who} gave no score for each of {len(documents)} texts "
                f"({type(fault).__name__}: {fault}) but {answer[:SHOWN]!r}; check that rerank_url "
                "is the base URL of its API"
            ) from fault

    def close(self) -> None:
        """Nothing to release: every request has a connection of its own."""

    def _ask(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._at.key:
            headers["Authorization"] = f"Bearer {self._at.key}"
        request = urllib.request.Request(self._url, body, headers, method="POST")  # noqa: S310 - http only
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                held: bytes = answer.read(LARGEST)
        except HTTPError as fault:
            with fault:
                said = f"{fault} {fault.read(SHOWN)!r}"
            raise self._failed(said, fault.code) from fault
        except (OSError, http.client.HTTPException, ValueError) as fault:
            said = str(fault.reason) if isinstance(fault, URLError) else str(fault)
            raise self._failed(said or type(fault).__name__) from fault
        return held

    def _failed(self, said: str, status: int = 0) -> RerankerError:
        remedy = REMEDIES.get(status, "see whether rerank_url is up")
        return RerankerError(
            f"{self._at.who} did not rerank: {self._at.hushed(said)[:SHOWN]}; {remedy}"
        )


def _scores(results: Sequence[Mapping[str, Any]], count: int) -> list[float]:
    """The scores by the index that each names, which must be all there are, each once."""
    scores: dict[int, float] = {}
    for result in results:
        index, score = result["index"], result["relevance_score"]
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
            raise ValueError(f"the index {index!r} is none of 0 to {count - 1}")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise TypeError(f"the score {score!r} is no number")
        if index in scores:
            raise ValueError(f"the index {index} comes twice")
        scores[index] = float(score)
    if len(scores) != count:
        raise ValueError(f"{len(scores)} scores")
    return [scores[index] for index in range(count)]
