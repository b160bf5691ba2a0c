"""How well recall finds the turns that answer a question, beside BM25 and the vectors alone.

    python benchmarks/recall.py --data DIR [--sets locomo ...] [--json] [--context 1000 2000]

DIR holds conversations (see lamina.evals.conversations). One store a conversation: its turns go in
by `add`, its questions are put to `search`, both with the default settings; a question's
`asked_at` is given as now. A hit counts by the turns that it names as sources. Questions without
evidence are left out, and counted.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import bm25s
import rjieba
import Stemmer

import lamina
from lamina.evals.conversations import Conversation, Question, names, read, said
from lamina.evals.metrics import mean, paired_bootstrap, score
from lamina.importers.times import parse_time
from lamina.ports.embedder import Embedder

K = 50  # hits asked for: metrics look at the first ten, ranks and contexts at more
HEADLINE = ("any_hit@5", "all_hit@5", "evidence_recall@5", "evidence_recall@10", "mrr", "ndcg@10")
GAIN = "evidence_recall@10"
LEFT_OUT = {"locomo": "adversarial"}  # a category that published figures leave out
HAN = re.compile(r"[㐀-鿿]")
WORD = re.compile(r"[a-z0-9']+")
STOP = set(bm25s.stopwords.STOPWORDS_EN)
STEM = Stemmer.Stemmer("english")


@dataclass(slots=True)
class Row:
    """One question: its metrics by ranking ("lamina", "bm25", "dense", those of compare.py)."""

    set: str
    conversation: str
    question: str
    category: str
    evidence: tuple[str, ...]
    by: dict[str, dict[str, float]] = field(default_factory=dict)
    context: dict[str, dict[int, float]] = field(default_factory=dict)


def tokens(text: str) -> list[str]:
    """The words of the BM25 baseline: stopped and stemmed English, Chinese in search mode."""
    text = text.lower()
    if HAN.search(text):
        found = rjieba.cut_for_search(text)
        return [w for w in found if w.strip() and (len(w) > 1 or w.isalnum())]
    return list(STEM.stemWords([w for w in WORD.findall(text) if w not in STOP]))


class Baselines:
    """BM25 untuned, and the dense model alone (both over "speaker: text", as is usual)."""

    def __init__(self, talk: Conversation, embedder: Embedder) -> None:
        texts = [said(turn) for turn in talk.turns]
        self.ids = [turn["id"] for turn in talk.turns]
        self.index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self.index.index([tokens(text) for text in texts], show_progress=False)
        self.embedder = embedder
        self.matrix = embedder.embed(texts, "passage")

    def bm25(self, question: str) -> list[str]:
        """Ids, best first; nothing where no word is left."""
        words = tokens(question)
        if not words:
            return []
        return [self.ids[i] for i in self.index.get_scores(words).argsort()[::-1][:K]]

    def dense(self, question: str) -> list[str]:
        """Ids by the cosine of their vectors."""
        cosines = self.matrix @ self.embedder.embed([question], "query")[0]
        return [self.ids[i] for i in (-cosines).argsort(kind="stable")[:K]]


def ranking(hits: Sequence[lamina.Hit]) -> list[str]:
    """Turn ids in the order in which the hits name them, each once."""
    return list(dict.fromkeys(source.id for hit in hits for source in hit.source))


def asked_at(question: Question) -> datetime | None:
    """When the question was put, where the file says so."""
    return parse_time(question.asked_at)


def rows_of(
    name: str, talk: Conversation, embedder: Embedder | str | None, budgets: Sequence[int]
) -> Iterator[Row]:
    """Put every question of a conversation that has evidence."""
    asked = [question for question in talk.questions if question.evidence]
    baselines = Baselines(talk, embedder)
    texts = {turn["id"]: turn["text"] for turn in talk.turns}
    with (
        tempfile.TemporaryDirectory() as folder,
        lamina.open(folder, embedder=embedder, background=False) as memory,
    ):
        for session, turns in groupby(talk.messages(), key=itemgetter(0)):
            memory.add([message for _, message in turns], session_id=session)
        memory.admin.flush()
        for question in asked:
            now = asked_at(question)
            row = Row(name, talk.id, question.id, question.category, question.evidence)
            rankings = {
                "lamina": ranking(memory.search(question.text, limit=K, now=now)),
                "bm25": baselines.bm25(question.text),
                "dense": baselines.dense(question.text),
            }
            row.by = {who: score(ids, question.evidence) for who, ids in rankings.items()}
            if budgets:
                row.context = contexts(memory, question, rankings, texts, budgets)
            yield row


def contexts(
    memory: lamina.Memory,
    question: Question,
    rankings: Mapping[str, Sequence[str]],
    texts: Mapping[str, str],
    budgets: Sequence[int],
) -> dict[str, dict[int, float]]:
    """Share of the evidence inside the block at each budget; the others fill the same budget."""
    wanted = set(question.evidence)
    filled: dict[str, dict[int, float]] = {"lamina": {}}
    for budget in budgets:
        block = memory.context(question.text, max_tokens=budget, now=asked_at(question))
        filled["lamina"][budget] = len(set(ranking(block.hits)) & wanted) / len(wanted)
    orders = {"bm25": rankings["bm25"], "dense": rankings["dense"], "newest": list(texts)[::-1]}
    for who, ids in orders.items():
        filled[who] = {
            budget: len(set(fitting(ids, texts, budget)) & wanted) / len(wanted)
            for budget in budgets
        }
    return filled


def fitting(ids: Sequence[str], texts: Mapping[str, str], budget: int) -> list[str]:
    """The first of these turns that fill a budget, each with its date, role and id counted."""
    kept = []
    for id in ids:
        budget -= min(lamina_tokens(texts[id]), 400) + 25
        if budget < 0:
            break
        kept.append(id)
    return kept


def lamina_tokens(text: str) -> int:
    """Tokens by the estimate that the product uses."""
    from lamina.text.tokens import count_tokens  # noqa: PLC0415 - only contexts need it

    return count_tokens(text)


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Means of the headline metrics by ranking, and our gain over each with its interval."""
    out: dict[str, Any] = {"questions": len(rows)}
    for who in rows[0].by:
        means = mean([row.by[who] for row in rows])
        out[who] = {name: round(means[name], 4) for name in HEADLINE}
    for other in rows[0].by:
        if other == "lamina":
            continue
        ours = [row.by["lamina"][GAIN] for row in rows]
        theirs = [row.by[other][GAIN] for row in rows]
        out[f"gain over {other}"] = [round(x, 4) for x in paired_bootstrap(ours, theirs)]
    if rows[0].context:
        out["context"] = {
            who: {b: round(sum(r.context[who][b] for r in rows) / len(rows), 4) for b in by}
            for who, by in rows[0].context.items()
        }
    return out


def report(all_rows: Sequence[Row], left_out: Mapping[str, int]) -> dict[str, Any]:
    """Everything by set and category, and the macro average over sets."""
    sets: dict[str, Any] = {}
    for name in dict.fromkeys(row.set for row in all_rows):
        rows = [row for row in all_rows if row.set == name]
        sets[name] = summary(rows)
        sets[name]["without evidence"] = left_out[name]
        sets[name]["by category"] = {
            category: summary([row for row in rows if row.category == category])
            for category in sorted({row.category for row in rows})
        }
        if name in LEFT_OUT:
            kept = [row for row in rows if row.category != LEFT_OUT[name]]
            sets[name]["without " + LEFT_OUT[name]] = summary(kept)
    macro = {
        who: round(sum(one[who][GAIN] for one in sets.values()) / len(sets), 4)
        for who in all_rows[0].by
    }
    return {"sets": sets, f"macro {GAIN}": macro}


def table(found: Mapping[str, Any]) -> str:
    """The report for people."""
    lines = ["| set | n | ranking | " + " | ".join(HEADLINE) + " | gain over BM25 [95 %] |"]
    lines.append("|---" * (len(HEADLINE) + 4) + "|")
    for name, one in found["sets"].items():
        parts = [(name, one)]
        parts += [(f"{name}, {key}", one[key]) for key in one if str(key).startswith("without a")]
        parts += [(f"&nbsp; {key}", value) for key, value in one["by category"].items()]
        for label, part in parts:
            for who in ("lamina", "bm25", "dense"):
                cells = " | ".join(f"{part[who][metric]:.3f}" for metric in HEADLINE)
                low_high = part["gain over bm25"]
                gain = "{:+.3f} [{:+.3f}, {:+.3f}]".format(*low_high) if who == "lamina" else ""
                lines.append(f"| {label} | {part['questions']} | {who} | {cells} | {gain} |")
                label = ""  # noqa: PLW2901 - the name stands in the first of three lines
            for who, by in part.get("context", {}).items():
                shares = ", ".join(f"{budget}: {share:.3f}" for budget, share in by.items())
                lines.append(f"| | | context, {who} | {shares} |" + " |" * len(HEADLINE))
    lines.append(f"\nMacro average over sets, {GAIN}: {found[f'macro {GAIN}']}")
    return "\n".join(lines)


def measured(
    data: Path,
    sets: Sequence[str] | None,
    embedder: Embedder | str | None,
    budgets: Sequence[int] = (),
) -> tuple[list[Row], dict[str, int]]:
    """The rows of these sets (all, where none are named), and the questions left out of each."""
    rows: list[Row] = []
    left_out: dict[str, int] = {}
    for name in sets or names(data):
        start = time.monotonic()
        for talk in read(data, name):
            left_out[name] = left_out.get(name, 0) + sum(not q.evidence for q in talk.questions)
            rows += rows_of(name, talk, embedder, budgets)
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    return rows, left_out


def main(
    arguments: Sequence[str] | None = None, embedder: Embedder | str | None = None
) -> dict[str, Any]:
    """Run, print, and give the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True, help="folder of conversations")
    parser.add_argument("--sets", nargs="*", help="which sets (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--context", nargs="*", type=int, default=[], help="budgets in tokens")
    chosen = parser.parse_args(arguments)
    if embedder is None:
        from lamina.embedders.e5 import E5  # noqa: PLC0415 - the default, shared by all stores

        embedder = E5()
    found = report(*measured(chosen.data, chosen.sets, embedder, chosen.context))
    print(json.dumps(found, ensure_ascii=False, indent=1) if chosen.json else table(found))
    return found


if __name__ == "__main__":
    main()
