"""`SafeJSONSession` and `InMemoryMemory`: QwenPaw's session files, written whole and read always.

Here the file itself is the store. It is written whole or not at all, under a lock, and a damaged
one is kept aside before anything goes over it: every whole message of it is read, and what is lost
is said. `MessagesFile` is the form with one message a line.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from lamina.errors import InvalidInputError, NotFoundError
from lamina.facades.session_locks import locked
from lamina.facades.session_names import ENDING, file_name, plain_ids
from lamina.importers.salvage import SUMMARY, Pair, Salvaged, message_lines, session_document
from lamina.plain import shown
from lamina.types import Json
from lamina.whole import write_whole

log = logging.getLogger("lamina")

IDS = "_lamina_ids"  # key of a document under which its user and session stand
CORRUPT = ".corrupt-"


class StateModule(Protocol):
    """What has a state to be saved: an agent, a memory."""

    def state_dict(self) -> dict[str, Json]:
        """The state as a JSON value."""
        ...

    def load_state_dict(self, state_dict: dict[str, Json]) -> None:
        """Take a state."""
        ...


class SafeJSONSession:
    """Sessions as JSON files in a folder, one for each user and session.

    `reports` holds what had to be said of damaged files, newest last; warnings say it too.
    """

    def __init__(self, save_dir: str | Path = "./sessions") -> None:
        self.save_dir = Path(save_dir)
        self.reports: list[str] = []

    async def save_session_state(
        self, session_id: str, user_id: str | None = None, **state_modules_mapping: StateModule
    ) -> None:
        """Write the states of these modules, each under its name; others in the file stay.

        Raises:
            StoreError: the file cannot be written; what was there is as it was.
        """
        states = {name: module.state_dict() for name, module in state_modules_mapping.items()}
        await self._changed(session_id, user_id, lambda document: document.update(states))

    async def load_session_state(
        self,
        session_id: str,
        user_id: str | None = None,
        allow_not_exist: bool = True,
        **state_modules_mapping: StateModule,
    ) -> None:
        """Give these modules their states back.

        Raises:
            NotFoundError: there is no such session, and that is not allowed.
        """
        document = await self.get_session_state_dict(
            session_id, user_id, allow_not_exist=allow_not_exist
        )
        for name, module in state_modules_mapping.items():
            if isinstance(document.get(name), dict):
                module.load_state_dict(document[name])

    async def get_session_state_dict(
        self, session_id: str, user_id: str | None = None, *, allow_not_exist: bool = True
    ) -> dict[str, Json]:
        """All of a session's states by the names of their modules.

        Raises:
            NotFoundError: there is no such session, and that is not allowed.
        """
        path = self.path_of(session_id, user_id)
        if not await asyncio.to_thread(path.exists):
            if allow_not_exist:
                return {}
            raise NotFoundError(f"there is no session {session_id!r:.80}; {path.name} is not there")
        document = await asyncio.to_thread(self._read_locked, path)
        return {key: part for key, part in document.items() if key != IDS}

    async def update_session_state(
        self,
        session_id: str,
        key: str | Sequence[str],
        value: Json,
        user_id: str | None = None,
        create_if_not_exist: bool = True,
    ) -> None:
        """Set one value, by its path in the document: "agent.memory.note", or the parts of it.

        Raises:
            InvalidInputError: the path leads through something that is no mapping.
            NotFoundError: there is no such session, and none is to be made.
        """
        parts = key.split(".") if isinstance(key, str) else list(key)
        if not parts or not all(isinstance(part, str) and part for part in parts):
            raise InvalidInputError(f"the key is {shown(key)}; give a path such as agent.memory")
        path = self.path_of(session_id, user_id)
        if not create_if_not_exist and not await asyncio.to_thread(path.exists):
            raise NotFoundError(f"there is no session {session_id!r:.80} to update")
        await self._changed(session_id, user_id, lambda document: _put(document, parts, value))

    def list_sessions(self) -> list[tuple[str | None, str]]:
        """The ids of all sessions in the folder: (user or None, session)."""
        found = []
        for path in sorted(self.save_dir.glob(f"*{ENDING}")):
            ids = _ids_in(path) or plain_ids(path.name)
            if ids is not None:
                found.append(ids)
        return found

    def path_of(self, session_id: str, user_id: str | None = None) -> Path:
        """The file of a session."""
        if not isinstance(session_id, str) or not session_id:
            raise InvalidInputError(f"the session id is {shown(session_id)}; give a text")
        return self.save_dir / file_name(user_id or None, session_id)

    # --- one file

    async def _changed(
        self, session_id: str, user_id: str | None, change: Callable[[dict[str, Json]], object]
    ) -> None:
        path = self.path_of(session_id, user_id)

        def write() -> None:
            with locked(path):
                document = self._read(path) if path.exists() else {}
                change(document)
                document[IDS] = [user_id or None, session_id]
                write_whole(path, _bytes(document))

        await asyncio.to_thread(write)

    def _read_locked(self, path: Path) -> dict[str, Json]:
        with locked(path):
            return self._read(path)

    def _read(self, path: Path) -> dict[str, Json]:
        data = path.read_bytes()
        found = session_document(data)
        said = keep_aside(path, data, found)
        self.reports += said
        return found.document


class MessagesFile:
    """A file of one message a line, to which messages are appended whole."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.reports: list[str] = []

    def read(self) -> list[dict[str, Json]]:
        """Every whole message of it, in order; `reports` says what could not be read."""
        with locked(self.path):
            return [message for message, _ in self._found().pairs]

    def append(self, message: Mapping[str, Json]) -> None:
        """Put a message behind the others, on a line of its own."""
        with locked(self.path):
            found = self._found() if self.path.exists() else Salvaged()
            messages = [*(one for one, _ in found.pairs), dict(message)]
            lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in messages)
            write_whole(self.path, "".join(lines).encode("utf-8", "replace"))

    def _found(self) -> Salvaged:
        data = self.path.read_bytes()
        found = message_lines(data)
        self.reports += keep_aside(self.path, data, found)
        return found


def keep_aside(path: Path, data: bytes, found: Salvaged) -> list[str]:
    """Keep a damaged file's bytes beside it, once; sentences on what is wrong with it."""
    if not found.reports:
        return []
    said = [f"{path.name}: {sentence}" for sentence in found.reports]
    kept = path.parent.glob(f"{path.name}{CORRUPT}*")
    if found.damaged and data and not any(one.read_bytes() == data for one in kept):
        at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        aside = path.with_name(f"{path.name}{CORRUPT}{at}")
        write_whole(aside, data)
        said.append(f"{path.name} is damaged; its bytes are kept as {aside.name}")
    for sentence in said:
        log.warning("%s", sentence)
    return said


def _put(document: dict[str, Json], parts: Sequence[str], value: Json) -> None:
    place = document
    for depth, part in enumerate(parts[:-1]):
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            whole = ".".join(parts[: depth + 1])
            raise InvalidInputError(f"{whole} is {shown(inner)}, no mapping; nothing was changed")
        place = inner
    place[parts[-1]] = value


def _ids_in(path: Path) -> tuple[str | None, str] | None:
    try:
        ids = json.loads(path.read_bytes()).get(IDS)
        user, session = ids
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return user, session


def _bytes(document: Mapping[str, Json]) -> bytes:
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    except ValueError as fault:
        raise InvalidInputError(f"the state cannot be written as JSON: {fault}") from None
    return text.encode("utf-8", "replace")


class InMemoryMemory:
    """The messages of one conversation in memory, with marks, and the summary of those that left.

    Its state is what `SafeJSONSession` writes: `content` as pairs of message and marks.
    """

    def __init__(self) -> None:
        self.content: list[Pair] = []
        self.compressed_summary = ""

    async def add(
        self,
        memories: Mapping[str, Json] | Sequence[Mapping[str, Json]] | None,
        marks: Sequence[str] | str | None = None,
        allow_duplicates: bool = False,
    ) -> None:
        """Append a message or several; one whose id is there already is passed over."""
        given = [memories] if isinstance(memories, Mapping) else list(memories or ())
        noted = [marks] if isinstance(marks, str) else list(marks or ())
        known = {message.get("id") for message, _ in self.content}
        for message in given:
            id = message.get("id")
            if allow_duplicates or id is None or id not in known:
                self.content.append((dict(message), list(noted)))
                known.add(id)

    async def get_memory(
        self,
        mark: str | None = None,
        exclude_mark: str | None = None,
        prepend_summary: bool = True,
    ) -> list[dict[str, Json]]:
        """The messages, all or of a mark; before them the summary, if there is one."""
        found = [
            message
            for message, marks in self.content
            if (mark is None or mark in marks) and exclude_mark not in marks
        ]
        if prepend_summary and self.compressed_summary:
            summary = {"role": "user", "name": "user", "content": self.compressed_summary}
            return [summary, *found]
        return found

    async def delete(self, msg_ids: Sequence[str] | str) -> int:
        """Take messages out by their ids. Returns how many went."""
        gone = {msg_ids} if isinstance(msg_ids, str) else set(msg_ids)
        before = len(self.content)
        self.content = [pair for pair in self.content if pair[0].get("id") not in gone]
        return before - len(self.content)

    async def update_messages_mark(
        self,
        new_mark: str | None,
        old_mark: str | None = None,
        msg_ids: Sequence[str] | None = None,
    ) -> int:
        """Give messages another mark, or take one away. Returns how many were changed."""
        changed = 0
        for place, (message, marks) in enumerate(self.content):
            if msg_ids is not None and message.get("id") not in msg_ids:
                continue
            if old_mark is not None and old_mark not in marks:
                continue
            kept = [mark for mark in marks if mark != old_mark]
            kept += [new_mark] if new_mark is not None and new_mark not in kept else []
            changed += kept != marks
            self.content[place] = message, kept
        return changed

    async def update_compressed_summary(self, summary: str) -> None:
        """Set the summary of what left."""
        self.compressed_summary = summary

    async def size(self) -> int:
        """How many messages there are."""
        return len(self.content)

    async def clear(self) -> None:
        """Take all messages out; the summary too."""
        self.content, self.compressed_summary = [], ""

    def state_dict(self) -> dict[str, Json]:
        """The state as a JSON value."""
        pairs = [[message, marks] for message, marks in self.content]
        return {"content": pairs, SUMMARY: self.compressed_summary}

    def load_state_dict(self, state_dict: Mapping[str, Json], strict: bool = True) -> None:
        """Take a state: pairs, or bare messages.

        Raises:
            InvalidInputError: it has no list `content`, and `strict` asks for one.
        """
        content = state_dict.get("content")
        if not isinstance(content, list):
            if strict:
                raise InvalidInputError(f"the state's content is {shown(content)}; give a list")
            content = []
        self.content = [
            (dict(one), []) if isinstance(one, Mapping) else (dict(one[0]), list(one[1]))
            for one in content
        ]
        self.compressed_summary = str(state_dict.get(SUMMARY) or "")
