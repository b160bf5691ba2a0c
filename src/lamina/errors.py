"""Every error that Lamina raises on purpose.

    LaminaError
    ├── InvalidInputError      an argument cannot be taken (also a ValueError)
    │   ├── EmptyTextError         nothing to remember
    │   ├── TextTooLargeError      over `max_text_bytes`: add it as a document
    │   ├── InvalidImportanceError NaN, out of 0..1, or no number
    │   ├── UnknownLayerError      a layer of another name
    │   └── InvalidScopeError      an id that is empty or holds control characters
    ├── NotFoundError          no such id in this scope (also a KeyError)
    ├── ScopeError             this handle may not do that
    ├── ConflictError          somebody else changed the record meanwhile
    │   └── AlreadyReadError       somebody else read the message for facts meanwhile
    ├── ClosedError            the store is closed
    ├── SettingsError          a setting has an impossible value
    ├── MissingPackageError    an optional package is not installed (also an ImportError)
    ├── StoreError             the folder or the database
    │   ├── NotAStoreError         a file, or a folder of something else
    │   ├── StoreNotWritableError  no permission, or a read-only disk
    │   ├── StoreTooNewError       written by a newer Lamina
    │   ├── StoreFullError         the disk is full
    │   ├── StoreBusyError         another process holds the store too long
    │   └── StoreDamagedError      the database does not read
    ├── EmbedderError          the embedder failed, or answered nonsense
    ├── RerankerError          the reranker did; a search goes on without it
    └── LLMError               the language model failed, or did not answer

Each message says what happened, names the value, and offers a remedy.
"""


class LaminaError(Exception):
    """The root: catch this to catch everything that Lamina raises on purpose."""


class InvalidInputError(LaminaError, ValueError):
    """An argument cannot be taken; nothing was written."""


class EmptyTextError(InvalidInputError):
    """The text holds nothing but blanks."""


class TextTooLargeError(InvalidInputError):
    """The text is over `max_text_bytes`."""


class InvalidImportanceError(InvalidInputError):
    """The importance is no number from 0.0 to 1.0."""


class UnknownLayerError(InvalidInputError):
    """The layer is none of working, session, long_term and archival."""


class InvalidScopeError(InvalidInputError):
    """A user, agent or session id is empty or holds control characters."""


class NotFoundError(LaminaError, KeyError):
    """No record of this id in this scope."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else "not found"  # KeyError would show it quoted


class ScopeError(LaminaError):
    """This handle may not do that."""


class ConflictError(LaminaError):
    """The record was changed by somebody else since it was read."""


class AlreadyReadError(ConflictError):
    """A message was read for facts by somebody else meanwhile, or is gone."""


class ClosedError(LaminaError):
    """The store is closed."""


class SettingsError(LaminaError):
    """A setting has an impossible value."""


class MissingPackageError(LaminaError, ImportError):
    """An optional package is not installed; the message gives the line for pip."""


class StoreError(LaminaError):
    """Something is wrong with the folder or the database."""


class NotAStoreError(StoreError):
    """The path is a file, or a folder that is no Lamina store."""


class StoreNotWritableError(StoreError):
    """The store may not be written."""


class StoreTooNewError(StoreError):
    """The store was written by a newer version of Lamina."""


class StoreFullError(StoreError):
    """The disk is full; the write did not happen."""


class StoreBusyError(StoreError):
    """Another process held the store longer than the busy timeout."""


class StoreDamagedError(StoreError):
    """The database cannot be read."""


class EmbedderError(LaminaError):
    """The embedder failed, timed out, or answered with the wrong shape or NaN."""


class RerankerError(LaminaError):
    """The reranker failed, timed out, or answered with scores that cannot be."""


class LLMError(LaminaError):
    """The language model failed, timed out, refused the request, or its endpoint spoke nonsense."""
