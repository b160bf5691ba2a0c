"""Whether the clause around an expression speaks of what was or of what will be."""

from __future__ import annotations

import re

from lamina.text.dates.days import Tense

_REACH = 160  # characters looked at on either side

_ENDS = re.compile(r"[;!?。！？；\n]|\.(?=\s|$)")
_CLAUSES = re.compile(r"[,，、]|\b(?:and|but|then|because|so)\b|然后|但是?|而且?|所以")

_PAST_EN = (
    r"did|didn't|since|was|were|wasn't|weren't|had|been|went|said|met|saw|ate|drank|bought|came|got"
    r"|gave|took|made|told|thought|knew|found|left|felt|wrote|ran|began|brought|built|caught"
    r"|chose|drove|fell|flew|forgot|grew|heard|held|kept|lost|paid|read|rode|sang|sat|sent|sold"
    r"|slept|spent|spoke|stood|swam|taught|woke|won|wore|broke|sold|became|happened|ago|already"
    r"|(?!need|feed|speed|indeed|hundred|embed|scheduled|wed|seed|weed|breed|exceed|proceed"
    r"|succeed|supposed)[a-z]{2,20}ed"
)
_FUTURE_EN = (
    r"will|won't|shall|gonna|[a-z]{1,5}'ll|going to|remind|upcoming|scheduled|due|deadline|tomorrow"
)
# These tell the time only where no other verb does: "what did we plan".
_COMING_EN = (
    r"plans?|planning|must|should|needs?|have to|has to|let's|wants?|expects?|supposed|expires?"
    r"|starts?|begins?|ends?|leaves?|arrives?|can|could|are|is"
)
_PAST_ZH = (
    r"(?<![为除罢])了(?![解不结断])|(?<![超通经不])过(?![去来程期年节几于分两敏度滤半])|刚|已经?|曾"
    r"|当时|那时|得怎么样"
    r"|[吃买开签见去来做看说写办聊谈拍拿换修订约定到回走住坐搬读学玩听给送交付收发花喝点叫请打干忙]的"
)
_FUTURE_ZH = (
    r"(?<![需主重只不首次])要(?![求是点素么])|(?<![的个场次开社机误体学])会(?=[去来有在是下举到给交参])"
    r"|将(?!军)|打算|准备(?![得好])|计划|提醒|安排|预约|需要|记得|别忘|即将|马上|到时"
)
_MARKERS = re.compile(
    rf"(?P<past>(?<![a-z'])(?:{_PAST_EN})(?![a-z'])|{_PAST_ZH})"
    rf"|(?P<future>(?<![a-z'])(?:{_FUTURE_EN})(?![a-z'])|{_FUTURE_ZH})"
    rf"|(?P<coming>(?<![a-z'])(?:{_COMING_EN})(?![a-z']))",
    re.IGNORECASE | re.ASCII,
)

_HABIT = re.compile(
    r"\b(?:usually|always|often|normally|typically|every|each|generally|daily"
    r"|(?:once|twice|times) (?:a|per|an))\b|每[天日周月年个逢次晚早]|通常|一般|平时|总是|经常|常常"
    r"|老是|习惯|向来|天天|从不|往往",
    re.IGNORECASE,
)


def tense_of(text: str, begin: int, stop: int) -> Tense | None:
    """The tense that the nearest verb shows, in the clause first, then in the sentence."""
    left, right = _around(_ENDS, text, begin, stop)
    clause = _around(_CLAUSES, text, begin, stop)
    for low, high in ((max(left, clause[0]), min(right, clause[1])), (left, right)):
        found: tuple[bool, int, Tense] | None = None
        for match in _MARKERS.finditer(text, low, high):
            if match.start() < stop and match.end() > begin:
                continue
            far = max(begin - match.end(), match.start() - stop)
            weak = match["coming"] is not None
            if found is None or (weak, far) < found[:2]:
                found = weak, far, Tense.PAST if match["past"] else Tense.FUTURE
        if found:
            return found[2]
    return None


def is_habit(text: str, begin: int, stop: int) -> bool:
    """Whether the clause speaks of what happens again and again."""
    return _HABIT.search(text, *_around(_ENDS, text, begin, stop)) is not None


def _around(ends: re.Pattern[str], text: str, begin: int, stop: int) -> tuple[int, int]:
    left = max(0, begin - _REACH)
    for match in ends.finditer(text, left, begin):
        left = match.end()
    right = ends.search(text, stop, stop + _REACH)
    return left, right.start() if right else min(len(text), stop + _REACH)
