"""The tokenizer of the default embedder: SentencePiece Unigram, as XLM-RoBERTa uses it.

Written out in plain Python so that one question costs milliseconds and no further package.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from functools import lru_cache
from pathlib import Path

UNKNOWN = 3
LONGEST_PIECE = 16  # characters
REMEMBERED = 16_384  # words whose cut is kept
LONGEST_KEPT = 64  # characters of a word that is kept: longer ones seldom come twice
UNKNOWN_PENALTY = 10.0  # below the rarest piece, as SentencePiece has it
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
BLANK = "▁"


class Unigram:
    """Text to ids, without the marks for beginning and end."""

    def __init__(self, folder: Path) -> None:
        rules = json.loads((folder / "normalise.json").read_text("ascii"))
        self._rules = {int(code): text for code, text in rules.items()}
        # one piece is U+0085, which splitlines() would take for a line's end
        pieces = (folder / "pieces.txt").read_bytes().decode().split("\n")
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        for special in SPECIAL:  # in a text they are text
            self._ids.pop(special, None)
        self._scores = array("f", (folder / "scores.f32").read_bytes())
        self._unknown = min(self._scores) - UNKNOWN_PENALTY
        self._kept = lru_cache(maxsize=REMEMBERED)(self._cut)

    def __call__(self, text: str) -> list[int]:
        """The ids of the pieces that make the text most likely."""
        composed = unicodedata.normalize("NFC", text)  # the rules know single code points only,
        if len(composed) < len(text):  # and mere reordering would hide pieces of some scripts
            text = composed
        text = re.sub("  +", " ", text.translate(self._rules)).replace(" ", BLANK)
        out: list[int] = []
        for word in text.removeprefix(BLANK).split(BLANK):  # only a piece's start can be a blank
            cut = self._kept if len(word) < LONGEST_KEPT else self._cut
            out += cut(BLANK + word)
        return out

    def _cut(self, word: str) -> list[int]:
        """Viterbi over the pieces of one word."""
        find, scores, unknown = self._ids.get, self._scores, self._unknown
        best, steps = [0.0], [(0, UNKNOWN)]
        for end in range(1, len(word) + 1):
            top, step = best[end - 1] + unknown, (end - 1, UNKNOWN)
            for start in range(max(0, end - LONGEST_PIECE), end):
                piece = find(word[start:end])
                if piece is not None and best[start] + scores[piece] > top:
                    top, step = best[start] + scores[piece], (start, piece)
            best.append(top)
            steps.append(step)
        out, end = [], len(word)
        while end:
            end, piece = steps[end]
            out.append(piece)
        return out[::-1]
