"""A summary by a language model, in pieces where the conversation is longer than its input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lamina.pipeline.compact.cutting import asked_words, shortened
from lamina.pipeline.compact.handles import part_handle
from lamina.pipeline.compact.results import last_user_text
from lamina.pipeline.compact.values import Ask
from lamina.prompts import prompt
from lamina.text.chunks import chunks
from lamina.text.shapes import Call, Media, Result, Text, parts
from lamina.text.shapes.parts import WHOLE
from lamina.text.tokens import count_tokens
from lamina.types import Message

RESULT_BYTES = 3000  # of a tool's result that the model is shown
_SPARE = 0.8  # of its input that is used: our count is an estimate
_LEAST_PIECE = 200  # tokens
_OVER = 2  # times its budget that a summary may be long
_FENCE = re.compile(r"^(\s*)(<{3,}|>{3,})", re.MULTILINE)
_WRAPPED = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_LANGUAGES = {"zh": "Chinese", "en": "the language of the conversation"}


class NoSummaryError(Exception):
    """The model gave nothing that can stand for the messages."""


def by_model(
    messages: Sequence[Message],
    numbers: Sequence[int],
    *,
    ask: Ask,
    previous: str = "",
    budget: int,
    input_tokens: int,
    language: str = "en",
) -> str:
    """The messages and the `previous` summary in one summary of about `budget` tokens.

    Every message is shown whole, but for tool results, which are shown in part. Of what does not
    fit the model's `input_tokens` at once, each piece is put to the summary of those before it.

    Raises:
        NoSummaryError: a call failed, or what it gave is empty or far too long; nothing is kept.
    """
    summary = previous
    for piece in _pieces(messages, numbers, budget, input_tokens):
        system = prompt("summarise", budget=str(budget), language=_LANGUAGES[language])
        shown = prompt("summarise_piece", previous=_fenced(summary), messages=piece)
        summary = _answered(ask, system, shown, budget)
    return summary


def _answered(ask: Ask, system: str, shown: str, budget: int) -> str:
    try:
        answer = ask(system, shown, budget * _OVER)
    except Exception as error:  # a model's client may raise anything; the rules then serve
        raise NoSummaryError(f"{type(error).__name__}: {error}") from error
    if not isinstance(answer, str):
        raise NoSummaryError(f"the answer is no text but {type(answer).__name__}")
    text = _THOUGHT.sub("", answer).strip()
    wrapped = _WRAPPED.match(text)
    text = wrapped[1].strip() if wrapped else text
    if not text:
        raise NoSummaryError("the answer is empty")
    tokens = count_tokens(text)
    if tokens > budget * _OVER:
        raise NoSummaryError(f"the answer has {tokens} tokens; at most {budget} were asked for")
    return text


def _pieces(
    messages: Sequence[Message], numbers: Sequence[int], budget: int, input_tokens: int
) -> Iterator[str]:
    """The conversation as text, in pieces that fit beside prompt, summary and answer."""
    prompts = count_tokens(prompt("summarise")) + count_tokens(prompt("summarise_piece"))
    room = int(input_tokens * _SPARE) - prompts - 2 * _OVER * budget
    room = max(room, _LEAST_PIECE)
    words = asked_words(last_user_text(messages))
    held: list[str] = []
    spent = 0
    for message, number in zip(messages, numbers, strict=True):
        text = _fenced(shown(message, number, words))
        whole = count_tokens(text)
        spans = [(0, len(text))] if whole <= room else chunks(text, room)
        for start, end in spans:
            cost = whole if len(spans) == 1 else count_tokens(text[start:end])
            if held and spent + cost > room:
                yield "\n".join(held)
                held, spent = [], 0
            held.append(text[start:end])
            spent += cost + 1
    if held:
        yield "\n".join(held)


def shown(message: Message, number: int, words: Sequence[str] = ()) -> str:
    """A message as the summarising model reads it."""
    named = f" ({message.name})" if message.name else ""
    lines = [f"[{number}] {message.role}{named}:"]
    for part in parts(message):
        if isinstance(part, Text):
            lines.append(part.text)
        elif isinstance(part, Call):
            lines.append(f"calls {part.name} {shortened(part.as_text, RESULT_BYTES)}")
        elif isinstance(part, Result):
            handle = part_handle(message.id, WHOLE)
            text = shortened(part.text, RESULT_BYTES, words=words, handle=handle)
            lines.append(f"result{' (an error)' if part.failed else ''}: {text}")
        elif isinstance(part, Media):
            lines.append(f"({part.kind} {part.name or part.mime or part.url[:200]})")
    return "\n".join(lines)


def _fenced(text: str) -> str:
    """The text without lines that could pass for the fence around it."""
    return _FENCE.sub(r"\1· \2", text)
