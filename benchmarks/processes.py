"""What whole processes cost: their CPU, their time, their peak of memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lamina
from embedder import Chance
from measures import Turns
from texts import messages, questions
from timing import Figure, interleaved, quantile

HOUSE = 10_000  # turns of the store
MORE = 100  # turns that a long-lived process adds and embeds
RUNS = 7

SEARCHING = """
import sys, lamina
memory = lamina.open(sys.argv[1], embedder="e5")
found = memory.search(sys.argv[2])
assert found and not found.degraded, found.degraded
memory.close()
"""

# Opens a store, asks, adds and embeds: what a long-lived process does.
WORKING = """
import json, sys, time
import lamina
start = time.perf_counter()
memory = lamina.open(sys.argv[1], embedder="e5", background=False)
opened = time.perf_counter()
memory.search("first")
first = time.perf_counter()
turns, questions = json.loads(sys.stdin.read())
memory.add([{"role": "user", "content": turn} for turn in turns])
memory.admin.flush()
for question in questions:
    memory.search(question)
print(json.dumps({"open": opened - start, "first": first - opened}))
memory.close()
"""

OPENING = """
import json, sys, time, sqlite3
start = time.perf_counter()
db = sqlite3.connect(sys.argv[1])
db.execute("pragma journal_mode = wal")
db.execute("select count(*) from sqlite_master").fetchone()
print(json.dumps({"open": time.perf_counter() - start}))
"""

# Starts a process and tells what it cost. It stands between, since a process's peak of memory
# counts what its parent held when it was started.
STARTING = """
import json, os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(json.dumps([status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""

# Nothing of Lamina: the packages that it needs to embed one question.
PACKAGES = "import sqlite3, numpy, onnxruntime"


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one process: CPU seconds (user and system), peak of memory in MB, the JSON it printed."""

    cpu: float
    peak: float
    said: Mapping[str, Any] = field(default_factory=dict)


def cost(arguments: Sequence[str], given: str = "") -> Cost:
    """Run this Python with arguments; a process that fails ends the benchmark."""
    start = [sys.executable, "-c", STARTING, sys.executable, *arguments]
    ended = subprocess.run(start, input=given, stdout=subprocess.PIPE, text=True, check=False)
    *said, usage = ended.stdout.splitlines()
    status, cpu, peak = json.loads(usage)
    if status:
        raise SystemExit(f"{arguments} ended with {status}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # ru_maxrss is in bytes, or KiB
    found = json.loads(said[0]) if said and said[0].startswith("{") else {}
    return Cost(cpu, peak / unit, found)


def house(turns: Turns, folder: Path) -> tuple[Path, int]:
    """A store in the default embedder's space, and its bytes.

    Its vectors are made up: they cost as much to keep and to read as true ones.
    """
    path = folder / "house"
    with lamina.open(path, embedder="e5", background=False) as memory:
        provider, model, dimensions, version = memory.admin.status().space.split("/")
    space = lamina.Space(provider, model, int(dimensions), version)
    with lamina.open(path, embedder=Chance(space), background=False) as memory:
        for session, part in messages(turns(HOUSE)):
            memory.add(part, session_id=session)
        memory.admin.flush()
    return path, sum(file.stat().st_size for file in path.iterdir())


def memory(turns: Turns, folder: Path, _: Sequence[int]) -> list[Figure]:
    """A process that opens a store of 10,000 turns, asks, adds and embeds, with e5."""
    path, size = house(turns, folder)
    given = json.dumps([turns(HOUSE + MORE)[HOUSE:], questions(turns(HOUSE), 50)])
    costs: dict[str, list[Cost]] = {"lamina": [], "bare": []}
    interleaved(
        {
            "lamina": lambda _: costs["lamina"].append(cost(["-c", WORKING, str(path)], given)),
            "bare": lambda _: costs["bare"].append(
                cost(["-c", OPENING, str(path / "lamina.db")]),
            ),
        },
        3,
    )
    packages = cost(["-c", PACKAGES]).peak
    text = sum(len(turn.encode()) for turn in turns(HOUSE)) / HOUSE
    ours = costs["lamina"]
    peak = max(one.peak for one in ours)
    opened, opened_bare = ([one.said["open"] * 1e3 for one in costs[n]] for n in costs)
    first = [one.said["first"] * 1e3 for one in ours]
    return [
        _figure("open, 10,000 turns", opened, "ms", "sqlite3.connect", opened_bare),
        _figure("first search (model and index load)", first, "ms"),
        _figure("peak memory", [peak], "MB", "packages alone", [packages], bar=400),
        _figure("on disk, a turn", [size / HOUSE], "bytes", "its text", [text]),
    ]


def process(turns: Turns, folder: Path, _: Sequence[int]) -> list[Figure]:
    """CPU of cold processes: an import, the version, one search with e5."""
    path, _size = house(turns, folder)
    asked = questions(turns(HOUSE), 20)
    english = next(question for question in asked if question.isascii())
    chinese = next((question for question in asked if not question.isascii()), "我昨天做了什么？")
    runs = {
        "import lamina": ["-c", "import lamina"],
        "English": ["-c", SEARCHING, str(path), english],
        "Chinese": ["-c", SEARCHING, str(path), chinese],
        "python": ["-c", "pass"],
        "packages": ["-c", PACKAGES],
    }
    if has_cli():
        runs["lamina --version"] = ["-m", "lamina", "--version"]
    costs: dict[str, list[Cost]] = {name: [] for name in runs}
    interleaved(
        {name: lambda _, n=name: costs[n].append(cost(runs[n])) for name in runs},  # type: ignore[misc]
        RUNS,
    )
    cpu = {name: [one.cpu for one in found] for name, found in costs.items()}
    found = [
        _figure("CPU of import lamina", cpu["import lamina"], "s", "python", cpu["python"], bar=0.1)
    ]
    if "lamina --version" in cpu:
        version = cpu["lamina --version"]
        found.append(
            _figure("CPU of lamina --version", version, "s", "python", cpu["python"], bar=0.15)
        )
    else:
        print("no command line is there: lamina --version is left out", file=sys.stderr)
    bare = [one.peak for one in costs["packages"]]
    for name in ("English", "Chinese"):
        peak, what = [one.peak for one in costs[name]], f"one {name} search, 10,000 turns"
        packages = "packages alone"
        found += [
            _figure(f"CPU of {what}", cpu[name], "s", packages, cpu["packages"], bar=0.6),
            _figure(f"peak memory of {what}", peak, "MB", packages, bare, bar=220),
        ]
    return found


def has_cli() -> bool:
    """Whether `python -m lamina` is there."""
    return (Path(lamina.__file__).parent / "__main__.py").exists()


def _figure(
    what: str,
    ours: Sequence[float],
    unit: str,
    beside: str = "",
    baseline: Sequence[float] = (),
    *,
    bar: float | None = None,
) -> Figure:
    """p50 and p95 of both; the bar is a number that our p50 stays under."""
    mine = quantile(ours, 0.5)
    return Figure(
        what,
        mine,
        unit,
        quantile(ours, 0.95),
        beside,
        quantile(baseline, 0.5) if baseline else None,
        quantile(baseline, 0.95) if baseline else None,
        "" if bar is None else f"< {bar:g} {unit}",
        None if bar is None else mine < bar,
    )
