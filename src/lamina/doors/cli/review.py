"""`lamina review`: what waits for a person to accept or refuse it."""

from __future__ import annotations

from typing import Annotated

import typer

from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import embed_few, running

review = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="What waits for you to accept or refuse it; until then it is not recalled.",
)
Ids = Annotated[list[str], typer.Argument(help="Ids that the list shows.", show_default=False)]


@review.command(name="list")
def list_(
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    as_json: o.AsJson = False,
) -> None:
    """List what waits, each with the words it was drawn from."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.review.list(limit=limit)
        run.answer(found, show.proposals(found, run.memory.zone))


@review.command()
def accept(
    ids: Ids,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Make them memories."""
    with running(store, user, agent, as_json=as_json) as run:
        done = [run.memory.review.accept(id) for id in dict.fromkeys(ids)]
        embed_few(run)
        run.answer(done, show.decisions(done))


@review.command()
def refuse(
    ids: Ids,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Let them go: they are not proposed again."""
    with running(store, user, agent, as_json=as_json) as run:
        done = [run.memory.review.refuse(id) for id in dict.fromkeys(ids)]
        run.answer(done, show.decisions(done))
