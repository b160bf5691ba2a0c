"""A summary by rule: of everything that was said, what weighs most, within a budget of tokens.

Each sentence is worth the numbers, names and rare words in it that no chosen line has yet, more if
the user said it of his own; the best per token are taken. What was asked first and last, what was
said last, the files touched and the errors met have places of their own.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lamina.pipeline.compact import cues
from lamina.pipeline.compact.lines import Line, Section, parsed, written
from lamina.pipeline.compact.results import words_of
from lamina.text.script import script
from lamina.text.shapes import Call, Result, parts
from lamina.text.tokens import count_tokens
from lamina.text.words import index_words
from lamina.types import Message, Role

LEAST_TOKENS, EACH, MOST_TOKENS = 400, 8, 4000  # of a summary: at least, a message, at most
_ROLES = {Role.USER: 1.0, Role.ASSISTANT: 0.6, Role.TOOL: 0.5}
_OWN, _ASKED, _TOLD = 1.3, 0.4, 1.2  # what a speaker says of his own; a question; told before
_SOCIAL = 0.4  # thanks and praise
_RARE, _RARE_MOST = 0.5, 6  # worth of a word that nobody else uses, and how many count
_LONG_WORD = 8  # letters: shorter words say less, and are in all texts
_REF, _HEADING = 3, 5  # tokens of a line's number and end, and of a heading
_LINE = 3  # tokens that are put to a line's cost when its worth is held against it
_FEW, _SAME = 4, 0.8  # so many lines of one form count in full; each further one less and less
_NUMBER = re.compile(r"\d+")
_LEAST = 0.03  # worth below which a sentence says nothing
_SIDE = 28  # tokens of what was asked first and last, and said last
_FILES = 0.15  # share of the budget that files may take
_ERRORS = 3  # lines of errors of one result
_LOOKED = 200_000  # characters of a result in which errors are looked for, at both ends


@dataclass(slots=True)
class _Candidate:
    line: Line
    hard: Mapping[str, float]
    words: Sequence[str]
    weight: float
    cost: int
    worth: float = 0.0

    @property
    def form(self) -> str:
        """Its sentence with the numbers taken out: a list of them says much the same."""
        return _NUMBER.sub("0", self.line.text.casefold())


@dataclass(slots=True)
class _Chosen:
    """Lines taken so far, and what they cover."""

    room: int
    lines: list[Line] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)
    sections: set[Section] = field(default_factory=set)

    def take(self, line: Line, *, always: bool = False) -> bool:
        """Put a line in if there is room."""
        cost = count_tokens(line.text) + _REF + len(line.name.split())
        cost += 0 if line.section in self.sections else _HEADING
        if (cost > self.room and not always) or any(line.text == x.text for x in self.lines):
            return False
        self.room -= cost
        self.lines.append(line)
        self.sections.add(line.section)
        self.covered.update(cues.hard_words(line.text), index_words(line.text))
        return True


def summary_budget(messages: int) -> int:
    """Tokens of a summary of so many messages."""
    return min(MOST_TOKENS, max(LEAST_TOKENS, messages * EACH))


def language_of(messages: Sequence[Message]) -> str:
    """The language of headings: zh where the users write Chinese, else en."""
    said = " ".join(words_of(m)[:200] for m in messages if m.role is Role.USER)[:2000]
    return "zh" if script(said) == "han" else "en"


def by_rule(
    messages: Sequence[Message],
    numbers: Sequence[int],
    *,
    previous: str = "",
    budget: int = LEAST_TOKENS,
    language: str = "en",
) -> str:
    """What these messages say that matters, in about `budget` tokens at most.

    `numbers` are the messages' places in the conversation, from 1, which the lines name. The
    `previous` summary is carried over: whole where it fits, else what weighs most of it.
    """
    chosen = _Chosen(budget, covered={m.name.casefold() for m in messages if m.name})
    before = parsed(previous)
    carried = [line for line in before if line.section is not Section.STATE]
    fits = count_tokens(previous) <= budget * 2 // 3
    for line in carried if fits else ():
        chosen.take(line, always=True)
    told = [line for line in before if not fits or line.section is Section.STATE]
    _take_sides(
        chosen,
        messages,
        numbers,
        has_intent=any(line.section is Section.INTENT for line in chosen.lines),
    )
    _take_files(chosen, messages, numbers, budget)
    _take_best(chosen, [*_told(told), *_said(messages, numbers)], len(messages))
    lines = sorted(chosen.lines, key=lambda line: line.number)
    text = written(lines, language)
    while count_tokens(text) > budget and len(lines) > 1:
        # The last one taken weighs least; what was carried over whole stays.
        lines.remove(chosen.lines.pop())
        text = written(lines, language)
    return text


def _take_sides(
    chosen: _Chosen, messages: Sequence[Message], numbers: Sequence[int], *, has_intent: bool
) -> None:
    """What was asked first and last, and what was said last."""
    users = [(n, s) for m, n in zip(messages, numbers, strict=True) if (s := _asked(m))]
    if users and not has_intent:
        chosen.take(Line(Section.INTENT, _held(users[0][1]), users[0][0]))
    if len(users) > 1 and (cues.is_request(users[-1][1]) or cues.is_question(users[-1][1])):
        chosen.take(Line(Section.INTENT, _held(users[-1][1]), users[-1][0]))
    for message, number in zip(reversed(messages), reversed(numbers), strict=True):
        if message.role is Role.ASSISTANT and (said := list(cues.sentences(words_of(message)))):
            chosen.take(Line(Section.STATE, _held(said[-1]), number))
            return


def _asked(message: Message) -> str:
    """What a user's message asks for; the first that it says where it asks for nothing."""
    if message.role is not Role.USER:
        return ""
    said = list(cues.sentences(words_of(message)))
    wanted = (s for s in said if cues.is_request(s) or cues.is_question(s))
    return next(wanted, next((s for s in said if not cues.is_social(s)), ""))


def _held(text: str) -> str:
    """The beginning of a sentence, at most _SIDE tokens of it."""
    if count_tokens(text) <= _SIDE:
        return text
    end = len(text) * _SIDE // count_tokens(text)
    blank = text.rfind(" ", end // 2, end)
    return text[: blank if blank > 0 else end].rstrip(" ,，") + "…"


def _take_files(
    chosen: _Chosen, messages: Sequence[Message], numbers: Sequence[int], budget: int
) -> None:
    """Files and addresses that tools worked on, or that were named, the latest first."""
    last: dict[str, int] = {}
    weight: Counter[str] = Counter()
    for message, number in zip(messages, numbers, strict=True):
        for part in parts(message):
            if isinstance(part, Result):
                continue
            text = part.as_text if isinstance(part, Call) else words_of(message)
            for match in cues.FILE.finditer(text[:_LOOKED].replace("\\/", "/")):
                last[match[0]] = number
                weight[match[0]] += 3 if isinstance(part, Call) else 1
    room = chosen.room - int(budget * _FILES)
    for name in sorted(last, key=lambda n: (-weight[n], -last[n])):
        if chosen.room <= room or not chosen.take(Line(Section.FILES, name, last[name])):
            break


def _told(lines: Sequence[Line]) -> Iterator[tuple[Line, float]]:
    """Lines of the previous summary that must compete with what is new."""
    for line in lines:
        section = Section.FACTS if line.section is Section.STATE else line.section
        pieces = list(cues.sentences(line.text)) if not line.number else [line.text]
        for piece in pieces:
            yield replace(line, section=section, text=piece), _TOLD


def _said(messages: Sequence[Message], numbers: Sequence[int]) -> Iterator[tuple[Line, float]]:
    """Every sentence of the messages, and the errors that tools told of, with their weights."""
    for message, number in zip(messages, numbers, strict=True):
        if message.role is Role.TOOL or any(isinstance(p, Result) for p in parts(message)):
            for error in _errors(message):
                yield Line(Section.ERRORS, error, number), _ROLES[Role.TOOL]
        weight = _ROLES.get(message.role, 0.0)
        if message.role is Role.TOOL or not weight:
            continue
        name = message.name or "" if message.role is Role.USER else ""
        by_user = message.role is Role.USER
        for sentence in cues.sentences(words_of(message)[:_LOOKED]):
            factor = weight * (_OWN if cues.is_own(sentence) else 1.0)
            factor *= _ASKED if cues.is_question(sentence) else 1.0
            factor *= _SOCIAL if cues.is_social(sentence) else 1.0
            yield Line(cues.section_of(sentence, by_user=by_user), sentence, number, name), factor


def _errors(message: Message) -> list[str]:
    found: dict[str, None] = {}
    for result in (part for part in parts(message) if isinstance(part, Result)):
        text = result.text
        if len(text) > 2 * _LOOKED:
            text = f"{text[:_LOOKED]}\n{text[-_LOOKED:]}"
        for line in text.splitlines():
            if len(line) < 1000 and cues.is_error(line):
                found[cues.tight(line)[:160]] = None
    return [line for line in list(found)[-_ERRORS:] if line]


def _take_best(chosen: _Chosen, said: Sequence[tuple[Line, float]], messages: int) -> None:
    """Take the lines of most worth for a token, worth counted beside what is taken already."""
    candidates = _weighed(said)
    spread: Counter[str] = Counter()
    seen: set[tuple[int, str]] = set()
    for candidate in candidates:
        for word in candidate.words:
            if (candidate.line.number, word) not in seen:
                seen.add((candidate.line.number, word))
                spread[word] += 1
    most = math.log(max(messages, 8))
    rarity = {word: _weight(word) * max(0.0, 1 - math.log(n) / most) for word, n in spread.items()}
    heap: list[tuple[float, int]] = []
    forms: Counter[str] = Counter()  # of the lines taken
    for place, candidate in enumerate(candidates):
        candidate.worth = _worth(candidate, chosen.covered, rarity)
        heapq.heappush(heap, (-_rate(candidate), place))
    while heap and chosen.room > _REF:
        rate, place = heapq.heappop(heap)
        candidate = candidates[place]
        candidate.worth = _worth(candidate, chosen.covered, rarity)
        if candidate.worth < _LEAST:
            continue
        candidate.worth *= _SAME ** max(0, forms[candidate.form] - _FEW)
        if heap and -_rate(candidate) > heap[0][0] + 1e-9 and -_rate(candidate) > rate:
            heapq.heappush(heap, (-_rate(candidate), place))
            continue
        if chosen.take(candidate.line):
            forms[candidate.form] += 1


def _weighed(said: Sequence[tuple[Line, float]]) -> list[_Candidate]:
    once: dict[str, _Candidate] = {}
    for line, weight in said:
        key = line.text.casefold()
        if key not in once:
            words = tuple(dict.fromkeys(index_words(line.text)))
            cost = count_tokens(line.text) + _REF
            once[key] = _Candidate(line, cues.hard_words(line.text), words, weight, cost)
    return list(once.values())


def _worth(candidate: _Candidate, covered: set[str], rarity: Mapping[str, float]) -> float:
    hard = sum(w for word, w in candidate.hard.items() if word not in covered)
    rare = sorted((rarity.get(w, 0.0) for w in candidate.words if w not in covered), reverse=True)
    return candidate.weight * (hard + _RARE * sum(x * x for x in rare[:_RARE_MOST]))


def _weight(word: str) -> float:
    return min(1.0, len(word) / _LONG_WORD) if word.isascii() else 1.0


def _rate(candidate: _Candidate) -> float:
    return candidate.worth / (candidate.cost + _LINE)
