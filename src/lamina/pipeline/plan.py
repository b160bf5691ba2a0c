"""The first step of recall: what a question asks for. Pure: a text in, a plan out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

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
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；\n])\s*")
SENTENCES = 8  # of a question, embedded one by one: the longest ones where there are more
SHORTEST = 4  # characters of a sentence that says something


@dataclass(frozen=True, slots=True)
class Plan:
    """What to look for, and what speaks for a passage beside its text."""

    words: tuple[str, ...]
    text: str  # the question as it is embedded: without the speakers' names
    sentences: tuple[str, ...] = ()  # of a question with several
    speaker: str | None = None  # the one person whom the question names
    about_self: bool = False  # "what did I ...": what the user said counts for more
    script: str = ""  # that it is written in (see text/script.py)
    about_assistant: bool = False  # "what did you suggest ...": what the assistant said does


def plan(question: str, speakers: Iterable[str] = ()) -> Plan:
    """A question's plan; `speakers` are the names of those who speak in the scope.

    Their names are taken out of what is embedded: in a vector, a name draws every turn in which
    somebody is addressed by it, while those who speak seldom say their own.
    """
    named = [name for name in speakers if _names(question, name)]
    bare = question
    for name in sorted(named, key=len, reverse=True):
        bare = _name_pattern(name).sub(" ", bare)
    bare = " ".join(bare.split())
    text = bare if any(c.isalnum() for c in bare) else question
    return Plan(
        words=tuple(query_words(question)),
        text=text,
        sentences=_sentences(text),
        speaker=named[0] if len(named) == 1 else None,
        about_self=bool(_MYSELF.search(question)),
        script=script(text),
        about_assistant=bool(_ASSISTANT.search(question)),
    )


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
