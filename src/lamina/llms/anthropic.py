"""A language model at Anthropic, or at an endpoint that speaks its way, over its SDK."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lamina.endpoint import Endpoint
from lamina.errors import MissingPackageError
from lamina.llms.asking import RETRIES, TIMEOUT, UNREADABLE, Ladder, counted, nonsense, refused
from lamina.ports.llm import Completion
from lamina.text.clean import scrub
from lamina.text.tokens import count_tokens
from lamina.types import Json

if TYPE_CHECKING:
    import anthropic

HOME = "https://api.anthropic.com"
FORMS = ("json_schema", "prompt")  # its API has no form between the two


class AnthropicLLM:
    """Messages. `base_url` is used as given, with `/v1/messages` after it; "" is Anthropic's own.

    Asks nothing before first use. Keys and addresses in the SDK's own variables are not read.

    Raises:
        SettingsError: `base_url` is no http address, `model` is empty, or `api_key` is no key.
    """

    def __init__(
        self, base_url: str, model: str, *, api_key: str = "", timeout: float = TIMEOUT
    ) -> None:
        self._at = Endpoint("llm", base_url or HOME, model, api_key, "claude-haiku-4-5")
        self._timeout = timeout
        self._forms = Ladder(FORMS)
        self._lock = threading.Lock()
        self._client: anthropic.Anthropic | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._at.model

    def complete(
        self, system: str, user: str, *, schema: Mapping[str, Json] | None = None, max_tokens: int
    ) -> Completion:
        """The model's answer.

        Raises:
            MissingPackageError: the `anthropic` package is not installed.
            LLMError: the endpoint did not answer, refused, or spoke nonsense.
        """
        import_sdk()
        asked = {
            "model": self._at.model,
            "system": scrub(system)[0],
            "messages": [{"role": "user", "content": scrub(user)[0]}],
            "max_tokens": max_tokens,
        }

        def once(form: str) -> bytes:
            create: Any = self._connected().messages.with_raw_response.create
            body: bytes = create(**asked, **form_of(form, schema)).read()
            return body

        try:
            body = once("prompt") if schema is None else self._forms.ask(once)
        except Exception as fault:  # the SDK lets some errors of httpx2 and ssl through
            raise refused(self._at, fault) from fault
        return self._read(body, count_tokens(system) + count_tokens(user))

    def close(self) -> None:
        """Close the connections; a later use opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connected(self) -> anthropic.Anthropic:
        import anthropic

        with self._lock:
            if self._client is None:
                self._client = anthropic.Anthropic(
                    base_url=self._at.url,
                    api_key=self._at.key or "none",  # without one the SDK looks for another
                    max_retries=RETRIES,
                    timeout=self._timeout,
                )
            return self._client

    def _read(self, body: bytes, guess: int) -> Completion:
        try:
            answer = json.loads(body)
            blocks = [block for block in answer["content"] if block["type"] == "text"]
            text = "".join(block["text"] for block in blocks)
            usage = answer.get("usage") or {}
            spent = usage.get("input_tokens"), usage.get("output_tokens")
        except UNREADABLE as fault:
            raise nonsense(self._at, body, fault) from fault
        return Completion(text, counted(spent[0], guess), counted(spent[1], count_tokens(text)))


def import_sdk() -> None:
    """Load the SDK.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        import anthropic  # noqa: F401 - to see whether it is there
    except ImportError:
        raise MissingPackageError(
            "the anthropic language model needs the anthropic package; "
            "run: pip install 'lamina[anthropic]'"
        ) from None


def form_of(form: str, schema: Mapping[str, Json] | None) -> dict[str, Json]:
    """What asks for a form of answer, in Anthropic's words."""
    if form == "prompt" or schema is None:
        return {}
    return {"output_config": {"format": {"type": "json_schema", "schema": dict(schema)}}}
