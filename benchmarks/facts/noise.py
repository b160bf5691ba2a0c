"""What is said and is no fact: questions, jokes, quotes, pasted text, secrets, echoes."""

from __future__ import annotations

import random
import string
from datetime import datetime, timedelta

from facts.measure import ECHOES
from facts.talk import Scribe, fill, placeholders
from facts.values import Value

NOISE = {
    "chat": 30, "ask": 16, "hypothetical": 9, "joke": 7, "quote": 6, "roleplay": 7, "code": 5,
    "log": 4, "email": 5, "third": 8, "secret": 5, "recalled": 5, "part": 4, "tool_output": 5,
}  # fmt: skip
ABOUT_OTHERS = ("third", "quote")  # may be kept, as that person's
REAL = ("ask", "assistant")  # may name what is really so
ANSWERED = 0.6
_SAFE = string.ascii_letters + string.digits


def noise(scribe: Scribe, kind: str, at: datetime, *, name: str | None = None) -> None:
    """One utterance of a kind."""
    tongue = scribe.tongue()
    text, _ = scribe.template(kind, "noise", tongue)
    words = _words(scribe, kind, text, tongue)
    role = "tool" if kind == "tool_output" else "user"
    id = scribe.turn(at, fill(text, words), kind, role=role, name=name)
    if kind in ABOUT_OTHERS and "person" in words:
        person = Value("", ((words["person"],),))
        scribe.aside("third", person, id, at, words["person"])
    if kind == "secret":
        scribe.aside("secret", Value("", (("[secret:",),)), id, at)


def answers(scribe: Scribe) -> None:
    """The assistant's words after most of the user's."""
    for turn in list(scribe.turns):
        if turn.role == "user" and turn.kind != "confirm" and scribe.chance.random() < ANSWERED:
            tongue = scribe.tongue(mixed=False)
            text, _ = scribe.template("assistant", "answer", tongue)
            words = _words(scribe, "assistant", text, tongue)
            later = turn.at + timedelta(seconds=20)
            scribe.turn(later, fill(text, words), "assistant", role="assistant")


def _words(scribe: Scribe, kind: str, text: str, tongue: str) -> dict[str, str]:
    code = "en" if tongue == "en" else "zh"
    words: dict[str, str] = {}
    for slot in placeholders(text):
        real = scribe.said.get(slot, {}).get(slot)
        if slot in ECHOES:
            continue
        if slot in _SECRETS:
            words[slot] = _SECRETS[slot](scribe.chance)
            scribe.secrets.append(words[slot])
        elif slot == "person":
            words[slot] = scribe.draw.value(slot, code).text
        elif real and kind in REAL and scribe.chance.random() < 0.4:
            words[slot] = real
        else:
            words[slot] = scribe.draw.noise(slot, code).text
    return words


def _password(chance: random.Random) -> str:
    return "".join([*chance.choices(_SAFE, k=9), str(chance.randrange(10)), chance.choice("#%*+-")])


def _key(chance: random.Random) -> str:
    shape, length = chance.choice((("sk-", 40), ("ghp_", 36), ("gsk_", 40), ("hf_", 34)))
    return shape + "".join(chance.choices(_SAFE, k=length))


def _card(chance: random.Random) -> str:
    digits = [4, *(chance.randrange(10) for _ in range(14))]
    total = sum(
        d if place % 2 else sum(divmod(2 * d, 10)) for place, d in enumerate(digits)
    )  # Luhn, the check digit still to come
    number = "".join(map(str, [*digits, -total % 10]))
    return " ".join(number[i : i + 4] for i in range(0, 16, 4))


_SECRETS = {"password": _password, "key": _key, "card": _card}
