from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.family("extract", "dedupe")
def test_waits_for_all_of_its_rules(case: dict[str, Any]) -> None:
    pytest.skip(f"{case['id']}: facts are drawn by part of the rules only, and no case is run yet")


@pytest.mark.family(
    "sessions", "names", "notebook",
)  # fmt: skip
def test_waits_for_its_operations(case: dict[str, Any]) -> None:
    pytest.skip(f"{case['id']}: its operations do not exist yet")
