"""Long texts shown in part: their beginning, their end, and the lines that are asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lamina.text.stopwords import ENGLISH

NOTE_BYTES = 200  # that the note takes at most, beside the limit
_HEAD, _FOUND = 0.4, 0.3  # shares of the limit; the end has the rest
_AROUND = 120  # characters of a long line on both sides of a word
_LINE = 400  # characters of a line that is shown whole
_HITS = 40  # places of one word that are looked at
_WORDS = 24
_GAP = "\n[…]\n"
_ASKED = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./:\-]{2,60}|[\u4e00-\u9fff]+")
_NEAR_BORDER = 0.8  # of a piece: a line's end behind that is a better place to cut


def asked_words(text: str) -> tuple[str, ...]:
    """The words of a turn by which lines are chosen, those with digits or capitals first."""
    found: dict[str, None] = {}
    for match in _ASKED.finditer(text[:4000]):
        word = match[0].rstrip("./:-")
        if word.isascii():
            if len(word) > 2 and word.lower() not in ENGLISH:
                found[word] = None
        else:
            found.update((word[at : at + 2], None) for at in range(len(word) - 1))
    return tuple(sorted(found, key=lambda w: w.islower() or not w.isascii())[:_WORDS])


def size_of(text: str) -> int:
    """Its bytes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def shortened(text: str, limit: int, *, words: Sequence[str] = (), handle: str = "") -> str:
    """The text in at most `limit` bytes, and a note of at most NOTE_BYTES; no character is cut.

    Beginning, end, and between them the lines (or parts of very long lines) that hold `words`. The
    note says how much there is and by which handle.
    """
    total = size_of(text)
    if total <= limit:
        return text
    room = max(0, limit - 2 * len(_GAP.encode()))
    head = _first(text, int(room * _HEAD))
    found = _matching(text, words, len(head), int(room * _FOUND))
    spent = sum(map(size_of, found)) + (len(found) - 1) * len(_GAP.encode()) if found else 0
    tail = _last(text[len(head) :], max(0, room - size_of(head) - spent))
    note = _note(total, handle)
    middle = f"{_GAP}{_GAP.join(found)}" if found else ""
    return f"{head}{middle}{note}{tail}"


def _note(total: int, handle: str) -> str:
    named = f"; expand({handle!r}) gives it whole" if handle else ""
    note = f"\n[… shortened: {total} bytes in all{named}]\n"
    return note if size_of(note) <= NOTE_BYTES else f"\n[… shortened: {total} bytes in all]\n"


def _first(text: str, most: int) -> str:
    piece = text[:most].encode("utf-8", "surrogatepass")[:most].decode("utf-8", "ignore")
    border = piece.rfind("\n")
    return piece[: border + 1] if border > len(piece) * _NEAR_BORDER else piece


def _last(text: str, most: int) -> str:
    if not most:
        return ""
    piece = text[-most:].encode("utf-8", "surrogatepass")[-most:].decode("utf-8", "ignore")
    border = piece.find("\n")
    return piece[border + 1 :] if 0 <= border < len(piece) * (1 - _NEAR_BORDER) else piece


def _matching(text: str, words: Sequence[str], start: int, most: int) -> list[str]:
    """Stretches around the words behind `start`, in order, of at most so many bytes with gaps."""
    chosen: list[tuple[int, int]] = []
    spent = 0
    rarest = sorted(((word, list(_places(text, word, start))) for word in words), key=_seldom)
    for _, places in rarest:
        for place in places:
            begin, end = _stretch(text, place, start)
            if any(begin < e and b < end for b, e in chosen):
                continue
            cost = size_of(text[begin:end]) + len(_GAP.encode())
            if spent + cost <= most:
                chosen.append((begin, end))
                spent += cost
    return [text[begin:end] for begin, end in sorted(chosen)]


def _seldom(found: tuple[str, list[int]]) -> int:
    return len(found[1])


def _places(text: str, word: str, start: int) -> Iterator[int]:
    for spelling in dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())):
        at = text.find(spelling, start)
        for _ in range(_HITS):
            if at < 0:
                break
            yield at
            at = text.find(spelling, at + len(spelling))


def _stretch(text: str, place: int, start: int) -> tuple[int, int]:
    """The line of a place, or what stands around it where the line is very long."""
    begin = max(start, text.rfind("\n", max(0, place - _LINE), place) + 1)
    end = text.find("\n", place, place + _LINE)
    if end < 0:
        end = min(len(text), place + _LINE)
    if end - begin > _LINE or (begin == start and place - begin > _LINE):
        return max(start, place - _AROUND), min(len(text), place + _AROUND)
    return begin, end
