"""`lamina import`: two bars, of which the second may be interrupted at any time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from lamina.doors.cli.session import Run, note, note_changes, running
from lamina.errors import EmbedderError
from lamina.replies import Imported

SHOWN = 10  # unread records that are listed; `--json` has all


def run_import(
    path: Path,
    store: Path | None,
    user: str | None,
    agent: str | None,
    *,
    format: str | None,
    wait: bool,
    as_json: bool,
) -> None:
    """Read, say what came in, then compute vectors."""
    with running(store, user, agent, as_json=as_json) as run:
        with bars() as progress:
            task = progress.add_task("reading", total=1.0)
            done = run.memory.import_(
                path, format=format, progress=lambda share: progress.update(task, completed=share)
            )
            progress.update(task, completed=1.0)
        _say_unread(done)
        run.answer(done, _summary(done))
        if wait:
            embed_all(run)


def embed_all(run: Run) -> None:
    """Vectors of all that waits; Ctrl-C leaves the rest to whoever opens the store next."""
    try:
        sys.stdout.flush()
        waiting = run.opener.admin.status().pending
        if not waiting:
            return
        with bars() as progress:
            task = progress.add_task("vectors (may be interrupted)", total=waiting)
            run.opener.admin.flush(
                lambda left: progress.update(task, completed=max(0, waiting - left))
            )
    except KeyboardInterrupt:
        left = run.opener.admin.status().pending
        note(f"{left} passages still wait for their vectors; the next command takes them up")
    except EmbedderError as fault:
        found = run.opener.admin.status()
        for sentence in found.degraded or (str(fault),):
            run.notes.once(sentence)
        note(f"{found.pending} passages wait for their vectors; until then words find them")


@contextmanager
def bars() -> Iterator[Progress]:
    """Progress bars on stderr, where that is a terminal."""
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as progress:
        yield progress


def _say_unread(done: Imported) -> None:
    for sentence in done.unread[:SHOWN]:
        note(f"not read: {sentence}")
    if len(done.unread) > SHOWN:
        note(f"not read: {len(done.unread) - SHOWN} more; --json lists all")
    note_changes(done.masked, done.replaced)


def _summary(done: Imported) -> str:
    known = f", {done.known} were there already" if done.known else ""
    unread = f", {len(done.unread)} could not be read" if done.unread else ""
    return f"{done.messages} messages in {done.sessions} sessions{known}{unread}"
