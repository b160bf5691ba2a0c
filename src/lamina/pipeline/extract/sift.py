"""What of a message its speaker states himself: the only text that rules draw facts from.

Left out are code, logs, recalled blocks, quoted lines, questions, what is supposed or reported, and
texts handed over to be worked on. Quoted words are blanked, so that no rule can match inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lamina.pipeline.extract import BLANK, chinese, english
from lamina.pipeline.extract.pasted import blank, without_others
from lamina.pipeline.extract.play import TALE, without_play
from lamina.text.chunks import prose
from lamina.text.fence import CLOSE, OPEN
from lamina.text.fold import simplify
from lamina.text.words import has_han

BEFORE = 160  # characters before a sentence that are looked through for whom it is about
LONGEST = 600  # characters of a sentence that a person says; a longer one was pasted

_LINE = f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}"
_RECALLED = re.compile(f"{_LINE}.*?(?:{_LINE}|\\Z)", re.DOTALL)
_RECALLED_LINE = re.compile(r"^- \d{4}-\d\d-\d\d \([^)]*\) .*$", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_INLINE_CODE = re.compile(r"`([^`\n]{1,200})`")
_SENTENCE = re.compile(
    r"[^.!?。！？；\n](?:[^.!?。！？；\n]|[.](?=\S)|(?<=\b[DMSJ][rts])[.]|(?<=\bMrs)[.]"
    r"|(?<=\bProf)[.]|(?<=\b[ap][.]m)[.](?=\s[a-z]))*[.!?。！？；…~～]*[\"”’」』）)]*"
)
# A sentence that says nothing without the one before it.
_GOES_ON = re.compile(
    r"\s*(?:(?:so|and|but) )?(?:(?:the|my|our) (?:fix|solution|cure|cause|culprit|trick"
    r"|workaround|remedy|reason) "
    r"(?:for (?:it|that|this) )?(?:was|is|turned|lay)|(?:it )?turn(?:ed|s) out|(?:his|her|its"
    r"|their) names?\b"
    r"|(?:setting|changing|turning|removing|adding|disabling|enabling|updating|upgrading"
    r"|restarting|clearing)\b"
    r"[^.!?\n]{3,90} (?:fixed|solved|cured|helped))",
    re.IGNORECASE,
)
_QUOTATION = re.compile(
    r"“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|『[^』\n]*』|\"[^\"\n]*\"|(?<!\w)'[^'\n]{2,}'(?!\w)"
)
_LONG_QUOTATION = re.compile(r"(?<![^\s(\[:])\"(?=\S)[^\"\n]{20,3000}\"(?=[\s).,;:!?\]]|$)")
SHORT_QUOTE = 12  # characters: a name or a term, which its speaker uses himself

_HANDED_OVER = re.compile(
    r"[:：]\s*$|[:：]\s*[\"“「『\n]|[:：].{15,}|[:：]\s*[\u4e00-\u9fff].{3,}|\b(?:this"
    r"|following|below)\b[^.\n]{0,60}\n",
    re.DOTALL,
)

# What is said with a laugh may be meant or not.
_LAUGHED = re.compile(
    r"(?:\b(?:lol|lmao|rofl|(?:ha){2,}h?|he(?:he)+)|[;:]-?[DP)]|哈{2,}|呵呵|嘿嘿"
    r"|[😂🤣😜😉])[.!。！~～\s]*$",
    re.IGNORECASE,
)
_QUESTION_END = re.compile(r"[?？][\"”’」』）)\s]*$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that its speaker states. `start` is its place in the message's text."""

    text: str  # quotations blanked; as long as the sentence itself
    start: int
    han: bool
    reported: int = -1  # from here on it tells of somebody else's words; -1 where it does not
    hedged: bool = False
    before: str = ""  # what stands before it, which may say whom it is about


def statements(text: str, *, playing: bool = False) -> list[Statement]:
    """What a message's speaker states himself, sentence by sentence.

    `playing`: he speaks in a play that began before.
    """
    text = without_recalled(text)
    if playing:
        text, _ = without_play(text, playing=True)
    if chinese.JOKE.search(simplify(text)):
        return []
    text = _INLINE_CODE.sub(r" \1 ", text)
    tale = TALE.search(text)
    text = text if tale is None else text[: tale.start()]
    text = without_others(text)
    found: list[Statement] = []
    for begin, end in prose(text):
        part = _QUOTED_LINE.sub(lambda match: " " * len(match[0]), text[begin:end])
        part = _without_handed_over(part)
        part = _LONG_QUOTATION.sub(_blanked, part)  # one may be of several sentences
        for start, stop in _sentences(part):
            sentence = part[start:stop].rstrip()
            lead = len(sentence) - len(sentence.lstrip(" \t-*•·,，、"))
            said = _stated(sentence[lead:], begin + start + lead)
            if said is not None:
                before = part[max(0, start - BEFORE) : start]
                found.append(replace(said, before=before))
    return found


def _sentences(text: str) -> list[tuple[int, int]]:
    """Where its sentences stand; one that goes on with another is one with it."""
    found: list[tuple[int, int]] = []
    for match in _SENTENCE.finditer(text):
        before = text[found[-1][0] : match.start()].rstrip(" ") if found else ""
        is_one = before and before[-1] not in "?？\n" and _GOES_ON.match(match[0])
        if is_one and match.end() - found[-1][0] <= LONGEST:
            found[-1] = (found[-1][0], match.end())
        else:
            found.append(match.span())
    return found


def _without_handed_over(part: str) -> str:
    """The text before what is given to be worked on; mails and chats are blanked."""
    task = english.TASK.search(part)
    if task and _HANDED_OVER.search(part, task.start()):
        part = part[: task.start()]
    if not has_han(part):
        return part
    simple = simplify(part)
    cuts = [
        cut.start() for cut in (chinese.HANDED.search(simple), chinese.PASTED.search(simple)) if cut
    ]
    for line in chinese.TALK.finditer(simple):
        part = part[: line.start()] + blank(line[0]) + part[line.end() :]
    return part[: min(cuts)] if cuts else part


def without_recalled(text: str) -> str:
    """The text with recalled blocks blanked, in whole or line by line."""
    if OPEN in text:
        text = _RECALLED.sub(lambda match: blank(match[0]), text)
    if "- " in text:
        text = _RECALLED_LINE.sub(lambda match: blank(match[0]), text)
    return text


def _stated(sentence: str, start: int) -> Statement | None:
    """A sentence as a statement; None where it states nothing of its speaker's own."""
    if len(sentence) > LONGEST or not sentence:
        return None
    marks = chinese if has_han(sentence) else english
    quoted = _QUOTATION.sub(_blanked, sentence)
    quoted = marks.without_question(quoted)
    simple = simplify(quoted) if marks is chinese else quoted
    if _QUESTION_END.search(simple) or marks.QUESTION.search(simple):
        return None
    if marks.SUPPOSED.search(simple) or (BLANK in simple and marks.TASK.search(simple)):
        return None
    reported = marks.REPORTED.search(simple)
    place = -1 if reported is None else reported.end()
    hedged = marks.HEDGED.search(simple) or _LAUGHED.search(quoted)
    return Statement(quoted, start, marks is chinese, place, bool(hedged))


def _blanked(match: re.Match[str]) -> str:
    inside = match[0][1:-1]
    is_term = len(inside) <= SHORT_QUOTE and " " not in inside.strip()
    return match[0] if is_term else BLANK * len(match[0])
