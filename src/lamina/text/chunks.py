"""A long text in parts that end where a sentence does, and what of a text is prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lamina.text.tokens import count_tokens, prefix_counter

# Where a text may be cut, best first: a match's end is the cut.
_BORDERS = tuple(
    map(
        re.compile,
        (
            r"\n[ \t]*\n\s*",  # paragraphs
            r"\n+",  # lines
            r"[。！？…]+[”’」』）】]*|[.!?]+[\"')\]]*\s+",  # sentences
            r"[；;，,、：:]\s*",  # clauses
            r"\s+",  # words
        ),
    )
)
_LEAST = 0.3  # of a part: a border nearer to its start is passed over for a lesser one behind it


def chunks(text: str, max_tokens: int) -> list[tuple[int, int]]:
    """Spans that cover a text without overlap, each of at most about `max_tokens` tokens.

    A text that fits is one span; "" has none.
    """
    if not text:
        return []
    if len(text) <= max_tokens // 2 or count_tokens(text) <= max_tokens:
        return [(0, len(text))]
    spans, start = [], 0
    while start < len(text):
        end = _fitting(text, start, max_tokens)
        if end < len(text):
            end = _border(text, start, end)
        spans.append((start, end))
        start = end
    return spans


def _fitting(text: str, start: int, max_tokens: int) -> int:
    """The furthest end, found by halving, at which the part still fits (one character at least)."""
    low, high = start + 1, min(len(text), start + max_tokens * 16)
    count = prefix_counter(text[start:high])
    if high == len(text) and count(high - start) <= max_tokens:
        return high
    while high - low > max(1, (low - start) // 32):
        middle = (low + high) // 2
        if count(middle - start) <= max_tokens:
            low = middle
        else:
            high = middle
    return low


def _border(text: str, start: int, end: int) -> int:
    """The last good place to cut in a part; its very end where there is none."""
    least = start + int((end - start) * _LEAST)
    for border in _BORDERS:
        found = 0
        for match in border.finditer(text, least, end):
            found = match.end()
        if least < found <= end:
            return found
    while end > start + 1 and _joins(text[end]):  # keep a mark with the letter that it stands on
        end -= 1
    return end


def _joins(char: str) -> bool:
    return (
        "\u0300" <= char <= "\u036f"
        or char in "\ufe0f\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_LOG = re.compile(
    r"\s*(\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"  # a line that begins with a time
    r"|\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b"  # or with a level
    r"|at [\w.$<>]+\(|File \".*\", line \d+"  # a frame of a stack trace
    r"|[{}\[\]]+,?\s*$|\"[^\"]*\"\s*:)"  # JSON on lines of its own
)
_BLOB = re.compile(r"\S{200,}")  # no word is so long
_RUN = 3  # lines in a row that make a log of what might be chance


def prose(text: str) -> list[tuple[int, int]]:
    """Spans of a text that a person would read out: no code in fences, logs, JSON or blobs."""
    if "\n" not in text:
        return [] if _is_blob(text) else _span(text, 0, len(text))
    spans = []
    for start, end, is_prose in _parts(text):
        if is_prose:
            spans += _span(text, start, end)
    return spans


def _span(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [(start, end)] if text[start:end].strip() else []


def _is_blob(line: str) -> bool:
    return len(line) >= 200 and line.isascii() and bool(_BLOB.search(line))


def _parts(text: str) -> Iterator[tuple[int, int, bool]]:
    """The text as runs of lines: where each starts and ends, and whether it is prose."""
    at, fence = 0, ""
    run_start, run_lines, in_log = 0, 0, False
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence or mark:
            if not fence:
                yield run_start, at, not (in_log and run_lines >= _RUN)
                run_start, fence = at, mark[1] if mark else ""
            elif mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence):
                yield run_start, at + len(line), False
                run_start, run_lines, in_log, fence = at + len(line), 0, False, ""
        else:
            logs = bool(_LOG.match(line)) or _is_blob(line)
            if logs != in_log and line.strip():
                yield run_start, at, not (in_log and run_lines >= _RUN)
                run_start, run_lines, in_log = at, 0, logs
            run_lines += 1
        at += len(line)
    yield run_start, at, not (fence or (in_log and run_lines >= _RUN))
