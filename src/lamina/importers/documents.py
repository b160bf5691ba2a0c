"""Files and folders of documents: what is one, in which format and encoding."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from lamina.errors import InvalidInputError
from lamina.importers.encodings import encoding_of
from lamina.ports.importer import DocumentFile, Skipped, Unread

FORMATS = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    ".pdf": "pdf",
}  # by a name's ending; any other text is plain
HEAD = 1 << 16  # bytes that show whether a file is a text
FOREIGN = 0.1  # of the characters of a text may be none that a text has
DROPPED = frozenset({"node_modules", "__pycache__"})  # folders of programs, not of people
_LAYOUT = frozenset("\t\n\v\f\r\b\x1b\x1c\x1d\x1e\x1f")


def documents(path: Path) -> Iterator[DocumentFile | Skipped | Unread]:
    """The documents of a file or folder, by their absolute paths, in order.

    Raises:
        InvalidInputError: there is nothing of this name.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    if not os.path.lexists(path):
        raise InvalidInputError(f"{path} is not there; give a file or a folder of documents")
    if not path.is_dir():
        yield _read(path, 1.0)
        return
    found: list[Path] = []
    for part in _walked(path):
        if isinstance(part, Path):
            found.append(part)
        else:
            yield part
    for number, file in enumerate(found, 1):
        yield _read(file, number / len(found))


def _walked(folder: Path) -> Iterator[Path | Skipped | Unread]:
    faults: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=faults.append):
        here = Path(place)
        while faults:
            fault = faults.pop()
            yield Unread(_named(str(fault.filename)), f"the folder does not open: {fault.strerror}")
        kept = []
        for name in sorted(folders):
            if reason := _passed_over(here / name):
                yield Skipped(_named(str(here / name)), reason)
            else:
                kept.append(name)
        folders[:] = kept  # where the walk goes on
        for name in sorted(files):
            if name.startswith("."):
                yield Skipped(_named(str(here / name)), "hidden")
            else:
                yield here / name
    for fault in faults:
        yield Unread(_named(str(fault.filename)), f"the folder does not open: {fault.strerror}")


def _passed_over(folder: Path) -> str:
    if folder.name.startswith("."):
        return "hidden"
    if folder.name in DROPPED:
        return "a program's folder"
    return "a link to a folder" if folder.is_symlink() else ""


def _read(path: Path, share: float) -> DocumentFile | Skipped | Unread:
    name = _named(str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return Skipped(name, "no ordinary file")
        with path.open("rb") as file:
            head = file.read(HEAD)
            is_pdf = head.startswith(b"%PDF-") or path.suffix.lower() == ".pdf"
            if not is_pdf and _is_binary(head):
                return Skipped(name, "not a text")
            data = head + file.read()
    except OSError as fault:
        return Unread(name, f"the file does not read: {fault.strerror or fault}")
    form = "pdf" if is_pdf else FORMATS.get(path.suffix.lower(), "plain")
    return DocumentFile(name, data, form, "" if is_pdf else encoding_of(data), share)


def _is_binary(head: bytes) -> bool:
    encoding = encoding_of(head)
    if 0 in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    text = head.decode(encoding, "replace")
    strange = sum(1 for c in text if c == "\ufffd" or (c < " " and c not in _LAYOUT))
    return strange > FOREIGN * len(text)


def _named(path: str) -> str:
    """A path as text that any file can hold, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", "replace")
