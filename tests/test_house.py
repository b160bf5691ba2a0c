"""The rules of the house that a linter does not count."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import lamina
from lamina.engine.admin import Admin
from lamina.engine.archive import Archive
from lamina.engine.entries import Entries
from lamina.engine.review import Review
from lamina.engine.sessions import Sessions
from lamina.engine.verbs import VERBS
from lamina.settings import Settings

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
CODE = [*SOURCES, *sorted(p for f in ("tests", "benchmarks") for p in (ROOT / f).rglob("*.py"))]
FILE, FUNCTION, PARAMETERS, FACE = 500, 60, 8, 40
POSITIONAL = 3  # of a verb: the rest is said by name
FREE_OF_COUNT = ("doors", "facades")  # whose signatures others fix


def named(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", CODE, ids=named(CODE))
def test_files_and_functions_are_small(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= FILE
    for function in functions(path):
        assert function.end_lineno is not None
        lines = function.end_lineno - function.lineno + 1
        assert lines <= FUNCTION or "doors" in path.parts, f"{function.name} has {lines} lines"


@pytest.mark.parametrize("path", SOURCES, ids=named(SOURCES))
def test_functions_take_few_parameters_and_name_most(path: Path) -> None:
    if any(floor in path.parts for floor in FREE_OF_COUNT):
        return
    for function in functions(path):
        arguments = function.args
        given = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        given = given[1:] if given[:1] in (["self"], ["cls"]) else given
        count = len(given) + len(arguments.kwonlyargs)
        assert count <= PARAMETERS, f"{function.name} takes {count}"


def test_face_is_short() -> None:
    assert len((ROOT / "src/lamina/__init__.py").read_text("utf-8").splitlines()) <= FACE


def test_settings_are_few() -> None:
    assert len(fields(Settings)) <= 40


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, lamina; lamina.Filter, lamina.LaminaError;"
        "print([m for m in ('numpy', 'onnxruntime', 'rjieba', 'openai', 'typer', 'rich')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_version_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['lamina', '--version'];"
        "from lamina.doors.cli import main; main();"
        "print([m for m in ('numpy', 'typer', 'rich', 'lamina.build') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == [f"lamina {lamina.__version__}", "[]"]


def test_verbs_are_the_methods() -> None:
    owners = {
        "memory": lamina.Memory,
        "session": lamina.Session,
        "archive": Archive,
        "sessions": Sessions,
        "entries": Entries,
        "review": Review,
        "admin": Admin,
    }
    for verb in VERBS:
        method = inspect.getattr_static(owners[verb.on], verb.name)
        if isinstance(method, property):
            assert verb.parameters == ()
            continue
        names = [name for name in inspect.signature(method).parameters if name != "self"]
        assert tuple(names) == verb.parameters, f"{verb.on}.{verb.name}"
        kinds = [p.kind for p in inspect.signature(method).parameters.values()][1:]
        assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= POSITIONAL, verb.name
    for on, owner in owners.items():
        public = {
            name
            for name, value in vars(owner).items()
            if not name.startswith("_") and inspect.isfunction(value)
        }
        assert public - {"info"} <= {verb.name for verb in VERBS if verb.on == on}


def test_nothing_names_a_machine() -> None:
    home = str(Path.home())
    for path in CODE:
        text = path.read_text("utf-8")
        assert f"{home}{os.sep}" not in text, path
