"""A prompt to an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lamina.types import Json


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered: its text ("" where it gave none), and what the call cost."""

    text: str
    input_tokens: int  # as the endpoint counted, else estimated
    output_tokens: int


class LLM(Protocol):
    """A language model that answers one prompt at a time. Used by several threads at once.

    Its answers are never trusted: whoever asks checks them.
    """

    @property
    def name(self) -> str:
        """Which model this is, as its endpoint calls it."""
        ...

    def complete(
        self, system: str, user: str, *, schema: Mapping[str, Json] | None = None, max_tokens: int
    ) -> Completion:
        """The model's answer, at most `max_tokens` long; it may be cut there.

        With a JSON `schema` the answer is asked for in that form as strictly as the endpoint can.
        The prompt says the form too, and names JSON: not every endpoint takes a schema.

        Raises:
            LLMError: the endpoint did not answer, refused, or spoke nonsense.
        """
        ...

    def close(self) -> None:
        """Release connections; closing twice is fine."""
        ...
