"""The archive stage: a document's bytes to passages under their titles, with their lines."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lamina.errors import InvalidInputError
from lamina.pipeline.clean import cleaned
from lamina.pipeline.write import PASSAGE_TOKENS, Indexing, prepare_memory
from lamina.ports.importer import DocumentFile
from lamina.ports.store import NewPassage
from lamina.text.clean import strip
from lamina.text.documents.blocks import Block, packed
from lamina.text.documents.html import html
from lamina.text.documents.markdown import markdown
from lamina.text.documents.pdf import pdf
from lamina.text.documents.plain import plain
from lamina.text.redact import REDACTOR, mask, private_spans
from lamina.types import (
    Document,
    HistoryEvent,
    Json,
    Kind,
    Layer,
    MemoryRecord,
    Origin,
    Partition,
    Source,
)

READER = 1
"""Rises when the same bytes become other passages: documents are then made anew when added."""

_READERS = {"markdown": markdown, "plain": plain, "html": html}
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_DIGITS = 22  # of an id: 110 bits, so that with `doc_` it has the length of any other
FIRST, LAST = "doc_", "doc_~"  # ids of documents, and of their passages, sort between these

OURS = (
    "document",
    "title",
    "path",
    "section",
    "lines",
    "pages",
    "hash",
    "passages",
    "front_matter",
)
"""What a passage's metadata says of its document; the rest is the caller's."""


def document_id(partition: Partition, name: str) -> str:
    """The id of what has this path or title: the same every time, and no other partition's."""
    named = json.dumps([partition.user, partition.agent, name]).encode()
    number = int.from_bytes(hashlib.blake2b(named, digest_size=14).digest(), "big")
    return FIRST + "".join(_ALPHABET[number >> 5 * place & 31] for place in range(_DIGITS))


def passage_id(document: str, number: int) -> str:
    """The id of a document's passage."""
    return f"{document}.{number:06}"


def behind(document: str) -> str:
    """An id above those of all its passages, which itself is above the document's."""
    return f"{document}.~"


def fingerprint(
    file: DocumentFile, title: str, metadata: Mapping[str, Json], *, masking: bool
) -> str:
    """A hash of the bytes and of all else that decides what is made of them."""
    how = [READER, REDACTOR if masking else 0, file.format, file.encoding, title, metadata]
    made = hashlib.blake2b(json.dumps(how, sort_keys=True).encode(), digest_size=16)
    made.update(file.data)
    return made.hexdigest()


def document_of(passage: MemoryRecord) -> Document:
    """The document that a passage is of, as the passage tells it."""
    told = passage.metadata
    return Document(
        id=told["document"],
        title=told["title"],
        path=told.get("path"),
        passages=told["passages"],
        hash=told["hash"],
        added_at=passage.created_at,
        metadata={key: value for key, value in told.items() if key not in OURS},
    )


@dataclass(frozen=True, slots=True)
class Cut:
    """A document as it is stored; what was masked and removed on the way."""

    title: str = ""
    blocks: tuple[Block, ...] = ()
    front: str = ""
    paged: bool = False
    masked: Mapping[str, int] = field(default_factory=dict)
    removed: int = 0


def cut(file: DocumentFile, title: str, *, masking: bool) -> Cut:
    """Read a document and cut it into passages, the secrets in it masked.

    Secrets are masked in the whole text first, since a passage may end within one.

    Raises:
        InvalidInputError: it does not read.
        MissingPackageError: a package that reads it is not installed.
    """
    masked: Counter[str] = Counter()
    removed = 0

    def clean(text: str, *, lines: bool = True) -> str:
        nonlocal removed
        text, count = strip(private_spans(text, lines=lines)[0])
        removed += count
        found = mask(text, lines=lines) if masking else None
        if found is None:
            return text
        masked.update(found.counts)
        return found.text

    if file.format == "pdf":
        parsed = pdf(file.data)
        blocks = [replace(block, text=clean(block.text)) for block in parsed.blocks]
        parsed = replace(parsed, blocks=blocks, title=clean(parsed.title, lines=False))
    else:
        parsed = _READERS[file.format](clean(file.data.decode(file.encoding, "replace")))
    named = " ".join((title or parsed.title or _stem(file)).split())
    blocks = []
    for block in packed(parsed.blocks, PASSAGE_TOKENS):
        again = cleaned(block.text, masking=masking)  # for what only now stands side by side
        masked.update(again.masked)
        if again.text.strip():
            blocks.append(replace(block, text=again.text))
    return Cut(named, tuple(blocks), parsed.front, parsed.paged, dict(masked), removed)


def _stem(file: DocumentFile) -> str:
    return Path(file.path).stem if file.path is not None else "untitled"


def passages(
    made: Cut, about: Document, indexing: Indexing
) -> list[tuple[MemoryRecord, Sequence[NewPassage], HistoryEvent]]:
    """A document's passages as records of the archival layer, ready to be written."""
    out: list[tuple[MemoryRecord, Sequence[NewPassage], HistoryEvent]] = []
    for number, block in enumerate(made.blocks):
        record = _record(block, about, number, made)
        seen = replace(record, metadata=_searched(record, about))
        event = HistoryEvent(
            record.id, "add", Origin.DOCUMENT, about.added_at, after={"document": about.id}
        )
        out.append((record, prepare_memory(seen, indexing).passages, event))
    return out


def _record(block: Block, about: Document, number: int, made: Cut) -> MemoryRecord:
    section = " > ".join(_path(about.title, block.titles))
    told: dict[str, Json] = {
        **about.metadata,
        "document": about.id,
        "title": about.title,
        "section": section,
        "pages" if made.paged else "lines": [block.first, block.last],
        "hash": about.hash,
        "passages": about.passages,
    }
    if about.path is not None:
        told["path"] = about.path
    if made.front and number == 0:
        told["front_matter"] = made.front
    place = f"{about.path or about.title}#{_anchor(block, paged=made.paged)}"
    return MemoryRecord(
        id=passage_id(about.id, number),
        content=block.text,
        created_at=about.added_at,
        layer=Layer.ARCHIVAL,
        origin=Origin.DOCUMENT,
        sources=(Source(Kind.DOCUMENT, about.id, name=section, quote=place),),
        metadata=told,
    )


def _path(title: str, titles: Sequence[str]) -> Sequence[str]:
    """The document's title and the headings, without a first heading that repeats it."""
    return titles if titles and titles[0] == title else (title, *titles)


def _anchor(block: Block, *, paged: bool) -> str:
    if paged:
        return f"page={block.first}" + (f"-{block.last}" if block.last > block.first else "")
    return f"L{block.first}" + (f"-L{block.last}" if block.last > block.first else "")


def _searched(record: MemoryRecord, about: Document) -> Mapping[str, Json]:
    """What of a passage's metadata its words may be found by."""
    name = Path(about.path).name if about.path is not None else ""
    front = record.metadata.get("front_matter", "")
    return {**about.metadata, "section": record.metadata["section"], "name": name, "front": front}


def checked_ours(metadata: Mapping[str, Json]) -> Mapping[str, Json]:
    """Metadata of a caller, which does not say what a passage says of its document."""
    if taken := sorted(metadata.keys() & set(OURS)):
        raise InvalidInputError(
            f"metadata has {', '.join(taken)}, which the archive sets itself; name it otherwise"
        )
    return metadata
