"""File names of sessions: one for each (user, session), valid and distinct on every system."""

from __future__ import annotations

import json
import re
from hashlib import blake2b

ENDING = ".json"
LONGEST = 60  # bytes that one id takes in a name
_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
_UNSAFE = re.compile(r"[^\w-]|_")  # \w: letters and digits of every script
# Names that Windows gives to devices, with whatever ending.
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$", re.IGNORECASE)


def file_name(user_id: str | None, session_id: str) -> str:
    """The name of a session's file: `<user>_<session>.json`, `<session>.json` without a user.

    Ids of small letters, digits and hyphens stand as they are. In all others what is unsafe
    becomes `--`, and a hash of both ids follows, so that no two pairs meet: not on a disk that
    folds case or normalises Unicode, and not by what one replacement makes of two characters.
    """
    ids = [session_id] if user_id is None else [user_id, session_id]
    if all(_PLAIN.fullmatch(id) for id in ids) and not _DEVICES.fullmatch("_".join(ids)):
        return "_".join(ids) + ENDING
    shown = "_".join(_short(_UNSAFE.sub("--", id)) for id in ids)
    whole = json.dumps([user_id, session_id]).encode()
    return f"{shown}~{blake2b(whole, digest_size=10).hexdigest()}{ENDING}"


def plain_ids(name: str) -> tuple[str | None, str] | None:
    """The ids that a plain name tells; None where it tells none."""
    parts = name.removesuffix(ENDING).split("_")
    if len(parts) > 2 or not all(_PLAIN.fullmatch(part) for part in parts):
        return None
    return (None, parts[0]) if len(parts) == 1 else (parts[0], parts[1])


def _short(text: str) -> str:
    return text.encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore")
