"""The command line as a process among others: encodings, pipes, signals, several at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lamina

LAMINA = [sys.executable, "-m", "lamina"]
Run = Callable[..., subprocess.CompletedProcess[bytes]]
OWN = {"LAMINA_USER", "PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL", "LC_CTYPE"}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in OWN}
    return {**kept, "LAMINA_STORE": str(tmp_path / "store"), "LAMINA_EMBEDDER": "none"}


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    def runs(
        *arguments: str, input: bytes = b"", **extra: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*LAMINA, *arguments],
            input=input,
            capture_output=True,
            env={**environment, **extra},
            check=False,
        )

    return runs


def test_chinese_goes_in_and_out_without_a_locale(run: Run) -> None:
    added = run("add", "-", input="我对花生过敏\n".encode(), LC_ALL="C")
    assert (added.returncode, added.stderr) == (0, b"")
    found = run("search", "花生", LC_ALL="C")
    assert found.returncode == 0
    assert "我对花生过敏" in found.stdout.decode()
    assert json.loads(run("list", "--json", LC_ALL="C").stdout)[0]["content"] == "我对花生过敏"


def test_a_console_of_any_encoding_ends_no_command(run: Run) -> None:
    text = "我 héllo 😀 end"
    id = run("add", text, PYTHONIOENCODING="utf-8").stdout.decode().strip()
    for encoding in ("ascii", "latin-1", "gbk"):
        shown = run("get", id, PYTHONIOENCODING=encoding)
        assert (shown.returncode, shown.stderr) == (0, b"")
        assert b"end" in shown.stdout
        as_json = run("get", id, "--json", PYTHONIOENCODING=encoding)
        assert json.loads(as_json.stdout.decode(encoding))["content"] == text
    assert run("get", "不在 😀", PYTHONIOENCODING="gbk").returncode == 3


def test_a_closed_pipe_leaves_no_trace(environment: dict[str, str]) -> None:
    with lamina.open(environment["LAMINA_STORE"], embedder="none") as memory:
        for n in range(400):
            memory.add(f"note {n} " + "words " * 40)
    for options in (["--limit", "1000"], ["--limit", "1000", "--json"]):
        with subprocess.Popen(
            [*LAMINA, "list", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        ) as child:  # fmt: skip
            assert child.stdout is not None
            assert child.stderr is not None
            assert child.stdout.readline()
            child.stdout.close()
            assert child.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_stdout_is_said(environment: dict[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*LAMINA, "list"], stdout=full, stderr=subprocess.PIPE, env=environment, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"lamina: the answer cannot be written: ")


def test_several_processes_add_at_once(run: Run) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda n: run("add", f"heron {n}"), range(4)))
    assert [one.returncode for one in done] == [0] * 4
    kept = {m["id"] for m in json.loads(run("list", "--json").stdout)}
    assert kept == {one.stdout.decode().strip() for one in done}


def test_version_is_said_by_the_command(run: Run) -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.decode().strip()) == (0, f"lamina {lamina.__version__}")


@pytest.mark.skipif(sys.platform == "win32", reason="a console's Ctrl-C is not sent this way")
def test_ctrl_c_during_the_vectors_leaves_words_and_the_rest_for_later(
    run: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("lamina_e5", reason="the weights (lamina-e5) are not installed")
    turns = [{"text": f"heron number {n} stands in the pond of reeds"} for n in range(3000)]
    (tmp_path / "t.jsonl").write_text(json.dumps({"id": "t", "turns": turns}), "utf-8")
    store = environment["LAMINA_STORE"]
    e5 = {**environment, "LAMINA_EMBEDDER": "e5"}
    # a child of a run in the background would ignore it, as that run does
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [*LAMINA, "import", str(tmp_path / "t.jsonl")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=e5,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().strip() == b"3000 messages in 1 sessions"
        with lamina.open(store, embedder="none") as memory:
            while not memory.admin.status().vectors and child.poll() is None:
                time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        said = child.stderr.read().decode()
    assert child.returncode == 0
    assert "passages still wait for their vectors; the next command takes them up" in said
    assert "Traceback" not in said
    before = json.loads(run("status", "--json").stdout)
    assert before["vectors"] > 0
    assert before["pending"] > 0
    found = json.loads(run("search", "heron number 2999", "--json").stdout)
    assert "number 2999 " in found["hits"][0]["text"]
    run("add", "one more", LAMINA_EMBEDDER="e5")
    after = json.loads(run("status", "--json").stdout)
    assert after["vectors"] > before["vectors"]
