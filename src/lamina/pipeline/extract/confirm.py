"""A suggestion of the assistant that the user plainly confirms: its words become a fact then."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lamina.text.words import has_han
from lamina.types import Candidate, Category, Kind, Message, Role, Source

SHORT = 60  # characters of a plain yes; a longer answer says itself what it means
LONGEST = 300  # characters of a suggestion
IMPORTANCE = 0.7

_YES = re.compile(
    r"(?:(?:yes|yep|yeah|sure|ok(?:ay)?|agreed|perfect|great|sounds good|good idea|right|exactly"
    r"|absolutely|definitely|deal|done)[,.! ]*)*"
    r"(?:(?:let'?s|we'?ll|i'?ll) (?:do|go with|use|take|try) (?:that|this|it)"
    r"|(?:please )?(?:do|go with|use) (?:that|it)|go ahead|agreed|sounds good|that works"
    r"|yes,? please|(?:yes|yep|yeah|ok(?:ay)?|sure),? (?:that'?s (?:it|right|decided)|decided))"
    r"(?: then)?[.! ]*",
    re.IGNORECASE,
)
_YES_ZH = re.compile(
    r"(?:(?:好|好的|行|可以|嗯|对|没问题|同意|是的)[的啊呀吧，,。！! ]*)*"
    r"(?:就(?:这么|这样|按这个|用这个|按你说的)(?:定|办|做|来|吧)?|按你说的(?:办|做|来)"
    r"|就它了|定了|同意|成交)"
    r"(?:了|吧|啦)?[。！!~ ]*"
)
_PROPOSAL = re.compile(
    r"[^.!?\n]*\b(?:how about|what about|shall we|should we|we could|you could"
    r"|i (?:suggest|recommend|propose)|let'?s|my suggestion is)\b([^.!?\n]{4,200})[.?!]",
    re.IGNORECASE,
)
_PROPOSAL_ZH = re.compile(
    r"(?:要不要?|不如|建议你?|我建议|推荐你?|可以考虑|那就|咱们|我们)([^。！？!?\n]{3,100}?)"
    r"(?:怎么样|如何|好吗|好不好|吗|吧|可以吗)?[。！？!?]"
)


def confirmed(message: Message, text: str, before: Sequence[Message]) -> list[Candidate]:
    """The suggestion that a message agrees to; none where it is not a plain yes to a single one."""
    said = text.strip()
    last = before[-1] if before else None
    if message.role is not Role.USER or last is None or last.role is not Role.ASSISTANT:
        return []
    if len(said) > SHORT:
        return []
    han = has_han(said)
    if not (_YES_ZH if han else _YES).fullmatch(said):
        return []
    offered = [
        match
        for shape in (_PROPOSAL_ZH, _PROPOSAL)
        for match in shape.finditer(last.text[-2 * LONGEST :])
    ]
    if len(offered) != 1:
        return []
    what = offered[0][0].strip()
    content = f"用户同意了：{what}" if han else f"User agreed to this: {what}"
    if message.name:
        content = (
            f"{message.name}同意了：{what}" if han else f"{message.name} agreed to this: {what}"
        )
    sources = (
        Source(Kind.MESSAGE, message.id, message.session_id, message.name, said),
        Source(Kind.MESSAGE, last.id, last.session_id, last.name, what),
    )
    return [Candidate(content, Category.EVENTS, sources, message.created_at, importance=IMPORTANCE)]
