"""Commands that look at the whole store: log and audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lamina.doors import wire
from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import running


def log(
    store: o.Store = None,
    since: o.Since = None,
    until: o.Until = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="The last so many.")] = 50,
    content: Annotated[bool, typer.Option("--content", help="With texts of memories.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write all of it to this folder, one file a day.")
    ] = None,
    as_json: o.AsJson = False,
) -> None:
    """Tell what was decided and done, for all users of the store."""
    with running(store, as_json=as_json) as run:
        admin = run.opener.admin
        if out is not None:
            files = [str(path) for path in admin.export_log(out, content=content)]
            run.answer(files, "\n".join(files) or "Nothing to write.")
            return
        zone = run.memory.zone
        found = admin.log(
            since=wire.time_from(since, zone, "since"),
            until=wire.time_from(until, zone, "until"),
            limit=limit,
            content=content,
        )
        run.answer(list(found), show.log(found, zone))


def audit(store: o.Store = None, as_json: o.AsJson = False) -> None:
    """Tell how sound the memories are: doubles, contradictions, lost sources, secrets."""
    with running(store, as_json=as_json) as run:
        found = run.opener.admin.audit()
        run.answer(found, show.audit(found))
