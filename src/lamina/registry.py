"""Adapters by name, looked up on demand, so that nothing loads that is not used.

Outsiders add theirs as entry points in the groups `lamina.stores`, `lamina.embedders` and
`lamina.llms`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lamina.errors import SettingsError

KNOWN = {
    "stores": {
        "sqlite": "lamina.stores.sqlite:SqliteStore",
        "memory": "lamina.stores.memory:MemoryStore",
    },
    "embedders": {
        "e5": "lamina.embedders.e5:E5",
        "openai": "lamina.embedders.openai:OpenAIEmbedder",
        "local": "lamina.embedders.local:LocalEmbedder",
    },
    "rerankers": {
        "endpoint": "lamina.rerankers.endpoint:EndpointReranker",
    },
    "llms": {
        "openai": "lamina.llms.openai:OpenAILLM",
        "anthropic": "lamina.llms.anthropic:AnthropicLLM",
    },
    "backups": {
        "sqlite": "lamina.stores.sqlite.copies:restore",
    },
    "importers": {
        "any": "lamina.importers.detect:messages",
        "documents": "lamina.importers.documents:documents",
    },
}


def lookup(family: str, name: str) -> Any:  # noqa: ANN401 - what it makes is its family's port
    """What makes an adapter of this family, such as "stores" or "embedders", by its name.

    Raises:
        SettingsError: no adapter has this name.
    """
    known = KNOWN[family]
    if name in known:
        module, attribute = known[name].split(":")
        return getattr(import_module(module), attribute)
    from importlib.metadata import entry_points  # noqa: PLC0415 - heavy, and seldom needed

    others = entry_points(group=f"lamina.{family}")
    for entry in others:
        if entry.name == name:
            return entry.load()
    names = ", ".join(sorted({*known, *others.names}))
    raise SettingsError(f"there is no {name!r} among the {family}; known ones: {names}")
