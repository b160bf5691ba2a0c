"""What every store must do, as one test class: subclass it, and give it a store to try.

    import pytest
    from lamina.testing.contracts import StoreContract

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            store = MyStore()
            yield store
            store.close()

Each test gets an empty store. To see what a failed assert compared, write
`pytest.register_assert_rewrite("lamina.testing")` into the uppermost conftest.py.
"""

from __future__ import annotations

from lamina.testing.contract_facts import Facts
from lamina.testing.contract_feed import Feed
from lamina.testing.contract_forget import Forgetting
from lamina.testing.contract_items import Conversations, Memories
from lamina.testing.contract_models import Models
from lamina.testing.contract_whole import Whole


class StoreContract(Conversations, Memories, Facts, Forgetting, Models, Feed, Whole):
    """All of it. A subclass gives the fixture `store`: an empty one for each test."""
