"""One open store for all that offer it bad input, each test with a user of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lamina
from lamina import Memory


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("store")
    with lamina.open(folder, embedder="none", zone="Asia/Shanghai") as memory:
        yield memory


@pytest.fixture
def memory(opened: Memory, request: pytest.FixtureRequest) -> Memory:
    """The memory of a user of this test alone, with one turn and one note in it."""
    mine = opened.for_user(str(hash(request.node.nodeid)))
    mine.session("talk").append("user", "a zebra at the start", id="first")
    mine.add("a zebra note")
    return mine
