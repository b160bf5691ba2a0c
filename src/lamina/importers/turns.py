"""What the formats share: roles by other names, and ids that are the same every time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

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
    return Role.USER, name.strip() or None


def digest(value: Json, size: int = 5) -> str:
    """A short text that is the same for the same JSON value."""
    try:
        written = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    except RecursionError:
        written = "nested too deep"  # nobody keeps it: a message that holds it is refused
    return hashlib.blake2b(written.encode(), digest_size=size).hexdigest()


class Names:
    """Names for the chats of a file that have none: by the file, and by how a chat begins.

    A chat that goes on where another stopped is the same one, as in a log that writes all that was
    said each time. One that begins alike and then says something else gets a number of its own.
    """

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._begun: dict[str, list[str]] = {}

    def of(self, turns: Sequence[Json], opening: int) -> str:
        """A name for these turns, of which the first `opening` are how it begins."""
        name = f"{self._stem}-{digest(turns[:opening])}"
        said = "".join(map(digest, turns))
        alike = self._begun.setdefault(name, [])
        for number, other in enumerate(alike, 1):
            if said.startswith(other) or other.startswith(said):
                alike[number - 1] = max(said, other, key=len)
                break
        else:
            alike.append(said)
            number = len(alike)
        return name if number == 1 else f"{name}-{number}"
