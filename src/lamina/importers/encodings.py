"""Bytes of other people's files as text."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(head: bytes) -> str:
    """The encoding that a file's first bytes show: UTF-8, UTF-16 with or without mark, or GB18030.

    `head` may end within a character.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if len(head) >= 2 and 0 in head[:2]:  # JSON begins with an ASCII character
        return "utf-16-be" if head[0] == 0 else "utf-16-le"
    for name in ("utf-8", "gb18030"):
        try:
            codecs.getincrementaldecoder(name)().decode(head)
        except UnicodeDecodeError:
            continue
        return name
    return "utf-8"
