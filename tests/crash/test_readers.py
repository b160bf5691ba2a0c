"""Processes read the same waiting messages: each message is read once, by one of them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import lamina

READERS, MESSAGES = 3, 60
READER = """
import sys
import lamina

with lamina.open(sys.argv[1], embedder="none", background=False) as memory:
    memory.search("warm up")
    print("ready", flush=True)
    sys.stdin.readline()
    memory.list()
"""


def test_a_message_is_read_by_one_of_many_processes(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none", background=False) as memory:
        memory.session("empty").append("assistant", "Hello!")
    command = [sys.executable, "-c", READER, str(tmp_path)]
    pipe = subprocess.PIPE
    readers = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(READERS)
    ]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    with lamina.open(tmp_path, embedder="none", background=False) as memory:
        memory.session("s")
        said = [f"I visited the town of Nr{i}ville on 2024-05-02." for i in range(MESSAGES)]
        memory.add([{"role": "user", "content": text} for text in said], session_id="s")
        for reader in readers:
            assert reader.stdin is not None
            reader.stdin.write("go\n")
            reader.stdin.flush()
        for reader in readers:
            assert reader.communicate()[1] == ""
            assert reader.returncode == 0
        found = Counter(record.content for record in memory.list(limit=1000))
        assert len(found) == MESSAGES
        assert set(found.values()) == {1}
        assert {record.version for record in memory.list(limit=1000)} == {1}
