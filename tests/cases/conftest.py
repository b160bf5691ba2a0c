"""Cases: inputs with expected outcomes, as data.

They come from the folder `own` beside this file and from the one that LAMINA_CASES names. A test
marked `family("recall")` runs once for each case of that family.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lamina.embedders.e5 import E5
from lamina.ports.embedder import Purpose

OWN = Path(__file__).parent / "own"
COUNTS = {"passed": 0, "failed": 0, "skipped": 0}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "family(name): runs once for each case of a family")


def cases(family: str) -> list[dict[str, Any]]:
    """All cases of a family, its texts expanded."""
    given = os.environ.get("LAMINA_CASES")
    found = []
    for folder in (OWN, *([Path(given)] if given else [])):
        file = folder / f"{family}.jsonl"
        if file.exists():
            lines = file.read_text("utf-8").split("\n")
            found += [expanded(json.loads(line)) for line in lines if line.strip()]
    return found


def expanded(spec: Any) -> Any:
    """A value with its text specs, {"repeat", "times"} and {"join"}, written out."""
    if isinstance(spec, list):
        return [expanded(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    if set(spec) == {"repeat", "times"}:
        return expanded(spec["repeat"]) * spec["times"]
    if set(spec) == {"join"}:
        parts = [expanded(part) for part in spec["join"]]
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)  # else a part is only known when the case is played
    return {key: expanded(part) for key, part in spec.items()}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("family")
    if marker is not None:
        found = [case for family in marker.args for case in cases(family)]
        metafunc.parametrize("case", found, ids=[case["id"] for case in found])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "tests/cases/" in report.nodeid and (report.when == "call" or report.outcome == "skipped"):
        COUNTS[report.outcome] += 1


def pytest_terminal_summary(terminalreporter: Any) -> None:
    where = os.environ.get("LAMINA_CASES", "no LAMINA_CASES: the project's own alone")
    ran = COUNTS["passed"] + COUNTS["failed"]
    terminalreporter.write_line(f"cases: {ran} ran, {COUNTS['skipped']} skipped ({where})")


class Kept:
    """The default embedder, loaded once for all cases: closing a store leaves it open."""

    def __init__(self) -> None:
        self._embedder = E5(threads=2)
        self.space = self._embedder.space

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        return self._embedder.embed(texts, purpose)

    def close(self) -> None:
        pass


@pytest.fixture(scope="session")
def e5() -> Kept:
    return Kept()
