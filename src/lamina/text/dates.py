"""Placeholder until the grammar arrives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Interval:
    start: datetime
    end: datetime
    words: str = ""
    at: bool = False


def find_dates(text: str, now: datetime, zone: ZoneInfo) -> list[Interval]:
    return []
