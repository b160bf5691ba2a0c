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
    if len(head) >= 2 and (head[0] == 0) != (head[1] == 0):  # JSON begins with ASCII characters
        return "utf-16-be" if head[0] == 0 else "utf-16-le"
    if _decodes(head, "utf-8") or not _decodes(head, "gb18030"):
        return "utf-8"
    return "utf-8" if _is_damaged_utf8(head) else "gb18030"


def _decodes(head: bytes, name: str) -> bool:
    try:
        codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _is_damaged_utf8(head: bytes) -> bool:
    """Whether most of what is not ASCII forms characters of UTF-8, as other encodings do not."""
    high = len(head) - len(head.decode("ascii", "ignore"))
    text = head.decode("utf-8", "ignore")
    formed = len(text.encode()) - len(text.encode("ascii", "ignore"))
    return formed > high // 2
