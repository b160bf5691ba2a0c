from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.family(
    "notebook",
)  # fmt: skip
def test_waits_for_its_operations(case: dict[str, Any]) -> None:
    pytest.skip(f"{case['id']}: its operations do not exist yet")
