from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lamina.text.tokens import count_tokens
from summaries import main
from summarised.baselines import by_bm25, first_sentences, truncated
from summarised.dialogues import EACH, TURNS, dialogue


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_dialogue_says_each_of_its_facts_and_is_the_same_for_a_seed(language: str) -> None:
    one = dialogue(3, language)
    assert one == dialogue(3, language)
    assert one.messages != dialogue(4, language).messages
    assert (len(one.messages), len(one.facts)) == (TURNS, TURNS // EACH)
    for place, fact in enumerate(one.facts):
        part = one.messages[EACH * place : EACH * (place + 1)]
        assert any(fact.value in message["content"] for message in part)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_other_summaries_keep_to_the_same_size(language: str) -> None:
    texts = [message["content"] for message in dialogue(1, language).messages]
    for make in (truncated, first_sentences, by_bm25):
        assert 100 < count_tokens(make(texts, 400)) <= 400 + TURNS


def test_it_reports_made_up_dialogues_and_answers_that_stand_in_their_evidence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ["The key is under the blue pot.", "I see.", "And the gate code is 7714."]
    turns = [
        {"id": str(n), "session": "s", "speaker": "user", "text": text, "time": ""}
        for n, text in enumerate(said)
    ]
    questions = [
        {"text": "Where is the key?", "answer": "under the blue pot", "evidence": ["0"]},
        {"text": "Where is the key?", "answer": "outside", "evidence": ["0"]},
        {"text": "What is the code?", "answer": "7714", "evidence": ["0"]},
    ]
    line = json.dumps({"id": "a", "turns": turns, "questions": questions})
    (tmp_path / "mine.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    found = main(
        ["--data", str(tmp_path), "--dialogues", "2", "--embedder", "none", "--out", str(tmp_path)]
    )
    assert found["sets"]["mine"]["facts"] == 1
    for name in ("made-up, en", "made-up, zh"):
        one = found["sets"][name]
        assert one["facts"] == 2 * TURNS // EACH
        assert one["coverage"]["summary"] > one["coverage"]["truncated"]
        assert one["coverage"]["summary and recall"] >= one["coverage"]["recall"]
        assert one["filled"] <= 1
    assert "| mine | 1 |" in capsys.readouterr().out
    (kept,) = tmp_path.glob("summaries-*.json")
    assert json.loads(kept.read_text()) == found
