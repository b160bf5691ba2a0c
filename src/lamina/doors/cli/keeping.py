"""Commands that take a store elsewhere: export, backup, restore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lamina.build import restore_store
from lamina.doors.cli import options as o
from lamina.doors.cli.session import default_store, fail, note, print_json, running
from lamina.errors import LaminaError


def export(
    path: Annotated[Path, typer.Argument(help="The file to write, of JSON Lines.")],
    store: o.Store = None,
    user: Annotated[str | None, typer.Option(help="Only this user. Default: the store.")] = None,
    mask: Annotated[bool, typer.Option("--mask", help="Mask secrets in it.")] = False,
    as_json: o.AsJson = False,
) -> None:
    """Write everything to a file; `lamina import` reads it back."""
    with running(store, as_json=as_json) as run:
        done = run.opener.admin.export(path, user_id=user, mask=mask)
        if done.secrets and not mask:
            kinds = ", ".join(f"{count} {kind}" for kind, count in done.secrets.items())
            note(f"the file holds secrets: {kinds}; --mask masks them")
        run.answer(
            done,
            f"{done.path}: {done.messages} messages in {done.sessions} sessions, "
            f"{done.memories} memories",
        )


def backup(
    path: Annotated[
        Path | None, typer.Argument(help="The file. Default: in the store's folder backups.")
    ] = None,
    store: o.Store = None,
    as_json: o.AsJson = False,
) -> None:
    """Copy the store as it is now, while it is used; the copy is read before it counts."""
    with running(store, as_json=as_json) as run:
        done = run.opener.admin.backup(path)
        run.answer(done, f"{done.path}: {done.messages} messages, {done.memories} memories")


def restore(
    path: Annotated[Path, typer.Argument(help="A backup.")],
    store: o.Store = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Move a store that is there aside.")
    ] = False,
    as_json: o.AsJson = False,
) -> None:
    """Make a backup the store of a folder; one that is there is never written over."""
    folder = store or default_store()
    try:
        counts = restore_store(path, folder, replace=replace)
    except LaminaError as error:
        fail(error, as_json=as_json)
        return
    held = f"{counts['message']} messages, {counts['memory']} memories"
    if as_json:
        print_json(
            {"path": str(folder), "messages": counts["message"], "memories": counts["memory"]}
        )
    else:
        typer.echo(f"{folder}: {held}")
