"""The time, and the zone in which a day is meant."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo


class Clock(Protocol):
    """Tells the time; tests and replays give one of their own."""

    @property
    def zone(self) -> ZoneInfo:
        """The zone in which the user's dates are meant."""
        ...

    def now(self) -> datetime:
        """This instant, aware, in UTC."""
        ...
