from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory, Message
from lamina.errors import NotFoundError
from lamina.pipeline.compact.values import Limits
from lamina.testing.fakes import FakeClock
from lamina.testing.validity import is_valid_for
from lamina.text.shapes import sendable

SMALL = Limits(max_input_tokens=2000, ratio=0.75)


@pytest.fixture
def mine(folder: Path) -> Iterator[Memory]:
    with lamina.open(folder, embedder="none", background=False, clock=FakeClock()) as memory:
        yield memory


def talked(memory: Memory, turns: int = 30, *, session: str = "s") -> lamina.Session:
    chat = memory.session(session)
    chat.append("system", "You mend things.")
    chat.append("user", "Please mend error X in log.txt; the deadline is 9 May.")
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    chat.append("assistant", "", extra={"tool_calls": [call]})
    chat.append("tool", "line of the log\n" * 2000, extra={"tool_call_id": "c1"}, id="result")
    chat.append("assistant", "The error X is at line 23 of log.txt: a missing comma.")
    for number in range(turns):
        chat.append("user", f"And what about part {number} of the machine, does it hold water?")
        chat.append("assistant", f"Part {number} is sound; its serial number is {number * 37}.")
    chat.append("user", "Thank you, what is left to do?")
    return chat


def check(chat: lamina.Session, window: Any) -> None:
    """What every window holds to: valid for providers, the last user message whole and last."""
    for provider in ("openai", "anthropic"):
        written = sendable(window.messages, provider)
        assert is_valid_for(provider, written.messages) == []
    last = next(m for m in reversed(chat.messages()) if m.role == "user")
    assert window[-1].content == last.content


def test_old_turns_become_a_summary_and_come_back_by_their_handles(mine: Memory) -> None:
    chat = talked(mine)
    before = list(chat.messages())
    done = chat.compact(limits=SMALL)
    assert done.after < done.threshold < done.before
    assert done.made == "rule"
    assert "log.txt" in done.summary
    assert "line 23" in done.summary
    window = chat.window(2000)
    check(chat, window)
    assert window.tokens <= 2000
    assert any(done.summary in message.text for message in window)
    assert list(chat.messages()) == before
    for message in before:
        assert chat.expand(message.id) == message
    assert set(done.summarised) <= {message.id for message in before}


def test_a_long_result_is_shown_in_part_and_found_by_its_full_text(mine: Memory) -> None:
    chat = mine.session("s")
    chat.append("user", "Read the file.")
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    chat.append("assistant", "", extra={"tool_calls": [call]})
    text = "plain line\n" * 3000 + "the reserve price is SAFFRON-88\n" + "plain line\n" * 3000
    chat.append("tool", text, extra={"tool_call_id": "c"}, id="r")
    chat.append("assistant", "Done.")
    chat.append("user", "What else?")
    limits = Limits(max_input_tokens=8000, recent_results=0)
    done = chat.compact(limits=limits, force=False)
    assert (done.cuts, done.made) == (("r#",), "")
    shown = next(m for m in chat.window(4000) if m.metadata.get("of", m.id) == "r")
    assert len(shown.text.encode()) < 4000
    assert shown.metadata["cuts"][0]["handle"] == "r#"
    assert chat.expand("r#") == text
    hits = mine.search("reserve price SAFFRON-88")
    assert "r" in {source.id for hit in hits for source in hit.source}


def test_a_summary_is_a_memory_that_the_window_does_not_repeat(mine: Memory) -> None:
    chat = talked(mine)
    done = chat.compact(limits=SMALL)
    assert done.memory is not None
    record = mine.get(done.memory)
    assert isinstance(record, lamina.MemoryRecord)
    assert (record.category, record.content) == (lamina.Category.SUMMARY, done.summary)
    where = lamina.Filter(categories=(lamina.Category.SUMMARY,))
    assert [hit.id for hit in mine.search("error X in log.txt", filter=where)] == [done.memory]
    assert done.memory not in [hit.id for hit in chat.context("error X in log.txt").hits]
    assert done.memory in [hit.id for hit in mine.context("error X in log.txt").hits]


def test_the_next_summary_carries_the_last_one_over(mine: Memory) -> None:
    chat = talked(mine)
    first = chat.compact(limits=SMALL)
    for number in range(40):
        chat.append("user", f"Another part, number {number}, came in from Faro.")
        chat.append("assistant", f"Noted: {number} from Faro.")
    second = chat.compact(limits=SMALL)
    assert second.memory == first.memory
    assert "line 23" in second.summary
    assert "Faro" in second.summary
    assert not set(first.summarised) & set(second.summarised)
    again = chat.compact(limits=SMALL, force=False)
    assert (again.before, again.made) == (again.after, "")


def test_it_is_the_same_after_a_restart(folder: Path) -> None:
    with lamina.open(folder, embedder="none", background=False) as memory:
        chat = talked(memory)
        chat.compact(limits=SMALL)
        before = chat.window(2000)
    with lamina.open(folder, embedder="none", background=False) as memory:
        after = memory.session("s").window(2000)
        assert [m.content for m in after] == [m.content for m in before]
        assert memory.session("s").compact(limits=SMALL, force=False).made == ""


def test_a_models_summary_is_used_and_its_failure_is_said(mine: Memory) -> None:
    asked: list[str] = []

    def summariser(_: str, prompt: str, tokens: int) -> str:
        assert tokens > 0
        asked.append(prompt)
        mine.session("s").append("user", "Said while it worked.")
        return "## Facts\n- The error X was at line 23 of log.txt."

    chat = talked(mine)
    done = chat.compact(limits=SMALL, summariser=summariser)
    assert done.made == "model"
    assert "at line 23" in done.summary
    assert "log.txt" in asked[0]
    assert chat.window(2000)[-1].text == "Said while it worked."

    def broken(*_: object) -> str:
        raise RuntimeError("it is down")

    other = talked(mine, session="other")
    done = other.compact(limits=SMALL, summariser=broken)
    assert done.made == "rule"
    assert any("it is down" in note for note in done.notes)


def test_many_at_once_make_one_summary(mine: Memory) -> None:
    chat = talked(mine)
    done: list[Any] = []
    threads = [
        threading.Thread(target=lambda: done.append(chat.compact(limits=SMALL, force=False)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 6
    assert len([one for one in done if one.made]) == 1
    assert len({one.summary for one in done}) == 1
    taken = [id for one in done for id in one.summarised]
    assert len(taken) == len(set(taken))


def test_pinned_messages_and_system_stay(mine: Memory) -> None:
    chat = mine.session("s")
    chat.append("system", "You are terse.")
    pinned = chat.append("user", "Never use the green paint.", metadata={"pinned": True})
    for number in range(200):
        chat.append("user", f"Turn {number} about the paint of the boat")
        chat.append("assistant", f"It is {number}.")
    chat.compact(limits=SMALL)
    for budget in (1500, 600, 300):
        window = chat.window(budget)
        assert window[0].text == "You are terse."
        assert pinned.id in [message.id for message in window]
        assert window[-2].text == "Turn 199 about the paint of the boat"


def test_what_cannot_shrink_is_said(mine: Memory) -> None:
    chat = mine.session("s")
    chat.append("user", "word " * 3000)
    window = chat.window(500, system="s " * 600)
    assert window.notes
    assert window.left_out == () or window[-1].text.startswith("word")
    assert mine.session("empty").window(100).messages == ()


def test_what_is_forgotten_goes_from_the_summary_too(mine: Memory, folder: Path) -> None:
    chat = mine.session("s")
    told = chat.append("user", "The surprise party for Odile is in the boathouse on 9 May.")
    for number in range(60):
        chat.append("user", f"filler remark {number} about the weather and the garden")
    assert "boathouse" in chat.compact(limits=SMALL).summary
    assert mine.forget(told.id).done
    window = chat.window(2000)
    assert not any("boathouse" in message.text for message in window)
    assert b"boathouse" not in b"".join(f.read_bytes() for f in folder.rglob("*") if f.is_file())
    assert mine.search("weather garden")
    with pytest.raises(NotFoundError):
        chat.expand(told.id)
    mine.sessions.delete("s")
    assert not mine.list(filter=lamina.Filter(categories=(lamina.Category.SUMMARY,)))


def test_a_handle_is_this_scopes_own(mine: Memory) -> None:
    told = mine.for_user("ann").session("s").append("user", "Ann's secret")
    with pytest.raises(NotFoundError):
        mine.session("s").expand(told.id)
    for handle in ("none", "none#3", f"{told.id}#99", ""):
        with pytest.raises(NotFoundError):
            mine.for_user("ann").session("s").expand(handle)
    assert isinstance(mine.for_user("ann").session("t").expand(told.id), Message)


# --- a list of one's own


def openai_list(turns: int) -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "You mend things."},
        {"role": "user", "content": "Please mend error X in log.txt."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "line of the log\n" * 2000},
        {"role": "assistant", "content": "The error X is at line 23."},
    ]
    for number in range(turns):
        said.append({"role": "user", "content": f"Is part {number} of the machine sound?"})
        said.append({"role": "assistant", "content": f"Part {number} is sound, {number * 37}."})
    return [*said, {"role": "user", "content": "What is left?"}]


def test_a_list_within_limits_is_kept_and_sent_as_it_is(mine: Memory) -> None:
    given = openai_list(2)
    sent = mine.session("s").before_model(given)
    assert list(sent.messages) == given
    assert (sent.lost, sent.compacting.made) == ((), "")
    assert len(mine.session("s").messages()) == len(given)
    mine.session("s").before_model(given)
    assert len(mine.session("s").messages()) == len(given)


def test_a_long_list_is_sent_in_part_and_kept_whole(mine: Memory) -> None:
    given, chat = openai_list(40), mine.session("s")
    sent = chat.before_model(given, limits=SMALL)
    assert is_valid_for("openai", list(sent.messages)) == []
    assert sent.compacting.after < sent.compacting.threshold < sent.compacting.before
    assert sent.messages[0] == given[0]
    assert sent.messages[-1] == given[-1]
    assert [turn.content or None for turn in chat.messages()] == [one["content"] for one in given]
    again = chat.before_model(given, limits=SMALL)
    assert (again.messages, again.compacting.made) == (sent.messages, "")
    # a loop that goes on from what was sent, not from its own list, loses nothing either
    after = chat.before_model([*sent.messages, {"role": "assistant", "content": "Nothing."}])
    assert len(chat.messages()) == len(given) + 1
    assert after.messages[-1]["content"] == "Nothing."


def test_the_form_of_anthropic_goes_in_and_out(mine: Memory) -> None:
    use = {"type": "tool_use", "id": "t", "name": "read", "input": {"file": "log.txt"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "row\n" * 9000}
    given: list[dict[str, Any]] = [
        {"role": "user", "content": "Read log.txt."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "It has rows."}]},
        {"role": "user", "content": "How many?"},
    ]
    limits = Limits(max_input_tokens=6000, recent_results=0)
    sent = mine.session("s").before_model(given, limits=limits)
    assert is_valid_for("anthropic", list(sent.messages)) == []
    assert sent.compacting.cuts
    assert mine.session("s").expand(sent.compacting.cuts[0]) == result["content"]
    quoted = {"role": "user", "content": "What does expand('none#0') mean?"}
    mine.session("s").before_model([*given, quoted])
    assert mine.session("s").messages()[-1].text == quoted["content"]


@pytest.mark.parametrize("bad", [[1], [{"content": "x"}], [{"role": 3, "content": "x"}]])
def test_what_is_no_message_is_refused_and_nothing_written(mine: Memory, bad: Any) -> None:
    with pytest.raises(lamina.InvalidInputError):
        mine.session("s").before_model([{"role": "user", "content": "good"}, *bad])
    assert mine.session("s").messages() == []


def test_the_commands(run: Any, answer: Any, refused: Any) -> None:
    for number in range(60):
        text = f"Part {number} of the machine has the number {number * 37}."
        answer("add", text, "--role", "user", "--session", "s")
    told = run("session", "compact", "s", "--max-input-tokens", "500")
    assert "tokens (threshold 375)" in told.stdout
    done = answer("session", "compact", "s", "--max-input-tokens", "500")
    assert done["summary"]
    first = answer("session", "show", "s")[0]
    assert run("session", "expand", "s", first["id"]).stdout == first["content"] + "\n"
    refused(run("session", "expand", "s", "none"), 3, "handle")
