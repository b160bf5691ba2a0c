"""Metrics of one ranking against the ids that are relevant, and the interval of a difference.

Three things go by the name of recall@k. Here they are told apart: `any_hit` (at least one relevant
id among the first k), `all_hit` (every one), `evidence_recall` (the share of them).
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence

from lamina.text.fold import fold

CUTOFFS = (1, 5, 10)


def score(ranked: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """All metrics of one question; `relevant` is not empty."""
    wanted = set(relevant)
    places = [place for place, id in enumerate(ranked, 1) if id in wanted]
    out = {"mrr": 1 / places[0] if places else 0.0}
    for k in CUTOFFS:
        found = len(set(ranked[:k]) & wanted)
        gain = sum(1 / math.log2(place + 1) for place in places if place <= k)
        ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(wanted)) + 1))
        out[f"any_hit@{k}"] = float(found > 0)
        out[f"all_hit@{k}"] = float(found == len(wanted))
        out[f"evidence_recall@{k}"] = found / len(wanted)
        out[f"ndcg@{k}"] = gain / ideal
    return out


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The average of each metric, every question counting once."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def paired_bootstrap(
    ours: Sequence[float], theirs: Sequence[float], rounds: int = 2000, seed: int = 0
) -> tuple[float, float, float]:
    """Mean difference on the same questions, with the bounds of its 95 % bootstrap interval."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    chance, n = random.Random(seed), len(differences)  # noqa: S311 - nothing is kept secret by it
    means = sorted(sum(chance.choices(differences, k=n)) / n for _ in range(rounds))
    return sum(differences) / n, means[int(0.025 * rounds)], means[int(0.975 * rounds)]


def coverage(summary: str, facts: Sequence[str]) -> float:
    """The share of these facts' values that stand in a summary, case and width aside."""
    text = fold(summary)
    return sum(fold(fact) in text for fact in facts) / len(facts) if facts else 0.0
