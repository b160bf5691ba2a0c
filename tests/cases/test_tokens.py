from __future__ import annotations

from typing import Any

import pytest

from lamina.text.tokens import count_tokens


@pytest.mark.family("tokens")
def test_estimate_is_near_what_models_count(case: dict[str, Any]) -> None:
    counted = count_tokens(case["text"])
    assert case["expect"]["at_least"] <= counted <= case["expect"]["at_most"]
