"""What is written is run: code in the README and the docs, commands, and the reference."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")
CHATS = [
    {"id": "c1", "messages": [{"role": "user", "content": "我养了一只橘猫"}]},
    {"id": "c2", "messages": [{"role": "user", "content": "The test photos are on the drive"}]},
]


def named(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(ROOT)) for page in pages]


def blocks(page: Path, language: str) -> list[str]:
    return [code for kind, code in BLOCK.findall(page.read_text("utf-8")) if kind == language]


def with_blocks(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = "".join(json.dumps(chat, ensure_ascii=False) + "\n" for chat in CHATS)
    (tmp_path / "chats.jsonl").write_text(lines, "utf-8")
    return tmp_path


def run(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "LAMINA_STORE": str(folder / "store"), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", with_blocks("python"), ids=named(with_blocks("python")))
def test_python_runs(page: Path, folder: Path) -> None:
    script = folder / "page.py"
    script.write_text("\n".join(blocks(page, "python")), "utf-8")
    run([sys.executable, "-W", "error", str(script)], folder, PYTHONIOENCODING="utf-8")


@pytest.mark.parametrize("page", with_blocks("console"), ids=named(with_blocks("console")))
def test_commands_run(page: Path, folder: Path) -> None:
    for block in blocks(page, "console"):
        for line in block.splitlines():
            if line.startswith("$ lamina "):
                command = [sys.executable, "-m", "lamina", *shlex.split(line)[2:]]
                assert run(command, folder, PYTHONIOENCODING="utf-8").strip()


@pytest.mark.parametrize("page", PAGES, ids=named(PAGES))
def test_links_lead_somewhere(page: Path) -> None:
    for target, _ in LINK.findall(page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_reference_is_what_the_code_says(tmp_path: Path) -> None:
    written = tmp_path / "make.py"
    source = ROOT / "docs" / "reference" / "make.py"
    written.write_text(source.read_text("utf-8"), "utf-8")
    run([sys.executable, str(written)], tmp_path)
    for page in tmp_path.glob("*.md"):
        kept = ROOT / "docs" / "reference" / page.name
        assert page.read_text("utf-8") == kept.read_text("utf-8"), "run docs/reference/make.py"


def test_both_readmes_hold_the_same_code() -> None:
    english, chinese = ROOT / "README.md", ROOT / "README.zh.md"

    def bare(page: Path) -> list[str]:
        code = [*blocks(page, "python"), *blocks(page, "console")]
        return [re.sub(r" *#.*", "", text) for text in code]

    assert bare(english) == bare(chinese)
    headings = [
        len(re.findall(r"^## ", p.read_text("utf-8"), re.MULTILINE)) for p in (english, chinese)
    ]
    assert headings[0] == headings[1]
