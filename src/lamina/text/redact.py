"""Secrets in a text, replaced by what kind they are; and spans that the user called private.

Precision first: a shape that could be an ordinary word, number or sentence is left alone. Every
pattern is anchored on something rare, so that an ordinary text costs one cheap look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

REDACTOR = 3
"""Rises when the same text is masked otherwise: passages made by another number are made anew."""

# One of these is in every text that holds a secret. Looked for one by one: `re` is slow where the
# alternatives of a pattern begin with different characters.
_LONG = re.compile(r"[A-Za-z0-9_\-]{20}")
_DIGITS = re.compile(r"\d{4}[ -]?\d{4}")
_ADDRESS = re.compile(r"://[^/\s]*@")
_NAMES = (
    "pass", "pwd", "secret", "token", "api", "key", "credential", "auth",
    "密码", "密碼", "口令", "密钥", "密鑰", "令牌",
)  # fmt: skip

_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private_key",
        re.compile(
            r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r".*?(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    (
        "api_key",
        re.compile(
            r"(?<![A-Za-z0-9_\-])(?:"
            r"sk-[A-Za-z0-9_\-]{16,}"  # OpenAI, Anthropic, DeepSeek and those who copy them
            r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"  # Stripe
            r"|AIza[A-Za-z0-9_\-]{35}"  # Google
            r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"  # AWS
            r"|LTAI[A-Za-z0-9]{12,30}"  # Alibaba Cloud
            r"|AKID[A-Za-z0-9]{13,40}"  # Tencent Cloud
            r"|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[a-f0-9]{40,}"
            r"|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"  # SendGrid
            r")(?![A-Za-z0-9_\-])"
        ),
    ),
    (
        "token",
        re.compile(
            r"(?<![A-Za-z0-9_\-])(?:"
            r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_\-]{16,}"
            r"|xox[abeoprs]-[A-Za-z0-9\-]{10,}|xapp-[A-Za-z0-9\-]{10,}"  # Slack
            r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_\-]{30,}"
            r"|dop_v1_[a-f0-9]{40,}|\d{8,10}:AA[A-Za-z0-9_\-]{30,}"  # DigitalOcean, Telegram
            r"|eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}"  # JSON web tokens
            r")(?![A-Za-z0-9_\-])"
        ),
    ),
)

_IN_ADDRESS = re.compile(r"(?<=://)([^\s:/@]{1,100}):([^\s/@]{1,200})@")
_BEARER = re.compile(
    r"(?<![A-Za-z0-9_])(Bearer|Basic)( +)(?=[A-Za-z0-9+/_\-.]*[0-9])([A-Za-z0-9+/_\-.=]{16,})",
    re.IGNORECASE,
)

# name = value: the name says that a secret follows, the sign that it follows at once
_NAME = (
    r"(?:[A-Za-z0-9_.\-]{0,40}[_.\-])?"
    r"(?:password|passwd|passphrase|passcode|pwd|secret|client[ _\-]?secret|secret[ _\-]?key"
    r"|api[ _\-]?key|access[ _\-]?key(?:[ _\-]?id)?|private[ _\-]?key|auth[ _\-]?token"
    r"|access[ _\-]?token|refresh[ _\-]?token|token|credentials?)"
)
_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9])(?!secret:[a-z_]{1,20}\])"  # what follows is no mark
    rf"(?P<name>{_NAME})(?P<sign>[\"']?\s{{0,3}}(?::=|=>|=|:|：)\s{{0,3}})"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;，。；<>\[\]]{4,200})",
    re.IGNORECASE,
)
_ASSIGNABLE = ("pass", "pwd", "secret", "key", "token", "credential")  # one is in each name
_SPOKEN = re.compile(
    r"(?<![A-Za-z0-9_])"
    r"(?P<name>password|passcode|passphrase|pin(?: code)?|api key|secret key|access token)"
    r"(?P<sign>(?: for [\w '\-]{1,40}?| to [\w '\-]{1,40}?)? (?:is|was|are)(?: now| still)?:? )"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;]{4,200})",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?P<name>密码|密碼|口令|密钥|密鑰|令牌)(?P<sign>\s{0,3}(?:改成了?|设成了?|就是|现在是|是|为|為|:|：|=)\s{0,3})"
    r"(?P<quote>[\"'`“「]?)(?P<value>[\x21\x23-\x26\x28-\x2b\x2d-\x3a\x3c-\x5f\x61-\x7e]{4,200})"
)
_CARD = re.compile(r"(?<![A-Za-z0-9_.\-])(?:[0-9][ -]?){12,18}[0-9](?![A-Za-z0-9_\-])")
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)
PRIVATE_MARK = "[private]"
_LINE_ENDS = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many there were of each kind."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def mask(text: str, *, lines: bool = False) -> Masked:
    """Replace secrets by marks such as `[secret:password]`. Masking twice changes nothing more.

    With `lines` a mark is followed by the line ends it covers, so that all below stays on its line.
    """
    if not _hints(text):
        return Masked(text)
    counts: Counter[str] = Counter()

    def mark(kind: str) -> str:
        counts[kind] += 1
        return f"[secret:{kind}]"

    def assigned(match: re.Match[str]) -> str:
        kind = _kind(match["name"])
        if not _is_secret(match["value"], spoken=match.re is not _ASSIGNED):
            return match[0]
        return f"{match['name']}{match['sign']}{match['quote']}{mark(kind)}"

    for kind, shape in _SHAPES:
        text, found = shape.subn(_mark(f"[secret:{kind}]", lines=lines), text)
        counts += Counter({kind: found})  # which forgets a kind that was not found
    text = _IN_ADDRESS.sub(lambda m: f"{m[1]}:{mark('password')}@", text)
    text = _BEARER.sub(lambda m: f"{m[1]}{m[2]}{mark('token')}", text)
    if any(map(text.casefold().__contains__, _ASSIGNABLE)):
        text = _ASSIGNED.sub(assigned, text)
    text = _CHINESE.sub(assigned, _SPOKEN.sub(assigned, text))
    text = _CARD.sub(lambda m: mark("card") if _is_card(m[0]) else m[0], text)
    return Masked(text, dict(counts))


def _hints(text: str) -> bool:
    return (
        any(map(text.casefold().__contains__, _NAMES))
        or _LONG.search(text) is not None
        or _DIGITS.search(text) is not None
        or _ADDRESS.search(text) is not None
    )


def _kind(name: str) -> str:
    lower = name.lower()
    if "key" in lower or name in {"密钥", "密鑰"}:
        return "api_key"
    if "token" in lower or name == "令牌":
        return "token"
    return "password"


_WORDS = re.compile(r"[A-Za-z]+[.!?]?")
_TYPES = re.compile(
    r"(?:str|string|bool|int|none|null|true|false|optional|required|undefined)\b", re.IGNORECASE
)
_REFERENCE = re.compile(r"\$|\{|%\(|os\.|process\.|env\b|self\.|getenv|config|settings|args\.")


def _is_secret(value: str, *, spoken: bool) -> bool:
    """Whether a value could be a secret: no plain word of a sentence, no code that fetches one."""
    if value.startswith("[secret:") or _REFERENCE.match(value) or _TYPES.match(value):
        return False
    mixed = bool(re.search(r"[0-9]", value)) or bool(re.search(r"[^A-Za-z0-9.!?)\]:]", value))
    if spoken:  # "the password is stuck to the router": words follow a verb more often than secrets
        return mixed or (not _WORDS.fullmatch(value))
    return mixed or len(value) >= 8 or not value.isalpha()


def _is_card(digits: str) -> bool:
    """A number that cards begin with, of their length, whose check digit holds (Luhn)."""
    bare = re.sub(r"[ -]", "", digits)
    starts = ("34", "37", "4", "5", "2", "30", "36", "38", "6", "35")
    if not (13 <= len(bare) <= 19 and bare.startswith(starts)) or len(set(bare)) < 2:
        return False
    total = 0
    for place, digit in enumerate(reversed(bare)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def private_spans(text: str, *, lines: bool = False) -> tuple[str, int]:
    """`<private>…</private>` replaced by a mark; one left open is taken to reach the end.

    `lines` as in `mask`.
    """
    if "<" not in text:
        return text, 0
    return _PRIVATE.subn(_mark(PRIVATE_MARK, lines=lines), text)


def _mark(mark: str, *, lines: bool) -> Callable[[re.Match[str]], str]:
    """What puts a mark in place of a match."""
    return lambda match: mark + "".join(_LINE_ENDS.findall(match[0])) if lines else mark
