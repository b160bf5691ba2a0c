"""A summary as lines under headings, each behind the number of the message on which it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Section(StrEnum):
    """What a line of a summary is about, in the order in which they stand."""

    EARLIER = "earlier"  # of a summary before this one that was not in this form
    INTENT = "intent"
    DECIDED = "decided"
    FACTS = "facts"
    OPEN = "open"
    ERRORS = "errors"
    FILES = "files"
    STATE = "state"


HEADINGS = {
    "en": {
        Section.EARLIER: "Earlier",
        Section.INTENT: "Intent",
        Section.DECIDED: "Decisions and results",
        Section.FACTS: "Facts",
        Section.OPEN: "Open",
        Section.ERRORS: "Errors and fixes",
        Section.FILES: "Files and names",
        Section.STATE: "Now",
    },
    "zh": {
        Section.EARLIER: "此前",
        Section.INTENT: "意图",
        Section.DECIDED: "决定与结果",
        Section.FACTS: "事实",
        Section.OPEN: "未决与待办",
        Section.ERRORS: "错误与修复",
        Section.FILES: "文件与名称",
        Section.STATE: "现状",
    },
}
_SECTIONS = {name: section for names in HEADINGS.values() for section, name in names.items()}
_LINE = re.compile(r"(?:- |(?P<number>\d+)(?: (?P<name>[^:]{1,60}))?: )(?P<text>.*)")


@dataclass(frozen=True, slots=True)
class Line:
    """Something that the summary says.

    `number` is its message's place in the conversation, from 1; 0 for none. `name` is who said it,
    in a group.
    """

    section: Section
    text: str
    number: int = 0
    name: str = ""

    def __str__(self) -> str:
        named = f" {self.name}" if self.name else ""
        return f"{self.number}{named}: {self.text}" if self.number else f"- {self.text}"


def written(lines: Sequence[Line], language: str) -> str:
    """Lines as a text; those of one message and section share a line."""
    out: list[str] = []
    for section in Section:
        joined: list[Line] = []
        for line in (line for line in lines if line.section is section):
            before = joined[-1] if joined else None
            if before is not None and line.number and line.number == before.number:
                joined[-1] = replace(before, text=f"{before.text}; {line.text}")
            else:
                joined.append(line)
        if joined:
            out.append(f"## {HEADINGS[language][section]}")
            out += map(str, joined)
    return "\n".join(out)


def parsed(text: str) -> tuple[Line, ...]:
    """The lines of a summary; all of it under EARLIER where it is in no form of ours."""
    return tuple(_parsed(text))


def _parsed(text: str) -> Iterator[Line]:
    section = Section.EARLIER
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("## ") and line[3:] in _SECTIONS:
            section = _SECTIONS[line[3:]]
        elif line and (found := _LINE.fullmatch(line)) and section is not Section.EARLIER:
            yield Line(section, found["text"], int(found["number"] or 0), found["name"] or "")
        elif line:
            yield Line(Section.EARLIER, line.removeprefix("- "))
