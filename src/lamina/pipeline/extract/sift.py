"""What of a message its speaker states himself: the only text that rules draw facts from.

Left out are code, logs, recalled blocks, quoted lines, questions, what is supposed or reported, and
texts handed over to be worked on. Quoted words are blanked, so that no rule can match inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lamina.pipeline.extract import BLANK, chinese, english
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
_QUOTATION = re.compile(
    r"“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|『[^』\n]*』|\"[^\"\n]*\"|(?<!\w)'[^'\n]{2,}'(?!\w)"
)
_LONG_QUOTATION = re.compile(r"(?<![^\s(\[:])\"(?=\S)[^\"\n]{20,3000}\"(?=[\s).,;:!?\]]|$)")
SHORT_QUOTE = 12  # characters: a name or a term, which its speaker uses himself

_HANDED_OVER = re.compile(
    r"[:：]\s*$|[:：]\s*[\"“「『\n]|[:：].{15,}|\b(?:this|following|below)\b[^.\n]{0,60}\n",
    re.DOTALL,
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


def statements(text: str) -> list[Statement]:
    """What a message's speaker states himself, sentence by sentence."""
    text = _without_recalled(text)
    if english.JOKE.search(text) or chinese.JOKE.search(simplify(text)):
        return []
    text = _INLINE_CODE.sub(r" \1 ", text)
    text = english.LETTER.sub(lambda match: _blank(match[0]), text)
    found: list[Statement] = []
    for begin, end in prose(text):
        part = _QUOTED_LINE.sub(lambda match: " " * len(match[0]), text[begin:end])
        part = _without_handed_over(part)
        part = _LONG_QUOTATION.sub(_blanked, part)  # one may be of several sentences
        for match in _SENTENCE.finditer(part):
            sentence = match[0].rstrip()
            lead = len(sentence) - len(sentence.lstrip(" \t-*•·,，、"))
            said = _stated(sentence[lead:], begin + match.start() + lead)
            if said is not None:
                before = part[max(0, match.start() - BEFORE) : match.start()]
                found.append(replace(said, before=before))
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
        part = part[: line.start()] + _blank(line[0]) + part[line.end() :]
    return part[: min(cuts)] if cuts else part


def _without_recalled(text: str) -> str:
    """The text with recalled blocks blanked, in whole or line by line."""
    if OPEN in text:
        text = _RECALLED.sub(lambda match: _blank(match[0]), text)
    if "- " in text:
        text = _RECALLED_LINE.sub(lambda match: _blank(match[0]), text)
    return text


def _blank(text: str) -> str:
    return "".join(c if c == "\n" else " " for c in text)


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
    return Statement(quoted, start, marks is chinese, place, bool(marks.HEDGED.search(simple)))


def _blanked(match: re.Match[str]) -> str:
    inside = match[0][1:-1]
    is_term = len(inside) <= SHORT_QUOTE and " " not in inside.strip()
    return match[0] if is_term else BLANK * len(match[0])
