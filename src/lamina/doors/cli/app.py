"""The commands: each the verb of its name, on the scope that the options name."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lamina import __version__
from lamina.doors import wire
from lamina.doors.cli import correcting, entries, evaluating, governing, keeping, show
from lamina.doors.cli import options as o
from lamina.doors.cli.archive import archive
from lamina.doors.cli.review import review
from lamina.doors.cli.session import embed_few, note, note_changes, running, text_argument
from lamina.doors.cli.sessions import session as sessions
from lamina.errors import InvalidInputError
from lamina.text.clean import strip
from lamina.text.redact import mask

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Layered memory for AI agents, in one folder.",
)
app.add_typer(archive, name="archive")
entries.register(app)
app.add_typer(review, name="review")
app.add_typer(sessions, name="session")
app.command()(correcting.correct)
app.command()(correcting.forget)
app.command()(governing.log)
app.command()(governing.audit)
app.command(name="eval")(evaluating.eval_)
app.command()(keeping.export)
app.command()(keeping.backup)
app.command()(keeping.restore)


def run() -> None:
    """Run the command line given to this process."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console of another encoding shows escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except OSError as fault:  # of the answer: what concerns the store has its own errors
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - the exit would try once more
        sys.exit(f"lamina: the answer cannot be written: {fault}; see where the output goes")


def _version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"lamina {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=lambda asked: _version(asked=asked),
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Layered memory for AI agents, in one folder: no server, no key, no network, no model."""


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from the pipe.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
    role: Annotated[
        str | None, typer.Option(help="Append it to the conversation as said by: user, ...")
    ] = None,
    layer: Annotated[str, typer.Option(help="long_term, session or archival.")] = "long_term",
    category: o.Category = None,
    importance: o.Importance = None,
    pinned: Annotated[bool, typer.Option("--pin", help="Always near at hand.")] = False,
    metadata: o.Metadata = None,
    as_json: o.AsJson = False,
) -> None:
    """Remember a text, or append a turn to a conversation."""
    with running(store, user, agent, as_json=as_json) as run:
        content = text_argument(text)
        if layer == "working":
            raise InvalidInputError(
                "the working layer lives in the memory of one process and is never stored; use "
                "the session layer for what should last as long as a conversation"
            )
        extra = wire.mapping_from(metadata, "metadata")
        if role is not None:
            if layer != "long_term" or pinned or not (category is None and importance is None):
                raise InvalidInputError(
                    "a turn of a conversation (--role) has no layer, category, importance or pin; "
                    "leave these out, or leave out --role to add a memory"
                )
            turn = {"role": role, "content": content}
            added = run.memory.add([turn], session_id=session, metadata=extra)
        else:
            added = run.memory.add(
                content,
                layer=layer,
                category=category or "note",
                importance=0.5 if importance is None else importance,
                metadata=extra,
                session_id=session,
            )
            if pinned:
                run.memory.update(added.id, pinned=True)
        embed_few(run)
        note_changes(added.masked, added.replaced)
        run.answer(added, f"{added.id}{'  (was there already)' if added.skipped else ''}")


@app.command()
def search(
    query: o.Query,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 10,
    session: o.Session = None,
    layer: o.Layers = None,
    category: o.Categories = None,
    origin: o.Origins = None,
    since: o.Since = None,
    until: o.Until = None,
    project: o.Project = None,
    metadata: o.Where = None,
    as_of: o.AsOf = None,
    min_score: Annotated[float, typer.Option(help="Leave out what scores less, 0 to 1.")] = 0.0,
    abstain: Annotated[bool, typer.Option("--abstain", help="Leave out weak ones.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every signal of the score.")
    ] = False,
    as_json: o.AsJson = False,
) -> None:
    """Find what was said or noted, best first."""
    with running(store, user, agent, as_json=as_json) as run:
        where = wire.filter_from(
            zone=run.memory.zone,
            layers=layer or (),
            categories=category or (),
            origins=origin or (),
            since=since,
            until=until,
            project=project,
            metadata=metadata,
            session_id=session,
            as_of=as_of,
        )
        found = run.memory.search(
            query,
            limit=limit,
            filter=where,
            min_score=min_score,
            abstain=abstain,
            explain=explain,
        )
        if not as_json:
            for sentence in found.degraded:
                run.notes.once(sentence)
            if found.archival:
                note(f"{found.archival} matches in the archive: add --layer archival")
        run.answer(found, show.hits(found, run.memory.zone, explain=explain))


@app.command()
def why(
    query: o.Query,
    id: o.Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="As the search has it.")] = 10,
    as_json: o.AsJson = False,
) -> None:
    """Tell why a search returns an item, or at which step it falls and what would bring it in."""
    with running(store, user, agent, as_json=as_json) as run:
        told = run.memory.why(query, id, limit=limit)
        run.answer(told, show.why(told))


@app.command()
def get(
    id: o.Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Show one memory or message, whole."""
    with running(store, user, agent, as_json=as_json) as run:
        found = run.memory.get(id)
        told = {**wire.to_wire(found), "uri": run.memory.entries.uri(found.id)}
        run.answer(told, show.item(found, run.memory.zone))


@app.command(name="list")
def list_(
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Go on behind this id.")] = None,
    layer: o.Layers = None,
    category: o.Categories = None,
    since: o.Since = None,
    until: o.Until = None,
    metadata: o.Where = None,
    as_json: o.AsJson = False,
) -> None:
    """List memories, newest first."""
    with running(store, user, agent, as_json=as_json) as run:
        where = wire.filter_from(
            zone=run.memory.zone,
            layers=layer or (),
            categories=category or (),
            since=since,
            until=until,
            metadata=metadata,
        )
        found = run.memory.list(filter=where, limit=limit, after=after)
        run.answer(found, show.memories(found, run.memory.zone))


@app.command()
def update(
    id: o.Id,
    text: Annotated[str | None, typer.Argument(help="The new text; - reads the pipe.")] = None,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    category: o.Category = None,
    importance: o.Importance = None,
    pinned: Annotated[
        bool | None, typer.Option("--pin/--unpin", help="Always near at hand, or no longer.")
    ] = None,
    metadata: o.Metadata = None,
    as_json: o.AsJson = False,
) -> None:
    """Change a memory; its history keeps how it was."""
    with running(store, user, agent, as_json=as_json) as run:
        if (text, category, importance, pinned, metadata) == (None,) * 5:
            raise InvalidInputError(f"nothing to change in {id!r:.80}; give a text or an option")
        given = None if text is None else text_argument(text)
        changed = run.memory.update(
            id,
            given,
            category=category,
            importance=importance,
            pinned=pinned,
            metadata=wire.mapping_from(metadata, "metadata"),
            origin="person",
        )
        embed_few(run)
        if given is not None and changed.content != given:
            note_changes(mask(given).counts, strip(given)[1])
        run.answer(changed, show.item(changed, run.memory.zone))


@app.command()
def delete(
    ids: Annotated[list[str], typer.Argument(help="Ids of memories or messages.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Erase memories or messages, bytes included."""
    with running(store, user, agent, as_json=as_json) as run:
        unique = list(dict.fromkeys(ids))
        for id in unique:
            run.memory.get(id)  # before any is erased
        done = [run.memory.delete(id) for id in unique]
        for one in done:
            if one.still_in:
                note(f"messages that still say it: {', '.join(one.still_in)}")
            if one.pending:
                note("another process holds the store open; its files are cleaned later")
        run.answer(done, "\n".join(f"{one.id}  deleted" for one in done))


@app.command()
def history(
    id: o.Id,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    as_json: o.AsJson = False,
) -> None:
    """Show every change of a memory: when, by whom, before and after."""
    with running(store, user, agent, as_json=as_json) as run:
        events = run.memory.history(id)
        run.answer(events, show.history(events, run.memory.zone))


@app.command()
def context(
    query: o.Query,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    max_tokens: Annotated[int, typer.Option(help="Budget of the block.")] = 1000,
    level: Annotated[
        str | None,
        typer.Option(help="abstract, overview or content. Default: what suits each item."),
    ] = None,
    frame: Annotated[
        str, typer.Option(help="Lines around it: en, zh, none, or auto for the query's language.")
    ] = "auto",
    as_json: o.AsJson = False,
) -> None:
    """Print the block for a prompt: what is remembered, dated and cited, within a budget."""
    with running(store, user, agent, as_json=as_json) as run:
        block = run.memory.context(query, max_tokens=max_tokens, level=level, frame=frame)
        run.answer(block, block.text)


@app.command(name="import")
def import_(
    path: Annotated[Path, typer.Argument(help="A file or folder of conversations.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    format: Annotated[str | None, typer.Option(help="conversations or openai.")] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Compute the vectors now, or leave it.")
    ] = True,
    as_json: o.AsJson = False,
) -> None:
    """Read conversations from other systems; reading them again adds nothing."""
    from lamina.doors.cli.importing import run_import  # noqa: PLC0415 - brings progress bars

    run_import(path, store, user, agent, format=format, wait=wait, as_json=as_json)


@app.command()
def extract(
    session: Annotated[str, typer.Option(help="The conversation to read.")],
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be kept, and write nothing.")
    ] = False,
    as_json: o.AsJson = False,
) -> None:
    """Read a conversation for facts now, also an imported one: by rules, and by a model if set."""
    from lamina.doors.cli.extracting import run_extract  # noqa: PLC0415 - only this needs it

    run_extract(session, store, user, agent, dry_run=dry_run, as_json=as_json)


@app.command()
def chat(
    session: Annotated[
        str | None, typer.Option(help="The conversation to go on with. Default: a new one.")
    ] = None,
    store: o.Store = None,
    user: o.User = None,
    agent: o.Agent = None,
    max_tokens: Annotated[int, typer.Option(help="What is sent at most.")] = 16_000,
) -> None:
    """Talk, and see the layers at work: with the model that is set, else what would be sent."""
    from lamina.doors.cli.chatting import run_chat  # noqa: PLC0415 - only this needs it

    run_chat(session, store, user, agent, max_tokens=max_tokens)


@app.command()
def status(store: o.Store = None, as_json: o.AsJson = False) -> None:
    """Count what a store holds."""
    with running(store, as_json=as_json) as run:
        found = run.opener.admin.status()
        run.answer(found, show.status(found, run.opener.admin.users()))


@app.command()
def demo(
    store: Annotated[Path | None, typer.Option(help="Folder for the demo's store.")] = None,
    as_json: o.AsJson = False,
) -> None:
    """Remember a sample conversation, close, open again, and ask."""
    from lamina.doors.cli.demo import run_demo  # noqa: PLC0415 - only the demo needs its texts

    run_demo(store, as_json=as_json)
