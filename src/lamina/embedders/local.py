"""A model in a folder on disk: an ONNX export with its tokenizer.json. Nothing is downloaded.

The layout is that of sentence-transformers or of a plain export: `model.onnx` or
`onnx/model.onnx`, and, where they are there, `modules.json` with the pooling it names, and the
prompts of `config_sentence_transformers.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina.embedders.vectors import Window, averaged, session, unit
from lamina.errors import EmbedderError, MissingPackageError, SettingsError
from lamina.ports.embedder import Purpose
from lamina.text.clean import scrub
from lamina.types import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODELS = ("model.onnx", "onnx/model.onnx")
DATA = ("_data", ".data")  # endings of the file that holds the weights of a large model
LENGTH, LONGEST = 512, 8_192  # pieces at once where the folder does not say, and at most
ENDLESS = 1e6  # a length that stands for none
OFFSET = {"camembert", "mpnet", "roberta", "xlm-roberta"}  # two of their positions are never used
KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
PROMPTS: Mapping[Purpose, Sequence[str]] = {"query": ("query",), "passage": ("passage", "document")}


class LocalEmbedder:
    """Unit vectors; long texts are read in windows. Loads on first use.

    Raises:
        SettingsError: `folder` is empty.
    """

    def __init__(self, folder: str, *, threads: int = 2) -> None:
        if not folder:
            raise SettingsError(
                "embedder_model is empty; the local embedder needs the folder of an ONNX export"
            )
        self._folder = Path(folder).expanduser().resolve()
        self._threads = max(1, min(threads, os.cpu_count() or 1))
        self._lock = threading.Lock()
        self._model: _Model | None = None

    @property
    def space(self) -> Space:
        """The space; loads the model.

        Raises:
            MissingPackageError: `tokenizers` or onnxruntime is not installed.
            EmbedderError: the folder holds no model that can be read here.
        """
        return self._loaded().space

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Raises what `space` raises."""
        model = self._loaded()
        if not texts:
            return np.zeros((0, model.space.dimensions), np.float32)
        return model.embed(texts, purpose)

    def close(self) -> None:
        """Release the model; a later use loads it again."""
        with self._lock:
            self._model = None

    def _loaded(self) -> _Model:
        model = self._model
        if model is None:
            with self._lock:
                model = self._model = self._model or _Model(self._folder, self._threads)
        return model


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a folder says about its model."""

    model: Path
    tokenizer: Path
    longest: int  # pieces at once
    pooling: str  # mean or cls
    modules: Sequence[str]  # that a vector goes through
    prompts: Mapping[Purpose, str]

    def digest(self) -> str:
        """Eight digits that change with anything that makes the vectors."""
        told = (self.longest, self.pooling, sorted(self.prompts.items()))
        whole = hashlib.sha256(repr(told).encode())
        weights = (self.model.with_name(self.model.name + ending) for ending in DATA)
        for file in (self.model, *filter(Path.is_file, weights), self.tokenizer):
            with file.open("rb") as opened:
                whole.update(hashlib.file_digest(opened, "sha256").digest())
        return whole.hexdigest()[:8]


class _Model:
    """The loaded model. Threads may use it at once."""

    def __init__(self, folder: Path, threads: int) -> None:
        self._layout = layout = _layout(folder)
        self._tokenizer = _tokenizer(layout)
        self._session = session(layout.model, threads)
        self._who = f"the model in {folder}"
        self._inputs = [given.name for given in self._session.get_inputs()]
        if unknown := set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"}:
            raise EmbedderError(
                f"{self._who} wants the inputs {sorted(unknown)}, which an embedder does not have; "
                "export it for feature extraction"
            )
        self._output = self._chosen([made.name for made in self._session.get_outputs()])
        width = self.embed(["dimensions"], "passage").shape[1]
        self.space = Space("local", f"{folder.name}-{layout.digest()}", width)

    def embed(self, texts: Sequence[str], purpose: Purpose) -> NDArray[np.float32]:
        """Unit vectors of one text or more."""
        prompt = self._layout.prompts[purpose]
        windows: list[Window] = []
        clean = [prompt + scrub(text)[0] for text in texts]
        for number, cut in enumerate(self._tokenizer.encode_batch(clean)):
            for part in (cut, *cut.overflowing):
                own = len(part.ids) - sum(part.special_tokens_mask)
                windows.append(Window(number, part.ids, max(1, own)))
        return unit(averaged(windows, len(texts), self._vectors), self._who)

    def _chosen(self, outputs: Sequence[str]) -> str:
        """A whole sentence's vector where the model gives one, else its pieces' to be pooled."""
        if "sentence_embedding" in outputs:
            return "sentence_embedding"
        layout = self._layout
        odd = [kind for kind in layout.modules if kind not in KNOWN_MODULES]
        if odd or layout.pooling not in {"mean", "cls"}:
            raise EmbedderError(
                f"{self._who} goes through {', '.join(odd) or layout.pooling + ' pooling'}, which "
                "is not done here; export it with an output named sentence_embedding"
            )
        known = [name for name in ("last_hidden_state", "token_embeddings") if name in outputs]
        return (known or outputs)[0]

    def _vectors(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """A vector for each window, pooled, not of unit length."""
        shape = (len(windows), max(map(len, windows)))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            made = self._session.run([self._output], {name: given[name] for name in self._inputs})
        except Exception as fault:  # onnxruntime's errors have no common class but this
            raise EmbedderError(f"{self._who} failed: {fault}") from fault
        out: NDArray[np.float32] = np.asarray(made[0], np.float32)
        if out.ndim == 2:
            return out
        if out.ndim != 3:
            raise EmbedderError(
                f"{self._who} gave an output of shape {out.shape}; export it for feature extraction"
            )
        if self._layout.pooling == "cls":
            return out[:, 0]
        lengths = np.maximum(1, mask.sum(1, keepdims=True))
        means: NDArray[np.float32] = np.einsum("btw,bt->bw", out, mask) / lengths
        return means.astype(np.float32)


def _tokenizer(layout: _Layout) -> Any:  # noqa: ANN401 - `tokenizers` has types for itself only
    try:
        import tokenizers
    except ImportError:
        raise MissingPackageError(
            "the local embedder needs the tokenizers package; run: pip install 'lamina[local]'"
        ) from None
    try:
        made = tokenizers.Tokenizer.from_file(str(layout.tokenizer))
    except Exception as fault:  # its errors have no common class but this
        raise EmbedderError(
            f"{layout.tokenizer} does not load ({fault}); copy it from the model again"
        ) from fault
    made.no_padding()
    made.enable_truncation(layout.longest)  # what is over comes in windows of its own
    return made


def _layout(folder: Path) -> _Layout:
    models = [folder / name for name in MODELS if (folder / name).is_file()]
    if not models:
        raise EmbedderError(
            f"{folder} holds neither {' nor '.join(MODELS)}; set embedder_model to the folder of "
            "an ONNX export"
        )
    tokenizers = [place / "tokenizer.json" for place in (folder, models[0].parent)]
    tokenizer = next(filter(Path.is_file, tokenizers), None)
    if tokenizer is None:
        raise EmbedderError(
            f"{folder} holds no tokenizer.json; save the model's fast tokenizer beside it"
        )
    modules = _json(folder / "modules.json", [])
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    pools = [str(m["path"]) for m, kind in zip(modules, kinds, strict=True) if kind == "Pooling"]
    return _Layout(
        model=models[0],
        tokenizer=tokenizer,
        longest=_longest(folder, tokenizer.parent),
        pooling=_pooling(_json(folder / (pools or ["1_Pooling"])[0] / "config.json", {})),
        modules=kinds,
        prompts=_prompts(_json(folder / "config_sentence_transformers.json", {})),
    )


def _longest(folder: Path, beside: Path) -> int:
    """The pieces that the model reads at once: the least of what its files say."""
    config = _json(folder / "config.json", {})
    positions = config.get("max_position_embeddings")
    if positions and config.get("model_type") in OFFSET:
        positions -= 2
    said = (
        _json(folder / "sentence_bert_config.json", {}).get("max_seq_length"),
        _json(beside / "tokenizer_config.json", {}).get("model_max_length"),
        positions,
    )
    known = [int(number) for number in said if number and number < ENDLESS]
    return min([*known, LONGEST]) if known else LENGTH


def _pooling(config: Mapping[str, Any]) -> str:
    """The kind of pooling: mean where nothing is said."""
    if "pooling_mode" in config:
        return str(config["pooling_mode"])
    chosen = [key for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    names = [POOLINGS.get(key, key.removeprefix("pooling_mode_")) for key in chosen]
    return "+".join(names) or "mean"


def _prompts(config: Mapping[str, Any]) -> dict[Purpose, str]:
    prompts: Mapping[str, str] = config.get("prompts") or {}
    default = prompts.get(config.get("default_prompt_name") or "", "")
    return {
        purpose: next((prompts[name] for name in names if name in prompts), default)
        for purpose, names in PROMPTS.items()
    }


def _json(file: Path, otherwise: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """What a file holds, or something else where it is not there."""
    if not file.is_file():
        return otherwise
    try:
        held = json.loads(file.read_text("utf-8"))
    except ValueError as fault:
        raise EmbedderError(f"{file} is no JSON ({fault}); copy it again") from fault
    if not isinstance(held, type(otherwise)):
        raise EmbedderError(f"{file} holds a {type(held).__name__}; copy it again")
    return held
