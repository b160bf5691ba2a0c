"""The first step of recall: what a question asks for. Pure: a text in, a plan out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from lamina.text.dates import Interval, find_dates
from lamina.text.script import script
from lamina.text.words import has_han, query_words

# Asking about oneself, or about what the assistant said, in the words that people use for it.
_MYSELF = re.compile(
    r"\b(i|i'm|i've|i'd|i'll|me|my|mine|myself|we|our|us)\b|我|咱",
    re.IGNORECASE,
)
_ASSISTANT = re.compile(
    r"\b((did|do|have|had|could|can) you (ever )?(say|said|suggest|recommend|tell|told|mention|give"
    r"|gave|list|propose|advise|explain|provide|help)\w*"
    r"|you (just |also |previously |once )?(said|suggested|recommended|told|mentioned|gave|listed"
    r"|proposed|advised|explained|provided)"
    r"|your (suggestion|recommendation|advice|answer|list)s?)\b"
    r"|你(之前|上次|刚才|当时)?(说|建议|推荐|告诉|提到|给|列|讲)过?|你的(建议|推荐|回答)",
    re.IGNORECASE,
)
# Who one is: what the profile answers, whatever words it shares with the question.
_IDENTITY = re.compile(
    r"\bwho am i\b|\bwhat(?:'s| is) my (?:full |first |last )?name\b|\bmy name\b.*\?"
    r"|\bwhat do you (?:know|remember) about me\b|\btell me about (?:me|myself)\b"
    r"|\bintroduce me\b"
    r"|我是(?:谁|誰|什么人|什麼人|哪位|做什么的|做什麼的|干什么的)|我叫(?:什么|什麼|啥)"
    r"|我的?(?:名字|姓名|大名|全名)|我姓(?:什么|什麼|啥)|(?:关于|關於|了解|知道)我(?:的|多少|什么|哪些|吗|$)",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"\b(now|nowadays|currently|current|at present|these days|latest|newest|most recent(?:ly)?"
    r"|last time|still|up to date)\b"
    r"|现在|現在|目前|如今|眼下|当前|當前|最新|最近一次|上一次|最后一次|最後一次|还是|仍然",
    re.IGNORECASE,
)
_OLDEST = re.compile(
    r"\b(first(?:ly)?|originally|initially|at first|in the beginning|earliest)\b"
    r"|最初|最早|第一次|起初|原来|原先|一开始|一開始",
    re.IGNORECASE,
)
# What points at something said just before, and names nothing itself.
_ELLIPSIS = re.compile(
    r"\b(?:the )?other (?:one|ones|two)\b|\banother(?: one)?\b"
    r"|\bthe (?:first|second|last|same) one\b"
    r"|\b(?:it|its|that|those|these|them|they|this)\b|\bones?\b|\binstead\b|\bcheaper\b|\bmore\b"
    r"|别的|別的|其他|其它|另一个|另一個|另外|再找|再来|再來|换一|換一|还有吗|還有嗎|那个|那個|这个|這個"
    r"|它|便宜|第[一二三四两]个|刚才|剛才",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；\n])\s*")
SENTENCES = 8  # of a question, embedded one by one: the longest ones where there are more
SHORTEST = 4  # characters of a sentence that says something
MOST_WORDS = 400  # of a question that are looked for: a page of it says no more than that
ELLIPTICAL = 8  # words of a question that may lean on what was said before
REMEMBERED_TURNS, REMEMBERED = 4, 300  # turns that complete it, and characters of them


@dataclass(frozen=True, slots=True)
class Plan:
    """What to look for, and what speaks for a passage beside its text."""

    words: tuple[str, ...]
    text: str  # the question as it is embedded: without the speakers' names
    sentences: tuple[str, ...] = ()  # of a question with several
    script: str = ""  # that it is written in (see text/script.py)
    dates: tuple[Interval, ...] = ()  # that it names
    speaker: str | None = None  # the one person whom the question names
    about_self: bool = False  # "what did I ...": what the user said counts for more
    about_assistant: bool = False  # "what did you suggest ...": what the assistant said does
    identity: bool = False  # "who am I": the profile answers
    newest: bool = False  # "where do I live now": the newer statement counts for more
    oldest: bool = False  # "what was it first": the older
    question: str = ""  # as it was put, with what it leans on


def plan(
    question: str,
    speakers: Iterable[str] = (),
    *,
    now: datetime | None = None,
    zone: ZoneInfo | None = None,
    turns: Sequence[str] = (),
) -> Plan:
    """A question's plan; `speakers` are the names of those who speak in the scope.

    Their names are taken out of what is embedded: in a vector, a name draws every turn in which
    somebody is addressed by it, while those who speak seldom say their own. `turns` are what was
    said just before, oldest first: they complete a question that points at it.
    """
    asked = completed(question, turns)
    named = [name for name in speakers if _names(asked, name)]
    bare = asked
    for name in sorted(named, key=len, reverse=True):
        bare = _name_pattern(name).sub(" ", bare)
    bare = " ".join(bare.split())
    text = bare if any(c.isalnum() for c in bare) else asked
    sentences = _sentences(text)
    brief = not _sentences(question)  # a story told with the question has its own "now" and "first"
    return Plan(
        words=tuple(query_words(asked)[:MOST_WORDS]),
        text=text,
        sentences=sentences,
        script=script(text),
        dates=tuple(find_dates(question, now, zone))
        if now is not None and zone is not None
        else (),
        speaker=named[0] if len(named) == 1 else None,
        about_self=bool(_MYSELF.search(question)),
        about_assistant=bool(_ASSISTANT.search(question)),
        identity=bool(_IDENTITY.search(question)),
        newest=brief and bool(_NEWEST.search(question)),
        oldest=brief and bool(_OLDEST.search(question)),
        question=asked,
    )


def completed(question: str, turns: Sequence[str]) -> str:
    """The question, with what was said before it where it leans on that."""
    if not turns or not _ELLIPSIS.search(question):
        return question
    if len(query_words(question)) > ELLIPTICAL:
        return question
    before = "\n".join(turns[-REMEMBERED_TURNS:])[-REMEMBERED:]
    return f"{before}\n{question}"


def _names(question: str, name: str) -> bool:
    return name.casefold() in question.casefold() and bool(_name_pattern(name).search(question))


def _name_pattern(name: str) -> re.Pattern[str]:
    """The name as a word of its own, with its genitive; within Chinese, words have no borders."""
    literal = re.escape(name)
    if has_han(name):
        return re.compile(literal)
    return re.compile(rf"(?<![A-Za-z]){literal}(?:['’]s)?(?![A-Za-z])", re.IGNORECASE)


def _sentences(text: str) -> tuple[str, ...]:
    parts = [part.strip() for part in _SENTENCE.split(text)]
    parts = [part for part in parts if len(part) >= SHORTEST]
    if len(parts) < 2:
        return ()
    longest = sorted(parts, key=len, reverse=True)[:SENTENCES]
    return tuple(part for part in parts if part in longest)
