"""Schemas, migrations and queries as named SQL files."""
