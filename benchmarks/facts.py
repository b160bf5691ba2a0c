"""How right the facts are that rules draw from talk, against known truth.

    python benchmarks/facts.py [--seed N] [--users N] [--days 30] [--split open|closed|both]
        [--language en|zh|both] [--group | --upcoming] [--baselines NAME ...] [--venvs DIR]
        [--examples N] [--json]

Users that are made up from a seed talk for thirty days, in English, Chinese and both mixed, and
what the store then holds is judged (facts/measure.py). The words come from two files of templates:
the rules' authors may read the open one alone, and of the closed one see only these counts. Beside
it stands add-everything, in Lamina and, where `--venvs` has them, in chromadb and mem0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import lamina
from facts.everything import ours, rows_of, stored
from facts.group import group
from facts.life import life
from facts.measure import Counts, Stored, judge, missed, unfounded
from facts.replay import evenings, replayed
from facts.talk import SPLITS, Talk
from facts.upcoming import upcoming
from lamina.ports.embedder import Embedder

HERE = Path(__file__).parent
BARS: Mapping[str, tuple[str, float]] = {
    "precision": (">=", 0.95),
    "recall": (">=", 0.80),
    "duplicates": ("<=", 0.02),
    "stale": ("<=", 0.02),
    "junk": ("<=", 0.05),
    "echoed": ("<=", 0),
    "secrets": ("<=", 0),
}
GROUP_BARS = {"right person": (">=", 0.98)}
EVENING_BARS = {"due shown": (">=", 0.95), "given up shown": ("<=", 0)}


def counted(talk: Talk, kept: Sequence[Stored], ended: Sequence[Stored] = ()) -> Counts:
    """The counts of one talk."""
    return judge(kept, talk.facts, at=talk.end, kinds=talk.kinds, secrets=talk.secrets, ended=ended)


def in_environment(name: str, talk: Talk, venvs: Path) -> list[Stored]:
    """What another store holds after everything was added, run by its environment's Python."""
    python = venvs / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows_of(talk.turns))
    done = subprocess.run(
        [str(python), "-m", "facts.everything", "--store", name],
        cwd=HERE, input=lines, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True,
        env=os.environ | {"PYTHONUTF8": "1"},
    )  # fmt: skip
    return stored(json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{")


def facts_of(
    make: Callable[[int, str], Talk], chosen: argparse.Namespace, embedder: Embedder | str | None
) -> dict[str, Any]:
    """All figures by split: rules, then add-everything in each store."""
    report: dict[str, Any] = {}
    for split in chosen.split:
        totals: dict[str, Counts] = {}
        for user in range(chosen.users):
            talk = make(user, split)
            kept, ended = replayed(talk, embedder)
            found = {"rules": counted(talk, kept, ended)}
            found["everything, lamina"] = counted(talk, stored(ours(rows_of(talk.turns))))
            for name in chosen.baselines:
                held = in_environment(name, talk, chosen.venvs)
                found[f"everything, {name}"] = counted(talk, held)
            totals = {who: totals.get(who, Counts()) + one for who, one in found.items()}
            if chosen.examples and split == "open":
                examples(talk, kept, chosen.examples)
        report[split] = {who: counts.plain() for who, counts in totals.items()}
    return report


def examples(talk: Talk, kept: Sequence[Stored], most: int) -> None:
    """Show what was missed and what is wrong; of the open templates alone."""
    texts = {turn.id: f"[{turn.kind}] {turn.text}" for turn in talk.turns}
    for fact in missed(kept, talk.facts, talk.end)[:most]:
        said = " / ".join(texts[id] for id in sorted(fact.messages))
        print(f"missed {fact.slot} {fact.value[-1][0]}: {said}", file=sys.stderr)
    for memory in unfounded(kept, talk.facts, talk.end)[:most]:
        said = " / ".join(texts.get(id, "?") for id in sorted(memory.sources))
        print(f"wrong {memory.topic} | {memory.text} | {said}", file=sys.stderr)


def maker(chosen: argparse.Namespace) -> Callable[[int, str], Talk]:
    """What makes the talk of a user of a split."""
    seed, days, language = chosen.seed, chosen.days, chosen.language
    if chosen.group:
        return lambda user, split: group(seed + user, days, split, language)
    return lambda user, split: life(seed, user, days, split, language)


def evenings_of(chosen: argparse.Namespace, embedder: Embedder | str | None) -> dict[str, Any]:
    """What is shown the evening before, by split and door."""
    report: dict[str, Any] = {}
    for split in chosen.split:
        totals: dict[str, Counter[str]] = {}
        for user in range(chosen.users):
            counts = evenings(
                upcoming(chosen.seed + user, chosen.days, split, chosen.language), embedder
            )
            for door, one in counts.items():
                totals[door] = totals.get(door, Counter()) + one
        report[split] = {
            door: {
                "due shown": round(one["due shown"] / max(1, one["due"]), 4),
                "given up shown": one["given up shown"],
                "due": one["due"],
                "given up": one["given up"],
            }
            for door, one in totals.items()
        }
    return report


def table(report: Mapping[str, Any], bars: Mapping[str, tuple[str, float]]) -> str:
    """For people: a row for each split and store, and what falls short of its bar."""
    lines = [f"| templates | | {' | '.join(bars)} | of |", "|---" * (len(bars) + 3) + "|"]
    low = []
    for split, stores in report.items():
        for who, one in stores.items():
            cells = [f"{one[name]:.3f}".removesuffix(".000") for name in bars]
            size = one.get("facts", one.get("due"))
            many = f"{size}, {one['memories']} memories" if "memories" in one else str(size)
            lines.append(f"| {split} | {who} | {' | '.join(cells)} | {many} |")
            if not who.startswith("everything"):
                low += [
                    f"{split}, {who}: {name} is {one[name]:.3f}, the bar is {sign} {bar}"
                    for name, (sign, bar) in bars.items()
                    if (one[name] < bar if sign == ">=" else one[name] > bar)
                ]
    slots = [
        f"{split}, {name}: {json.dumps(stores['rules'][name], ensure_ascii=False)}"
        for split, stores in report.items()
        if "rules" in stores
        for name in ("found by slot", "junk by kind")
    ]
    return "\n".join([*lines, "", *slots, "", *(low or ["All bars are met."])])


def main(
    arguments: Sequence[str] | None = None, embedder: Embedder | str | None = None
) -> dict[str, Any]:
    """Run, print, and give the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--users", type=int, default=4, help="how many talks are pooled")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--split", choices=(*SPLITS, "both"), default="both")
    parser.add_argument("--language", choices=("en", "zh", "both"), default="both")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--group", action="store_true", help="five named speakers: whose is a fact")
    what.add_argument("--upcoming", action="store_true", help="plans shown the evening before")
    parser.add_argument("--baselines", nargs="*", default=[], choices=("chromadb", "mem0"))
    parser.add_argument("--venvs", type=Path, default=HERE.parent / ".cache" / "baselines")
    parser.add_argument("--embedder", default="e5", help="e5, none, or another")
    parser.add_argument("--examples", type=int, default=0, help="errors shown (open templates)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--out", type=Path, help="write JSON to a file too")
    chosen = parser.parse_args(arguments)
    chosen.split = SPLITS if chosen.split == "both" else (chosen.split,)
    chosen.venvs = chosen.venvs.resolve()
    used = chosen.embedder if embedder is None else embedder
    if chosen.upcoming:
        report, bars = evenings_of(chosen, used), EVENING_BARS
    else:
        report, bars = facts_of(maker(chosen), chosen, used), GROUP_BARS if chosen.group else BARS
    about = {
        "lamina": lamina.__version__,
        "talk": "group" if chosen.group else "plans" if chosen.upcoming else "one user",
        "seed": chosen.seed, "language": chosen.language, "users": chosen.users,
        "days": chosen.days,
        "embedder": used if isinstance(used, str) else used.space.name,
        "bars": {name: " ".join(map(str, bar)) for name, bar in bars.items()},
    }  # fmt: skip
    text = json.dumps({"about": about, **report}, ensure_ascii=False, indent=1)
    if chosen.out is not None:
        chosen.out.write_text(text + "\n", "utf-8")
    print(text if chosen.json else table(report, bars))
    return report


if __name__ == "__main__":
    main()
