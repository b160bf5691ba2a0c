"""How fast Lamina is, each figure beside what a bare SQLite, FTS5 or NumPy needs in the same run.

    python benchmarks/speed.py [--sizes 1000,10000,100000] [--only NAME] [--json] [--out FILE]

NAME: ingest, append, search, memory, process. Ours and the baseline take turns, so that noise hits
both: trust the ratios, not the milliseconds. Turns are made from lists of words (texts.py); with
`--data DIR` they are those of conversations (lamina.evals), again from the first when used up.
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import lamina
from measures import Turns, append, ingest, search
from processes import memory, process
from timing import Figure, as_json, table

MEASURES: dict[str, Callable[[Turns, Path, Sequence[int]], list[Figure]]] = {
    "ingest": ingest,
    "append": append,
    "search": search,
    "memory": memory,
    "process": process,
}


def main(arguments: Sequence[str] | None = None) -> list[Figure]:
    """Measure, print, and give the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="1000,10000,100000", help="turns in a store")
    parser.add_argument("--only", choices=MEASURES, help="one of the measures")
    parser.add_argument("--data", type=Path, help="folder of conversations to take turns from")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--out", type=Path, help="write JSON to a file too")
    chosen = parser.parse_args(arguments)
    sizes = sorted(int(size) for size in chosen.sizes.split(","))
    turns = Turns(chosen.data)
    figures: list[Figure] = []
    for name in [chosen.only] if chosen.only else MEASURES:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name} ...", file=sys.stderr, flush=True)
            figures += MEASURES[name](turns, Path(folder), sizes)
    about = {
        "lamina": lamina.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": sqlite3.sqlite_version,
        "machine": platform.machine(),
        "turns": "made" if chosen.data is None else "conversations",
        "sizes": sizes,
    }
    report = as_json(figures, about)
    print(report if chosen.json else table(figures))
    if chosen.out is not None:
        chosen.out.write_text(report + "\n", "utf-8")
    return figures


if __name__ == "__main__":
    main()
