"""Reading what was said for facts: extract, hold against what is known, write, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lamina.engine.core import Core
from lamina.errors import ConflictError
from lamina.index.gather import gather
from lamina.index.nearest import nearest_memories
from lamina.index.partition import GROUPS, PartitionIndex
from lamina.pipeline import extract
from lamina.pipeline.claims import claim
from lamina.pipeline.dedupe import OWN, Known, Verdict, decide
from lamina.pipeline.extract.confirm import confirmed
from lamina.pipeline.extract.rules import drawn, stated
from lamina.pipeline.settle import Written, settle
from lamina.pipeline.write import masked_text, prepare_memory
from lamina.rank.top import top
from lamina.text.words import index_words
from lamina.types import (
    DEFAULT_USER,
    Action,
    Candidate,
    Decision,
    MemoryRecord,
    Message,
    Partition,
    Role,
)
