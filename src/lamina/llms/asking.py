"""What adapters of language models share: forms of answer to step down by, and error words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from lamina.endpoint import Endpoint
from lamina.errors import LLMError

A = TypeVar("A")
RETRIES = 2  # by the SDK, after a failure that may pass
TIMEOUT = 120.0  # seconds a try: a model at home thinks long
SHOWN = 300  # characters of the endpoint's own words in an error
REFUSALS = (400, 415, 422, 501)  # how endpoints refuse a form of answer, in words of their own
_OF_FORM = re.compile("response_format|output_config|schema|grammar|json", re.IGNORECASE)
_KEY = "set llm_key to a key that the endpoint knows"
_SIZE = "check that llm_model is right, and that it takes prompts and answers of this length"
REMEDIES = {
    400: _SIZE,
    401: _KEY,
    402: "see whether the account of llm_key has credit left",
    403: _KEY,
    404: "check llm_url and llm_model",
    413: _SIZE,
    422: _SIZE,
    429: "wait, or raise the limits of llm_key",
}


class Ladder:
    """Forms of answer, strictest first. What an endpoint refused once is not asked again.

    A form counts as refused when a lower one is answered: a prompt that no form brings through
    says nothing of forms.
    """

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = tuple(forms)
        self._from = 0  # an int is set as a whole: threads may step down at the same time

    def ask(self, once: Callable[[str], A]) -> A:
        """The answer in the strictest form that the endpoint takes.

        Raises:
            Exception: what `once` raises in the last form, or for another reason than the form.
        """
        last = len(self._forms) - 1
        for step in range(self._from, last + 1):
            try:
                answer = once(self._forms[step])
            except Exception as fault:
                if step == last or not _of_form(fault):
                    raise
            else:
                self._from = max(self._from, step)
                return answer
        raise AssertionError  # the last form has answered or raised


def _of_form(fault: BaseException) -> bool:
    """Whether a request may have been refused for the form of answer that it asks for."""
    code = status(fault)
    return code in REFUSALS or (code == 500 and bool(_OF_FORM.search(str(fault))))


def status(fault: BaseException) -> int:
    """The HTTP status that an SDK's error carries, 0 for none."""
    code = getattr(fault, "status_code", 0)
    return code if isinstance(code, int) else 0


def refused(at: Endpoint, fault: BaseException) -> LLMError:
    """An SDK's error as ours: what happened, where, and what to do."""
    remedy = REMEDIES.get(status(fault), f"see whether {at.host} (llm_url) is up")
    said = at.said(fault, SHOWN) or type(fault).__name__
    return LLMError(f"{at.who} did not answer: {said}; {remedy}")


def nonsense(at: Endpoint, body: bytes, fault: BaseException) -> LLMError:
    """An answer that is none of its API's."""
    return LLMError(
        f"{at.who} answered no completion ({type(fault).__name__}: {str(fault)[:SHOWN]}) but "
        f"{body[:SHOWN]!r}; check that llm_url is the base URL of its API"
    )


# What reading an answer of another shape raises. Deep nesting ends json in a RecursionError.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


def counted(value: object, otherwise: int) -> int:
    """A count of tokens that the endpoint gave, or the estimate where it gave none."""
    return value if isinstance(value, int) and value > 0 else otherwise
