"""What the embedders share: unit vectors, windows of long texts, onnxruntime's session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina.errors import EmbedderError, MissingPackageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUDGET = 512  # padded pieces a run: larger batches are slower (caches) and cost memory


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that a model reads at once."""

    owner: int  # the text's number
    ids: Sequence[int]  # with the marks for beginning and end
    weight: int  # pieces of the text itself


def averaged(
    windows: Sequence[Window],
    count: int,
    run: Callable[[Sequence[Sequence[int]]], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Sums of the windows' vectors by weight, one for each of `count` texts; not of unit length.

    `run` gives a vector for each of the lists of ids that it is given; each text has a window.
    """
    waiting = sorted(windows, key=lambda window: len(window.ids))
    sums: NDArray[np.float32] | None = None
    while waiting:  # from the longest down, as many as fit
        most = max(1, BUDGET // max(1, len(waiting[-1].ids)))
        waiting, chosen = waiting[:-most], waiting[-most:]
        vectors = run([window.ids for window in chosen])
        if sums is None:
            sums = np.zeros((count, vectors.shape[1]), np.float32)
        for window, vector in zip(chosen, vectors, strict=True):
            sums[window.owner] += window.weight * vector
    assert sums is not None
    return sums


def unit(vectors: NDArray[np.float32], who: str) -> NDArray[np.float32]:
    """The same directions at length one; `who` made them, for the error.

    Raises:
        EmbedderError: a vector holds NaN or infinity, or nothing but zeros.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        bad = int(np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))[0])
        raise EmbedderError(
            f"{who} gave NaN, infinity or nothing but zeros for text {bad + 1} of {len(vectors)}; "
            "it may be damaged, or no model for embeddings"
        )
    out: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
    return out


def session(file: Path, threads: int) -> Any:  # noqa: ANN401 - onnxruntime ships no types
    """An onnxruntime session on the processor, which sleeps where it waits.

    Raises:
        MissingPackageError: onnxruntime is not installed.
        EmbedderError: the file does not load.
    """
    try:
        import onnxruntime
    except ImportError:
        raise MissingPackageError(
            "this embedder needs onnxruntime; run: pip install onnxruntime"
        ) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # its errors have no common class but this
        raise EmbedderError(
            f"{file} does not load as an ONNX model ({_first_line(fault)}); "
            "it may be damaged or cut off: copy or install it again"
        ) from fault


def _first_line(fault: Exception) -> str:
    return (str(fault).strip() or type(fault).__name__).splitlines()[0][:200]
