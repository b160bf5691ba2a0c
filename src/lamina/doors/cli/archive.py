"""`lamina archive`: documents in, listed, and out again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lamina.doors import wire
from lamina.doors.cli import options as o
from lamina.doors.cli import show
from lamina.doors.cli.session import note, note_changes, running, text_argument
from lamina.replies import Archived

SHOWN = 10  # files passed over that are listed; `--json` has all

archive = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Documents: kept as passages, searched with --layer archival.",
)


@archive.command()
def add(
    path: Annotated[str, typer.Argument(help="A file or folder; - reads a text from the pipe.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the document; a text from the pipe needs one.")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents of the folder whose files are gone.")
    ] = False,
    metadata: o.Metadata = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Compute the vectors now, or leave it.")
    ] = True,
    as_json: o.AsJson = False,
) -> None:
    """Keep documents: Markdown, HTML, PDF, text. Adding them again takes up what changed."""
    from lamina.doors.cli.importing import bars, embed_all  # noqa: PLC0415 - brings progress bars

    with running(store, user, agent, as_json=as_json) as run:
        with bars() as progress:
            task = progress.add_task("reading", total=1.0)
            done = run.memory.archive.add(
                text_argument(path) if path == "-" else Path(path),
                title=title,
                prune=prune,
                metadata=wire.mapping_from(metadata, "metadata"),
                progress=lambda share: progress.update(task, completed=share),
            )
            progress.update(task, completed=1.0)
        _say_passed_over(done)
        run.answer(done, _summary(done))
        if wait:
            embed_all(run)


@archive.command(name="list")
def list_(
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """List the documents, by title."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.archive.list()
        run.answer(found, show.documents(found, run.memory.zone))


@archive.command()
def remove(
    documents: Annotated[
        list[str], typer.Argument(help="Ids or paths of documents; a folder's path is all in it.")
    ],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Erase documents, bytes included."""
    with running(store, user, agent, as_json=as_json) as run:
        done = [run.memory.archive.remove(one) for one in documents]
        _say_pending(*done)
        gone = [id for one in done for id in one.removed]
        run.answer(done, "\n".join(f"{id}  removed" for id in gone))


def _say_passed_over(done: Archived) -> None:
    for what, sentences in (("not read", done.unread), ("skipped", done.skipped)):
        for sentence in sentences[:SHOWN]:
            note(f"{what}: {sentence}")
        if len(sentences) > SHOWN:
            note(f"{what}: {len(sentences) - SHOWN} more; --json lists all")
    note_changes(done.masked, done.replaced)
    _say_pending(done)


def _say_pending(*done: Archived) -> None:
    if any(one.pending for one in done):
        note("another process holds the store open; its files are cleaned later")


def _summary(done: Archived) -> str:
    counts = [
        (len(done.added), "added"),
        (len(done.changed), "changed"),
        (len(done.unchanged), "unchanged"),
        (len(done.removed), "removed"),
        (len(done.skipped), "skipped"),
        (len(done.unread), "not read"),
    ]
    told = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{told or 'nothing there'}; {done.passages} passages written"
