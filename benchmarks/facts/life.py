"""Thirty days of one bilingual user's talk, by a script drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from facts.measure import USER, Fact
from facts.noise import NOISE, answers, noise
from facts.plans import plan
from facts.talk import START, Scribe, Talk, fill, moment, placeholders
from facts.values import Value, lists

SINGLE = ("name", "nickname", "birthday", "employer", "job", "home", "reply")
PAIRS = (("employer", "job"), ("name", "home"), ("like", "dislike"), ("employer", "home"))
MANY = {
    "like": 7, "dislike": 5, "allergy": 3, "habit": 3, "skill": 3, "language": 2, "pet": 2,
    "tool": 3, "decision": 4, "todo": 5, "fix": 3, "note": 5, "version": 3, "kin": 4,
}  # fmt: skip
KIN = ("kin_home", "kin_job", "kin_like", "kin_allergy")
EVENTS = ("promoted", "switched jobs", "升职", "换工作", "跳槽", "搬家")  # that are true as such
LANGUAGES = ("en", "zh")
PLANS, CONFIRMED = 9, 3
NAMED = {"name", "nickname", "employer", "home", "kin", "kin_home", "pet", "tool", "version"}
NOISE_A_DAY = 9
COMMON = {"relation": "relations", "species": "species", "area": "areas"}  # alike in both languages
Act = Callable[[datetime], None]


def life(seed: int, user: int, days: int, split: str, language: str = "both") -> Talk:
    """The talk of one of several users."""
    script = Life(Scribe(f"{seed}/{user}/{split}", split, language), days)
    return script.played()


class Life:
    """A script: acts at their times, played in order."""

    def __init__(self, scribe: Scribe, days: int) -> None:
        self.scribe, self.days = scribe, days
        self.chance = scribe.chance
        self._acts: list[tuple[datetime, int, Act]] = []
        self._tongues: dict[str, str] = {}
        self._index: dict[str, int] = {}

    def played(self) -> Talk:
        """Draw the script and play it."""
        pairs = [pair for pair in PAIRS if self.chance.random() < 0.4]
        for slot in SINGLE:
            self._single(slot)
        for slot, count in MANY.items():
            for number in range(count):
                self._many(slot, f"{slot}:{number}")
        for number in range(PLANS):
            said = moment(self._day(0, 0.9), self.chance)
            plan(self.scribe, self._at, f"plan:{number}", said)
        for number in range(CONFIRMED):
            self._at(moment(self._day(0, 1), self.chance), partial(self._confirm, number))
        for pair in pairs:
            self._at(moment(self._day(0.3, 0.9), self.chance), partial(self._both, pair))
        for day in range(self.days):
            for kind in self.chance.choices([*NOISE], [*NOISE.values()], k=NOISE_A_DAY):
                self._at(moment(day, self.chance), partial(noise, self.scribe, kind))
        for at, _, act in sorted(self._acts, key=lambda one: one[:2]):
            act(at)
        answers(self.scribe)
        return self.scribe.talk(START + timedelta(days=self.days))

    def _at(self, at: datetime, act: Act) -> None:
        self._acts.append((at, len(self._acts), act))

    def _day(self, since: float, until: float) -> float:
        return self.chance.uniform(since, until) * (self.days - 0.01)

    # --- the script

    def _single(self, slot: str) -> None:
        """Said early, again, changed, again; sometimes first said wrongly."""
        first = self._day(0, 0.3)
        self._start(slot, slot, moment(first, self.chance), wrong=0.3)
        self._repeats(slot, slot, first, 0.9, most=3)
        if self.scribe.has(slot, "change") and self.chance.random() < 0.55:
            at = moment(self._day(0.4, 0.8), self.chance)
            self._at(at, partial(self._change, slot, slot))

    def _many(self, slot: str, key: str) -> None:
        """Said once or more, sometimes changed or ended."""
        first = self._day(0, 0.8)
        self._start(slot, key, moment(first, self.chance), wrong=0.15)
        share = first / self.days
        if self.chance.random() < 0.45:
            self._repeats(slot, key, first, 0.99, most=2)
        later = moment(self._day(share + (1 - share) * 0.3, 1), self.chance)
        if self.scribe.has(slot, "end") and self.chance.random() < 0.25:
            self._at(later, partial(self._end, slot, key))
        elif self.scribe.has(slot, "change") and self.chance.random() < 0.4:
            self._at(later, partial(self._change, slot, key))
        if slot == "kin":
            for about in self.chance.sample(KIN, 2):
                start = self._day(share + (1 - share) * 0.2, 1)
                self._start(about, f"{about}/{key}", moment(start, self.chance), wrong=0)
                if self.scribe.has(about, "change") and self.chance.random() < 0.4:
                    at = moment(self._day(start / self.days, 1), self.chance)
                    self._at(at, partial(self._change, about, f"{about}/{key}"))

    def _start(self, slot: str, key: str, at: datetime, *, wrong: float) -> None:
        self._at(at, partial(self._say, slot, key))
        if self.scribe.has(slot, "correct") and self.chance.random() < wrong:
            soon = at + timedelta(minutes=self.chance.randint(2, 9))
            self._at(soon, partial(self._change, slot, key, act="correct"))

    def _repeats(self, slot: str, key: str, first: float, until: float, *, most: int) -> None:
        for _ in range(self.chance.randint(1, most)):
            day = self.chance.uniform(first, self.days * until)
            self._at(moment(day, self.chance), partial(self._say, slot, key))

    # --- acts

    def _tongue(self, slot: str, key: str) -> str:
        """The language of an utterance: things that have no name keep theirs."""
        wanted = self.scribe.tongue()
        known = self._tongues.setdefault(key, wanted)
        return wanted if slot in NAMED or known == wanted else known

    def _words(self, slot: str, key: str, tongue: str) -> tuple[dict[str, str], Value]:
        """New words for a fact, and the value that a memory of it must hold."""
        scribe, code = self.scribe, "zh" if tongue == "zh" else "en"
        common = "en" if tongue == "en" else "zh"
        value = scribe.draw.value(slot, code if slot in NAMED else common)
        while slot == "reply" and key in scribe.facts and value.groups == scribe.facts[key].value:
            value = scribe.draw.value(slot, common)
        words = {slot: value.text}
        old = scribe.said.get(key, {})
        if slot == "kin":
            words |= {"index": old.get("index") or self._next(slot), "kin_key": key}
        elif slot in KIN:
            kin_key = key.partition("/")[2]
            kin = scribe.said[kin_key]["kin"]
            words |= {"kin": kin, "kin_key": kin_key, "index": scribe.said[kin_key]["index"]}
            value = replace(value, groups=((kin,), *value.groups))
        elif slot == "version":
            words["tool"] = old.get("tool") or scribe.draw.value("tool", code).text
            value = replace(value, groups=((words["tool"],), *value.groups))
        elif slot == "fix":
            words["tool"] = old.get("tool") or scribe.draw.value("tool", code).text
        elif slot in {"pet", "decision"}:
            words["index"] = old.get("index") or self._next(slot)
        return words, value

    def _next(self, slot: str) -> str:
        """The place in the lists of the next relation, kind of pet or area."""
        self._index[slot] = self._index.get(slot, self.chance.randrange(12)) + 1
        return str(self._index[slot])

    def _voiced(self, words: Mapping[str, str], tongue: str) -> dict[str, str]:
        """With the words that are the same thing in every language, in this one."""
        code, out = "en" if tongue == "en" else "zh", dict(words)
        for name, many in COMMON.items():
            found = lists()[many][code]
            out[name] = found[int(words.get("index", 0)) % len(found)]
        out.setdefault("reason", self.chance.choice(lists()["reasons"][code]))
        return out

    def _say(self, slot: str, key: str, at: datetime) -> None:
        """State it, or state it again."""
        scribe, tongue = self.scribe, self._tongue(slot, key)
        if key in scribe.facts:
            words = scribe.said[key]
            id, marks = scribe.utter(at, slot, "say", self._voiced(words, tongue), tongue)
            scribe.also(key, id, marks)
        elif key in scribe.said or (slot in KIN and key.partition("/")[2] not in scribe.facts):
            return  # ended meanwhile, or nobody to say it of
        else:
            words, value = self._words(slot, key, tongue)
            id, marks = scribe.utter(at, slot, "say", self._voiced(words, tongue), tongue)
            scribe.state(key, self._fact(slot, value, id, at, words, marks), words)
        self._beside(slot, words, id, at)

    def _fact(
        self, slot: str, value: Value, id: str, at: datetime, words: Mapping[str, str],
        marks: tuple[str, ...],
    ) -> Fact:  # fmt: skip
        person = words["kin"] if slot in KIN else USER
        return Fact(person, slot, value.groups, frozenset({id}), at, marks=marks)

    def _beside(self, slot: str, words: Mapping[str, str], id: str, at: datetime) -> None:
        """What a statement says by the way, and may be stored too."""
        said: list[tuple[str, ...]] = []
        if slot in {"version", "fix"}:
            said.append((words["tool"],))
        many = {"pet": "species", "kin": "relations"}.get(slot)
        if many is not None:  # that there is one, whatever its name
            index = int(words["index"])
            said.append(tuple(lists()[many][c][index % len(lists()[many][c])] for c in LANGUAGES))
        for group in said:
            self.scribe.aside("third", Value("", (group,)), id, at)

    def _change(self, slot: str, key: str, at: datetime, act: str = "change") -> None:
        """Another value in its place."""
        scribe = self.scribe
        if key not in scribe.facts:
            return
        tongue, old = self._tongue(slot, key), scribe.said[key]
        words, value = self._words(slot, key, tongue)
        voiced = self._voiced({**words, "old": old[slot]}, tongue)
        id, marks = scribe.utter(at, slot, act, voiced, tongue)
        scribe.close(key, at, id)
        scribe.aside("third", Value("", (EVENTS,)), id, at)
        scribe.state(key, self._fact(slot, value, id, at, words, marks), words)
        self._beside(slot, words, id, at)

    def _end(self, slot: str, key: str, at: datetime) -> None:
        scribe = self.scribe
        if key not in scribe.facts:
            return
        tongue = self._tongue(slot, key)
        id, _ = scribe.utter(at, slot, "end", self._voiced(scribe.said[key], tongue), tongue)
        scribe.close(key, at, id)

    def _both(self, pair: tuple[str, str], at: datetime) -> None:
        """Two facts in one breath; those of single slots as they are known by now."""
        scribe, tongue = self.scribe, self.scribe.tongue(mixed=False)
        texts = [
            text
            for text in scribe.book["together"]["say"][tongue]
            if set(placeholders(text.partition(" || ")[0])) == set(pair)
        ]
        known = all(self._tongues.get(slot) == tongue or slot in NAMED for slot in pair)
        if not texts or (pair != ("like", "dislike") and not known):
            return
        keys = [slot if slot in SINGLE else f"{slot}:both" for slot in pair]
        if any(slot in SINGLE and slot not in scribe.facts for slot in pair):
            return
        words: dict[str, str] = {}
        values = {}
        for slot, key in zip(pair, keys, strict=True):
            if key in scribe.facts:
                words[slot] = scribe.said[key][slot]
            else:
                values[key] = scribe.draw.value(slot, tongue)
                words[slot] = values[key].text
        text, *marks = self.chance.choice(texts).split(" || ")
        spoken = fill(text, words)
        id = scribe.turn(at, scribe.around(spoken, tongue), pair[0])
        for slot, key in zip(pair, keys, strict=True):
            if key in values:
                fact = self._fact(slot, values[key], id, at, words, tuple(marks))
                scribe.state(key, fact, {slot: words[slot]})
            else:
                scribe.also(key, id, marks)

    def _confirm(self, number: int, at: datetime) -> None:
        """A suggestion of the assistant, and the user's yes."""
        scribe, tongue = self.scribe, self.scribe.tongue(mixed=False)
        words = {
            "decision": scribe.draw.value("decision", tongue).text,
            "index": self._next("decision"),
        }
        voiced = self._voiced(words, tongue)
        ids = []
        for role, act in (("assistant", "suggest"), ("user", "yes")):
            text, _ = scribe.template("confirm", act, tongue)
            text = fill(text, voiced)
            ids.append(scribe.turn(at, text, "confirm", role=role))
            at += timedelta(seconds=30)
        value = ((words["decision"],),)
        fact = Fact(USER, "decision", value, frozenset(ids), at)
        scribe.state(f"decision:confirmed:{number}", fact, words)
