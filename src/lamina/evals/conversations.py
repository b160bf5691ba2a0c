"""Benchmark conversations: JSON Lines, one conversation (one memory store) a line, gzipped or not.

{"id": str, "turns": [{"id", "session", "speaker", "text", "time"}],
 "questions": [{"id", "text", "category", "evidence": [turn id], "answer", "asked_at"}]}
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lamina.errors import InvalidInputError
from lamina.importers.times import parse_time
from lamina.types import Json

ENDING = ".jsonl.gz"
ROLES = {"user", "assistant", "system", "tool"}


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the turns that answer it."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    asked_at: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One store's worth of turns (as they stand in the file), and its questions."""

    id: str
    turns: tuple[Mapping[str, Json], ...]
    questions: tuple[Question, ...]

    def messages(self) -> Iterator[tuple[str, dict[str, Json]]]:
        """Session and message of each turn. A speaker who is no role is a user with a name."""
        for turn in self.turns:
            speaker = turn["speaker"]
            message = {"id": turn["id"], "content": turn["text"]}
            message["role"] = speaker if speaker in ROLES else "user"
            if speaker not in ROLES:
                message["name"] = speaker
            at = parse_time(turn.get("time", ""))
            if at is not None:
                message["created_at"] = at
            yield turn["session"], message


def said(turn: Mapping[str, Json]) -> str:
    """A turn as one text, "speaker: text", for what knows no speakers."""
    return f"{turn['speaker']}: {turn['text']}"


def names(folder: Path) -> list[str]:
    """The sets of a folder."""
    return sorted(path.name.removesuffix(ENDING) for path in folder.glob(f"*{ENDING}"))


def read(folder: Path, name: str) -> Iterator[Conversation]:
    """The conversations of one set, in order."""
    with opened(folder / f"{name}{ENDING}") as lines:
        yield from conversations(lines)


def opened(path: Path) -> IO[str]:
    """A file of lines, gzipped or not.

    Raises:
        InvalidInputError: it cannot be opened.
    """
    try:
        if path.suffix == ".gz":
            return gzip.open(path, "rt", encoding="utf-8")
        return path.open(encoding="utf-8")
    except OSError as fault:
        raise InvalidInputError(f"{path} cannot be read: {fault}; name another file") from fault


def conversations(lines: Iterable[str]) -> Iterator[Conversation]:
    """The conversations of these lines.

    Raises:
        InvalidInputError: a line is none.
    """
    for line in lines:
        try:
            row = json.loads(line)
            questions = tuple(
                Question(
                    q.get("id", ""),
                    q["text"],
                    q.get("category", ""),
                    tuple(q.get("evidence", ())),
                    q.get("asked_at", ""),
                    str(q.get("answer") or ""),
                )
                for q in row["questions"]
            )
            yield Conversation(row["id"], tuple(row["turns"]), questions)
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise InvalidInputError(f"a line is no conversation: {fault!r:.200}") from fault
