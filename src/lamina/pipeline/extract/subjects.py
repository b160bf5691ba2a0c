"""Whom a clause is about that leaves its subject out, as Chinese does where it is plain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subjects:
    """The patterns by which a language tells it."""

    subject: re.Pattern[str]  # how a clause names its own; a group "other" is one that is not known
    clauses: re.Pattern[str]  # what parts clauses
    sentences: re.Pattern[str]  # what parts sentences
    neutral: re.Pattern[str]  # a clause that leaves its subject out, too


def left_out(known: Subjects, pronoun: str, before: str, here: str) -> Mapping[str, str] | None:
    """The one that the clauses `here` in its sentence or `before` it name; None if that is unclear.

    Nobody named is the speaker ({}), unless a `pronoun` stands for the subject.
    """
    for clause in reversed(known.clauses.split(here)):
        match = known.subject.match(clause)
        if match is None and known.neutral.fullmatch(clause):
            continue
        if match is None or "other" in (parts := _parts(match)):
            return None
        if "pronoun" not in parts and (parts or not pronoun):
            return parts
    earlier = [one for one in known.sentences.split(before) if one.strip()]
    for clause in reversed(known.clauses.split(earlier[-1]) if earlier else []):
        match = known.subject.match(clause)
        if match is not None and "pronoun" not in (parts := _parts(match)):
            is_theirs = bool(parts) and "other" not in parts
            return (parts if is_theirs else None) if pronoun else (None if parts else {})
    return None if pronoun else {}


def _parts(match: re.Match[str]) -> dict[str, str]:
    groups = match.groupdict().items()
    return {name.rstrip("0123456789"): part for name, part in groups if part is not None}
