"""Write the reference from the code: `python docs/reference/make.py`. A test compares."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import typer

from lamina import errors, replies, settings, types
from lamina.build import open_memory
from lamina.doors.cli.app import app
from lamina.doors.wire import EXITS
from lamina.engine.admin import Admin
from lamina.engine.archive import Archive
from lamina.engine.entries import Entries
from lamina.engine.memory import Memory
from lamina.engine.review import Review
from lamina.engine.session import Session
from lamina.engine.sessions import Sessions
from lamina.engine.verbs import VERBS
from lamina.settings import Settings

HERE = Path(__file__).parent
WIDTH = 96
HEAD = "<!-- Written by docs/reference/make.py: change the code, then run it. -->\n"


def pages() -> dict[str, str]:
    """The pages by their file names."""
    return {
        "python.md": HEAD + "\n".join(_python()),
        "cli.md": HEAD + "\n".join(_cli()),
        "settings.md": HEAD + "\n".join(_settings()),
        "errors.md": HEAD + "\n".join(_errors()),
    }


def _python() -> Iterator[str]:
    yield "# Python\n\nEverything public is reached from `import lamina`.\n"
    yield from _call("lamina.open", open_memory)
    owners: dict[str, tuple[str, type]] = {
        "memory": ("Memory", Memory),
        "session": ("Session", Session),
        "archive": ("memory.archive", Archive),
        "sessions": ("memory.sessions", Sessions),
        "entries": ("memory.entries", Entries),
        "review": ("memory.review", Review),
        "admin": ("memory.admin", Admin),
    }
    for on, (title, owner) in owners.items():
        yield f"\n## {title}\n\n{inspect.getdoc(owner)}\n"
        for verb in VERBS:
            if verb.on == on:
                found = inspect.getattr_static(owner, verb.name)
                if isinstance(found, property):
                    yield f"\n### `{verb.name}`\n\n{inspect.getdoc(found)}\n"
                else:
                    yield from _call(verb.name, found)
    yield "\n## Values\n"
    values = {**vars(types), **vars(replies)}
    for name, value in values.items():
        if inspect.isclass(value) and value.__module__ in {types.__name__, replies.__name__}:
            yield f"\n### `{name}`\n\n{inspect.getdoc(value)}\n"
            if fields := getattr(value, "__dataclass_fields__", None):
                yield "\n".join(f"- `{key}: {field.type}`" for key, field in fields.items()) + "\n"


def _call(name: str, function: Callable[..., object]) -> Iterator[str]:
    (node,) = ast.parse(dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef)
    node.args.args = [a for a in node.args.args if a.arg != "self"]
    result = "" if node.returns is None else ast.unparse(node.returns)
    written = f"{name}({ast.unparse(node.args)}) -> {result}"
    if len(written) > WIDTH:
        parts = _split(ast.unparse(node.args))
        written = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {result}"
    text = _prose(inspect.getdoc(function) or "")
    yield f"\n### `{name}`\n\n```text\n{written}\n```\n\n{text}"


def _split(arguments: str) -> list[str]:
    """Parameters, split at the commas that stand in no bracket."""
    return re.split(r", (?![^\[(]*[\])])", arguments)


def _prose(text: str) -> str:
    """A docstring as Markdown: its list of errors as a list."""
    text, _, raised = text.partition("\nRaises:\n")
    if not raised:
        return text + "\n"
    lines = "\n".join(f"- {line.strip()}" for line in raised.strip().splitlines())
    return f"{text.rstrip()}\n\nRaises:\n\n{lines}\n"


def _cli() -> Iterator[str]:
    yield "# Command line\n\nAnswers go to stdout, all else to stderr. `--json` prints JSON.\n"
    for name, command in _commands(typer.main.get_command(app)):
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        options = [p for p in command.params if p.param_type_name == "option"]
        usage = " ".join(p.name.upper() if p.required else f"[{p.name.upper()}]" for p in arguments)
        yield f"\n## `lamina {name}`\n\n{command.help}\n\n    lamina {name} {usage} [OPTIONS]\n"
        yield "| | |\n|---|---|"
        for parameter in [*arguments, *options]:
            names = "/".join([*parameter.opts, *parameter.secondary_opts])
            shown = f"`{names}`" if parameter in options else f"`{parameter.name.upper()}`"
            variable = f" (`{parameter.envvar}`)" if parameter.envvar else ""
            yield f"| {shown} | {parameter.help or ''}{variable} |"
    yield "\n## Exit codes\n\n| code | error |\n|---|---|\n| 0 | none |"
    for kind, code in EXITS:
        yield f"| {code} | {kind.__name__} |"
    yield "| 1 | any other |\n"


def _commands(group: Any, above: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - Click's
    """Commands by their full names, those of a group in it too."""
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def _settings() -> Iterator[str]:
    yield (
        "# Settings\n\nArgument of `lamina.open` over environment (`LAMINA_` and the name in"
        " capitals) over `lamina.toml`\nin the store's folder over default.\n\n"
        "| setting | default | meaning |\n|---|---|---|"
    )
    source = inspect.getsource(settings)
    for name in Settings.__dataclass_fields__:
        line = re.search(rf"^    {name}: .*? = (.*?)  # (.*)$", source, re.MULTILINE)
        if line is None:
            raise ValueError(f"the setting {name} has no comment that says what it means")
        yield f"| `{name}` | `{line[1]}` | {line[2]} |"
    yield ""


def _errors() -> Iterator[str]:
    tree = (errors.__doc__ or "").split("\n\n")
    drawn = inspect.cleandoc(tree[1])
    yield f"# Errors\n\n{tree[0]}\n\n```text\n{drawn}\n```\n\n{tree[2].strip()}\n"


if __name__ == "__main__":
    for file, page in pages().items():
        (HERE / file).write_text(page, "utf-8")
