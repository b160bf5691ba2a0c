"""The archive: documents, kept as passages of the archival layer and searched on request."""

from __future__ import annotations

import builtins
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lamina.engine.core import Core
from lamina.engine.erase import swept
from lamina.engine.listing import documents, is_of, passages_of
from lamina.engine.worker import Worker
from lamina.errors import (
    ConflictError,
    EmptyTextError,
    InvalidInputError,
    MissingPackageError,
    NotFoundError,
    ScopeError,
)
from lamina.pipeline import accept
from lamina.pipeline.archive import (
    Cut,
    behind,
    checked_ours,
    cut,
    document_id,
    fingerprint,
    passages,
)
from lamina.pipeline.clean import cleaned
from lamina.plain import shown
from lamina.ports.importer import DocumentFile, Skipped, Unread
from lamina.registry import lookup
from lamina.replies import Archived
from lamina.types import Document, Json, Partition, Scope


class Archive:
    """`memory.archive`: documents of one scope."""

    def __init__(self, core: Core, worker: Worker, scope: Scope) -> None:
        self._core = core
        self._worker = worker
        self._scope = scope

    def add(
        self,
        path_or_text: str | os.PathLike[str],
        *,
        title: str | None = None,
        prune: bool = False,
        metadata: Mapping[str, Json] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Archived:
        """Keep a file, the files of a folder, or a text that has a title.

        Markdown, HTML, PDF and plain text. What did not change since is passed over; of what did,
        the passages are replaced, all at once. A text is the same document as long as its title is
        the same. `prune` removes documents of a folder whose files are gone. `progress` is told the
        share of the work done, 0 to 1. In a folder what cannot be read is reported, the rest kept.

        Raises:
            InvalidInputError: nothing is there, or the one file given cannot be read.
            MissingPackageError: the one file given is a PDF, and no package reads it.
        """
        self._core.check_open()
        accept.checked_flag(prune, "prune")
        told = checked_ours(accept.checked_metadata(metadata))
        named = "" if title is None else self._title(title)
        path = _path(path_or_text)
        if path is None:
            return self._add_text(str(path_or_text), named, told)
        folder = path.is_dir()
        if folder and named:
            raise InvalidInputError(f"{path} is a folder; a title is of one file or a text")
        if prune and not folder:
            raise InvalidInputError(f"{path} is a file; prune is for a folder")
        tally = _Tally()
        for part in lookup("importers", "documents")(path):
            if isinstance(part, DocumentFile):
                self._add_file(part, named, told, tally, strict=not folder)
                if progress is not None:
                    progress(part.share)
            elif not folder:
                raise InvalidInputError(f"{part.place} cannot be archived: {part.reason}")
            else:
                tally.passed(part)
        if prune:
            self._prune(path, tally)
        self._worker.wake()
        return tally.result()

    def _title(self, title: str) -> str:
        text = accept.checked_text(title, self._core.settings.max_text_bytes)
        return " ".join(cleaned(text, masking=self._core.indexing.masking).text.split())

    def _add_text(self, text: str, title: str, metadata: Mapping[str, Json]) -> Archived:
        if not title:
            raise InvalidInputError(
                f"there is no file or folder {shown(text)}; mend the path, or give a title with a "
                "text"
            )
        tally = _Tally()
        file = DocumentFile(None, text.encode("utf-8", "replace"), "markdown")
        self._add_file(file, title, metadata, tally, strict=True)
        self._worker.wake()
        return tally.result()

    def _add_file(
        self,
        file: DocumentFile,
        title: str,
        metadata: Mapping[str, Json],
        tally: _Tally,
        *,
        strict: bool,
    ) -> None:
        """Keep one document; `strict` raises what else is reported."""
        place = file.path or title
        try:
            self._keep(file, title, metadata, tally)
        except (InvalidInputError, MissingPackageError) as fault:
            if strict:
                raise type(fault)(f"{place} cannot be archived: {fault}") from None
            tally.passed(Unread(place, str(fault)))

    def _keep(
        self, file: DocumentFile, title: str, metadata: Mapping[str, Json], tally: _Tally
    ) -> None:
        """Keep a document in place of what was kept of it before."""
        core, home = self._core, self._scope.home
        masking = core.indexing.masking
        id = document_id(home, file.path or title)
        hash = fingerprint(file, title, metadata, masking=masking)
        made: Cut | None = None
        while True:
            latest = core.store.memories([home], after=behind(id), limit=1)
            if any(is_of(record, id) and record.metadata["hash"] == hash for _, record in latest):
                tally.unchanged.append(id)
                return
            made = made or cut(file, title, masking=masking)
            old = passages_of(core.store, home, id)
            if not made.blocks and not old:
                raise EmptyTextError("there is no text in it")
            count, now = len(made.blocks), core.clock.now()
            about = Document(id, made.title, file.path, count, hash, now, metadata)
            try:
                gone = [record.id for record in old]
                core.store.exchange(home, gone, passages(made, about, core.indexing))
            except ConflictError:  # somebody else adds it at this moment: see what he made of it
                continue
            tally.wrote(made, id, before=bool(old))
            return

    def _prune(self, folder: Path, tally: _Tally) -> None:
        home = self._scope.home
        seen = {*tally.added, *tally.changed, *tally.unchanged}
        gone = [
            (partition, document)
            for partition, document in documents(self._core.store, [home])
            if document.id not in seen
            and document.path is not None
            and _within(document.path, folder)
            and not os.path.lexists(document.path)
        ]
        tally.pending = self._erase(gone)
        tally.removed += [document.id for _, document in gone]

    def list(self) -> Sequence[Document]:
        """The documents of this scope, by title."""
        self._core.check_open()
        found = documents(self._core.store, self._core.visible(self._scope))
        return sorted(
            (document for _, document in found), key=lambda one: (one.title, one.path or "")
        )

    def remove(self, what: str | os.PathLike[str]) -> Archived:
        """Erase a document by its id or path, or all of a folder, bytes included.

        Raises:
            NotFoundError: no document of this id or path in this scope.
        """
        self._core.check_open()
        name = accept.checked_key(os.fspath(what), "the id or path")
        if not name.strip():  # which would be the folder that we are in
            raise InvalidInputError("the id or path is empty; list shows all documents")
        path = _absolute(name.replace("\0", ""))
        found = [
            (partition, document)
            for partition, document in documents(self._core.store, self._core.visible(self._scope))
            if document.id == name or (document.path is not None and _within(document.path, path))
        ]
        if not found:
            raise NotFoundError(f"there is no document {shown(name)} in this scope; list shows all")
        mine = [one for one in found if one[0].user == self._scope.user]
        if not mine:
            raise ScopeError(
                f"{shown(name)} is for everyone; only the handle of for_everyone() removes it"
            )
        pending = self._erase(mine)
        return Archived(removed=tuple(document.id for _, document in mine), pending=pending)

    def _erase(self, documents: Sequence[tuple[Partition, Document]]) -> bool:
        """Erase documents; whether stale bytes of them are left to be swept."""
        texts: builtins.list[str] = []
        for partition, document in documents:
            records = passages_of(self._core.store, partition, document.id)
            self._core.store.exchange(partition, [record.id for record in records], [])
            texts += [record.content for record in records]
        return bool(texts) and not swept(self._core.store, texts)


class _Tally:
    """What an `add` has done so far."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.changed: list[str] = []
        self.unchanged: list[str] = []
        self.removed: list[str] = []
        self.pending = False
        self._skipped: list[str] = []
        self._unread: list[str] = []
        self._passages = self._replaced = 0
        self._masked: Counter[str] = Counter()

    def passed(self, part: Skipped | Unread) -> None:
        """Something was not archived."""
        told = self._skipped if isinstance(part, Skipped) else self._unread
        told.append(f"{part.place}: {part.reason}")

    def wrote(self, made: Cut, id: str, *, before: bool) -> None:
        """A document was written, or nothing is left of it."""
        done = self.changed if before else self.added
        (done if made.blocks else self.removed).append(id)
        self._passages += len(made.blocks)
        self._masked.update(made.masked)
        self._replaced += made.removed

    def result(self) -> Archived:
        """All of it."""
        return Archived(
            tuple(self.added),
            tuple(self.changed),
            tuple(self.unchanged),
            tuple(self.removed),
            self._passages,
            tuple(self._skipped),
            tuple(self._unread),
            dict(self._masked),
            self._replaced,
            self.pending,
        )


def _path(given: str | os.PathLike[str]) -> Path | None:
    """The path that is meant; None for a text."""
    if not isinstance(given, str):
        return _absolute(os.fspath(given))
    try:
        path = _absolute(given)
        return path if given.strip() and os.path.lexists(path) else None
    except (OSError, ValueError, RuntimeError):  # too long, with a NUL, or ~ of nobody
        return None


def _absolute(path: str) -> Path:
    return Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - links are not followed


def _within(path: str, folder: Path) -> bool:
    return Path(path).is_relative_to(folder)
