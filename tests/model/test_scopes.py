"""Whatever three users with two agents each do, nobody sees or feels another's memory."""

import re
import shutil
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from numpy.typing import NDArray

import lamina
from lamina import (
    Memory,
    MemoryRecord,
    NotFoundError,
    ScopeError,
    Space,
)
from lamina.testing.fakes import FakeClock

USERS = ("zhang", "li", "wang")
AGENTS = ("coder", "cook")
Scoped = tuple[str, str | None]
SCOPES: list[Scoped] = [(user, agent) for user in USERS for agent in (None, *AGENTS)]
WORDS = ("zebra", "road", "interview", "tea", "斑马", "面试", "下周三", "喝茶")
QUESTIONS = ("zebra interview tea", "面试 斑马 zhang")
BUDGET = settings(
    max_examples=8,
    stateful_step_count=14,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


class Fake:
    """Words as random directions: deterministic, and alike for alike texts."""

    space = Space("fake", "words", 8)

    def embed(self, texts: Sequence[str], purpose: str) -> NDArray[np.float32]:  # noqa: ARG002
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        total = np.full(8, 0.01)
        for word in text.split():
            total += np.random.default_rng(zlib.crc32(word.encode())).standard_normal(8)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def close(self) -> None:
        pass


def mark(scope: Scoped) -> str:
    """A word that only this scope's texts hold."""
    return f"secretof{scope[0]}{scope[1] or 'all'}"


def sees(reader: Scoped, writer: Scoped) -> bool:
    """A user's handle sees all of his agents; an agent's sees its own and what is shared."""
    return reader[0] == writer[0] and (reader[1] is None or writer[1] in {None, reader[1]})


def seen(memory: Memory) -> str:
    """Everything that recall lets a handle see, to the last digit."""
    return "\n".join(repr(memory.search(q, limit=100, explain=True)) for q in QUESTIONS)


def rounded(view: str) -> list[float]:
    """The numbers in it: an index built anew adds them up in another order."""
    return [float(number) for number in re.findall(r"raw=([^,)]+)", view)]


class Scopes(RuleBasedStateMachine):
    """A store of several users against a plain list of who wrote what."""

    embedder: str | Fake = "none"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="lamina-scopes-"))
        self._open()
        self.turns: dict[Scoped, dict[str, str]] = {scope: {} for scope in SCOPES}
        self.notes: dict[Scoped, dict[str, str]] = {scope: {} for scope in SCOPES}
        self.last: dict[Scoped, str] = {}
        self.made = 0

    def _open(self) -> None:
        self.opened = lamina.open(
            self.folder, embedder=self.embedder, background=False, clock=FakeClock()
        )
        self.handles = {scope: self.opened.for_user(*scope) for scope in SCOPES}

    def teardown(self) -> None:
        self.opened.close()
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self) -> None:
        self.last = {scope: seen(memory) for scope, memory in self.handles.items()}

    def _wrote(self, writer: Scoped) -> None:
        """Those who may see it see what they see now; all others see what they saw before."""
        for scope, memory in self.handles.items():
            now = seen(memory)
            if sees(scope, writer):
                self.last[scope] = now
            else:
                assert now == self.last[scope], f"a write of {writer} moved what {scope} sees"

    def _text(self, scope: Scoped, words: list[str]) -> str:
        self.made += 1
        return " ".join([*words, mark(scope), f"n{self.made}"])

    @rule(scope=st.sampled_from(SCOPES), words=st.lists(st.sampled_from(WORDS), max_size=5))
    def say(self, scope: Scoped, words: list[str]) -> None:
        text = self._text(scope, words)
        id = f"m{len(self.turns[scope])}"  # the same ids in all scopes
        message = self.handles[scope].session("talk").append("user", text, id=id, name=scope[0])
        self.turns[scope][message.id] = text
        self._wrote(scope)

    @rule(scope=st.sampled_from(SCOPES), words=st.lists(st.sampled_from(WORDS), max_size=5))
    def note(self, scope: Scoped, words: list[str]) -> None:
        text = self._text(scope, words)
        self.notes[scope][self.handles[scope].add(text).id] = text
        self._wrote(scope)

    @rule(scope=st.sampled_from(SCOPES), count=st.integers(2, 30), word=st.sampled_from(WORDS))
    def fill(self, scope: Scoped, count: int, word: str) -> None:
        texts = [self._text(scope, [word]) for _ in range(count)]
        turns = [{"role": "user", "content": text, "id": text.split()[-1]} for text in texts]
        self.handles[scope].add(turns, session_id="talk")
        self.turns[scope].update({text.split()[-1]: text for text in texts})
        self._wrote(scope)

    @rule(scope=st.sampled_from(SCOPES), data=st.data())
    def change(self, scope: Scoped, data: st.DataObject) -> None:
        if self.notes[scope]:
            id = data.draw(st.sampled_from(sorted(self.notes[scope])))
            self.notes[scope][id] = self._text(scope, ["tea"])
            self.handles[scope].update(id, self.notes[scope][id])
            self._wrote(scope)

    @rule(scope=st.sampled_from(SCOPES), data=st.data())
    def erase(self, scope: Scoped, data: st.DataObject) -> None:
        if self.notes[scope]:
            id = data.draw(st.sampled_from(sorted(self.notes[scope])))
            del self.notes[scope][id]
            self.handles[scope].delete(id)
            self._wrote(scope)

    @rule(writer=st.sampled_from(SCOPES), reader=st.sampled_from(SCOPES), data=st.data())
    def reach_for(self, writer: Scoped, reader: Scoped, data: st.DataObject) -> None:
        if not self.notes[writer]:
            return
        id = data.draw(st.sampled_from(sorted(self.notes[writer])))
        memory = self.handles[reader]
        if sees(reader, writer):
            record = memory.get(id)
            assert isinstance(record, MemoryRecord)
            assert record.content == self.notes[writer][id]
            return
        for ask in (memory.get, memory.history, memory.delete):
            with pytest.raises(NotFoundError):
                ask(id)
        with pytest.raises(NotFoundError):
            memory.update(id, "mine now")
        assert self.handles[writer].get(id).id == id

    @rule()
    def reopen(self) -> None:
        self.opened.close()
        self._open()
        for scope, memory in self.handles.items():
            before, self.last[scope] = self.last[scope], seen(memory)
            assert rounded(self.last[scope]) == pytest.approx(
                rounded(before), abs=1e-3, nan_ok=True
            )

    @rule(scope=st.sampled_from(SCOPES))
    def try_what_is_the_openers(self, scope: Scoped) -> None:
        with pytest.raises(ScopeError):
            _ = self.handles[scope].admin
        with pytest.raises(ScopeError):
            self.handles[scope].for_everyone()

    @invariant()
    def nobody_sees_anothers_texts_ids_or_counts(self) -> None:
        for scope, memory in self.handles.items():
            writers = [writer for writer in SCOPES if sees(scope, writer)]
            notes = {id: text for writer in writers for id, text in self.notes[writer].items()}
            texts = {*notes.values(), *(t for w in writers for t in self.turns[w].values())}
            assert {r.id: r.content for r in memory.list(limit=1000)} == notes
            mine = memory.session("talk")
            assert {m.id: m.text for m in mine.messages()} == self.turns[scope]
            assert mine.info().messages == len(self.turns[scope])
            hits = memory.search(" ".join(map(mark, SCOPES)), limit=1000)
            assert {hit.text for hit in hits} == texts
            assert len(hits) == len(texts)


class ScopesWithVectors(Scopes):
    """The same with an embedder."""

    embedder = Fake()


TestWords = Scopes.TestCase
TestWords.settings = BUDGET
TestVectors = ScopesWithVectors.TestCase
TestVectors.settings = BUDGET


@pytest.mark.parametrize("embedder", ["none", Fake()], ids=["words", "vectors"])
def test_a_score_does_not_move_when_another_partition_is_filled(
    tmp_path: Path, embedder: str | Fake
) -> None:
    with lamina.open(tmp_path, embedder=embedder, background=False, clock=FakeClock()) as opened:
        mine = opened.for_user("zhang", "coder")
        for turn in range(30):
            mine.session("talk").append("user", f"zebra {WORDS[turn % 8]} {turn}", name="zhang")
        opened.admin.flush() if embedder != "none" else None
        before = seen(mine)
        assert before.count("Hit(") >= 30
        for scope in (("zhang", "cook"), ("li", None), ("li", "coder")):
            turns = [
                {"role": "user", "content": f"zebra interview tea 面试 {n}", "name": "zhang"}
                for n in range(300)
            ]
            opened.for_user(*scope).add(turns, session_id="talk")
            assert seen(mine) == before
        opened.admin.flush() if embedder != "none" else None
        assert seen(mine) == before
        mine.for_user("zhang").add("zebra, shared by all agents")
        assert seen(mine) != before
    with lamina.open(tmp_path, embedder=embedder, background=False, clock=FakeClock()) as opened:
        alone = opened.for_user("li", "cook")
        assert "shared" not in seen(alone)
