"""Which writing a text is in, which tells its language well enough for what recall asks of it."""

from __future__ import annotations

import re

# Letters of each script, and how many Latin letters say as much as one of them.
_SCRIPTS = (
    ("latin", re.compile("[A-Za-zÀ-ɏ]+"), 1.0),
    ("han", re.compile("[\u3400-\u9fff]+"), 3.0),
    ("kana", re.compile("[\u3041-\u30ff]+"), 2.0),
    ("hangul", re.compile("[\u1100-\u11ff\uac00-\ud7a3]+"), 3.0),
    ("cyrillic", re.compile("[\u0400-\u052f]+"), 1.0),
    ("greek", re.compile("[\u0370-\u03ff]+"), 1.0),
    ("arabic", re.compile("[\u0600-\u06ff]+"), 1.0),
    ("hebrew", re.compile("[\u0590-\u05ff]+"), 1.0),
    ("devanagari", re.compile("[\u0900-\u097f]+"), 1.0),
    ("thai", re.compile("[\u0e00-\u0e7f]+"), 1.0),
)
_MOST = 2  # of them are looked for in every text, the others where a letter calls for it
_OTHER = re.compile("[\u0370-\u11ff\u3041-\u30ff\uac00-\ud7a3]")
_KANA_SHARE = 0.1  # of Han and kana together: so much kana makes it Japanese
LOOKED_AT = 2000  # characters that decide


def script(text: str) -> str:
    """The script that says most in a text: latin, han, kana (Japanese), hangul, ...; "" for none.

    Names and terms in Latin letters do not make a Chinese sentence Latin.
    """
    text = text[:LOOKED_AT]
    if text.isascii():
        return "latin" if any(c.isalpha() for c in text) else ""
    shapes = _SCRIPTS if _OTHER.search(text) else _SCRIPTS[:_MOST]
    counts = {name: weight * sum(map(len, shape.findall(text))) for name, shape, weight in shapes}
    if "kana" in counts and counts["kana"] > _KANA_SHARE * (counts["kana"] + counts["han"]):
        counts["kana"] += counts["han"]
        counts["han"] = 0.0
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""
