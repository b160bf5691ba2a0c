"""A suggestion of the assistant that the user plainly confirms: its words become a fact then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from lamina.pipeline.extract.rules import said_as
from lamina.text.words import has_han
from lamina.types import Candidate, Category, Kind, Message, Role, Source

SHORT = 60  # characters of a plain yes; a longer answer says itself what it means
LONGEST = 600  # characters of an answer's end in which a suggestion is looked for
IMPORTANCE = 0.7

_YES = re.compile(
    r"(?:(?:yes|yep|yeah|yup|sure|ok(?:ay)?|agreed|perfect|great|sounds (?:good|great|fine)"
    r"|good (?:idea|call|plan|point)|right|exactly|fine(?: by me| with me)?|cool|nice|alright"
    r"|absolutely|definitely|deal|done|love it|i agree|makes sense|why not"
    r"|works for me)[,.!; –—-]*)*"
    r"(?:(?:let['’]?s|we['’]?ll|i['’]?ll|let us) (?:do|go with|use|take|try|go for|choose|pick"
    r"|stick with) "
    r"(?:that|this|it)(?: one)?|let['’]?s go|let['’]?s"
    r"|(?:please )?(?:do|go with|use|go for|take) (?:that|it|this)(?: one)?|(?:please )?go ahead"
    r"|agreed"
    r"|sounds (?:good|great|fine)(?: to me)?|that works(?: for me)?|works for me|fine by me|deal"
    r"|sold"
    r"|good (?:idea|call|plan)|perfect|i agree|that['’]?s (?:it|decided|settled)|make it so"
    r"|do it|please do"
    r"|yes,? please|yes|(?:yes|yep|yeah|ok(?:ay)?|sure),? (?:that['’]?s (?:it|right|decided)"
    r"|decided))"
    r"(?: then| please)?[.! ]*",
    re.IGNORECASE,
)
_YES_ZH = re.compile(
    r"(?:(?:好|好的|好啊|好主意|行|可以|嗯+|对|没问题|同意|是的|不错|听你的"
    r"|成)[的啊呀吧哦，,。！! ]*)*"
    r"(?:那?就(?:这么|这样|按这个|用这个|用它|选它|按你说的|它)(?:定|办|做|来|吧)?|按你说的(?:办"
    r"|做|来)|听你的"
    r"|用它吧|就它了|定了|同意|成交|可以|好的?|行|没问题)"
    r"(?:了|吧|啦)?[。！!~ ]*"
)
_BARE = re.compile(  # it points at the suggestion before it
    r"(?:shall|should|can|could|do|want|would|does|is|are|what|how|sound|ok|okay|right|agreed"
    r"|good|you|好|你|这样|可以|怎么"
    r"|如何|行).{0,12}(?:\b(?:it|that|this|one|you|good|ok|okay|think|sound)\b|吗|呢|看|样"
    r"|何).{0,20}",
    re.IGNORECASE,
)
_LEADS = (  # and how what follows them is decided
    (re.compile(r"(?:how|what) about using ", re.IGNORECASE), "to use "),
    (re.compile(r"(?:how|what) about (?=\w+ing\b)", re.IGNORECASE), "on "),
    (re.compile(r"(?:how|what) about ", re.IGNORECASE), "on "),
    (
        re.compile(
            r"(?:shall|should|could|can|may|might|why do(?: not|n['’]?t)) (?:we|you|i) (?:just "
            r"|maybe |perhaps "
            r"|simply )*|(?:we|you) (?:could|might|should|can)(?: just| maybe| also| simply)? "
            r"|let['’]?s (?:just )?"
            r"|why not (?:just )?|want (?:me|us) to |(?:would you like|do you want)(?: me"
            r"| us)? to ",
            re.IGNORECASE,
        ),
        "to ",
    ),
    (
        re.compile(
            r"i(?:['’]?d| would|['’]?ll)? (?:suggest|recommend|propose|advise|vote for|pick"
            r"|choose|go with|go for"
            r"|opt for|use)(?: that)?(?: (?:we|you)(?: should)?)? (?:to )?(?=(?:use|switch|move"
            r"|keep|stay|start|go|take|set)\b)",
            re.IGNORECASE,
        ),
        "to ",
    ),
    (
        re.compile(
            r"(?:i(?:['’]?d| would|['’]?ll)? (?:suggest|recommend|propose|advise|vote for|pick"
            r"|choose|go with|go for"
            r"|opt for|use)|my (?:suggestion|recommendation|advice|pick|vote|choice) (?:is"
            r"|would be))"
            r"(?: (?:to use|using))? ",
            re.IGNORECASE,
        ),
        "to use ",
    ),
)
_LEAD_ZH = re.compile(
    r"要不要?|不如|(?:我)?(?:建议|推荐|提议)(?:你|您|咱们|我们)?|(?:我们|咱们|你)?(?:可以考虑"
    r"|可以试试|可以)|那就|(?:咱们|我们)(?=[用把改换选采])"
)
_TAIL_ZH = re.compile(
    r"(?:[，,].{0,10})?(?:怎么样|如何|好吗|好不好|行吗|可以吗|吗|吧"
    r"|呢)?[。！？!?\s]*$"
)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|\.(?=\w))+[.!?。！？]*")


def confirmed(
    message: Message, text: str, before: Sequence[Message], *, zone: ZoneInfo
) -> list[Candidate]:
    """The suggestion that a message agrees to; none where it is not a plain yes to a single one."""
    said = text.strip()
    last = before[-1] if before else None
    if message.role is not Role.USER or last is None or last.role is not Role.ASSISTANT:
        return []
    if len(said) > SHORT or not (_YES_ZH if has_han(said) else _YES).fullmatch(said):
        return []
    offered = [one for one in map(_offered, _sentences(last.text)) if one is not None]
    if len(offered) != 1:
        return []
    what, decided = offered[0]
    sources = (
        Source(Kind.MESSAGE, message.id, message.session_id, message.name, said),
        Source(Kind.MESSAGE, last.id, last.session_id, last.name, what),
    )
    drawn = [one for one in said_as(message, decided, zone=zone) if not one.doubt]
    if drawn:
        return [replace(one, sources=sources) for one in drawn]
    who = message.name or ("用户" if has_han(what) else "User")
    content = f"{who}同意了：{what}" if has_han(what) else f"{who} agreed to this: {what}"
    return [Candidate(content, Category.EVENTS, sources, message.created_at, importance=IMPORTANCE)]


def _sentences(text: str) -> list[str]:
    """The last sentences of an answer that say something of their own."""
    found = [match[0].strip() for match in _SENTENCE.finditer(text[-LONGEST:])]
    return [one for one in found if one and not _BARE.fullmatch(one.rstrip(".!?。！？ "))]


def _offered(sentence: str) -> tuple[str, str] | None:
    """A suggestion, and the decision that a yes makes of it; None where a sentence is none."""
    if has_han(sentence):
        lead = _LEAD_ZH.search(sentence)
        if lead is None:
            return None
        rest = _TAIL_ZH.sub("", sentence[lead.end() :])
        return sentence, f"我们决定{sentence[: lead.start()].strip('，, ')}{rest}。"
    for lead_of, decided in _LEADS:
        lead = lead_of.search(sentence)
        if lead is not None and len(sentence) - lead.end() > 4:
            return sentence, f"We decided {decided}{sentence[lead.end() :].rstrip('.!? ')}."
    return None
