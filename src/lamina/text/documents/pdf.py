"""PDF: the text of its pages, as the optional package pypdf finds it."""

from __future__ import annotations

import io

from lamina.errors import InvalidInputError, MissingPackageError
from lamina.text.documents.blocks import Block, Parsed


def pdf(data: bytes) -> Parsed:
    """A block a page that has text.

    Raises:
        MissingPackageError: pypdf is not installed.
        InvalidInputError: it is locked or damaged.
    """
    try:
        from pypdf import PdfReader
    except ImportError:
        raise MissingPackageError(
            'PDF needs the package pypdf: pip install "lamina[pdf]"'
        ) from None
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        title = "" if locked or reader.metadata is None else reader.metadata.title
        texts = [] if locked else [page.extract_text() for page in reader.pages]
    except Exception as fault:  # noqa: BLE001 - others wrote it, and any file may come
        raise InvalidInputError(
            f"the PDF does not read ({type(fault).__name__}: {fault}); save it anew"
        ) from None
    if locked:
        raise InvalidInputError("the PDF is locked by a password; save it without one")
    blocks = [
        Block(text.strip(), page, page, by_line=False)
        for page, text in enumerate(texts, 1)
        if text.strip()
    ]
    return Parsed(blocks, (title or "").strip(), paged=True)
