"""Characters that no file can hold, and those that a memory must not."""

from __future__ import annotations

import re

_LONE = re.compile("[\ud800-\udfff]")
_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


def scrub(text: str) -> tuple[str, int]:
    """Lone surrogates become U+FFFD; gives the text and how many there were."""
    return (text, 0) if text.isascii() else _LONE.subn("\ufffd", text)


def strip(text: str) -> tuple[str, int]:
    """NUL and lone surrogates are removed; gives the text and how many there were."""
    return _UNKEEPABLE.subn("", text)
