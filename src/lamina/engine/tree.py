"""A scope's memories, conversations and documents as a tree of folders: where a URI leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lamina.engine.core import Core
from lamina.engine.listing import documents, listed, passages_of
from lamina.errors import InvalidInputError, NotFoundError
from lamina.pipeline import uris
from lamina.pipeline.levels import level_text
from lamina.pipeline.uris import ARCHIVE, SESSIONS, Place, is_uri, parsed
from lamina.pipeline.write import masked_text
from lamina.plain import shown
from lamina.replies import Entry
from lamina.text.redact import mask
from lamina.types import (
    EVERYONE,
    Category,
    Document,
    Filter,
    Level,
    MemoryRecord,
    Message,
    Partition,
    Scope,
    SessionInfo,
)

PAGE = 1000  # memories or messages read at a time
WIDTH = 200  # characters of a message in a listing
LOOKED_AT = 4000  # characters of it that are read for that: a secret in them is masked as a whole


@dataclass(frozen=True, slots=True)
class Node:
    """A place with what is there: a text, or a folder, which only a session or document names."""

    place: Place
    item: MemoryRecord | Message | Document | SessionInfo | None = None
    count: int = 0  # how many a folder holds

    @property
    def is_folder(self) -> bool:
        """Whether other places are below it."""
        return not isinstance(self.item, MemoryRecord | Message)


class Tree:
    """What a scope may see, read as it is walked."""

    def __init__(self, core: Core, scope: Scope) -> None:
        self._core = core
        self._scope = scope
        self._partitions = core.visible(scope)
        self._records: dict[str, list[MemoryRecord]] = {}

    # --- from a URI to what is there

    def place(self, uri: str) -> Place:
        """The place that a URI names, which may hold nothing.

        Raises:
            InvalidInputError: it cannot be a URI.
            NotFoundError: it is another user's.
        """
        place = parsed(uri, self._scope.user)
        if place.user and place.user not in {self._scope.user, EVERYONE}:
            raise _nothing(uri)
        return place

    def node(self, uri: str) -> Node:
        """What a URI names.

        Raises:
            InvalidInputError: it cannot be a URI, or several memories have these words.
            NotFoundError: nothing is there, or it is another scope's.
        """
        other = isinstance(uri, str) and is_uri(uri) and not uri.lower().startswith(uris.SCHEME)
        found = self._of_another(uri) if other else self._node(self.place(uri))
        if found is None:
            raise _nothing(uri)
        return found

    def _of_another(self, uri: str) -> Node | None:
        """What an import kept under another system's URI: as its id, or in its metadata."""
        for user in (self._scope.user, EVERYONE):
            one = self._get(Place(user), uri)
            kept = (r for r in self.records(user) if r.metadata.get("uri") == uri)
            found = one if isinstance(one, MemoryRecord) else next(kept, None)
            if found is not None:
                return Node(uris.place_of(found, user), found)
        return None

    def _node(self, place: Place) -> Node | None:
        match place.path:
            case ():
                return Node(place)
            case (str(name),) if name in {*Category, SESSIONS, ARCHIVE}:
                return Node(place)
            case (str(name), str(last)) if name in set(Category):
                return self._memory(place, name, last)
            case (str(name), str(id)) if name == SESSIONS:
                asked = (self._core.store.session(p, id) for p in self.partitions(place.user))
                infos = [info for info in asked if info is not None]
                count = sum(info.messages for info in infos)
                return Node(place, infos[0], count) if infos else None
            case (str(name), str(id), str(message)) if name == SESSIONS:
                one = self._get(place, message)
                fits = isinstance(one, Message) and one.session_id == id
                return Node(place, one) if fits else None
            case (str(name), str(last)) if name == ARCHIVE:
                _, _, id = last.rpartition(uris.ID)
                for node in self.children(Place(place.user, (ARCHIVE,))):
                    if isinstance(node.item, Document) and node.item.id == id:
                        return node
            case (str(name), str(last), str(number)) if name == ARCHIVE and number.isdecimal():
                _, _, id = last.rpartition(uris.ID)
                one = self._get(place, f"{id}.{number:0>6}")
                is_passage = isinstance(one, MemoryRecord) and one.document is not None
                return Node(place, one) if is_passage else None
        return None

    def _memory(self, place: Place, category: str, last: str) -> Node | None:
        words, mark, id = last.partition(uris.ID)
        if mark:
            one = self._get(place, id)
            if not isinstance(one, MemoryRecord) or one.document is not None:
                return None
            return Node(uris.place_of(one, place.user), one)
        found = [
            node
            for node in self.children(Place(place.user, (category,)))
            if node.place.path[-1].startswith(words + uris.ID)
        ]
        if len(found) > 1:
            several = ", ".join(node.place.uri for node in found[:3])
            raise InvalidInputError(
                f"{len(found)} memories begin with these words; add the id: {several}"
            )
        return found[0] if found else None

    def _get(self, place: Place, id: str) -> MemoryRecord | Message | None:
        found = self._core.store.get(self.partitions(place.user), id)
        return None if found is None else found[1]

    def partitions(self, user: str) -> list[Partition]:
        """The partitions of one user that are seen from here."""
        return [one for one in self._partitions if one.user == user]

    # --- downwards

    def children(self, place: Place) -> Iterator[Node]:
        """What stands right below a place."""
        match place.path:
            case () if not place.user:
                yield Node(Place(self._scope.user))
                if self.partitions(EVERYONE) and self._scope.user != EVERYONE:
                    yield Node(Place(EVERYONE))
            case ():
                yield from self._folders(place)
            case (str(name),) if name == SESSIONS:
                yield from self._sessions(place)
            case (str(name),) if name == ARCHIVE:
                for _, document in documents(self._core.store, self.partitions(place.user)):
                    at = uris.document_place(document, place.user)
                    yield Node(at, document, document.passages)
            case (str(name),):
                for record in self.records(place.user):
                    if record.category == name:
                        yield Node(uris.place_of(record, place.user), record)
            case (str(name), str(id)) if name == SESSIONS:
                for message in self._messages(place, id):
                    yield Node(place.below(message.id), message)
            case (str(name), str(last)) if name == ARCHIVE:
                _, _, id = last.rpartition(uris.ID)
                for partition in self.partitions(place.user):
                    for record in reversed(passages_of(self._core.store, partition, id)):
                        yield Node(uris.place_of(record, place.user), record)

    def walk(self, node: Node, depth: int | None = None) -> Iterator[Node]:
        """Everything below a place, each folder before what is in it."""
        if node.is_folder and depth != 0:
            for child in self.children(node.place):
                yield child
                yield from self.walk(child, None if depth is None else depth - 1)

    def _folders(self, place: Place) -> Iterator[Node]:
        counts = Counter(str(record.category) for record in self.records(place.user))
        partitions = self.partitions(place.user)
        counts[ARCHIVE] = len(documents(self._core.store, partitions))
        counts[SESSIONS] = len({info.id for _, info in self._core.store.sessions(partitions)})
        for name in (*Category, ARCHIVE, SESSIONS):
            if counts[name]:
                yield Node(place.below(str(name)), count=counts[name])

    def records(self, user: str) -> list[MemoryRecord]:
        """A user's memories, newest first, documents apart; read once."""
        if user not in self._records:
            found: list[MemoryRecord] = []
            partitions, now = self.partitions(user), self._core.clock.now()
            after: str | None = None
            while True:
                page = listed(
                    self._core.store, partitions, Filter(), now=now, limit=PAGE, after=after
                )
                found += page
                if len(page) < PAGE:
                    break
                after = page[-1].id
            self._records[user] = found
        return self._records[user]

    def _sessions(self, place: Place) -> Iterator[Node]:
        """Conversations, the last one first; of two agents' of one name one."""
        sessions: dict[str, SessionInfo] = {}
        counts: Counter[str] = Counter()
        for _, info in self._core.store.sessions(self.partitions(place.user)):
            sessions.setdefault(info.id, info)
            counts[info.id] += info.messages
        for id, info in sessions.items():
            yield Node(place.below(id), info, counts[id])

    def _messages(self, place: Place, id: str) -> Iterator[Message]:
        for partition in self.partitions(place.user):
            after = -1
            while page := self._core.store.messages(partition, id, limit=PAGE, after=after):
                yield from page
                after = page[-1].seq

    # --- what is shown

    def text(self, node: Node) -> str:
        """All of a text or document, secrets masked."""
        if isinstance(node.item, MemoryRecord | Message):
            return masked_text(node.item, masking=self._core.indexing.masking)
        return "\n\n".join(self.text(child) for child in self.children(node.place))

    def entry(self, node: Node) -> Entry:
        """A place as a line of a listing."""
        item, uri = node.item, node.place.uri
        match item:
            case MemoryRecord():
                told = _flat(level_text(item, Level.ABSTRACT))
                return Entry(uri, "memory", told, 0, item.said_at, item.id, item.valid_to)
            case Message():
                masking = self._core.indexing.masking
                told = item.text[:LOOKED_AT]
                told = _flat(mask(told).text if masking else told)
                told = told if len(told) <= WIDTH else told[: WIDTH - 1] + "…"
                return Entry(uri, "message", told, 0, item.created_at, item.id)
            case Document():
                return Entry(uri, "document", item.title, node.count, item.added_at, item.id)
            case SessionInfo():
                return Entry(uri, "folder", item.title, node.count, item.updated_at, item.id)
        return Entry(uri, "folder", count=node.count)


def found_by_uri(
    core: Core, scope: Scope, uri: str
) -> tuple[Partition, MemoryRecord | Message] | None:
    """The memory or message that a URI names; None for what is no URI."""
    if not is_uri(uri):
        return None
    tree = Tree(core, scope)
    node = tree.node(uri)
    if not isinstance(node.item, MemoryRecord | Message):
        raise InvalidInputError(f"{shown(uri)} is a folder; entries.ls lists what it holds")
    return core.store.get(tree.partitions(node.place.user), node.item.id)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _nothing(uri: str) -> NotFoundError:
    return NotFoundError(f"there is nothing at {shown(uri)} in this scope; ls shows what there is")
