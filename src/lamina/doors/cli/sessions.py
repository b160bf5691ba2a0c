"""`lamina session`: conversations, their turns, and their end."""

from __future__ import annotations

from typing import Annotated

import typer

from lamina.doors import wire
from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import embed_few, note, running
from lamina.pipeline.compact.values import Limits
from lamina.types import Message

session = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Conversations: listed, shown, ended, forked, deleted.",
)
Id = Annotated[str, typer.Argument(help="Id of a conversation.", show_default=False)]


@session.command(name="list")
def list_(
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """List conversations, the most recently used first."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.sessions.list()
        run.answer(found, show.sessions(found, run.memory.zone))


@session.command(name="show")
def show_(
    id: Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", help="The newest so many turns.")
    ] = None,
    as_json: o.AsJson = False,
) -> None:
    """Show the turns of a conversation."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.sessions.get(id).messages(limit=limit)
        run.answer(found, show.turns(found, run.memory.zone))


@session.command()
def window(
    id: Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    max_tokens: Annotated[int, typer.Option(help="Budget of the window.")] = 16_000,
    as_json: o.AsJson = False,
) -> None:
    """Show what of a conversation goes to a model now."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.sessions.get(id).window(max_tokens)
        run.answer(found, show.turns(found, run.memory.zone))


@session.command()
def compact(
    id: Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    max_input_tokens: Annotated[int, typer.Option(help="Of the model.")] = 131_072,
    as_json: o.AsJson = False,
) -> None:
    """Shorten what of a conversation is sent: old turns in a summary; nothing is lost."""
    with running(store, user, agent, as_json=as_json) as run:
        limits = Limits(max_input_tokens=max_input_tokens)
        done = run.memory.sessions.get(id).compact(limits=limits)
        embed_few(run)
        for sentence in (*done.repaired, *done.notes):
            note(sentence)
        run.answer(done, "\n".join(filter(None, [done.status, done.summary])))


@session.command()
def expand(
    id: Id,
    handle: Annotated[str, typer.Argument(help="A handle that a window names.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Show what a handle stands for, whole."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.sessions.get(id).expand(handle)
        text = found.text if isinstance(found, Message) else found
        run.answer(found, text if isinstance(text, str) else wire.to_json(text))


@session.command()
def end(
    id: Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """End a conversation: its notes become memories, or expire."""
    with running(store, user, agent, as_json=as_json) as run:
        done = run.memory.sessions.get(id).end()
        run.answer(done, f"promoted {len(done.promoted)}, expired {len(done.expired)}")


@session.command()
def rename(
    id: Id,
    title: Annotated[str, typer.Argument(help="Its new title.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Give a conversation another title; its id stays."""
    with running(store, user, agent, as_json=as_json) as run:
        done = run.memory.sessions.rename(id, title)
        run.answer(done, show.sessions([done], run.memory.zone))


@session.command()
def fork(
    id: Id,
    new_id: Annotated[str | None, typer.Argument(help="Id of the new one.")] = None,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    until: Annotated[str | None, typer.Option(help="The last message that it takes.")] = None,
    as_json: o.AsJson = False,
) -> None:
    """Begin a conversation with the turns of another one."""
    with running(store, user, agent, as_json=as_json) as run:
        done = run.memory.sessions.fork(id, new_id, until=until)
        run.answer(done, show.sessions([done], run.memory.zone))


@session.command()
def delete(
    id: Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Erase a conversation with its notes; memories drawn from it stay (see `lamina forget`)."""
    with running(store, user, agent, as_json=as_json) as run:
        done = run.memory.sessions.delete(id)
        for sentence in done.pending:
            note(sentence)
        run.answer(done, f"{id}  deleted, with {len(done.messages)} messages")
