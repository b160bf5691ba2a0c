"""Cases: inputs with expected outcomes, as data.

They come from the folder `own` beside this file and from the one that LAMINA_CASES names. A test
marked `family("recall")` runs once for each case of that family.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from casefiles import cases
from numpy.typing import NDArray

from lamina.embedders.e5 import E5
from lamina.ports.embedder import Purpose

COUNTS = {"passed": 0, "failed": 0, "skipped": 0}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "family(name): runs once for each case of a family")


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
