"""The grammar of statements: slots with their forms, read from a file of each language.

A slot is a property that a person, a thing or a project may have: a home, a taste, a pet. Its forms
are the ways to say it. The same forms read a conversation ("I live in Porto") and a memory ("User
lives in Porto"), so that what is told can be held against what is known. The files explain how they
are written.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lamina.pipeline.extract import BLANK, chinese, subjects
from lamina.pipeline.extract.english import third_person
from lamina.pipeline.extract.sift import Statement
from lamina.text.fold import fold
from lamina.types import Category, Json

HERE = Path(__file__).parent / "grammar"
LONGEST_TOPIC = 160
LONGEST_BEGIN = 60  # characters before a clause in which a shorter beginning is looked for
PEOPLE = {"who", "kin", "name_of", "owner", "omitted"}  # the parts of a form that are no values
_MEANT = re.compile(r"\s*[(（]\d{4}(?:-\d\d[^()（）]*| to \d{4})?[)）]")  # added by rules.py
USER = "user"  # the subject of a topic that is the scope's own user


@dataclass(frozen=True, slots=True)
class Form:
    """One way to say a slot: what it looks like, and what it comes to."""

    source: str  # of the pattern, which is made when it is first needed: there are hundreds
    free: bool  # it may stand anywhere in a sentence, not just where a clause begins
    say: str
    topic: str
    value: str  # of the topic; two memories of one topic and value say the same
    sure: bool

    @property
    def pattern(self) -> re.Pattern[str]:
        """What it looks like, between the edges of a clause."""
        return _compiled(self.source)


@dataclass(frozen=True, slots=True)
class Slot:
    """A property, with all the ways to say it."""

    name: str
    category: Category
    importance: float
    cues: tuple[str, ...]  # one of these is in every sentence that says it
    forms: tuple[Form, ...]
    refused: re.Pattern[str] | None  # what no value may be
    dated: bool  # it happens at a time
    when: str  # "past", "future" or "any": it must name such a time; "every": a time that recurs
    alone: str  # drawn only from what no "any" other slot, or none of its "kind", is drawn from
    asks: bool  # it asks something of the assistant: members of a group ask it of each other


@dataclass(frozen=True, slots=True)
class Claim:
    """What a statement says, by one form of one slot."""

    slot: Slot
    text: str  # in the third person
    topic: str
    value: str
    start: int  # its place in the statement
    end: int
    sure: bool


@dataclass(frozen=True, slots=True)
class Language:
    """All slots of a language, and how it speaks of the speaker."""

    slots: tuple[Slot, ...]
    begin: re.Pattern[str]  # where a clause begins
    checks: Mapping[str, re.Pattern[str]]  # what a part must be, by its name
    user: str  # "User"
    own: str  # how "my sister" becomes the user's: "{who}'s "
    shifts: tuple[tuple[re.Pattern[str], str], ...]  # from the first person to the third
    same: tuple[tuple[re.Pattern[str], str], ...]  # from other words for a thing to its one name
    between: re.Pattern[str] | None  # the members of a list
    whole: re.Pattern[str] | None  # a list that is one thing: "trying new foods and drinks"
    subjects: subjects.Subjects | None  # whom a clause is about that leaves its subject out
    many: re.Pattern[str] | None  # kin of whom one has several: nothing holds for one of them only
    amended: re.Pattern[str] | None  # how a speaker mends what he has just said


@cache
def language(name: str, *, told: bool) -> Language:
    """The grammar "en" or "zh": of what a speaker says, or, `told`, of what a memory tells."""
    raw = tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))
    words = {**raw["words"], **raw["told" if told else "said"]}
    read = _Reader(words, raw["values"], raw["edges"])
    mode = "told" if told else "said"

    def of_person(name: str) -> re.Pattern[str]:
        return _compiled(read.filled(raw["person"][name]))

    between, whole = (raw["edges"].get(name) for name in ("between", "whole"))
    return Language(
        tuple(read.slot(entry, mode) for entry in raw["slot"] if _is_of(entry, mode)),
        _compiled(read.filled(raw["edges"]["begin"])),
        {name: _compiled(read.filled(form)) for name, form in raw.get("checks", {}).items()},
        raw["person"]["user"],
        raw["person"]["own"],
        tuple((re.compile(old), new) for old, new in raw["person"]["shifts"]),
        tuple((re.compile(old), new) for old, new in raw["person"].get("same", [])),
        None if between is None else _compiled(between),
        None if whole is None else _compiled(whole),
        subjects.Subjects(*map(of_person, ("subjects", "clauses", "sentences", "neutral")))
        if "subjects" in raw["person"]
        else None,
        None if "many" not in raw["person"] else of_person("many"),
        None if "amended" not in raw["person"] else of_person("amended"),
    )


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def _is_of(entry: str | Mapping[str, Json], mode: str) -> bool:
    """Whether a slot or a form is one of a mode; most are of both."""
    return isinstance(entry, str) or entry.get("only", mode) == mode


class _Reader:
    """Turns entries of a file into slots."""

    def __init__(
        self, words: Mapping[str, str], values: Mapping[str, str], edges: Mapping[str, str]
    ) -> None:
        self._words, self._values, self._edges = words, values, edges

    def slot(self, entry: Mapping[str, Json], mode: str) -> Slot:
        refused, alone = entry.get("refuse"), entry.get("alone", False)
        return Slot(
            name=entry["name"],
            category=Category(entry["category"]),
            importance=entry.get("importance", 0.5),
            cues=tuple(entry["cues"]),
            forms=tuple(self._form(form, entry) for form in entry["forms"] if _is_of(form, mode)),
            refused=None if refused is None else re.compile(self.filled(refused), re.IGNORECASE),
            dated=entry.get("dated", False),
            when=entry.get("when", ""),
            alone="any" if alone is True else alone or "",
            asks=entry.get("asks", False),
        )

    def _form(self, form: str | Mapping[str, Json], entry: Mapping[str, Json]) -> Form:
        own: Mapping[str, Json] = {"form": form} if isinstance(form, str) else form
        whole = {**entry, **own}
        is_free = whole.get("free", False)
        return Form(
            self.filled(own["form"]) + ("" if is_free else self._edges["end"]),
            is_free,
            whole.get("say", ""),
            whole.get("topic", ""),
            whole.get("value", ""),
            whole.get("sure", True),
        )

    def filled(self, form: str) -> str:
        """A form with its {words} and {values} spelt out; a blank stands for any blanks."""

        def spelt(match: re.Match[str]) -> str:
            kind, _, name = match[1].partition(":")
            if kind in self._words:
                return f"(?:{self.filled(self._words[kind])})"
            return f"(?P<{name or kind}>{self.filled(self._values[kind])})"

        return re.sub(r"\{([A-Za-z_]\w*(?::[a-z_]\w*)?)\}", spelt, form.replace(" ", r"\s+"))


@dataclass(frozen=True, slots=True)
class Talk:
    """A statement as its language's forms read it."""

    grammar: Language
    statement: Statement
    speaker: str
    text: str  # spelt as forms are
    places: Sequence[int]  # of its characters in the statement
    starts: Sequence[int]  # of its clauses

    def spelt(self, part: str, start: int) -> str:
        """A part of the text as the speaker spelt it."""
        place = self.text.find(part, start)
        return self.statement.text[slice(*self.span(place, place + len(part)))] or part

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A place in the statement itself."""
        if not 0 <= start < end:
            return 0, 0
        return self.places[start], self.places[end - 1] + 1

    def left_out(self, pronoun: str, start: int) -> Mapping[str, str] | None:
        """Whom a clause from there on is about that does not say it; None where it is unclear."""
        before, _ = chinese.plain(self.statement.before)
        known = self.grammar.subjects
        if known is None:
            return None
        return subjects.left_out(known, pronoun, before, self.text[:start])


def claims(
    statement: Statement, speaker: str, *, told: bool = False, barred: Collection[Claim] = ()
) -> list[Claim]:
    """All that a statement says, by the forms of its language, in their order of precedence.

    `speaker` is the name of who says it; "" is the scope's own user. What is `barred` was found
    to be none, and keeps no other from being heard.
    """
    found: list[Claim] = []
    for name in _languages(statement):
        talk = _talk(name, statement, speaker, told=told)
        lowered = talk.text.lower()
        for slot in talk.grammar.slots:
            if any(cue in lowered for cue in slot.cues) and not (speaker and slot.asks):
                drawn = (claim for claim in _of_slot(slot, talk) if claim not in barred)
                found += (one for one in drawn if not (slot.alone and _is_covered(one, found)))
    return found


def _languages(statement: Statement) -> list[str]:
    """The grammars that a statement is read by: mixed talk by both."""
    if not statement.han:
        return ["en"]
    return ["zh", "en"] if chinese.MIXED.search(statement.text) else ["zh"]


def _talk(name: str, statement: Statement, speaker: str, *, told: bool) -> Talk:
    if told:
        statement = replace(statement, text=_MEANT.sub("", statement.text))
    grammar, text = language(name, told=told), statement.text
    places: Sequence[int] = range(len(text))
    if name == "zh":
        text, places = chinese.plain(text)
    elif statement.han:
        text = chinese.narrow(text)
    return Talk(grammar, statement, speaker, text, places, _starts(text, grammar.begin))


def _is_covered(claim: Claim, by: Sequence[Claim]) -> bool:
    """Whether others say at least half of what a claim says."""
    own, slot = set(range(claim.start, claim.end)), claim.slot
    others = [o for o in by if slot.alone == "any" or o.slot.category is slot.category]
    others = [other for other in others if other.slot is not slot]
    said = own & {place for other in others for place in range(other.start, other.end)}
    return 2 * len(said) >= len(own)


def _starts(text: str, begin: re.Pattern[str]) -> list[int]:
    """Where clauses begin: the ends of all that may stand before one."""
    found = {0}
    for match in begin.finditer(text):
        places = range(match.start(), min(match.start() + LONGEST_BEGIN, match.end()))
        found.update(place for place in places if begin.fullmatch(text, match.start(), place))
        found.add(match.end())
    return sorted(found)


def _matches(form: Form, text: str, starts: Sequence[int]) -> Iterator[re.Match[str]]:
    if form.free:
        yield from form.pattern.finditer(text)
        return
    for start in starts:
        match = form.pattern.match(text, start)
        if match is not None:
            yield match


def _of_slot(slot: Slot, talk: Talk) -> Iterator[Claim]:
    taken: list[tuple[int, int]] = []
    for form in slot.forms:
        for match in _matches(form, talk.text, talk.starts):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            made = [
                claim
                for parts in _each(match, talk.grammar)
                if (claim := _claim(form, parts, slot=slot, at=match.span(), talk=talk)) is not None
            ]
            if made:
                taken.append(match.span())
            yield from made


def _each(match: re.Match[str], grammar: Language) -> Iterator[dict[str, str]]:
    """The parts of a match; once for each `thing` of a list of `things`."""
    parts = {
        name.rstrip("0123456789"): _tidy(text)  # a group of two forms of one is told by a digit
        for name, text in match.groupdict().items()
        if text is not None
    }
    mended = grammar.amended and grammar.amended.match(match.string, match.end())
    if mended:
        parts[next(name for name in reversed(parts) if name not in PEOPLE)] = mended["amended"]
    if "lead" in parts:  # what stood before the subject comes to stand behind it
        parts["lead"] = parts["lead"][:1].lower() + parts["lead"][1:]
    things = parts.pop("things", None)
    if things is None:
        yield parts
        return
    members = [things]
    if grammar.between and not (grammar.whole and grammar.whole.match(things)):
        members = grammar.between.split(things)
    for member in members:
        yield {**parts, "thing": _tidy(member)}


def _claim(
    form: Form,
    parts: Mapping[str, str],
    *,
    slot: Slot,
    at: tuple[int, int],
    talk: Talk,
) -> Claim | None:
    grammar, speaker = talk.grammar, parts.get("owner", talk.speaker)
    if "omitted" in parts:
        meant = talk.left_out(parts["omitted"], at[0])
        if meant is None:
            return None
        parts = {**{name: part for name, part in parts.items() if name != "omitted"}, **meant}
    if not _may_be(parts, slot, grammar):
        return None
    me = speaker or grammar.user
    who, subject = _subject(parts, grammar, me, speaker)
    shown, plain = defaultdict(str, who=who), defaultdict(str)
    for name, part in parts.items():
        said = third_person(part) if name == "does" else part
        shown[name] = _replaced(talk.spelt(said, at[0]), grammar.shifts, me)
        plain[name] = _replaced(_replaced(said, grammar.shifts, me), grammar.same, me)
    topic = ""
    if form.topic:
        below = " ".join(form.topic.format_map(plain).split())
        topic = f"{_replaced(subject, grammar.same, me)}/{below}"
    held = " ".join(form.value.format_map(plain if topic else shown).split())
    values = [name for name in parts if name not in PEOPLE]
    if not held and values:
        held = (plain if topic else shown)[values[-1]]
    if topic and held and grammar.many and grammar.many.fullmatch(parts.get("kin", "")):
        topic += "" if "name_of" in parts else f"/{held}"
    text = " ".join(form.say.format_map(shown).split()).rstrip("，")
    return Claim(slot, text, fold(topic)[:LONGEST_TOPIC], fold(held), *talk.span(*at), form.sure)


def _may_be(parts: Mapping[str, str], slot: Slot, grammar: Language) -> bool:
    """Whether what a form has found may be what it is taken for."""
    if any(BLANK in text or not text for name, text in parts.items() if name != "who"):
        return False
    if any(
        name in parts and not is_.fullmatch(parts[name]) for name, is_ in grammar.checks.items()
    ):
        return False
    values = [part for name, part in parts.items() if name not in {*PEOPLE, "when"}]
    return slot.refused is None or not any(slot.refused.fullmatch(text) for text in values)


def _subject(parts: Mapping[str, str], grammar: Language, me: str, speaker: str) -> tuple[str, str]:
    """How the one it is about is called, in the memory's text and in its topic."""
    kin, name = parts.get("kin", ""), parts.get("name_of", "")
    if kin:
        who = grammar.own.format(who=me) + kin + (f" {name}" if name and name.isascii() else name)
        kind = _replaced(kin, grammar.same, me)
        return who, name or f"{speaker or USER}.{kind}"
    if name:
        return name, name
    return me, speaker or USER


def _tidy(text: str) -> str:
    return text.strip(" \t,，.。;；:：!！~～\"“”'")


def _replaced(text: str, changes: Sequence[tuple[re.Pattern[str], str]], me: str) -> str:
    name = me.replace("\\", r"\\")  # in what replaces a match a backslash means something
    for old, new in changes:
        text = old.sub(new.replace("{who}", name), text)
    return text
