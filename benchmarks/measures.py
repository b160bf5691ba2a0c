"""The measures: each builds what it needs in a folder of its own, and gives its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lamina
from embedder import Chance
from fts import Fts, connected
from lamina.text.words import query_words, words_and_chars
from texts import messages, questions, texts
from timing import Figure, Times, cpu_ratio, interleaved, milliseconds, quantile

BATCH = 1000  # turns given to one `add`, fewer where there would be less than ten batches
APPENDS = 300


class Turns:
    """So many texts: made ones, or those of a folder of conversations."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._made: list[str] = []

    def __call__(self, count: int) -> list[str]:
        """The first `count` of them."""
        if self._folder is None:
            if len(self._made) < count:
                self._made = texts(count)
            return self._made[:count]
        return list(islice(cycle(self._read()), count))

    def _read(self) -> Iterator[str]:
        from lamina.evals.conversations import names, read  # noqa: PLC0415 - only where turns are given

        assert self._folder is not None
        for name in names(self._folder):
            for talk in read(self._folder, name):
                yield from (turn["text"] for turn in talk.turns if turn["text"].strip())


def words_of(text: str) -> list[str]:
    """All tokens under which Lamina finds a text."""
    words, characters = words_and_chars(text)
    return words + characters


def batches(
    turns: Sequence[str], most: int = BATCH
) -> list[list[tuple[str, list[dict[str, Any]]]]]:
    """Sessions of messages, by about so many messages a batch."""
    out: list[list[tuple[str, list[dict[str, Any]]]]] = [[]]
    for session in messages(list(turns)):
        if sum(len(part) for _, part in out[-1]) >= most:
            out.append([])
        out[-1].append(session)
    return out


# --- a. many turns at once


def ingest(turns: Turns, folder: Path, sizes: Sequence[int]) -> list[Figure]:
    """`add` of many turns beside the same rows in SQLite with FTS5."""
    words_of("先热一下 warm")  # the dictionary loads once
    found: list[Figure] = []
    for size in sizes:
        found += _ingest(turns(size), folder, size)
    return found


def _ingest(turns: Sequence[str], folder: Path, size: int) -> list[Figure]:
    given = [(f"{i}", list(chain.from_iterable(part for _, part in sessions)))
             for i, sessions in enumerate(batches(turns, min(BATCH, size // 10)))]  # fmt: skip
    memory = lamina.open(folder / f"words-{size}", embedder="none")
    tokens, raw = Fts(folder / f"tokens-{size}.db", words_of), Fts(folder / f"raw-{size}.db")
    seconds = interleaved(
        {
            "lamina": lambda i: memory.add(given[i][1], session_id=given[i][0]),
            "tokens": lambda i: tokens.add(*given[i]),
            "raw": lambda i: raw.add(*given[i]),
            "tokeniser": lambda i: [words_of(message["content"]) for message in given[i][1]],
        },
        len(given),
    )
    for opened in (memory, tokens, raw):
        opened.close()
    ours, count = seconds["lamina"], len(given[0][1])
    share = sum(seconds["tokeniser"]) / sum(ours)
    note = f"tokeniser {share:.0%} of our time"
    fed, what = seconds["tokens"], f"add, {size:,}"
    return [
        _rate(what, count, ours, "FTS5 fed with our tokens", fed, least=0.8, note=note),
        _rate(what, count, ours, "FTS5 unicode61 of raw text", seconds["raw"], least=0.25),
        _with_vectors(given, folder, size),
    ]


def _rate(
    what: str,
    count: int,
    ours: Times,
    beside: str,
    theirs: Times,
    *,
    least: float | None = None,
    note: str = "",
) -> Figure:
    """Turns a second, of batches of `count` turns; p95 is what all but the slowest 5 % reach."""
    mine, bare = count / quantile(ours, 0.5), count / quantile(theirs, 0.5)
    return Figure(
        what,
        mine,
        "turns/s",
        count / quantile(ours, 0.95),
        beside,
        bare,
        count / quantile(theirs, 0.95),
        "" if least is None else f">= {least:g}x",
        None if least is None else mine >= least * bare,
        note=note,
        cpu=1 / cpu_ratio(ours, theirs),
    )


def _with_vectors(
    given: Sequence[tuple[str, list[dict[str, Any]]]], folder: Path, size: int
) -> Figure:
    """The same with two vectors a turn, whose making costs next to nothing on both sides."""
    maker = Chance()
    memory = lamina.open(folder / f"vectors-{size}", embedder=maker, background=False)
    raw = Fts(folder / f"raw-vectors-{size}.db")

    def ours(i: int) -> None:
        memory.add(given[i][1], session_id=given[i][0])
        memory.admin.flush()

    def theirs(i: int) -> None:
        first = raw.count
        raw.add(*given[i])
        contents = [message["content"] for message in given[i][1]]
        pairs = np.stack([maker.embed(contents, "passage")] * 2, axis=1).astype(np.float16)
        raw.add_vectors([(first + j, pair.tobytes()) for j, pair in enumerate(pairs)])

    seconds = interleaved({"lamina": ours, "raw": theirs}, len(given))
    memory.close()
    raw.close()
    beside, ours_, theirs_ = "FTS5 of raw text, and vectors", seconds["lamina"], seconds["raw"]
    return _rate(f"add and flush, {size:,}", len(given[0][1]), ours_, beside, theirs_)


# --- b. one turn


def append(turns: Turns, folder: Path, _: Sequence[int]) -> list[Figure]:
    """One durable `append` beside one durable insert."""
    given = turns(APPENDS)
    memory = lamina.open(folder / "lamina", embedder="none")
    session = memory.session("one")
    db = connected(folder / "bare.db")
    db.execute("create table message (id integer primary key, role text, content text)")
    insert = "insert into message (role, content) values (?, ?)"
    session.append("user", "先热一下 warm")
    seconds = interleaved(
        {
            "lamina": lambda i: session.append("user", given[i]),
            "bare": lambda i: db.execute(insert, ("user", given[i])),
        },
        len(given),
    )
    memory.close()
    db.close()
    return [milliseconds("append", seconds["lamina"], "bare insert", seconds["bare"], (1.5, 0))]


# --- c. a search


def search(turns: Turns, folder: Path, sizes: Sequence[int]) -> list[Figure]:
    """`search` beside a scan of the same vectors, and beside FTS5 fed with the same words."""
    found: list[Figure] = []
    for size in sizes:
        given = turns(size)
        maker = Chance(keep=True)
        memory = lamina.open(folder / f"store-{size}", embedder=maker, background=False)
        fts = Fts(folder / f"fts-{size}.db", words_of)
        for sessions in batches(given):
            for session, part in sessions:
                fts.add(session, part)
                memory.add(part, session_id=session)
        memory.admin.flush()
        maker.keep = False
        matrix = np.concatenate(maker.kept)
        maker.kept.clear()
        found += _searched(
            memory, fts, matrix, maker, questions(given, 200 if size < 50_000 else 60)
        )
        memory.close()
        fts.close()
    return found


def _searched(
    memory: lamina.Memory,
    fts: Fts,
    matrix: NDArray[np.float32],
    maker: Chance,
    asked: Sequence[str],
) -> list[Figure]:
    vectors = maker.embed(asked, "query")
    words = [query_words(question) for question in asked]

    def scan(i: int) -> object:
        cosines = matrix @ vectors[i]
        best = np.argpartition(cosines, -10)[-10:]
        return best[np.argsort(-cosines[best])]

    memory.search("warm")
    seconds = interleaved(
        {
            "lamina": lambda i: memory.search(asked[i]),
            "scan": scan,
            "fts": lambda i: fts.search(words[i]),
        },
        len(asked),
    )
    size = memory.admin.status().passages
    bar = (1.5, 1.0) if size > 10_000 else (1.0, 1.0) if size == 10_000 else None
    what, ours = f"search, {size:,}", seconds["lamina"]
    return [
        milliseconds(what, ours, f"NumPy scan of {len(matrix):,}", seconds["scan"], bar),
        milliseconds(what, ours, "FTS5 fed with our tokens", seconds["fts"]),
    ]
