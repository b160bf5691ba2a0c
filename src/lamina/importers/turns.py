"""What the formats share: roles by other names, and ids that are the same every time."""

from __future__ import annotations

import hashlib
import json

from lamina.types import Json, Role

_OTHER_NAMES = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "function": Role.TOOL,
}
_KNOWN = set(Role)


def speaker(name: str) -> tuple[Role, str | None]:
    """A role, and the name of a speaker who is none: a person in a group."""
    lowered = name.strip().lower()
    if lowered in _KNOWN:
        return Role(lowered), None
    if lowered in _OTHER_NAMES:
        return _OTHER_NAMES[lowered], None
    return Role.USER, name


def digest(value: Json, size: int = 5) -> str:
    """A short text that is the same for the same JSON value."""
    written = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.blake2b(written.encode(), digest_size=size).hexdigest()
