"""Times of things done side by side, and what to say of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

Call = Callable[[int], object]


class Times(list[float]):
    """Seconds of each round of one call; `cpu` are those of this process's processors alone."""

    def __init__(self) -> None:
        super().__init__()
        self.cpu: list[float] = []


def interleaved(calls: Mapping[str, Call], rounds: int) -> dict[str, Times]:
    """The times of each call in each round (it is given the round's number).

    Who goes first turns from round to round, so that noise and warm caches help all alike.
    """
    names = list(calls)
    out = {name: Times() for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            start, cpu = time.perf_counter(), time.process_time()
            calls[name](number)
            out[name].append(time.perf_counter() - start)
            out[name].cpu.append(time.process_time() - cpu)
    return out


def cpu_ratio(ours: Times, baseline: Times) -> float:
    """Processor time beside the baseline's: what holds on a machine that others use too."""
    return quantile(ours.cpu, 0.5) / max(quantile(baseline.cpu, 0.5), 1e-9)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share lies, between neighbours by their distance."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report: ours beside a baseline, and whether the bar is met."""

    what: str
    ours: float
    unit: str
    p95: float | None = None
    beside: str = ""  # the baseline's name
    baseline: float | None = None
    baseline_p95: float | None = None
    bar: str = ""
    met: bool | None = None  # None where there is no bar
    note: str = ""
    cpu: float | None = None  # the ratio of processor times

    @property
    def ratio(self) -> float | None:
        """How many times the baseline ours is."""
        return self.ours / self.baseline if self.baseline else None


def milliseconds(
    what: str,
    ours: Times,
    beside: str,
    baseline: Times,
    bar: tuple[float, float] | None = None,
) -> Figure:
    """Times of ours and of a baseline; the bar is `factor` x the baseline's p50 + `ms`."""
    mine, theirs = quantile(ours, 0.5) * 1e3, quantile(baseline, 0.5) * 1e3
    said, met = "", None
    if bar is not None:
        factor, added = bar
        said = f"<= {factor:g}x" + (f" + {added:g} ms" if added else "")
        met = mine <= factor * theirs + added
    return Figure(
        what,
        mine,
        "ms",
        quantile(ours, 0.95) * 1e3,
        beside,
        theirs,
        quantile(baseline, 0.95) * 1e3,
        said,
        met,
        cpu=cpu_ratio(ours, baseline),
    )


def table(figures: Sequence[Figure]) -> str:
    """The report for people."""
    heads = (
        "what",
        "p50",
        "p95",
        "unit",
        "beside",
        "p50",
        "p95",
        "ratio",
        "cpu",
        "bar",
        "met",
        "note",
    )
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for one in figures:
        cells = (
            one.what,
            _number(one.ours),
            _number(one.p95),
            one.unit,
            one.beside,
            _number(one.baseline),
            _number(one.baseline_p95),
            "" if one.ratio is None else f"{one.ratio:.2f}x",
            "" if one.cpu is None else f"{one.cpu:.2f}x",
            one.bar,
            {None: "", True: "yes", False: "NO"}[one.met],
            one.note,
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def as_json(figures: Sequence[Figure], about: Mapping[str, Any]) -> str:
    """The report for machines."""
    rows = [{**asdict(one), "ratio": one.ratio} for one in figures]
    return json.dumps({**about, "figures": rows}, ensure_ascii=False, indent=1)
