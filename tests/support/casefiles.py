"""Cases, read from their files: the project's own, and those of the folder LAMINA_CASES."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

OWN = Path(__file__).parents[1] / "cases" / "own"


def cases(family: str) -> list[dict[str, Any]]:
    """All cases of a family, its texts expanded."""
    given = os.environ.get("LAMINA_CASES")
    found = []
    for folder in (OWN, *([Path(given)] if given else [])):
        file = folder / f"{family}.jsonl"
        if file.exists():
            lines = file.read_text("utf-8").split("\n")
            found += [expanded(json.loads(line)) for line in lines if line.strip()]
    return found


def expanded(spec: Any) -> Any:
    """A value with its text specs, {"repeat", "times"} and {"join"}, written out."""
    if isinstance(spec, list):
        return [expanded(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    if set(spec) == {"repeat", "times"}:
        return expanded(spec["repeat"]) * spec["times"]
    if set(spec) == {"join"}:
        parts = [expanded(part) for part in spec["join"]]
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)  # else a part is only known when the case is played
    return {key: expanded(part) for key, part in spec.items()}
