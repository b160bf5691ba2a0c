"""Questions put to a store, and how well the answers are ranked."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from lamina.build import open_memory
from lamina.engine.memory import Memory
from lamina.errors import InvalidInputError
from lamina.evals.conversations import Conversation, conversations, opened
from lamina.evals.metrics import mean, score
from lamina.importers.times import parse_time
from lamina.plain import shown
from lamina.text.fold import fold
from lamina.types import Hit, Json

DEPTH = 50  # hits that are looked at
OVERALL = "all"


@dataclass(frozen=True, slots=True)
class Report:
    """Mean metrics by category of question, and of all; 0 to 1."""

    questions: int
    unanswerable: int  # left out: nothing is known to answer them
    metrics: dict[str, dict[str, float]]
    missed: tuple[str, ...]  # questions of which no answer was among the first ten


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what answers it: ids, or words that an answer holds."""

    text: str
    answers: tuple[str, ...]
    category: str = ""
    now: datetime | None = None


def evaluated(
    path: Path, memory: Memory | None, progress: Callable[[float], None] | None = None
) -> Report:
    """Put the questions of a file: to its own conversations, or to a store.

    A line with `turns` is a conversation (see conversations.py), kept in a store of its own while
    its questions are asked. Any other line is a question for `memory`: `question`, and `expected`,
    a list of ids or of words that stand in an answer.

    Raises:
        InvalidInputError: a line is neither, or asks a store where there is none.
    """
    rows: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    left_out, missed = 0, []
    for asked, hits in _answers(path, memory, progress):
        if not asked.answers:
            left_out += 1
            continue
        row = score(_ranking(hits, asked.answers), asked.answers)
        for category in {OVERALL, asked.category} - {""}:
            rows[category].append(row)
        if not row["any_hit@10"]:
            missed.append(asked.text)
    return Report(
        questions=len(rows[OVERALL]),
        unanswerable=left_out,
        metrics={category: mean(found) for category, found in rows.items() if found},
        missed=tuple(missed),
    )


def _answers(
    path: Path, memory: Memory | None, progress: Callable[[float], None] | None
) -> Iterator[tuple[Asked, Sequence[Hit]]]:
    with opened(path) as lines:
        texts = [line for line in lines if line.strip()]
    for number, text in enumerate(texts, 1):
        value = _line(text, number)
        if "turns" in value:
            (talk,) = conversations([text])
            yield from _of_conversation(talk)
        elif memory is None:
            raise InvalidInputError(f"line {number} has no turns; name the store that it asks")
        else:
            asked = _question(value, number)
            yield asked, memory.search(asked.text, limit=DEPTH).hits
        if progress is not None:
            progress(number / len(texts))


def _line(text: str, number: int) -> dict[str, Json]:
    try:
        value = json.loads(text)
    except ValueError as fault:
        raise InvalidInputError(f"line {number} is no JSON: {fault}") from None
    if not isinstance(value, dict) or not ("turns" in value or "question" in value):
        raise InvalidInputError(f"line {number} is {shown(value)}; it needs turns, or a question")
    return value


def _question(value: dict[str, Json], number: int) -> Asked:
    text, expected = value["question"], value.get("expected", [])
    if not isinstance(text, str) or not isinstance(expected, list):
        raise InvalidInputError(f"line {number}: question is a text, expected a list of texts")
    return Asked(text, tuple(map(str, expected)), str(value.get("category", "")))


def _of_conversation(talk: Conversation) -> Iterator[tuple[Asked, Sequence[Hit]]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_memory(folder, background=False) as memory,
    ):
        for session, turns in groupby(talk.messages(), key=itemgetter(0)):
            memory.add([message for _, message in turns], session_id=session)
        if memory.admin.status().space:
            memory.admin.flush()
        for one in talk.questions:
            now = parse_time(one.asked_at)
            asked = Asked(one.text, one.evidence, one.category, now)
            yield asked, memory.search(one.text, limit=DEPTH, now=now).hits


def _ranking(hits: Sequence[Hit], answers: Sequence[str]) -> list[str]:
    """The answers in the order in which the hits name or hold them, with what is none between."""
    ranked: list[str] = []
    for place, hit in enumerate(hits):
        ids = {hit.id, *(source.id for source in hit.source)}
        text = fold(hit.text)
        found = [answer for answer in answers if answer in ids or fold(answer) in text]
        ranked += [answer for answer in found if answer not in ranked] or [f"\x00{place}"]
    return ranked
