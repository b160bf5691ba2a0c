"""A language model at any endpoint that speaks OpenAI's way, over the `openai` SDK."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lamina.endpoint import Endpoint
from lamina.errors import LLMError, MissingPackageError
from lamina.llms.asking import (
    RETRIES,
    SHOWN,
    TIMEOUT,
    UNREADABLE,
    Ladder,
    counted,
    nonsense,
    refused,
)
from lamina.ports.llm import Completion
from lamina.text.clean import scrub
from lamina.text.tokens import count_tokens
from lamina.types import Json

if TYPE_CHECKING:
    import openai

FORMS = ("json_schema", "json_object", "prompt")
LIMITS = ("max_tokens", "max_completion_tokens")  # old servers know the one, new models the other


class OpenAILLM:
    """Chat completions. `base_url` is used as given, with `/chat/completions` after it.

    Asks nothing before first use. The form of answer and the name of the limit that the endpoint
    takes are found out by asking, and remembered.

    Raises:
        SettingsError: `base_url` is no http address, `model` is empty, or `api_key` is no key. An
            empty key is one: servers at home want none.
    """

    def __init__(
        self, base_url: str, model: str, *, api_key: str = "", timeout: float = TIMEOUT
    ) -> None:
        self._at = Endpoint("llm", base_url, model, api_key, "gpt-5-mini")
        self._timeout = timeout
        self._forms = Ladder(FORMS)
        self._limit = LIMITS[0]
        self._lock = threading.Lock()
        self._client: openai.OpenAI | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._at.model

    def complete(
        self, system: str, user: str, *, schema: Mapping[str, Json] | None = None, max_tokens: int
    ) -> Completion:
        """The model's answer.

        Raises:
            MissingPackageError: the `openai` package is not installed.
            LLMError: the endpoint did not answer, refused, or spoke nonsense.
        """
        import_sdk()
        said = [
            {"role": role, "content": scrub(text)[0]}
            for role, text in (("system", system), ("user", user))
        ]
        guess = count_tokens(system) + count_tokens(user)

        def once(form: str) -> bytes:
            return self._send(said, max_tokens, form_of(form, schema))

        try:
            body = once("prompt") if schema is None else self._forms.ask(once)
        except Exception as fault:  # the SDK lets some errors of httpx2 and ssl through
            raise refused(self._at, fault) from fault
        return self._read(body, guess)

    def close(self) -> None:
        """Close the connections; a later use opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> openai.OpenAI:
        import openai

        with self._lock:
            if self._client is None:
                self._client = openai.OpenAI(
                    base_url=self._at.url,
                    api_key=self._at.key or "none",  # the SDK takes no empty one
                    max_retries=RETRIES,
                    timeout=self._timeout,
                )
            return self._client

    def _send(self, said: list[dict[str, str]], max_tokens: int, given: dict[str, Json]) -> bytes:
        """One request; once more under the limit's other name where the endpoint asks for that."""
        create: Any = self._connected().chat.completions.with_raw_response.create
        limit, other = self._limit, LIMITS[1 - LIMITS.index(self._limit)]
        asked = {"model": self._at.model, "messages": said, **given}
        try:
            answer = create(**asked, **{limit: max_tokens})
        except Exception as fault:
            if other not in str(fault):
                raise
            answer = create(**asked, **{other: max_tokens})
            self._limit = other
        content: bytes = answer.content
        return content

    def _read(self, body: bytes, guess: int) -> Completion:
        try:
            answer = json.loads(body)
            if answer.get("error"):  # some send it with status 200
                raise LLMError(
                    f"{self._at.who} answered an error: {str(answer['error'])[:SHOWN]}; "
                    "check llm_model and the account of llm_key"
                )
            text = text_of(answer["choices"][0]["message"]["content"])
            usage = answer.get("usage") or {}
            spent = usage.get("prompt_tokens"), usage.get("completion_tokens")
        except UNREADABLE as fault:
            raise nonsense(self._at, body, fault) from fault
        return Completion(text, counted(spent[0], guess), counted(spent[1], count_tokens(text)))


def import_sdk() -> None:
    """Load the SDK.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        import openai  # noqa: F401 - to see whether it is there
    except ImportError:
        raise MissingPackageError(
            "the openai language model needs the openai package; run: pip install 'lamina[openai]'"
        ) from None


def form_of(form: str, schema: Mapping[str, Json] | None) -> dict[str, Json]:
    """What asks for a form of answer, in OpenAI's words."""
    if form == "prompt" or schema is None:
        return {}
    if form == "json_object":
        return {"response_format": {"type": "json_object"}}
    named = {"name": "answer", "strict": True, "schema": dict(schema)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def text_of(content: Json) -> str:
    """What a message says, in one text or in blocks; "" where it says nothing."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(block["text"] for block in content if block.get("type", "text") == "text")
