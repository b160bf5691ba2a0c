from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from expected import check_times, everything, holds, levels

import lamina
from lamina.testing.fakes import FakeClock

# Cases that wait for a rule of the grammar.
PENDING = {
    "own-x-zh-job",  # where somebody works, beside what he is
    "own-x-en-name",  # a name before a comma and what follows it
}
SPEAKS = re.compile(r"\b(?:said|says|told|according to)\b|说|称|告诉")


class Story:
    """A case's messages, said into a store."""

    def __init__(self, case: dict[str, Any], folder: Path) -> None:
        self.folder = folder
        said, zone = case["messages"], case.get("zone", "UTC")
        times = [datetime.fromisoformat(message["at"]) for message in said]
        now = datetime.fromisoformat(case["now"]) if "now" in case else max(times)
        self.clock = FakeClock(now, zone)
        self.memory = lamina.open(folder / "s", embedder="none", clock=self.clock, background=False)
        self.known: set[str] = set()
        for given in case.get("existing", []):
            self.set_clock(datetime.fromisoformat(given["at"]))
            self.known.add(self.memory.add(given["text"]).id)
        self.set_clock(now)
        self.ids: list[str] = []
        self.said: list[str] = []
        for message in said:
            self.said.append(text := self.written(message["text"]))
            sent = self.memory.session("s").append(
                message["role"], text, created_at=message["at"], name=message.get("name")
            )
            self.ids.append(sent.id)

    def set_clock(self, now: datetime) -> None:
        self.clock.advance(seconds=(now - self.clock.now()).total_seconds())

    def written(self, spec: Any) -> str:
        """A text; what is recalled in it, as the product itself shows it."""
        if isinstance(spec, str):
            return spec
        if "recalled" in spec:
            return f"{self.block(spec['recalled'])}\n{spec['then']}"
        if "recalled_part" in spec:
            text = spec["recalled_part"]
            (line,) = [one for one in self.block([text]).split("\n") if text in one]
            return f"{line[line.index(text) :]}\n{spec['then']}"
        return "".join(self.written(part) for part in spec["join"])

    def block(self, texts: list[str]) -> str:
        folder = self.folder / f"block{len(self.ids)}"
        with lamina.open(folder, embedder="none", clock=self.clock, background=False) as memory:
            for text in texts:
                memory.update(memory.add(text).id, pinned=True)
            block = memory.context(texts[0]).text
        assert all(text in block for text in texts)
        return block


@pytest.mark.family("extract")
def test_what_is_drawn_from_talk(
    case: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if case["id"] in PENDING:
        request.applymarker(pytest.mark.xfail(reason="waits for the grammar", strict=True))
    story, expect = Story(case, tmp_path), case["expect"]
    memory = story.memory
    new = [record for record in everything(memory) if record.id not in story.known]
    for fact in expect.get("facts", []):
        source = story.ids[fact["from_message"]] if "from_message" in fact else None
        assert any(fits(record, fact, source) for record in new), (fact, new)
    assert len(new) <= expect.get("max_facts", len(new)), new
    assert not (expect.get("nothing") and new), new
    for words in expect.get("keeps_words", []):
        assert any(holds(levels(record), [words]) for record in new), (words, new)
    for words in expect.get("absent", []):
        assert not any(words in text for text in shown(story, case)), words
    for words in expect.get("absent_as_user_fact", []):
        for record in new:
            assert words not in levels(record) or SPEAKS.search(levels(record)), record
    check_times(memory, expect)
    memory.close()


def fits(record: lamina.MemoryRecord, fact: dict[str, Any], source: str | None) -> bool:
    text = levels(record)
    return (
        record.category in fact["category"]
        and holds(text, fact["must_contain"])
        and not any(holds(text, [words]) for words in fact.get("must_not_contain", []))
        and (source is None or source in {one.id for one in record.sources})
    )


def shown(story: Story, case: dict[str, Any]) -> list[str]:
    """What the memories say, and what a search shows but for what others than the user said."""
    texts = [levels(record) for record in everything(story.memory)]
    for query in [*case["expect"]["absent"], *story.said]:
        for hit in story.memory.search(query, limit=50):
            if hit.kind == "memory" or hit.role == "user":
                texts += [hit.text, *(source.quote for source in hit.source)]
    return texts
