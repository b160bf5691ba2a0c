"""`lamina eval`: how well recall does on a file of questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import running


def eval_(
    path: Annotated[Path, typer.Argument(help="JSON Lines of conversations or questions.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Measure recall: on conversations with questions, or with questions about this store."""
    from lamina.doors.cli.importing import bars  # noqa: PLC0415 - brings progress bars
    from lamina.evals.run import evaluated  # noqa: PLC0415 - only this command needs it

    with running(store, user, agent, as_json=as_json) as run:
        with bars() as progress:
            task = progress.add_task("asking", total=1.0)
            found = evaluated(path, run.memory, lambda done: progress.update(task, completed=done))
            progress.update(task, completed=1.0)
        run.answer(found, show.report(found))
