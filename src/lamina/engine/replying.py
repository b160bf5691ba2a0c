"""An answer by the store's own model to the last user message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lamina.engine.core import Core
from lamina.errors import LaminaError, LLMError
from lamina.text.shapes import read
from lamina.types import Json, Role


def replied(core: Core, sent: Sequence[Mapping[str, Json]], most: int) -> str:
    """What the model says to these messages, in at most so many tokens.

    Its port takes one prompt, so that the conversation is written out, each turn with its role.

    Raises:
        LLMError: there is no model, it failed or said nothing, or its day's budget is used up.
    """
    messages = read(sent)
    system = "\n\n".join(m.text for m in messages if m.role in {Role.SYSTEM, Role.DEVELOPER})
    turns = [m for m in messages if m.role not in {Role.SYSTEM, Role.DEVELOPER} and m.text.strip()]
    asked = "\n\n".join(f"{m.name or m.role}: {m.text}" for m in turns)
    try:
        text, _ = core.asking.tell(system, f"{asked}\n\n{Role.ASSISTANT}:", most)
    except LaminaError:
        raise
    except Exception as fault:  # a model object of somebody else's may raise anything
        raise LLMError(f"{type(fault).__name__}: {fault}; see the model's settings") from fault
    if not isinstance(text, str) or not text.strip():
        raise LLMError(f"{core.asking.name} gave no text; ask again, or see llm_model")
    return text.strip().removeprefix(f"{Role.ASSISTANT}:").strip()
