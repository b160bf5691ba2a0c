"""`lamina demo`: remember a sample conversation, close, open again, ask."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import typer
from platformdirs import user_cache_path

from lamina.doors.cli import show
from lamina.doors.cli.importing import embed_all
from lamina.doors.cli.session import fail, running
from lamina.errors import LaminaError, NotAStoreError

QUESTIONS = (
    "我对什么过敏？",
    "面试准备得怎么样了",
    "豆包每天吃多少",
    "What was the problem with HEIC files?",
    "When is the half marathon?",
    "Where are the test photos?",
)
BUDGET = 200
MARK = ".lamina-demo"  # only a folder with this file in it is ever removed


def run_demo(store: Path | None, *, as_json: bool) -> None:
    """The whole story, from an empty folder."""
    folder = store or user_cache_path("lamina", appauthor=False) / "demo"
    try:
        _clear(folder)
    except LaminaError as error:
        fail(error, as_json=as_json)
    with running(folder, as_json=as_json) as run:
        (folder / MARK).write_text("made by `lamina demo`, which may remove it\n", "utf-8")
        sample = files("lamina") / "samples" / "conversation.jsonl"
        with as_file(sample) as path:
            done = run.memory.import_(path)
        if not as_json:
            typer.echo(f"Remembered {done.messages} turns of {done.sessions} conversations.")
        embed_all(run)
    if not as_json:
        typer.echo("Closed the store, and opened it again.\n")
    with running(folder, as_json=as_json) as run:
        answers = {q: run.memory.search(q, limit=2, explain=True) for q in QUESTIONS}
        block = run.memory.context(QUESTIONS[1], max_tokens=BUDGET)
        if as_json:
            run.answer({"store": str(folder), "answers": answers, "context": block}, "")
            return
        for question, found in answers.items():
            typer.echo(f"? {question}\n{show.hits(found, run.memory.zone, explain=True)}\n")
        for sentence in dict.fromkeys(s for found in answers.values() for s in found.degraded):
            run.notes.once(sentence)
        typer.echo(f"The block for a prompt, {block.tokens} of {BUDGET} tokens:\n{block.text}\n")
    typer.echo(NEXT.format(folder=folder))


def _clear(folder: Path) -> None:
    """Remove what an earlier demo left there, and nothing else."""
    if (folder / MARK).is_file():
        shutil.rmtree(folder)
    elif folder.is_dir() and any(folder.iterdir()):
        raise NotAStoreError(
            f"{folder} holds something that is not the demo's; give an empty folder or a new one"
        )


NEXT = """What next?
  ask more     lamina search --store '{folder}' "what does the cat eat?"
  your own     lamina add "下周三有技术面试"     lamina search "面试"
  your chats   lamina import conversations.json
  in Python    import lamina; memory = lamina.open("my-agent")"""
