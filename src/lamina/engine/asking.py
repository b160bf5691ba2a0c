"""The language model of an open store, within its budget of tokens a day."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from lamina.errors import LLMError
from lamina.pipeline.extract.answers import Read
from lamina.pipeline.extract.by_model import ask
from lamina.ports.clock import Clock
from lamina.ports.llm import LLM
from lamina.ports.store import Store
from lamina.text.tokens import count_tokens
from lamina.types import Message

log = logging.getLogger("lamina")

EXTRACT, SUMMARISE = "extract", "summarise"  # kinds of jobs that a model does
NO_USE = "gave an answer of no use"
PROMPT = 1_500  # tokens of the rules that go with every question, and of a short answer


class Asking:
    """The model, if there is one. Tokens are counted in the store, so all processes share a day."""

    def __init__(self, llm: LLM | None, store: Store, clock: Clock, budget: int) -> None:
        self._llm = llm
        self._store = store
        self._clock = clock
        self._budget = budget
        self._said = ""

    @property
    def on(self) -> bool:
        """Whether there is a model."""
        return self._llm is not None

    @property
    def name(self) -> str:
        """What its endpoint calls it; "" where there is none."""
        return "" if self._llm is None else self._llm.name

    @property
    def spent(self) -> int:
        """The tokens that it took today."""
        return self._store.spent(self._day())

    @property
    def left(self) -> int:
        """The tokens that it may still take today."""
        return max(0, self._budget - self.spent)

    @property
    def used_up(self) -> str:
        """Why nothing is asked before tomorrow; "" where the day's budget is not used up."""
        if self._llm is None or self.spent < self._budget:
            return ""
        return (
            f"the {self._budget} tokens that the model may take a day (llm_daily_tokens) are used "
            f"up on {self._day()}: until tomorrow rules alone draw facts, and what waits for the "
            "model goes on waiting"
        )

    def ask(
        self, messages: Sequence[Message], *, instructions: str, leave_out: Collection[str]
    ) -> Read:
        """What the model finds in these messages. A fault is told, never raised.

        What it may take is counted before it is asked and put right afterwards: a process that is
        killed meanwhile has counted too much, never too little. The call that reaches the budget
        is the day's last.
        """
        stopped = self.used_up
        if stopped or self._llm is None:
            return self.failed(Read(fault=stopped or "there is no model"))
        day = self._day()
        guess = PROMPT + sum(count_tokens(message.text) for message in messages)
        self._store.spent(day, guess)
        read = Read()
        try:
            read = ask(self._llm, messages, instructions=instructions, leave_out=leave_out)
        finally:
            self._store.spent(day, read.tokens - guess)
        return self.failed(read) if read.failed else read

    def tell(self, system: str, prompt: str, most: int) -> tuple[str, int]:
        """The model's answer in at most so many tokens, and the tokens that it took.

        Raises:
            LLMError: there is no model, or its day's budget is used up.
            Exception: whatever the model's object raises.
        """
        stopped = self.used_up
        if stopped or self._llm is None:
            raise LLMError(stopped or "there is no language model; set llm")
        day, guess, took = self._day(), count_tokens(system) + count_tokens(prompt), 0
        self._store.spent(day, guess)
        try:
            answer = self._llm.complete(system, prompt, max_tokens=most)
            text, took = answer.text, max(1, answer.input_tokens + answer.output_tokens)
        finally:
            self._store.spent(day, took - guess)
        return text, took

    def close(self) -> None:
        """Release the model's connections."""
        if self._llm is not None:
            try:
                self._llm.close()
            except Exception as fault:  # noqa: BLE001 - others wrote it; the store must be closed
                log.warning("the language model did not close: %s", fault)

    def _day(self) -> str:
        return self._clock.now().astimezone(self._clock.zone).date().isoformat()

    def failed(self, read: Read) -> Read:
        """Say a fault, once for as long as it stays the same."""
        if read.tokens and self._llm is not None:
            read = replace(read, fault=f"{self._llm.name} {NO_USE}: {read.fault}")
        if read.fault != self._said:
            log.warning("%s", read.fault)
        self._said = read.fault
        return read
