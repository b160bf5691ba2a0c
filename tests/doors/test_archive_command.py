"""`lamina archive` as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

GUIDE = "# Guide\n\nAbout the zebra house.\n\n## Install\n\nFeed the zebra at dawn.\nClose.\n"


def lamina_command(
    folder: Path, *arguments: str, text: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lamina", *arguments],
        cwd=folder,
        input=text,
        env={**os.environ, "LAMINA_STORE": str(folder / "store"), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_command_adds_lists_finds_and_removes(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "guide.md").write_text(GUIDE, "utf-8")
    (notes / ".hidden").write_text("x", "utf-8")
    added = lamina_command(tmp_path, "archive", "add", "notes", "--no-wait")
    assert added.returncode == 0, added.stderr
    assert added.stdout == "1 added, 1 skipped; 2 passages written\n"
    assert "hidden" in added.stderr
    piped = lamina_command(tmp_path, "archive", "add", "-", "--no-wait", text="a heron")
    assert piped.returncode == 2
    assert "title" in piped.stderr
    piped = lamina_command(
        tmp_path, "archive", "add", "-", "--title", "Birds", "--no-wait", text="a heron"
    )
    assert piped.returncode == 0, piped.stderr
    listed = json.loads(lamina_command(tmp_path, "archive", "list", "--json").stdout)
    assert [one["title"] for one in listed] == ["Birds", "Guide"]
    assert "guide.md" in lamina_command(tmp_path, "archive", "list").stdout
    shown = lamina_command(tmp_path, "search", "zebra at dawn", "--layer", "archival").stdout
    assert f"Guide > Install, {notes / 'guide.md'}#L5-L8" in shown
    assert "in the archive" in lamina_command(tmp_path, "search", "zebra").stderr
    (notes / "guide.md").unlink()
    pruned = lamina_command(tmp_path, "archive", "add", "notes", "--prune", "--json", "--no-wait")
    assert len(json.loads(pruned.stdout)["removed"]) == 1
    gone = lamina_command(tmp_path, "archive", "remove", listed[0]["id"])
    assert gone.stdout == f"{listed[0]['id']}  removed\n"
    assert lamina_command(tmp_path, "archive", "list").stdout == "No documents.\n"
    assert lamina_command(tmp_path, "archive", "remove", "nothing").returncode == 3
