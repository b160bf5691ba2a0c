"""Whose an item is: what a scope may read, and what it may change."""

from __future__ import annotations

from lamina.engine.core import Core
from lamina.engine.tree import found_by_uri
from lamina.errors import InvalidInputError, NotFoundError, ScopeError
from lamina.pipeline import accept
from lamina.text.clean import scrub
from lamina.types import Layer, MemoryRecord, Message, Partition, Scope


def found(core: Core, scope: Scope, id: str) -> tuple[Partition, MemoryRecord | Message]:
    """An item that a scope may read, by its id or its URI.

    Raises:
        NotFoundError: there is none, or it is another scope's.
    """
    core.check_open()
    accept.checked_key(id, "the id")
    visible = core.visible(scope)
    notes = core.working.notes([*visible, scope.home])
    item: tuple[Partition, MemoryRecord | Message] | None
    item = next(((owner, note) for owner, note in notes if note.id == id), None)
    if item is None and not scrub(id)[1]:  # what no file can hold, no store has
        item = core.store.get(visible, id) or found_by_uri(core, scope, id)
    if item is None:
        raise NotFoundError(f"there is no memory or message {id!r:.80} in this scope")
    return item


def own(core: Core, scope: Scope, id: str) -> tuple[Partition, MemoryRecord | Message]:
    """An item that a scope may erase.

    Raises:
        NotFoundError: there is none, or it is another scope's.
        ScopeError: it is for everyone, and this scope is a user's.
    """
    partition, item = found(core, scope, id)
    if partition.user != scope.user:
        raise ScopeError(f"{id!r} is for everyone; only the handle of for_everyone() changes it")
    return partition, item


def own_memory(core: Core, scope: Scope, id: str) -> tuple[Partition, MemoryRecord]:
    """A memory that a scope may change.

    Raises:
        InvalidInputError: it is a message, a passage of a document, or of the working layer.
    """
    partition, item = found(core, scope, id)
    if isinstance(item, Message):
        raise InvalidInputError(
            f"{id!r} is a message; what was said is kept word for word. Add a memory instead"
        )
    own(core, scope, id)
    if item.layer is Layer.WORKING:
        raise InvalidInputError(f"{id!r} holds for this turn only; add it again as it should be")
    if item.document is not None:
        raise InvalidInputError(
            f"{id!r} is a passage of a document; change the document and archive it again"
        )
    return partition, item
