from __future__ import annotations

import pytest

pytest.register_assert_rewrite(
    "lamina.testing.samples",
    "lamina.testing.contract_items",
    "lamina.testing.contract_facts",
    "lamina.testing.contract_feed",
    "lamina.testing.contract_whole",
)
