"""How English marks what its speaker does not state himself (see sift.py)."""

from __future__ import annotations

import re

# A text that is handed over to be worked on says nothing about who hands it over.
TASK = re.compile(
    r"\b(?:translate|rewrite|re-?phrase|paraphrase|proof-?read|summari[sz]e|correct|edit|polish"
    r"|improve|write|draft|compose|pretend|imagine|act as|role-?play|suppose|generate|create"
    r"|make up|reword|shorten|revise|critique|classify|extract|answer as|in the (?:voice|style) of"
    r"|(?:fix|check|continue|complete|review|grade|analy[sz]e) (?:up )?(?:the |my |this "
    r"|these )?(?:following"
    r"|grammar|spelling|punctuation|text|sentences?|paragraphs?|essay|typos?|story|poem|letter"
    r"|e-?mail))\b",
    re.IGNORECASE,
)
_OPENING = r"^(?:(?:and|but|so|ok(?:ay)?|well|hey|hi|also|oh|yeah|now|then|wow|great|thanks),?\s+)*"
_ASKS = (
    r"(?:what|who|whom|whose|where|when|why|how|which|do|does|did|is|are|was|were|am|can|could|will"
    r"|would|should|shall|may|might|have|has|had|don['’]?t|doesn['’]?t|didn['’]?t|isn['’]?t"
    r"|aren['’]?t"
    r"|won['’]?t|can['’]?t|couldn['’]?t|wouldn['’]?t|haven['’]?t|hasn['’]?t)"
)
_ASKED = (
    r"(?=['’]s\b|['’]re\b|\s+(?:i|you|he|she|it|we|they|the|a|an|my|your|his|her|our|their"
    r"|there|this"
    r"|that|these|those|to|is|are|was|were|do|does|did|can|could|would|should|will|have|has|much"
    r"|many|long|far|old|about|kind|sort|time|type|other|else|any|anyone|anybody|someone|some)\b)"
)
# "Can you remember that ..." asks for something to be kept, not about it.
_REQUEST = re.compile(
    r"(?P<lead>" + _OPENING + r"(?:can|could|would|will) (?:you|u) (?:please |also |just )*)"
    r"(?:remember (?:that|my|our)|note that"
    r"|make a note|remind me (?:to|that|about)|keep in mind|call me|always|never|stop|from now on"
    r"|(?:answer|reply|respond) (?:to me )?in|not use|avoid)\b",
    re.IGNORECASE,
)
QUESTION = re.compile(
    _OPENING
    + r"(?!when(?:ever)?\b[^,?]{3,80},)"
    + _ASKS
    + r"\b(?!\s+(?:a\s+)?(?:great|good|nice|lovely)\b)"
    + _ASKED
    + r"|^(?:any(?:one|body)?|got any|you (?:ever|think)) ",
    re.IGNORECASE,
)
# Where a question begins behind what is stated: "I live in Porto, what can I do here?"
_TURN = re.compile(
    r"(?:\s*[,;:—–-]+\s+|\s+(?=(?:and|but|so)\b))(?:(?:and|but|so|then|now|also|like|um|hmm"
    r"|ok(?:ay)?"
    r"|well|if so|in that case|given that|please|maybe),?\s+)*(?:i['’]?m (?:just )?(?:wondering"
    r"|curious)"
    r"|i (?:was|am) (?:just )?wondering|i wonder|do you think|any (?:tips|ideas|advice|suggestions)"
    r"|got any|" + _ASKS + r"\b" + _ASKED + r")",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"^[,;:—–\s-]*(?:(?:and|but|so),?\s+)*"
    r"(?:is|are|was|were|am|do|does|did|have|has|had|can|could|would|will|should|\w+n['’]?t)"
    r"\s+(?:i|we|he|she|it|they|that|you)\s*\?",
    re.IGNORECASE,
)
# What is supposed, wished, dreamt or weighed is not so (yet).
SUPPOSED = re.compile(
    r"^(?:(?:and|but|so|well|even|only|as|ok|okay),?\s+)*(?:if|unless|suppose|supposing|imagine"
    r"|what if|in case|assuming|let['’]?s say|say i|hypothetically|were i|had i|let['’]?s pretend"
    r"|pretend|picture this|once upon a time|in another life|in an alternate)\b"
    r"|\bif (?:i|we|you|he|she|they|it|my|our|the|there)\b|\b(?:i|we) wish\b|\bif only\b"
    r"|\bas (?:if|though)\b|\bwould have\b"
    r"|\b(?:i|we)(?:['’]d| would| could| might) (?:have|be|probably|maybe|rather not)\b"
    r"|\bin (?:my|a|the) dream\b|\b(?:i|we) (?:dreamt|dreamed|had a dream)\b"
    r"|\bfor (?:example|instance)\b|\be\.g\.|\bin (?:the|this|my) (?:novel|story|book|game|film"
    r"|movie"
    r"|script|play|scenario|screenplay|poem|song)\b(?! (?:industry|business|world|club"
    r"|festival))|\b(?:my|the|this|a) (?:character"
    r"|protagonist|hero"
    r"|heroine|narrator|persona)\b|\bas an? (?:ai|language model)\b|\bsupposed to\b",
    re.IGNORECASE,
)
# Somebody else's words or thoughts, or what the speaker himself doubts: what follows is not stated.
REPORTED = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Tt]hey|[Ww]ho|[Ee]veryone|[Ss]omebody|[Ss]omeone|[Pp]eople"
    r"|(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]is|[Hh]er|[Tt]heir|[Aa]n?) [\w' -]{2,30}?|(?!I\b)[A-Z]\w+)"
    r" (?:just |also |always |once |keeps? |often |recently )?(?:said|says|saying|told (?:me"
    r"|us)|tells me|thinks|thought"
    r"|claims|claimed|wrote|writes|replied|asked|asks|mentioned|insists|insisted|believes|goes"
    r"|assumes|assumed"
    r"|was like|is like|texted|posted|tweeted|quipped|joked|texts|argues|argued)\b"
    r"|\b(?i:according to|(?:i|we) (?:do not|don['’]?t|did not|didn['’]?t) (?:think|believe|say"
    r"|mean|know)"
    r"|(?:i|we) doubt|pretend(?:ed|ing)?|(?:you|u) (?:said|say|think|thought|mentioned|told me"
    r"|wrote|asked)|i never said|it['’]?s not (?:true )?that"
    r"|not that|(?:i|we) (?:hope|wonder|asked|imagine|hoped|thought|assumed|fear|dream))\b",
)
HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|i think|i guess|i suppose|might|not sure|i believe"
    r"|kind of|sort of|could be|apparently|supposedly|i assume|if i remember|i['’]?m thinking"
    r"|thinking (?:of|about)|considering|not certain|unsure|allegedly|i heard|i hope|hopefully"
    r"|dunno|i don['’]?t know"
    r"|presumably|i feel like|or so|or something|roughly guess)\b",
    re.IGNORECASE,
)


def without_question(sentence: str) -> str:
    """The sentence up to where a question begins, or with the words of a polite request alone."""
    request = _REQUEST.search(sentence)
    if request:  # as long as it was, so that places in it stay
        return " " * request.end("lead") + sentence[request.end("lead") :].replace("?", ".")
    if "?" not in sentence:
        return sentence
    turn = _TURN.search(sentence)
    if turn is None or _TAG.search(sentence, turn.start()):
        return sentence
    return sentence[: turn.start()]


_UNLIKE = {"go": "goes", "do": "does", "have": "has", "am": "is", "are": "is"}
_ADVERB = re.compile(r"^(?:\w+ly|often|always|never|also|just|still|sometimes)$", re.IGNORECASE)


def third_person(phrase: str) -> str:
    """A phrase that begins with a verb of the first person, put into the third ("go" is "goes")."""
    first, blank, rest = phrase.partition(" ")
    if _ADVERB.match(first) and rest:
        return f"{first} {third_person(rest)}"
    if first in _UNLIKE:
        return _UNLIKE[first] + blank + rest
    if not first.isascii() or (first.endswith("s") and not first.endswith("ss")):
        return phrase
    if re.search(r"[^aeiou]y$", first):
        return first[:-1] + "ies" + blank + rest
    return first + ("es" if re.search(r"(?:ch|sh|ss|x|z|o)$", first) else "s") + blank + rest
