"""`lamina session`: conversations, their turns, and their end."""

from __future__ import annotations

from typing import Annotated

import typer

from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import note, running

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
