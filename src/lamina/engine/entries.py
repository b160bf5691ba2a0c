"""`memory.entries`: memories, conversations and documents by their URIs, as in a file system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile, islice

from lamina.engine.core import Core
from lamina.engine.listing import documents
from lamina.engine.reading import catch_up
from lamina.engine.tree import Node, Tree
from lamina.errors import InvalidInputError, NotFoundError
from lamina.pipeline import accept
from lamina.pipeline.levels import level_text, text_at
from lamina.pipeline.uris import SESSIONS, Place, document_place, parsed, place_of
from lamina.plain import shown
from lamina.replies import Entry, Match
from lamina.text.clean import scrub
from lamina.text.fold import fold
from lamina.text.patterns import Regex, checked_pattern, glob_starts, glob_steps
from lamina.types import EVERYONE, Document, Level, MemoryRecord, Message, Scope, SessionInfo

AROUND = 80  # characters of a long line that are shown before and behind a find
FOUND = 240  # characters of a line that is shown whole
LINE = 20_000  # characters of a line that a regular expression looks at
Find = Callable[[str], "int | None"]  # behind which character of a line a match ends


class Entries:
    """What one scope remembers, by URIs: `lamina://<user>/<category>/<words>~<id>`.

    Beside the categories stand `sessions`, with the messages of each, and `archive`, with the
    passages of each document. A URI without `lamina://` is a path below the handle's own user.
    """

    def __init__(self, core: Core, scope: Scope) -> None:
        self._core = core
        self._scope = scope

    def _tree(self) -> Tree:
        self._core.check_open()
        catch_up(self._core, self._core.visible(self._scope))
        return Tree(self._core, self._scope)

    def ls(self, uri: str = "", *, limit: int = 100, after: str | None = None) -> Sequence[Entry]:
        """What stands right below a URI: memories newest first, messages as they were said.

        `after` is the URI of the last entry of a page, to go on behind it.

        Raises:
            NotFoundError: nothing is there in this scope.
            InvalidInputError: it is no URI, or that of a text.
        """
        limit = accept.checked_limit(limit)
        tree = self._tree()
        node = self._folder(tree, uri)
        entries: Iterator[Entry] = map(tree.entry, tree.children(node.place))
        if after is not None:
            accept.checked_key(after, "after")
            entries = dropwhile(lambda entry: entry.uri != after, entries)
            if next(entries, None) is None:
                raise NotFoundError(
                    f"{shown(after)} is not in {shown(uri)}; begin again without it"
                )
        return list(islice(entries, limit))

    def tree(self, uri: str = "", depth: int = 2, *, limit: int = 1000) -> Sequence[Entry]:
        """What stands below a URI, so many levels deep, each folder before what is in it.

        A folder's `count` says how much it holds, shown or not.

        Raises:
            NotFoundError: nothing is there in this scope.
            InvalidInputError: it is no URI, or that of a text.
        """
        depth, limit = accept.checked_limit(depth, "depth"), accept.checked_limit(limit)
        tree = self._tree()
        nodes = tree.walk(self._folder(tree, uri), depth)
        return [tree.entry(node) for node in islice(nodes, limit)]

    def read(self, uri: str, level: Level | str = Level.CONTENT) -> str:
        """A memory, message or document at a level: abstract, overview or content.

        A text that is short enough is its own abstract and overview. Secrets are masked.

        Raises:
            NotFoundError: nothing is there in this scope.
            InvalidInputError: it is no URI, or that of a folder; there is no such level.
        """
        wanted = accept.checked_level(level)
        tree = self._tree()
        node = tree.node(uri)
        if isinstance(node.item, MemoryRecord):
            return level_text(node.item, wanted)
        if isinstance(node.item, Message | Document):
            return text_at(tree.text(node), wanted)
        raise InvalidInputError(f"{shown(uri)} is a folder; ls lists what it holds")

    def glob(self, pattern: str, *, limit: int = 100) -> Sequence[Entry]:
        """Entries whose URI is of a pattern: `*` and `?` within a part, `**` over parts.

        Upper and lower case are the same. Messages and passages are looked through where the
        pattern names `sessions` or `archive`.

        Raises:
            InvalidInputError: the pattern is empty or too long, or no URI could be of it.
        """
        limit = accept.checked_limit(limit)
        place = parsed(checked_pattern(pattern).rstrip("/"), self._scope.user)
        tree = self._tree()
        if place.user in {"*", "**"}:  # in `lamina://*/...`: all who are seen from here
            steps, start = (place.user, *place.path), Place()
        elif place.user not in {self._scope.user, EVERYONE}:
            return []
        else:
            steps, start = place.path, Place(place.user)
        nodes = self._globbed(tree, steps, start, glob_starts(steps))
        return [tree.entry(node) for node in islice(nodes, limit)]

    def _globbed(
        self, tree: Tree, steps: Sequence[str], place: Place, at: frozenset[int]
    ) -> Iterator[Node]:
        for child in tree.children(place):
            names = child.place.path or ("",)
            reached = glob_steps(steps, at, names[-1])
            if len(steps) in reached:
                yield child
            deep = isinstance(child.item, SessionInfo | Document)
            if child.is_folder and reached and (not deep or names[0] in steps):
                yield from self._globbed(tree, steps, child.place, reached)

    def grep(
        self, pattern: str, uri: str = "", *, regex: bool = False, limit: int = 100
    ) -> Sequence[Match]:
        """Lines that hold a text, in every memory, message and passage below a URI.

        The text is taken literally; case, width and Chinese script do not matter. With `regex` it
        is a regular expression without regard to case, which takes linear time and so knows no
        looking around or back; of a line it sees the first 20,000 characters.

        Raises:
            NotFoundError: nothing is there in this scope.
            InvalidInputError: no URI, or a pattern that is empty, too long or no expression.
        """
        limit = accept.checked_limit(limit)
        accept.checked_flag(regex, "regex")
        find = _expression(pattern) if regex else _literal(pattern)
        tree = self._tree()
        node = tree.node(uri)
        nodes = tree.walk(node) if node.is_folder else iter([node])
        matches = (match for one in nodes for match in _matches(tree, one, find))
        return list(islice(matches, limit))

    def uri(self, id: str) -> str:
        """The URI of a memory, message or document, which leads to it for ever.

        Raises:
            NotFoundError: there is none of this id in this scope.
        """
        self._core.check_open()
        accept.checked_key(id, "the id")
        store, partitions = self._core.store, self._core.visible(self._scope)
        found = store.get(partitions, id) if not scrub(id)[1] else None
        if found is not None:
            partition, item = found
            if isinstance(item, Message):
                return Place(partition.user, (SESSIONS, item.session_id, item.id)).uri
            return place_of(item, partition.user).uri
        for partition, document in documents(store, partitions):
            if document.id == id:
                return document_place(document, partition.user).uri
        raise NotFoundError(f"there is no memory, message or document {shown(id)} in this scope")

    def _folder(self, tree: Tree, uri: str) -> Node:
        node = tree.node(uri)
        if not node.is_folder:
            raise InvalidInputError(f"{shown(uri)} is a text; read shows it")
        return node


def _matches(tree: Tree, node: Node, find: Find) -> Iterator[Match]:
    item = node.item
    if not isinstance(item, MemoryRecord | Message):
        return
    raw = item.text if isinstance(item, Message) else item.content
    if all(find(line) is None for line in raw.split("\n")):  # before secrets are looked for
        return
    for number, line in enumerate(tree.text(node).split("\n"), 1):
        end = find(line)
        if end is not None:
            yield Match(node.place.uri, item.id, number, _around(line, end))


def _around(line: str, end: int) -> str:
    line = line.strip() if len(line) <= FOUND else line
    if len(line) <= FOUND:
        return line
    first, last = max(0, end - AROUND * 2), end + AROUND
    return ("…" if first else "") + line[first:last].strip() + ("…" if last < len(line) else "")


def _literal(pattern: str) -> Find:
    needle = fold(checked_pattern(pattern))

    def find(line: str) -> int | None:
        folded = fold(line)
        at = folded.find(needle)
        if at < 0:
            return None
        return min(len(line), (at + len(needle)) * len(line) // len(folded))

    return find


def _expression(pattern: str) -> Find:
    expression = Regex(checked_pattern(pattern))
    return lambda line: expression.find(line[:LINE])
