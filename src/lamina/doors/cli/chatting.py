"""`lamina chat`: a talk line by line, with commands that show what each layer holds and gives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import typer

from lamina.doors.cli import show
from lamina.doors.cli.session import Run, note, running
from lamina.engine.session import Session
from lamina.errors import InvalidInputError, LaminaError
from lamina.pipeline.compact.values import Limits, is_made
from lamina.types import Filter, Layer

FOUND = 5  # hits that a list has
CONTEXT = 1000  # tokens of a block
Read = Callable[[], str]


@dataclass(slots=True)
class Talk:
    """One talk: its store, its conversation, and what the last list named."""

    run: Run
    session: Session
    max_tokens: int
    read: Read
    asked: str = ""
    listed: list[str] = field(default_factory=list)


def run_chat(
    session: str | None, store: Path | None, user: str | None, agent: str | None, *, max_tokens: int
) -> None:
    """Read lines until /quit or their end."""
    with running(store, user, agent, background=True) as run:
        name = session or f"chat-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        talk = Talk(run, run.memory.session(name), max_tokens, _reader())
        model = run.memory.model
        typer.echo(f"Conversation {name}, {f'with {model}' if model else 'no model is set'}. /help")
        while True:
            try:
                line = talk.read().strip()
            except EOFError:
                return
            except KeyboardInterrupt:  # it gives up the line, not the talk
                continue
            if line == "/quit":
                return
            try:
                _done(talk, line)
            except LaminaError as error:
                note(f"lamina: {error}")


def _reader() -> Read:
    """Lines from a terminal, with editing where prompt_toolkit is there, or from a pipe."""
    if sys.stdin is None or not sys.stdin.isatty():
        return input
    try:
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - an optional extra
    except ImportError:
        return lambda: input("> ")
    lines: Read = PromptSession("> ").prompt
    return lines


def _done(talk: Talk, line: str) -> None:
    if not line:
        return
    if not line.startswith("/"):
        _said(talk, line)
        return
    name, _, rest = line[1:].partition(" ")
    if name not in COMMANDS:
        raise InvalidInputError(f"there is no command /{name:.40}; /help names those there are")
    COMMANDS[name][0](talk, rest.strip())


def _said(talk: Talk, line: str) -> None:
    """Keep a turn; then the model's answer, or what it would be sent."""
    talk.asked = line
    talk.session.append("user", line)
    if talk.run.memory.model:
        typer.echo(talk.session.reply(talk.max_tokens).text)
        return
    sent = talk.session.prompt(talk.max_tokens)
    typer.echo(f"Would be sent, {sent.tokens} tokens:")
    for message in sent.messages:
        typer.echo(f"  {message['role']}: {message['content']}")
    talk.listed = [hit.id for hit in sent.context.hits]


def _remember(talk: Talk, rest: str) -> None:
    typer.echo(f"Remembered as {talk.run.memory.add(_needed(rest, 'what to remember')).id}.")


def _recall(talk: Talk, rest: str) -> None:
    _found(talk, rest, Filter())


def _sem(talk: Talk, rest: str) -> None:
    lasting = Filter(layers=(Layer.LONG_TERM,), current=True)
    if rest:
        _found(talk, rest, lasting)
        return
    records = talk.run.memory.list(filter=lasting)
    talk.listed = [record.id for record in records]
    for place, record in enumerate(records, 1):
        typer.echo(f"{place:2}. {record.category or '-':<12} {show.one_line(record.content)}")
    if not records:
        typer.echo("No facts yet.")


def _found(talk: Talk, rest: str, where: Filter) -> None:
    talk.asked = rest or _needed(talk.asked, "a question")
    results = talk.run.memory.search(talk.asked, limit=FOUND, filter=where)
    talk.listed = [hit.id for hit in results]
    typer.echo(show.hits(results, talk.run.memory.zone))


def _ctx(talk: Talk, rest: str) -> None:
    block = talk.session.context(rest or None, max_tokens=CONTEXT)
    talk.listed = [hit.id for hit in block.hits]
    typer.echo(block.text or "Nothing is recalled for it.")


def _why(talk: Talk, rest: str) -> None:
    which, _, asked = _needed(rest, "a number of the last list, or an id").partition(" ")
    asked = asked.strip() or _needed(talk.asked, "a question behind it")
    typer.echo(show.why(talk.run.memory.why(asked, _id(talk, which))))


def _forget(talk: Talk, rest: str) -> None:
    memory, id = talk.run.memory, _id(talk, _needed(rest, "a number of the last list, or an id"))
    plan = memory.forget(id, dry_run=True)
    named = (*plan.memories, *plan.messages, *plan.rewritten, *plan.valid_again)
    texts = {one: show.text_of(memory.get(one)) for one in named[: show.MOST]}
    typer.echo(show.forgotten(plan, texts))
    typer.echo("Forget it? yes or no")
    try:
        is_meant = talk.read().strip().lower() in {"y", "yes"}
    except (EOFError, KeyboardInterrupt):
        is_meant = False
    if is_meant:
        for sentence in memory.forget(id).pending:
            note(sentence)
    typer.echo("Forgotten." if is_meant else "Nothing is forgotten.")


def _layers(talk: Talk, _: str) -> None:
    memory, window = talk.run.memory, talk.session.window(talk.max_tokens)
    rows: Mapping[str, object] = {
        "window": f"{len(window)} messages, {window.tokens} tokens",
        "summary": "yes" if any(map(is_made, window)) else "none",
        "conversation": f"{len(talk.session.messages())} messages, word for word",
        **{
            layer.value: f"{len(memory.list(filter=Filter(layers=(layer,))))} memories"
            for layer in (Layer.SESSION, Layer.LONG_TERM, Layer.ARCHIVAL)
        },
    }
    for name, held in rows.items():
        typer.echo(f"{name:<13} {held}")


def _compact(talk: Talk, _: str) -> None:
    done = talk.session.compact(limits=Limits(max_input_tokens=talk.max_tokens))
    typer.echo(f"{done.status}, by {done.made or 'nothing'}")
    if done.summary:
        typer.echo(done.summary)


def _help(_: Talk, __: str) -> None:
    for name, (_function, said) in COMMANDS.items():
        typer.echo(f"/{name:<9} {said}")
    typer.echo("/quit      Leave. All else is said to the model, or shown as it would be sent.")


def _needed(text: str, what: str) -> str:
    if not text:
        raise InvalidInputError(f"nothing stands behind the command; give {what}")
    return text


def _id(talk: Talk, which: str) -> str:
    """The id itself, or that of a number of the last list."""
    is_place = which.isdecimal() and 1 <= int(which) <= len(talk.listed)
    return talk.listed[int(which) - 1] if is_place else which


COMMANDS: Mapping[str, tuple[Callable[[Talk, str], None], str]] = {
    "remember": (_remember, "TEXT: keep it as a memory."),
    "recall": (_recall, "[QUESTION]: what search finds; for the last one said, without."),
    "ctx": (_ctx, "[QUESTION]: the block that would stand in the prompt."),
    "sem": (_sem, "[QUESTION]: lasting facts, all that hold or those that answer."),
    "why": (_why, "NUMBER|ID [QUESTION]: why the last question finds it, or does not."),
    "forget": (_forget, "NUMBER|ID: erase it with all that was made from it, once you say yes."),
    "layers": (_layers, "What each layer holds."),
    "compact": (_compact, "Put old turns into a summary now."),
    "help": (_help, "These lines."),
}
