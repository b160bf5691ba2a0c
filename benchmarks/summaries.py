"""How much of a conversation stays in its summary by rule: 400 tokens for fifty turns.

    python benchmarks/summaries.py [--data DIR] [--sets NAME ...] [--dialogues N] [--seed N]
        [--embedder e5|none] [--most N] [--json]

Coverage is the share of known facts whose value stands in the text, word for word: in the summary
alone, in three others of the same size (the beginning, the first sentences of all turns, sentences
picked by BM25), in what recall gives at the same size for the fact's question, and in the summary
and recall together. The facts are those of made-up dialogues, and the short answers of
conversations in DIR whose words stand in their evidence, fifty turns at a time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lamina
from lamina.evals.conversations import Conversation, names, read
from lamina.evals.metrics import coverage, paired_bootstrap
from lamina.pipeline.compact.summary import by_rule, language_of
from lamina.ports.embedder import Embedder
from lamina.text.shapes import read as messages_of
from lamina.text.tokens import count_tokens
from summarised.baselines import by_bm25, first_sentences, truncated
from summarised.dialogues import TURNS, Dialogue, Fact, dialogue

TOKENS = 400  # of a summary of fifty turns
SHORT = 60  # characters of an answer that may be a fact
OURS, RECALL, BOTH = "summary", "recall", "summary and recall"
OTHERS = ("truncated", "first sentences", "bm25")
RESULTS = Path(__file__).parent / "results"
Row = dict[str, float]


def pieces(talk: Conversation) -> Iterator[Dialogue]:
    """A conversation fifty turns at a time, as far as there are facts in them."""
    said = [message for _, message in talk.messages()]
    for start in range(0, len(said), TURNS):
        part = said[start : start + TURNS]
        texts = {str(m["id"]): str(m["content"]) for m in part}
        facts = [
            Fact(q.answer, q.text)
            for q in talk.questions
            if q.evidence and q.answer.strip() and len(q.answer) <= SHORT
            and texts.keys() >= set(q.evidence)
            and any(coverage(texts[id], [q.answer]) for id in q.evidence)
        ]  # fmt: skip
        if facts:
            yield Dialogue(f"{talk.id}-{start}", part, facts)


def recalled(one: Dialogue, budget: int, embedder: Embedder | str) -> list[str]:
    """What recall gives for each fact's question from a store of these turns."""
    with (
        TemporaryDirectory() as folder,
        lamina.open(folder, embedder=embedder, background=False) as memory,
    ):
        memory.add([dict(message) for message in one.messages], session_id="talk")
        memory.admin.flush() if embedder != "none" else None
        return [memory.context(f.question, max_tokens=budget).text for f in one.facts]


def rows_of(one: Dialogue, embedder: Embedder | str) -> tuple[list[Row], float]:
    """For each fact who has it; and the share of the budget that our summary fills."""
    made = messages_of([dict(message) for message in one.messages])
    budget = max(1, TOKENS * len(made) // TURNS)
    texts = [message.text for message in made]
    ours = by_rule(made, range(1, len(made) + 1), budget=budget, language=language_of(made))
    summaries = {
        OURS: ours,
        "truncated": truncated(texts, budget),
        "first sentences": first_sentences(texts, budget),
        "bm25": by_bm25(texts, budget),
    }
    rows = []
    for fact, block in zip(one.facts, recalled(one, budget, embedder), strict=True):
        row = {who: coverage(text, [fact.value]) for who, text in summaries.items()}
        row[RECALL] = coverage(block, [fact.value])
        rows.append({**row, BOTH: max(row[OURS], row[RECALL])})
    return rows, count_tokens(ours) / budget


def figures(dialogues: Sequence[Dialogue], embedder: Embedder | str) -> dict[str, Any]:
    """Coverage by each, and how much better than the others our summary is, with its interval."""
    rows: list[Row] = []
    filled: list[float] = []
    for one in dialogues:
        found, share = rows_of(one, embedder)
        rows += found
        filled.append(share)
    out: dict[str, Any] = {
        "dialogues": len(dialogues),
        "facts": len(rows),
        "filled": round(sum(filled) / len(filled), 3),
        "coverage": {who: round(sum(r[who] for r in rows) / len(rows), 4) for who in rows[0]},
    }
    pairs = {f"{OURS} over {who}": (OURS, who) for who in OTHERS}
    pairs[f"{BOTH} over {RECALL}"] = BOTH, RECALL
    out["gain"] = {
        name: [round(x, 4) for x in paired_bootstrap([r[a] for r in rows], [r[b] for r in rows])]
        for name, (a, b) in pairs.items()
    }
    return out


def table(sets: Mapping[str, Any]) -> str:
    """The report for people."""
    who = [OURS, *OTHERS, RECALL, BOTH]
    head = ["set", "facts", *who, "least gain over the best other"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, one in sets.items():
        best = max(OTHERS, key=lambda other: one["coverage"][other])
        mean, low, _ = one["gain"][f"{OURS} over {best}"]
        cells = " | ".join(f"{one['coverage'][each]:.3f}" for each in who)
        gain = f"{mean:+.3f}, at least {low:+.3f} ({best})"
        lines.append(f"| {name} | {one['facts']} | {cells} | {gain} |")
    return "\n".join(lines)


def commit() -> str:
    """The short name of the commit that is checked out."""
    done = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"],
        cwd=RESULTS, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run, print, keep the figures, and give them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, help="folder of conversations")
    parser.add_argument("--sets", nargs="*", help="which sets of it (default: all)")
    parser.add_argument("--dialogues", type=int, default=30, help="made-up ones in each language")
    parser.add_argument("--seed", type=int, default=0, help="of the first of them")
    parser.add_argument("--most", type=int, help="pieces of fifty turns of each set")
    parser.add_argument("--embedder", choices=["e5", "none"], default="e5", help="of recall")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the result file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args(arguments)
    embedder: Embedder | str = "none"
    if chosen.embedder == "e5":
        from lamina.embedders.e5 import E5  # noqa: PLC0415 - the default, shared by all stores

        embedder = E5()
    seeds = range(chosen.seed, chosen.seed + chosen.dialogues)
    cases = {f"made-up, {x}": [dialogue(seed, x) for seed in seeds] for x in ("en", "zh")}
    for name in (chosen.sets or names(chosen.data)) if chosen.data else ():
        every = (piece for talk in read(chosen.data, name) for piece in pieces(talk))
        cases[name] = list(islice(every, chosen.most))
    sets = {}
    for name, dialogues in cases.items():
        if dialogues:
            sets[name] = figures(dialogues, embedder)
            print(f"{datetime.now().astimezone():%H:%M:%S} {name} is done", file=sys.stderr)
    found = {"tokens": TOKENS, "turns": TURNS, "embedder": chosen.embedder, "sets": sets}
    path = chosen.out / f"summaries-{commit()}.json"
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, ensure_ascii=False, indent=1) if chosen.json else table(sets))
    return found


if __name__ == "__main__":
    main()
