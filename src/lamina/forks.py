"""What a fork must not tear apart.

A forked child has all of its parent's memory and one of its threads: a lock that another thread
held stays held, a database connection is known to two processes, a pool has no threads left.
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """What must be made anew in a forked child."""

    def forked(self) -> None:
        """Called in the child, whose only thread is the caller."""
        ...


class Held(Forked, Protocol):
    """What must also be at rest while a fork happens."""

    def hold(self) -> None:
        """Come to rest. Called in the parent, before a fork."""
        ...

    def release(self) -> None:
        """Go on. Called in the parent, after the fork."""
        ...


_renewed: WeakSet[Forked] = WeakSet()
_rested: WeakSet[Held] = WeakSet()
_lock = threading.Lock()


def renew_in_child(thing: Forked) -> None:
    """From now on a forked child calls `thing.forked()`."""
    with _lock:
        _renewed.add(thing)


def rest_at_fork(thing: Held) -> None:
    """From now on `thing` is held while a fork happens, and renewed in the child."""
    with _lock:
        _renewed.add(thing)
        _rested.add(thing)


def keep_for_ever(thing: object) -> None:
    """Never free this: its destructor would wait for the parent's threads, or shut its files."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _before() -> None:
    _lock.acquire()
    for thing in _rested:
        thing.hold()


def _in_parent() -> None:
    for thing in _rested:
        thing.release()
    _lock.release()


def _in_child() -> None:
    global _lock  # noqa: PLW0603 - the parent's may be held by a thread that is not here
    _lock = threading.Lock()
    for thing in _renewed:
        thing.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
