"""Secrets and private spans: what is stored, and what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import lamina

TOKEN = "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z0A7b"
SAID = f"My key is {TOKEN} and I need it for the build."


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_a_message_stays_as_it_came_and_what_is_shown_is_masked(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none") as memory:
        added = memory.add([{"role": "user", "content": SAID}], session_id="s")
        assert added.masked == {"token": 1}
        assert memory.session("s").messages()[0].text == SAID
        (hit,) = memory.search("build key")
        assert TOKEN not in hit.text
        assert "[secret:token]" in hit.text
        for level in (None, "content"):
            block = memory.context("build key", level=level).text
            assert "[secret:token]" in block
            assert TOKEN not in block
        assert not memory.search(TOKEN)


def test_messages_are_masked_before_they_are_stored_where_the_owner_says_so(
    tmp_path: Path,
) -> None:
    with lamina.open(tmp_path, embedder="none", redact="messages") as memory:
        blocks = [{"type": "text", "text": SAID}]
        calls = [{"id": "c", "function": {"name": "f", "arguments": TOKEN}}]
        said: list[dict[str, object]] = [
            {"role": "user", "content": SAID},
            {"role": "user", "content": blocks},
            {"role": "assistant", "content": "", "tool_calls": calls},
        ]
        assert memory.add(said, session_id="s").masked == {"token": 3}
        memory.session("s").append("user", SAID)
    assert TOKEN.encode() not in bytes_of(tmp_path)


def test_nothing_is_masked_where_the_owner_says_so(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder="none", redact="off") as memory:
        memory.add(SAID)
        assert memory.search("build key")[0].text == SAID


@pytest.mark.parametrize("redact", ["memories", "messages", "off"])
def test_private_spans_are_never_stored(tmp_path: Path, redact: str) -> None:
    with lamina.open(tmp_path, embedder="none", redact=redact) as memory:
        chat = memory.session("s")
        chat.append("user", "Hello <private>my diagnosis is QUOKKA</private> again")
        chat.append("user", [{"type": "text", "text": "<private>QUOKKA"}])
        memory.add("Noted: <PRIVATE>QUOKKA</PRIVATE> done")
        assert "Hello" in chat.messages()[0].text
        assert not memory.search("QUOKKA")
    assert b"QUOKKA" not in bytes_of(tmp_path)


def test_a_private_key_leaves_one_mark_and_masking_twice_changes_nothing(tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMx9Z\n-----END RSA PRIVATE KEY-----"
    with lamina.open(tmp_path, embedder="none") as memory:
        added = memory.add(f"The key:\n{key}")
        assert added.masked == {"private_key": 1}
        assert memory.get(added.id).content == "The key:\n[secret:private_key]"
        assert not memory.update(added.id, importance=0.9).content.count("password")
