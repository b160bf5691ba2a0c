"""How English marks what its speaker does not state himself (see sift.py)."""

from __future__ import annotations

import re

# A text that is handed over to be worked on says nothing about who hands it over.
TASK = re.compile(
    r"\b(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e|correct|edit|polish|improve"
    r"|write|draft|compose|pretend|imagine|act as|role-?play|suppose|generate|create|make up)\b",
    re.IGNORECASE,
)
QUESTION = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|well|hey|hi|also|oh),?\s+)*"
    r"(?:what|who|whom|whose|where|when|why|how|which|do|does|did|is|are|was|were|am|can|could|will"
    r"|would|should|shall|may|might|have|has|had)\b(?!\s+(?:a\s+)?(?:great|good|nice|lovely)\b)"
    r"(?=\s+(?:i|you|he|she|it|we|they|the|a|an|my|your|his|her|our|their|there|this|that|these"
    r"|those|to|is|are|was|were|do|does|did|can|could|would|should|much|many|long|far|old|about"
    r"|kind|sort|time)\b)",
    re.IGNORECASE,
)
# What is supposed, wished, dreamt or weighed is not so (yet).
SUPPOSED = re.compile(
    r"^(?:(?:and|but|so|well|even|only|as),?\s+)*(?:if|unless|suppose|supposing|imagine|what if"
    r"|in case|assuming|let's say|say i|hypothetically|were i)\b"
    r"|\bif (?:i|we|you|he|she|they|it)\b|\bi wish\b|\bif only\b|\bas (?:if|though)\b"
    r"|\b(?:i|we)(?:'d| would| could| might) (?:have|be|probably|maybe|rather not)\b"
    r"|\bin (?:my|a) dream\b|\bi dream(?:t|ed)\b|\bfor example\b|\be\.g\.",
    re.IGNORECASE,
)
# A message that says so takes back what it says.
JOKE = re.compile(
    r"\b(?:just|only|i'?m) (?:kidding|joking)\b|\bj/?k\b|\bjust a joke\b|\bsarcasm\b|/s\s*$",
    re.IGNORECASE,
)
# Somebody else's words or thoughts: what follows is his, not the speaker's.
REPORTED = re.compile(
    r"\b(?:he|she|they|who|everyone|somebody|someone|people"
    r"|(?:my|our|the|his|her|their) [\w' -]{2,30}|(?!I\b)[A-Z]\w+)"
    r" (?:just |also |always |once )?(?:said|says|told me|tells me|thinks|thought|claims|claimed"
    r"|wrote|writes|replied|asked|asks|mentioned|insists|believes|goes)\b",
)
HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|i think|i guess|i suppose|might|not sure|i believe"
    r"|kind of|sort of|could be|apparently|supposedly)\b",
    re.IGNORECASE,
)
