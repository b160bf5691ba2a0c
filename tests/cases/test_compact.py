from __future__ import annotations

from typing import Any

import pytest
from compacting import faults, played


@pytest.mark.family("compact")
def test_what_is_sent_holds_its_promises(case: dict[str, Any]) -> None:
    assert faults(case, played(case)) == []
