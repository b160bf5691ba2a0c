"""Layered memory for AI agents, in one folder."""

__version__ = "0.1.0"
