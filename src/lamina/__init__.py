"""Layered memory for AI agents, in one folder: no server, no key, no network, no model needed.

    memory = lamina.open("my-agent").for_user("zhang")
    memory.add("下周三有技术面试")
    memory.search("面试准备得怎么样了")

Everything here loads on first use: importing costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.build import open_memory
    from lamina.engine.memory import Memory as Memory
    from lamina.engine.session import Session as Session
    from lamina.errors import *  # noqa: F403 - the whole tree is public
    from lamina.replies import *  # noqa: F403 - all values are public
    from lamina.types import *  # noqa: F403 - these too

    open = open_memory  # imported under another name it would be private to type checkers

__version__ = "0.1.0"
_HOMES = {
    "open": ("lamina.build", "open_memory"),
    "Memory": ("lamina.engine.memory", "Memory"),
    "Session": ("lamina.engine.session", "Session"),
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        module, attribute = _HOMES[name]
        return getattr(import_module(module), attribute)
    if not name.startswith("_"):
        for module in ("lamina.types", "lamina.replies", "lamina.errors"):
            value: object = getattr(import_module(module), name, None)
            if value is not None:
                return value
    raise AttributeError(f"module 'lamina' has no attribute {name!r}")
