"""Whether the clause around an expression speaks of what was or of what will be."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

from lamina.text.dates.days import Tense

_REACH = 160  # characters looked at on either side

_ENDS = re.compile(r"[;!?。！？；\n]|\.(?=\s|$)")
_CLAUSES = re.compile(
    r"[,，、;!?。！？；\n]|\.(?=\s|$)|(?<![a-z])(?:and|but|then|because|so)(?![a-z])"
    r"|然后|但|而|所以"
)

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
    r"(?=[了过刚已曾当那得吃买开签见去来做看说写办聊谈拍拿换修订约定到回走住坐搬读学玩听给送交付收发花喝点叫请打干忙])"
    r"(?:(?<![为除罢])了(?![解不结断])|(?<![超通经不])过(?![去来程期年节几于分两敏度滤半])|刚|已经?|曾"
    r"|当时|那时|得怎么样|[吃买开签见去来做看说写办聊谈拍拿换修订约定到回走住坐搬读学玩听给送交付收发"
    r"花喝点叫请打干忙]的)"
)
_FUTURE_ZH = (
    r"(?=[要会将打准计提安预需记别即马到])"
    r"(?:(?<![需主重只不首次])要(?![求是点素么])"
    r"|(?<![的个场次开社机误体学])会(?=[去来有在是下举到给交参])"
    r"|将(?!军)|打算|准备(?![得好])|计划|提醒|安排|预约|需要|记得|别忘|即将|马上|到时)"
)
_WORD = r"(?<![a-z'])(?=[a-z])"
_MARKERS = re.compile(
    rf"(?P<past>{_WORD}(?:{_PAST_EN})(?![a-z'])|{_PAST_ZH})"
    rf"|(?P<future>{_WORD}(?:{_FUTURE_EN})(?![a-z'])|{_FUTURE_ZH})"
    rf"|(?P<coming>{_WORD}(?:{_COMING_EN})(?![a-z']))",
    re.IGNORECASE | re.ASCII,
)

_HABIT = re.compile(
    r"\b(?:usually|always|often|normally|typically|every|each|generally|daily"
    r"|(?:once|twice|times) (?:a|per|an))\b|每[天日周月年个逢次晚早]|通常|一般|平时|总是|经常|常常"
    r"|老是|习惯|向来|天天|从不|往往",
    re.IGNORECASE,
)


class Verbs:
    """What the words of a text tell of its time, looked up once it is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _ends(self) -> list[int]:
        return [match.end() for match in _ENDS.finditer(self._text)]

    @cached_property
    def _clauses(self) -> list[int]:
        return [match.end() for match in _CLAUSES.finditer(self._text)]

    @cached_property
    def _habits(self) -> list[int]:
        return [match.start() for match in _HABIT.finditer(self._text)]

    @cached_property
    def _markers(self) -> tuple[list[int], list[tuple[int, int, bool, Tense]]]:
        found = [
            (
                *match.span(),
                match["coming"] is not None,
                Tense.PAST if match["past"] else Tense.FUTURE,
            )
            for match in _MARKERS.finditer(self._text)
        ]
        return [marker[0] for marker in found], found

    def tense(self, begin: int, stop: int) -> Tense | None:
        """The tense that the nearest verb shows, in the clause first, then in the sentence."""
        for ends in (self._clauses, self._ends):
            low, high = _around(ends, begin, stop)
            starts, markers = self._markers
            found: tuple[bool, int, Tense] | None = None
            for marker in markers[bisect_left(starts, low) : bisect_left(starts, high)]:
                first, last, weak, tense = marker
                far = max(begin - last, first - stop)
                if (first >= stop or last <= begin) and (found is None or (weak, far) < found[:2]):
                    found = weak, far, tense
            if found:
                return found[2]
        return None

    def habit(self, begin: int, stop: int) -> bool:
        """Whether the sentence speaks of what happens again and again."""
        low, high = _around(self._ends, begin, stop)
        return bisect_left(self._habits, low) < bisect_left(self._habits, high)


def _around(ends: list[int], begin: int, stop: int) -> tuple[int, int]:
    place = bisect_right(ends, begin)
    low = ends[place - 1] if place else 0
    place = bisect_left(ends, stop)
    high = ends[place] if place < len(ends) else stop + _REACH
    return max(low, begin - _REACH), min(high, stop + _REACH)
