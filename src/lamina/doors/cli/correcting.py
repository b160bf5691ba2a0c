"""Commands that put right or take away what is remembered: correct and forget."""

from __future__ import annotations

from typing import Annotated

import typer

from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import Run, embed_few, note, running, text_argument


def correct(
    id: o.Id,
    text: Annotated[str, typer.Argument(help="What is right; - reads it from the pipe.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Replace a wrong memory; what it claimed is not drawn from the same words again."""
    with running(store, user, agent, as_json=as_json) as run:
        changed = run.memory.correct(id, text_argument(text), origin="person")
        embed_few(run)
        run.answer(changed, show.item(changed, run.memory.zone))


def forget(
    id: Annotated[str | None, typer.Argument(help="A memory or message.")] = None,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    query: Annotated[str | None, typer.Option(help="All in which all these words stand.")] = None,
    session: Annotated[str | None, typer.Option(help="A whole conversation.")] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="All of this user's memory.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do it; without this, only tell what would go.")
    ] = False,
    as_json: o.AsJson = False,
) -> None:
    """Erase something with all that was made from it, and what says it, bytes included."""
    with running(store, user, agent, as_json=as_json) as run:
        shown = {} if as_json else _texts(run, id, query, session, everything=everything)
        done = run.memory.forget(
            id, query=query, session_id=session, everything=everything, dry_run=not yes
        )
        for sentence in done.pending:
            note(sentence)
        if not yes:
            note("nothing is erased yet: add --yes")
        run.answer(done, show.forgotten(done, shown))


def _texts(
    run: Run, id: str | None, query: str | None, session: str | None, *, everything: bool
) -> dict[str, str]:
    """What is to go, as it reads while it is still there."""
    found = run.memory.forget(
        id, query=query, session_id=session, everything=everything, dry_run=True
    )
    named = (*found.memories, *found.messages, *found.rewritten, *found.valid_again)
    return {one: show.text_of(run.memory.get(one)) for one in named[: show.MOST]}
