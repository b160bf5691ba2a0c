from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lamina.pipeline.extract.grammar import Claim, claims, language
from lamina.pipeline.extract.rules import claimed
from lamina.pipeline.extract.sift import Statement
from lamina.text.words import has_han
from lamina.types import Candidate, Message, Role

HERE = Path(__file__).parent
ZONE = ZoneInfo("UTC")
SAID_AT = datetime(2026, 3, 4, 10, tzinfo=UTC)  # a Wednesday
LANGUAGES = [path.stem.removeprefix("examples_") for path in sorted(HERE.glob("examples_*.toml"))]
ENOUGH = 20
TOLD_ONLY = {"property"}  # slots that no message is drawn by


def slots(name: str) -> dict[str, dict[str, list[Any]]]:
    raw = tomllib.loads((HERE / f"examples_{name}.toml").read_text("utf-8"))
    return {entry["name"]: entry for entry in raw["slot"]}


def of_slot(sentence: str, slot: str) -> list[tuple[Claim, Candidate]]:
    message = Message("1", "s", Role.USER, sentence, SAID_AT)
    pairs = claimed(message, sentence, zone=ZONE)
    return [(claim, candidate) for claim, candidate in pairs if claim.slot.name == slot]


CASES = [(name, slot) for name in LANGUAGES for slot in slots(name)]


@pytest.mark.parametrize(("name", "slot"), CASES)
def test_what_is_said_is_drawn(name: str, slot: str) -> None:
    wrong = {}
    for sentence, *texts in slots(name)[slot]["said"]:
        drawn = [candidate.content for _, candidate in of_slot(sentence, slot)]
        if drawn != texts:
            wrong[sentence] = drawn
    assert wrong == {}


@pytest.mark.parametrize(("name", "slot"), CASES)
def test_what_only_looks_like_it_is_not_drawn(name: str, slot: str) -> None:
    wrong = {}
    for sentence in slots(name)[slot]["silent"]:
        drawn = [c.content for _, c in of_slot(sentence, slot) if not c.doubt]
        if drawn:
            wrong[sentence] = drawn
    assert wrong == {}


@pytest.mark.parametrize(("name", "slot"), CASES)
def test_a_memory_is_read_back_to_its_topic_and_value(name: str, slot: str) -> None:
    wrong = {}
    for sentence, *_ in slots(name)[slot]["said"]:
        for claim, candidate in of_slot(sentence, slot):
            statement = Statement(candidate.content, 0, has_han(candidate.content))
            back = [(told.topic, told.value) for told in claims(statement, "", told=True)]
            if claim.topic and (claim.topic, claim.value) not in back:
                wrong[candidate.content] = (claim.topic, claim.value, back)
    assert wrong == {}


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_slot_has_enough_examples(name: str) -> None:
    known = slots(name)
    wanted = {slot.name for slot in language(name, told=False).slots} - TOLD_ONLY
    few = {
        slot: (len(known[slot]["said"]), len(known[slot]["silent"])) if slot in known else (0, 0)
        for slot in wanted
    }
    assert {slot for slot, counts in few.items() if min(counts) < ENOUGH} == set()


@pytest.mark.parametrize("name", ["en", "zh"])
def test_no_form_is_possessive(name: str) -> None:
    # Python 3.11 before 3.11.5 matches `?+`, `*+` and `++` wrongly.
    text = (files("lamina") / "pipeline/extract/grammar" / f"{name}.toml").read_text("utf-8")
    assert not re.search(r"(?<!\\)[)\]}][?*+]\+", text)
