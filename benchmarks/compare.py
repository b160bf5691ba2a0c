"""Lamina beside other stores: the same turns, questions, embedder and metrics; one table.

    python benchmarks/compare.py --data DIR [--sets NAME ...] [--baselines NAME ...] [--venvs DIR]

Each baseline (a script in baselines/) runs in an environment of its own, made in the folder of
`--venvs` where it is not there yet. The table, and all figures as JSON, go to results/.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lamina
from baselines.ask import QUIET, VECTORS
from baselines.vectors import Kept
from lamina.embedders.e5 import E5
from lamina.evals.metrics import score
from recall import GAIN, HEADLINE, LEFT_OUT, Row, measured, report

HERE = Path(__file__).parent
NAMES = ("mem0", "chromadb", "fts5")
SHOWN = (GAIN, "all_hit@5", "mrr")


def python_of(name: str, venvs: Path) -> str:
    """The interpreter of a baseline's environment, made if missing; ours where it needs none."""
    wanted = HERE / "baselines" / f"requirements-{name}.txt"
    if not packages(name):
        return sys.executable
    folder = venvs / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "ready").exists():
        print(f"making {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        ours = [str(HERE.parent / "packages" / "lamina_e5"), "--editable", str(HERE.parent)]
        pip = [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(wanted)]
        subprocess.run([*pip, *ours], check=True)
        (folder / "ready").touch()
    return str(python)


def packages(name: str) -> list[str]:
    """What a baseline is measured with."""
    text = (HERE / "baselines" / f"requirements-{name}.txt").read_text("utf-8")
    return re.findall(r"^[^#\s]\S*", text, re.MULTILINE)


def asked(name: str, python: str, given: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """A baseline's ranking of each question."""
    done = subprocess.run(
        [python, "-m", f"baselines.ask_{name}", *given],
        cwd=HERE,
        env=os.environ | QUIET,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {(row["set"], row["conversation"], row["question"]): row["ids"] for row in rows}


def parts(found: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Label and figures of each set, the headline first."""
    out = []
    for name, one in found["sets"].items():
        if name in LEFT_OUT:
            out.insert(
                0, (f"**{name}, without {LEFT_OUT[name]}**", one[f"without {LEFT_OUT[name]}"])
            )
        out.append((name, one))
    return out


def table(found: Mapping[str, Any], who: Sequence[str]) -> str:
    """For people: the three figures of each set and ranking, then all figures."""
    lines = [f"{' / '.join(SHOWN)}:\n", f"| set | n | {' | '.join(who)} |"]
    lines.append("|---" * (len(who) + 2) + "|")
    for label, part in parts(found):
        cells = [" / ".join(f"{part[one][m]:.3f}".lstrip("0") for m in SHOWN) for one in who]
        lines.append(f"| {label} | {part['questions']} | {' | '.join(cells)} |")
    macro = [f"{found[f'macro {GAIN}'][one]:.3f}".lstrip("0") for one in who]
    lines.append(f"| mean of the sets, {GAIN} | | {' | '.join(macro)} |")
    lines.append(f"\n| set | ranking | {' | '.join(HEADLINE)} | Lamina's gain in {GAIN} [95 %] |")
    lines.append("|---" * (len(HEADLINE) + 3) + "|")
    for label, part in parts(found):
        for one in who:
            cells = [f"{part[one][metric]:.3f}" for metric in HEADLINE]
            gain = part.get(f"gain over {one}")
            cells.append("{:+.3f} [{:+.3f}, {:+.3f}]".format(*gain) if gain else "")
            lines.append(f"| {label} | {one} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def commit() -> str:
    """What is measured."""
    said = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(said, capture_output=True, text=True, check=False)
    return done.stdout.strip() or lamina.__version__


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True, help="folder of conversations")
    parser.add_argument("--sets", nargs="*", help="which sets (default: all)")
    parser.add_argument("--baselines", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--venvs", type=Path, default=HERE.parent / ".cache" / "baselines")
    parser.add_argument("--vectors", type=Path, default=VECTORS, help="file that keeps vectors")
    parser.add_argument("--out", type=Path, default=HERE / "results" / f"compare-{commit()}")
    chosen = parser.parse_args()
    given = ["--data", str(chosen.data.resolve()), "--vectors", str(chosen.vectors.resolve())]
    given += ["--sets", *chosen.sets] if chosen.sets else []
    rows, left_out = measured(chosen.data, chosen.sets, Kept(E5(), chosen.vectors))
    for name in chosen.baselines:
        print(name, file=sys.stderr)
        add(name, asked(name, python_of(name, chosen.venvs), given), rows)
    found = report(rows, left_out)
    found["measured"] = {"lamina": lamina.__version__}
    found["measured"] |= {name: packages(name) for name in chosen.baselines}
    shown = table(found, list(rows[0].by))
    chosen.out.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    chosen.out.with_suffix(".md").write_text(shown, "utf-8")
    print(shown)


def add(name: str, rankings: Mapping[tuple[str, ...], Sequence[str]], rows: Sequence[Row]) -> None:
    """Score a baseline on the very questions that Lamina was asked."""
    for row in rows:
        ids = rankings[row.set, row.conversation, row.question]
        row.by[name] = score(ids, row.evidence)


if __name__ == "__main__":
    main()
