"""`lamina extract`: read a conversation for facts, or see what would come of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from lamina.doors.cli.session import embed_few, running
from lamina.doors.cli.show import one_line
from lamina.replies import Extracted
from lamina.types import Action


def run_extract(
    session: str,
    store: Path | None,
    user: str | None,
    agent: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Read, say what was missing, and show what is kept."""
    with running(store, user, agent, as_json=as_json) as run:
        done = run.memory.session(session).extract(dry_run=dry_run)
        for sentence in done.notes:
            run.notes.once(sentence)
        run.answer(done, _summary(done))
        if done.memories and not dry_run:
            embed_few(run)


def _summary(done: Extracted) -> str:
    lines = [f"{record.category:<12} {one_line(record.content)}" for record in done.memories]
    counts = Counter(decision.action for decision in done.decisions)
    verb = "would be kept" if done.dry_run else "kept"
    counted = f"{done.messages} messages read, {len(done.memories)} memories {verb}"
    more = [f"{counts[Action.QUARANTINE]} to be reviewed"] if counts[Action.QUARANTINE] else []
    more += [f"{done.tokens} tokens"] if done.tokens else []
    more += [f"{done.waiting} messages wait for the model"] if done.waiting else []
    return "\n".join([*lines, ", ".join([counted, *more])])
