"""One run of a command: its store, its answer, its errors."""

from __future__ import annotations

import locale
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from lamina.build import open_memory
from lamina.doors import wire
from lamina.errors import InvalidInputError, LaminaError
from lamina.types import Json

if TYPE_CHECKING:
    from lamina.engine.memory import Memory

LOG = logging.getLogger("lamina")
FEW = 64  # passages that a command embeds before it exits


class Run:
    """What a command works with: the handle asked for, and how to say things."""

    def __init__(self, opener: Memory, memory: Memory, notes: Notes, *, as_json: bool) -> None:
        self.opener = opener
        self.memory = memory
        self.notes = notes
        self.as_json = as_json

    def answer(self, value: object, text: str) -> None:
        """Print the answer: JSON where it was asked for, else the text."""
        typer.echo(_json(value, sys.stdout) if self.as_json else text)


class Notes(logging.Handler):
    """Sentences beside the answer, each said once: a command's own, and warnings from within."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Say a warning."""
        self.once(record.getMessage())

    def once(self, sentence: str) -> None:
        """Say it, if it was not said."""
        if sentence not in self._said:
            self._said.add(sentence)
            note(sentence)


@contextmanager
def running(
    store: Path | None,
    user: str | None = None,
    agent: str | None = None,
    *,
    as_json: bool = False,
    background: bool = False,
    **settings: Json,
) -> Iterator[Run]:
    """Open the store for one command; an error becomes a sentence on stderr and an exit code.

    Only what goes on for long, like a talk, works `background`.
    """
    notes = Notes()
    LOG.addHandler(notes)
    try:
        with open_memory(store or default_store(), background=background, **settings) as opener:
            scoped = user is not None or agent is not None
            memory = opener.for_user(user, agent) if scoped else opener
            yield Run(opener, memory, notes, as_json=as_json)
    except LaminaError as error:
        fail(error, as_json=as_json)
    finally:
        LOG.removeHandler(notes)


def fail(error: LaminaError, *, as_json: bool = False) -> None:
    """Say what is wrong and leave."""
    said = _json(wire.error_to_wire(error), sys.stderr) if as_json else f"lamina: {error}"
    typer.echo(said, err=True)
    raise typer.Exit(wire.exit_code(error))


def print_json(value: object) -> None:
    """Print a value as JSON."""
    typer.echo(_json(value, sys.stdout))


def _json(value: object, stream: TextIO | None) -> str:
    """JSON that the stream can take: with escapes where its encoding has not every character."""
    text = wire.to_json(value)
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return wire.to_json(value, ascii_only=True)
    return text


def default_store() -> Path:
    """The store of whoever names none."""
    from platformdirs import user_data_path  # noqa: PLC0415 - loads only where it is needed

    return user_data_path("lamina", appauthor=False) / "store"


def note(text: str) -> None:
    """Say something beside the answer."""
    typer.echo(text, err=True)


def note_changes(masked: Mapping[str, int], replaced: int) -> None:
    """Say what of a text is kept otherwise than it was given."""
    for kind, count in masked.items():
        note(f"masked in what is searched and shown: {count} {kind}")
    if replaced:
        note(f"replaced or removed: {replaced} characters that no file can hold")


def embed_few(run: Run) -> None:
    """Vectors for what was just added; where they cannot be had, words find it."""
    try:
        run.opener.admin.flush(most=FEW)
    except LaminaError as fault:
        LOG.debug("no vectors for now: %s", fault)


def text_argument(text: str) -> str:
    """The text itself, or what comes in by the pipe where it is `-`, less the last line's end."""
    if text != "-":
        return text
    if sys.stdin is None:
        raise InvalidInputError("the text is -, but nothing comes in by a pipe; give the text")
    data = sys.stdin.buffer.read()
    try:
        read = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        read = data.decode(locale.getencoding(), "replace")
    return read.removesuffix("\n").removesuffix("\r")
