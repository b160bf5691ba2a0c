"""What a listing by URI gives: its lines, and the lines of texts that a search for words finds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder, or a text that has a URI."""

    uri: str
    kind: Literal["folder", "memory", "message", "document"]
    text: str = ""  # its abstract, secrets masked; of a session or document the title
    count: int = 0  # how many a folder or document holds
    date: datetime | None = None  # when it was said, last used or added
    id: str = ""  # of the memory, message, document or session
    valid_to: datetime | None = None  # until when it was true, where that is known


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a text in which a pattern was found."""

    uri: str
    id: str  # of the memory or message
    line: int  # from 1
    text: str  # the line, secrets masked; of a long one what stands around the find
