"""`lamina ls`, `tree`, `read`, `glob` and `grep`: what is remembered, by URIs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from lamina.doors.cli import options as o
from lamina.doors.cli.session import note, running
from lamina.doors.cli.show import DAY, one_line
from lamina.replies import Entry, Match

Uri = Annotated[str, typer.Argument(help="A URI, or a path below your own; all of yours without.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.")]


def ls(
    uri: Uri = "",
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Limit = 100,
    after: Annotated[str | None, typer.Option(help="Go on behind this URI.")] = None,
    as_json: o.AsJson = False,
) -> None:
    """List what stands right below a URI: categories, memories, conversations, documents."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.entries.ls(uri, limit=limit, after=after)
        if len(found) == limit and not as_json:
            note(f"there may be more: --after {found[-1].uri}")
        run.answer(found, "\n".join(_line(one, run.memory.zone) for one in found) or "Nothing.")


def tree(
    uri: Uri = "",
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    depth: Annotated[int, typer.Option(help="How many levels.")] = 2,
    limit: Limit = 1000,
    as_json: o.AsJson = False,
) -> None:
    """Show what stands below a URI, so many levels deep."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.entries.tree(uri, depth, limit=limit)
        if len(found) == limit and not as_json:
            note(f"there may be more than {limit}: raise --limit, or name a folder")
        run.answer(found, _drawn(found, run.memory.zone) or "Nothing.")


def read(
    uri: Annotated[str, typer.Argument(help="URI of a memory, message or document.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    level: Annotated[str, typer.Option(help="abstract, overview or content.")] = "content",
    as_json: o.AsJson = False,
) -> None:
    """Print a text by its URI, whole or at a level. Secrets are masked."""
    with running(store, user, agent, as_json=as_json) as run:
        text = run.memory.entries.read(uri, level)
        run.answer({"uri": uri, "level": level, "text": text}, text)


def glob(
    pattern: Annotated[str, typer.Argument(help="A URI or path with * and ?, and ** over parts.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Limit = 100,
    as_json: o.AsJson = False,
) -> None:
    """List what has a URI of a pattern."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.entries.glob(pattern, limit=limit)
        run.answer(found, "\n".join(_line(one, run.memory.zone) for one in found) or "Nothing.")


def grep(
    pattern: Annotated[str, typer.Argument(help="A text, taken literally.")],
    uri: Uri = "",
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    regex: Annotated[
        bool, typer.Option("--regex", "-E", help="It is a regular expression.")
    ] = False,
    limit: Limit = 100,
    as_json: o.AsJson = False,
) -> None:
    """Find lines that hold a text, in every memory, message and document below a URI."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.entries.grep(pattern, uri, regex=regex, limit=limit)
        run.answer(found, "\n".join(map(_found, found)) or "Nothing found.")


def register(app: typer.Typer) -> None:
    """Give an app these commands."""
    for command in (ls, tree, read, glob, grep):
        app.command()(command)


def _line(one: Entry, zone: ZoneInfo) -> str:
    count = f"  ({one.count})" if one.kind in {"folder", "document"} else ""
    until = ""
    if one.valid_to is not None:
        until = f"  (true until {one.valid_to.astimezone(zone).strftime(DAY)})"
    day = f"  {one.date.astimezone(zone).strftime(DAY)}" if one.date is not None else ""
    return f"{one.uri}{count}{day}{until}  {one_line(one.text)}".rstrip()


def _drawn(found: Sequence[Entry], zone: ZoneInfo) -> str:
    """Entries as a tree: a folder's URI is said once, and what is in it stands below it."""
    lines: list[str] = []
    above: list[str] = []
    for one in found:
        while above and not one.uri.startswith(above[-1] + "/"):
            above.pop()
        line = _line(one, zone)
        lines.append("  " * len(above) + (line[len(above[-1]) + 1 :] if above else line))
        if one.kind in {"folder", "document"}:
            above.append(one.uri)
    return "\n".join(lines)


def _found(one: Match) -> str:
    return f"{one.uri}:{one.line}: {one.text}"
