"""A store in one SQLite file, by the standard library's sqlite3 alone."""

from lamina.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
