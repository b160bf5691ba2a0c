from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import InvalidInputError
from lamina.evals.metrics import coverage, score
from lamina.evals.run import evaluated

TURNS = [
    {"id": f"t{n}", "session": "s", "speaker": "user", "text": text, "time": "2026-05-04T10:00"}
    for n, text in enumerate(
        ["The boat is called Petrel", "My sister Ana lives in Faro", "晚饭吃了燕麦粥", "It rained"]
    )
]


def talk(*questions: tuple[str, list[str]]) -> dict[str, Any]:
    asked = [
        {"text": text, "evidence": ids, "category": "one", "asked_at": ""}
        for text, ids in questions
    ]
    return {"id": "c", "turns": TURNS, "questions": asked}


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_conversations_are_asked_their_own_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_EMBEDDER", "none")
    questions = talk(
        ("What is the boat called?", ["t0"]),
        ("Where does Ana live?", ["t1", "t3"]),
        ("What is the name of the horse?", []),
    )
    path = written(tmp_path, questions)
    seen: list[float] = []
    found = evaluated(path, None, seen.append)
    assert (found.questions, found.unanswerable, seen) == (2, 1, [1.0])
    assert found.metrics["all"]["any_hit@1"] == 1.0
    assert found.metrics["one"]["evidence_recall@1"] == pytest.approx(3 / 4)
    assert found.missed == ()
    zipped = tmp_path / "questions.jsonl.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert evaluated(zipped, None).metrics == found.metrics


def test_a_store_is_asked_questions_of_ones_own(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "s", embedder="none", background=False) as memory:
        id = memory.add("The boat is called Petrel").id
        memory.add("The house is blue")
        path = written(
            tmp_path,
            {"question": "boat name?", "expected": [id]},
            {"question": "house colour blue?", "expected": ["HOUSE is blue"], "category": "home"},
            {"question": "the house", "expected": ["purple"]},
        )
        found = evaluated(path, memory)
    assert found.metrics["all"]["any_hit@1"] == pytest.approx(2 / 3)
    assert found.metrics["home"]["mrr"] == 1.0
    assert found.missed == ("the house",)


@pytest.mark.parametrize(
    "line", ["no json", "[1]", "{}", '{"question": 3}', '{"turns": 1}', '{"question": "a"}']
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line, "utf-8")
    with pytest.raises(InvalidInputError, match="line"):
        evaluated(path, None)
    with pytest.raises(InvalidInputError, match="name another file"):
        evaluated(tmp_path / "none.jsonl", None)


def test_metrics_by_hand() -> None:
    row = score(["x", "a", "y", "b"], ["a", "b", "c"])
    assert row["mrr"] == 0.5
    assert (row["any_hit@1"], row["any_hit@5"], row["all_hit@5"]) == (0.0, 1.0, 0.0)
    assert row["evidence_recall@5"] == pytest.approx(2 / 3)
    assert 0 < row["ndcg@5"] < 1
    assert coverage("Met Ana at 12：30 in FARO", ["ana", "12:30", "porto", "faro"]) == 0.75
    assert coverage("", []) == 0.0


def test_the_command(run: Any, answer: Any, refused: Any, tmp_path: Path) -> None:
    answer("add", "The boat is called Petrel")
    path = written(
        tmp_path,
        {"question": "boat?", "expected": ["Petrel"]},
        {"question": "horse?", "expected": ["Rosinante"]},
    )
    told = run("eval", str(path)).stdout
    assert "2 questions, 0 without a known answer left out" in told
    assert "missed: horse?" in told
    assert answer("eval", str(path))["metrics"]["all"]["mrr"] == 0.5
    refused(run("eval", str(tmp_path / "none")), 2, "none")
