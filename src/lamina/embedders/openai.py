"""Embeddings from any endpoint that speaks OpenAI's way, over the `openai` SDK."""

from __future__ import annotations

import base64
import json
import math
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina.embedders.vectors import unit
from lamina.endpoint import Endpoint
from lamina.errors import EmbedderError, MissingPackageError
from lamina.ports.embedder import Purpose
from lamina.text.clean import scrub
from lamina.text.tokens import count_tokens
from lamina.types import Space

if TYPE_CHECKING:
    import openai
    from numpy.typing import NDArray

TEXTS, TOKENS = 64, 8_000  # of one request, until the endpoint says that it is too much
TRIES = 4
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0  # seconds; who asks for a longer one is not waited for
TIMEOUT = 60.0  # seconds
SHOWN = 300  # characters of the endpoint's own words in an error
TOO_MUCH = (400, 413, 422)  # how endpoints refuse a batch, each in words of its own
_KEY = "set embedder_key to a key that the endpoint knows"
_SIZE = (
    "check that embedder_model and embedder_dimensions suit it, and that it takes such long texts"
)
REMEDIES = {
    400: _SIZE,
    401: _KEY,
    403: _KEY,
    404: "check embedder_url and embedder_model",
    413: _SIZE,
    422: _SIZE,
    429: "wait, or raise the limits of embedder_key",
}


class OpenAIEmbedder:
    """Unit vectors from an endpoint; queries and passages alike. Asks nothing before first use.

    `base_url` is used as given, with `/embeddings` after it. Where `dimensions` is None they are
    what the model gives.

    Raises:
        SettingsError: `base_url` is no http address, `model` is empty, or `api_key` is no key. An
            empty key is one: servers at home want none.
    """

    def __init__(
        self, base_url: str, model: str, *, api_key: str = "", dimensions: int | None = None
    ) -> None:
        self._at = Endpoint("embedder", base_url, model, api_key, "text-embedding-3-small")
        self._asked = dimensions or None
        self._most = TEXTS
        self._lock, self._probing = threading.Lock(), threading.Lock()
        self._client: openai.OpenAI | None = None
        self._space: Space | None = None

    @property
    def space(self) -> Space:
        """The space; asks the endpoint once where the dimensions were not given.

        Raises:
            MissingPackageError: the `openai` package is not installed.
            EmbedderError: the endpoint did not answer.
        """
        self._connected()
        with self._probing:
            if self._space is None:
                width = self._asked or self._ask(["dimensions"]).shape[1]
                self._space = Space(f"openai@{self._at.host}", self._at.model, width)
            return self._space

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:  # noqa: ARG002
        """Unit vectors, shape (len(texts), dimensions), in as many requests as it takes.

        Raises:
            EmbedderError: the endpoint refused, stayed busy, or answered nonsense.
        """
        width = self.space.dimensions
        out = np.zeros((len(texts), width), np.float32)
        start, most = 0, self._most
        while start < len(texts):
            batch = _batch(texts, start, most)
            try:
                vectors = self._ask(batch)
            except EmbedderError as fault:
                refused = getattr(fault.__cause__, "status_code", 0) in TOO_MUCH
                if len(batch) == 1 or not refused:
                    raise
                most = len(batch) // 2
                continue
            if vectors.shape[1] != width:
                raise EmbedderError(
                    f"{self._at.who} gave vectors of {vectors.shape[1]} numbers, expected {width}; "
                    "set embedder_dimensions to what the model gives"
                )
            out[start : start + len(batch)] = vectors
            start += len(batch)
        self._most = most  # kept only now: a text that is refused alone says nothing of batches
        return out

    def close(self) -> None:
        """Close the connections; a later use opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> openai.OpenAI:
        client = self._client
        if client is None:
            try:
                import openai
            except ImportError:
                raise MissingPackageError(
                    "the openai embedder needs the openai package; "
                    "run: pip install 'lamina[openai]'"
                ) from None
            with self._lock:
                key = self._at.key or "none"  # the SDK takes no empty one
                client = self._client = self._client or openai.OpenAI(
                    base_url=self._at.url, api_key=key, max_retries=0, timeout=TIMEOUT
                )
        return client

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One request, tried again where that may help."""
        import openai

        given: dict[str, Any] = {} if self._asked is None else {"dimensions": self._asked}
        for tried in range(1, TRIES + 1):
            try:
                answer = self._connected().embeddings.with_raw_response.create(
                    input=[scrub(text)[0] for text in texts],
                    model=self._at.model,
                    encoding_format="float",
                    **given,
                )
            except openai.OpenAIError as fault:
                pause = _pause(fault, tried)
                if pause is None or tried == TRIES:
                    raise self._refused(fault, texts, tried) from fault
                time.sleep(pause)
            else:
                return self._read(answer.content, len(texts))
        raise AssertionError  # the last try has returned or raised

    def _read(self, body: bytes, count: int) -> NDArray[np.float32]:
        try:
            rows = [_vector(item["embedding"]) for item in _in_order(json.loads(body)["data"])]
            table = np.stack(rows) if rows else np.zeros((0, 0), np.float32)
        except (ValueError, TypeError, KeyError, AttributeError) as fault:
            raise EmbedderError(
                f"{self._at.who} answered no list of embeddings ({type(fault).__name__}: {fault}) "
                f"but {body[:SHOWN]!r}; check that embedder_url is the base URL of its API"
            ) from fault
        if len(table) != count:
            raise EmbedderError(
                f"{self._at.who} gave {len(table)} vectors for {count} texts; none is used. "
                "Check that embedder_url and embedder_model are for embeddings"
            )
        return unit(table, self._at.who)

    def _refused(self, fault: Exception, texts: Sequence[str], tried: int) -> EmbedderError:
        remedy = REMEDIES.get(
            getattr(fault, "status_code", 0), f"see whether {self._at.host} (embedder_url) is up"
        )
        longest = max(map(count_tokens, texts))
        return EmbedderError(
            f"{self._at.who} did not embed {len(texts)} texts of up to {longest} tokens, tried "
            f"{tried} times: {self._at.said(fault, SHOWN)}; {remedy}"
        )


def _batch(texts: Sequence[str], start: int, most: int) -> list[str]:
    """The next texts that make up one request; at least one."""
    end, tokens = start, 0
    while end < min(len(texts), start + most):
        tokens += count_tokens(texts[end])
        if tokens > TOKENS and end > start:
            break
        end += 1
    return list(texts[start:end])


def _pause(fault: Exception, tried: int) -> float | None:
    """Seconds until a request may be tried again; None where that would not help."""
    import openai

    if isinstance(fault, openai.APIConnectionError):
        slow = isinstance(fault, openai.APITimeoutError)
        return 0.0 if tried == 1 and not slow else None  # the server may drop an idle connection
    if not isinstance(fault, openai.APIStatusError):
        return None
    if fault.status_code != 429 and fault.status_code < 500:
        return None
    pause = _retry_after(fault.response.headers)
    if pause is None:
        pause = FIRST_PAUSE * 2 ** (tried - 1)
    return pause if pause <= LONGEST_PAUSE else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """What the server asks for, in seconds: a number or a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        seconds = (at - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else max(0.0, seconds)


def _in_order(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """By their index, where they have one."""
    if any(item.get("index") is None for item in items):
        return list(items)
    placed = sorted(items, key=lambda item: item["index"])
    if [item["index"] for item in placed] != list(range(len(items))):
        raise ValueError("the indices leave some out or come twice")
    return placed


def _vector(embedding: object) -> NDArray[np.float32]:
    """One vector, from numbers or from base64 of little-endian float32."""
    if isinstance(embedding, str):
        vector = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
    else:
        vector = np.asarray(embedding, np.float32)
    if vector.ndim != 1 or not vector.size:
        raise ValueError("an embedding is no list of numbers")
    return vector
