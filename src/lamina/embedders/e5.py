"""The default embedder: multilingual-e5-small in 4 bits, from the data package `lamina_e5`.

NumPy and onnxruntime alone. The embedding rows stay in a memory map, so that a process that asks
one question reads little of them.
"""

from __future__ import annotations

import base64
import json
import mmap
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lamina.embedders.unigram import Unigram
from lamina.embedders.vectors import Window, averaged, session, unit
from lamina.errors import MissingPackageError
from lamina.forks import keep_for_ever, renew_in_child
from lamina.ports.embedder import Purpose
from lamina.text.script import script
from lamina.types import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEGIN, PAD, END = 0, 1, 2
WIDTH, BLOCK = 384, 32  # numbers of a row, and numbers that share a scale
WINDOW = 510  # pieces that the model reads at once, begin and end apart
SHARE = np.float32(
    0.8
)  # of its script's mean that is taken off: all of it blurs what is in one language
REMEMBERED = 256  # questions whose vectors are kept
SPACE = Space("e5", "multilingual-e5-small-q4", WIDTH, "2")  # 2: without the mean of its script


class E5:
    """Unit vectors of 384 numbers; long texts are read in windows. Loads on first use."""

    def __init__(self, *, threads: int = 2) -> None:
        self._threads = max(1, min(threads, os.cpu_count() or 1))
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._asked: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        renew_in_child(self)

    def forked(self) -> None:
        """The threads of the parent's model are not here: it is loaded anew."""
        keep_for_ever(self._model)
        self._lock, self._model = threading.Lock(), None

    @property
    def space(self) -> Space:
        """The space; raises MissingPackageError where the weights are not installed."""
        _folder()
        return SPACE

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), 384), without what a script's texts have in common.

        The model puts a text's language before its meaning: all texts of one language lie close
        together, and far from the same thing said in another. Taking off a fixed mean of ordinary
        texts in that script lets a question find what answers it in either language.
        """
        vectors = self.raw(texts, purpose)
        if not texts:
            return vectors
        offsets = np.stack([_mean(script(text)) for text in texts])
        return unit(vectors - SHARE * offsets, "the e5 model")

    def raw(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """The model's own unit vectors, shape (len(texts), 384)."""
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        if purpose == "query":
            return np.stack([self._question(text) for text in texts])
        return self._loaded().embed([f"{purpose}: {text}" for text in texts])

    def _question(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            if (known := self._asked.get(text)) is not None:
                self._asked.move_to_end(text)
                return known
        vector: NDArray[np.float32] = self._loaded().embed([f"query: {text}"])[0]
        vector.flags.writeable = False  # it is handed out again
        with self._lock:
            self._asked[text] = vector
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return vector

    def _loaded(self) -> _Model:
        model = self._model
        if model is None:
            with self._lock:
                model = self._model = self._model or _Model(_folder(), self._threads)
        return model

    def close(self) -> None:
        """Release the model; a later use loads it again."""
        with self._lock:
            self._model = None
            self._asked.clear()


@cache
def _means() -> dict[str, NDArray[np.float32]]:
    """The mean of each script's ordinary texts, and under "" the mean of those."""
    written = json.loads((files("lamina.embedders") / "e5_means.json").read_text("utf-8"))
    means = {
        name: np.frombuffer(base64.b64decode(text), np.float16).astype(np.float32)
        for name, text in written.items()
    }
    means[""] = np.mean(list(means.values()), axis=0, dtype=np.float32)
    return means


def _mean(name: str) -> NDArray[np.float32]:
    means = _means()
    return means.get(name, means[""])


def _folder() -> Path:
    try:
        import lamina_e5
    except ImportError:
        raise MissingPackageError(
            "the default embedder's weights are not installed; "
            "run: pip install ./packages/lamina_e5 (in a checkout) or: pip install lamina-e5"
        ) from None
    return lamina_e5.FOLDER


class _Model:
    """The loaded model. Threads may use it at once."""

    def __init__(self, folder: Path, threads: int) -> None:
        self._pieces = Unigram(folder)
        with (folder / "embeddings.q4").open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # a row: 12 blocks of one float16 scale and 32 numbers of 4 bits, two a byte
        self._rows = np.frombuffer(mapped, np.uint8).reshape(-1, WIDTH // BLOCK, 2 + BLOCK // 2)
        self._session = session(folder / "encoder.onnx", threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts that carry their prefix."""
        windows: list[Window] = []
        for number, text in enumerate(texts):
            ids = self._pieces(text)
            for start in range(0, len(ids), WINDOW):
                part = ids[start : start + WINDOW]
                windows.append(Window(number, [BEGIN, *part, END], len(part)))
        return unit(averaged(windows, len(texts), self._means), "the e5 model")

    def _means(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The mean of each window's outputs, not yet of unit length."""
        longest = max(map(len, windows))
        ids = np.full((len(windows), longest), PAD)
        mask = np.zeros((len(windows), longest), np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        given = {"inputs_embeds": self._embeddings(ids), "attention_mask": mask}
        means: NDArray[np.float32] = self._session.run(None, given)[0]
        return means

    def _embeddings(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        rows = self._rows[ids]
        scales = rows[..., :2].copy().view(np.float16).astype(np.float32)
        halves = np.concatenate([rows[..., 2:] & 15, rows[..., 2:] >> 4], axis=-1)
        numbers = (halves.astype(np.float32) - 8) * scales
        out: NDArray[np.float32] = numbers.reshape(*ids.shape, WIDTH)
        return out
