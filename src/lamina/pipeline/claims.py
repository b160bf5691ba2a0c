"""What a memory says, as a keyed hash that tells nothing: how a deleted claim stays deleted."""

from __future__ import annotations

import hashlib

from lamina.text.fold import fold


def claim(text: str, key: bytes) -> bytes:
    """The same for texts that differ in case, width, script variant, blanks or punctuation only."""
    bare = "".join(c for c in fold(text) if c.isalnum())
    return hashlib.blake2b(bare.encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()
