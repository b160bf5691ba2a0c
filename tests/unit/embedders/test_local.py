import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lamina
from lamina.embedders.local import LocalEmbedder
from lamina.errors import EmbedderError, MissingPackageError, SettingsError

tokenizers = pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")

ROOT = Path(__file__).parents[3]
WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *"abcdefgh", "query:", "passage:"]
PAD, CLS, SEP = 0, 1, 2
WIDTH = 6
FLOAT, INT64 = 1, 7
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), WIDTH)).astype(np.float32)
TABLE[PAD] = 100  # a mean that takes padding in is far off
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def graph() -> Any:
    """The writer of ONNX files that the weights' package uses."""
    spec = importlib.util.spec_from_file_location("repack", ROOT / "packages/lamina_e5/repack.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["repack"] = module  # its dataclass looks itself up
    spec.loader.exec_module(module)
    return module.Graph()


def model(
    inputs: Sequence[str] = INPUTS, output: str = "last_hidden_state", *, factor: float = 1.0
) -> bytes:
    """A model whose output for a piece is its row of the table; or the sum of them, twice."""
    g = graph()
    for name in inputs:
        g.port(11, name, INT64, "batch", "tokens")
    g.constant("table", TABLE * np.float32(factor))
    if output == "sentence_embedding":
        g.port(12, "token_embeddings", FLOAT, "batch", "tokens", WIDTH)
        g.port(12, output, FLOAT, "batch", WIDTH)
        g.node("Gather", ["table", "input_ids"], "token_embeddings")
        g.constant("one", np.array([1]))
        g.node("ReduceSum", ["token_embeddings", "one"], output, keepdims=0)
    else:
        g.port(12, output, FLOAT, "batch", "tokens", WIDTH)
        g.node("Gather", ["table", "input_ids"], output)
    return bytes(g.model())


def tokenizer(folder: Path) -> None:
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    made.enable_padding(length=20)  # what a file says of padding and cutting is not what counts
    made.enable_truncation(4)
    made.save(str(folder / "tokenizer.json"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny"
    made.mkdir()
    (made / "model.onnx").write_bytes(model())
    tokenizer(made)
    return made


def put(file: Path, held: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(held), "utf-8")


def pooled(folder: Path, **modes: bool) -> None:
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    put(folder / "modules.json", modules)
    put(folder / "1_Pooling/config.json", {"word_embedding_dimension": WIDTH, **modes})


def ids(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split()]


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    out: NDArray[np.float32] = vector / np.linalg.norm(vector)
    return out


def mean(text: str) -> NDArray[np.float32]:
    out: NDArray[np.float32] = TABLE[[CLS, *ids(text), SEP]].mean(0)
    return out


TEXTS = ["a", "b c d e f g h a b c", "", "h h", "c a b"]


def test_pieces_are_averaged_without_the_padding(folder: Path) -> None:
    vectors = LocalEmbedder(str(folder)).embed(TEXTS, "passage")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [unit(mean(text)) for text in TEXTS], atol=1e-6)


def test_the_first_piece_is_taken_where_the_folder_says_so(folder: Path) -> None:
    pooled(folder, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)
    vectors = LocalEmbedder(str(folder)).embed(TEXTS, "passage")
    np.testing.assert_allclose(vectors, [unit(TABLE[CLS])] * len(TEXTS), atol=1e-6)


@pytest.mark.parametrize("config", [{"pooling_mode_mean_tokens": True}, {"pooling_mode": "mean"}])
def test_the_mean_is_taken_where_the_folder_says_so(config: dict[str, Any], folder: Path) -> None:
    pooled(folder, **config)
    vectors = LocalEmbedder(str(folder)).embed(TEXTS, "passage")
    np.testing.assert_allclose(vectors, [unit(mean(text)) for text in TEXTS], atol=1e-6)


@pytest.mark.parametrize(
    "modes",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_lasttoken": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
    ],
)
def test_other_pooling_is_an_error_and_no_guess(modes: dict[str, bool], folder: Path) -> None:
    pooled(folder, **modes)
    with pytest.raises(EmbedderError, match="pooling"):
        LocalEmbedder(str(folder)).embed(["a"], "passage")


def test_further_modules_are_an_error_and_no_guess(folder: Path) -> None:
    dense = [{"idx": 2, "path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
    put(folder / "modules.json", dense)
    with pytest.raises(EmbedderError, match=r"Dense.*sentence_embedding"):
        LocalEmbedder(str(folder)).embed(["a"], "passage")


def test_a_whole_sentences_output_is_taken_as_it_is(folder: Path) -> None:
    pooled(folder, pooling_mode_lasttoken=True)
    (folder / "model.onnx").write_bytes(model(output="sentence_embedding"))
    vectors = LocalEmbedder(str(folder)).embed(["a", "b"], "passage")
    sums = [unit(TABLE[[CLS, *ids(text), SEP]].sum(0)) for text in ["a", "b"]]
    np.testing.assert_allclose(vectors, sums, atol=1e-6)


@pytest.mark.parametrize("inputs", [INPUTS, INPUTS[:2], INPUTS[:1]])
def test_a_model_gets_the_inputs_that_it_names(inputs: Sequence[str], folder: Path) -> None:
    (folder / "model.onnx").write_bytes(model(inputs))
    vectors = LocalEmbedder(str(folder)).embed(TEXTS, "query")
    np.testing.assert_allclose(vectors, [unit(mean(text)) for text in TEXTS], atol=1e-6)


def test_a_model_that_wants_other_inputs_is_an_error_that_names_them(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(model([*INPUTS, "position_ids"]))
    with pytest.raises(EmbedderError, match="position_ids"):
        _ = LocalEmbedder(str(folder)).space


@pytest.mark.parametrize(
    ("file", "config"),
    [
        ("sentence_bert_config.json", {"max_seq_length": 6}),
        ("tokenizer_config.json", {"model_max_length": 6}),
        ("config.json", {"max_position_embeddings": 6, "model_type": "bert"}),
        ("config.json", {"max_position_embeddings": 8, "model_type": "xlm-roberta"}),
    ],
)
def test_a_text_over_the_models_length_is_the_mean_of_its_windows_by_their_length(
    file: str, config: dict[str, Any], folder: Path
) -> None:
    put(folder / "config.json", {"max_position_embeddings": 512})
    put(folder / file, config)
    long = "a b c d e f g h a b"
    windows = 4 * mean("a b c d") + 4 * mean("e f g h") + 2 * mean("a b")
    vectors = LocalEmbedder(str(folder)).embed(["a", long, "b c"], "passage")
    expected = [unit(mean("a")), unit(windows), unit(mean("b c"))]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_a_text_of_thousands_of_pieces_loses_none(folder: Path) -> None:
    put(folder / "tokenizer_config.json", {"model_max_length": 10**30})  # which says nothing
    text = "a " * 510 + "b " * 510
    windows = 510 * mean("a " * 510) + 510 * mean("b " * 510)
    (vector,) = LocalEmbedder(str(folder)).embed([text], "passage")
    np.testing.assert_allclose(vector, unit(windows), atol=1e-5)


def test_prompts_of_the_folder_stand_before_the_texts(folder: Path) -> None:
    embedder = LocalEmbedder(str(folder))
    put(
        folder / "config_sentence_transformers.json",
        {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": None},
    )
    np.testing.assert_allclose(
        embedder.embed(["a b"], "query")[0], unit(mean("query: a b")), atol=1e-6
    )
    np.testing.assert_allclose(
        embedder.embed(["a b"], "passage")[0], unit(mean("passage: a b")), atol=1e-6
    )


def test_a_documents_prompt_is_for_passages_and_a_default_for_what_has_none(folder: Path) -> None:
    prompts = {"document": "passage: ", "web": "query: "}
    config = {"prompts": prompts, "default_prompt_name": "web"}
    put(folder / "config_sentence_transformers.json", config)
    embedder = LocalEmbedder(str(folder))
    np.testing.assert_allclose(
        embedder.embed(["a"], "passage")[0], unit(mean("passage: a")), atol=1e-6
    )
    np.testing.assert_allclose(embedder.embed(["a"], "query")[0], unit(mean("query: a")), atol=1e-6)


def test_the_model_may_lie_in_a_folder_of_its_own(folder: Path) -> None:
    plain = LocalEmbedder(str(folder)).space
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx/model.onnx")
    assert LocalEmbedder(str(folder)).space == plain
    (folder / "tokenizer.json").rename(folder / "onnx/tokenizer.json")
    assert LocalEmbedder(str(folder)).space == plain


def test_the_space_follows_the_model_and_not_the_place(folder: Path, tmp_path: Path) -> None:
    space = LocalEmbedder(str(folder)).space
    assert (space.provider, space.dimensions) == ("local", WIDTH)
    assert space.model.startswith("tiny-")
    copy = tmp_path / "elsewhere" / "tiny"
    shutil.copytree(folder, copy)
    assert LocalEmbedder(str(copy)).space == space
    (copy / "model.onnx").write_bytes(model(factor=2.0))
    other = LocalEmbedder(str(copy)).space
    pooled(folder, pooling_mode_cls_token=True)
    assert len({space, other, LocalEmbedder(str(folder)).space}) == 3


def test_a_batch_of_any_order_gives_the_same_vectors(folder: Path) -> None:
    embedder = LocalEmbedder(str(folder))
    texts = ["a " * n for n in range(1, 200, 7)]
    forwards, backwards = embedder.embed(texts, "query"), embedder.embed(texts[::-1], "query")[::-1]
    np.testing.assert_allclose(forwards, backwards, atol=1e-6)


def test_threads_that_share_one_get_what_one_thread_gets(folder: Path) -> None:
    shared = LocalEmbedder(str(folder))
    with ThreadPoolExecutor(8) as pool:
        for vectors in pool.map(lambda _: shared.embed(TEXTS, "passage"), range(32)):
            np.testing.assert_allclose(vectors, [unit(mean(text)) for text in TEXTS], atol=1e-6)


def test_it_can_be_used_after_close_and_closed_twice(folder: Path) -> None:
    embedder = LocalEmbedder(str(folder))
    before = embedder.embed(TEXTS, "query")
    embedder.close()
    embedder.close()
    np.testing.assert_array_equal(embedder.embed(TEXTS, "query"), before)


def test_no_texts_make_no_vectors(folder: Path) -> None:
    assert LocalEmbedder(str(folder)).embed([], "query").shape == (0, WIDTH)


def test_a_lone_surrogate_is_read_as_the_mark_for_it(folder: Path) -> None:
    vectors = LocalEmbedder(str(folder)).embed(["a \ud83d", "a \ufffd"], "query")
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_a_folder_that_is_not_said_is_refused_by_the_settings_name() -> None:
    with pytest.raises(SettingsError, match="embedder_model"):
        LocalEmbedder("")


@pytest.mark.parametrize(
    ("file", "held", "words"),
    [
        ("model.onnx", None, "embedder_model"),
        ("tokenizer.json", None, "tokenizer.json"),
        ("model.onnx", b"no model", "does not load"),
        ("model.onnx", b"", "does not load"),
        ("tokenizer.json", b"{}", "does not load"),
        ("modules.json", b"{", "is no JSON"),
        ("config.json", b"[]", "holds a list"),
    ],
)
def test_a_folder_that_is_no_model_is_an_error_that_names_the_file(
    file: str, held: bytes | None, words: str, folder: Path
) -> None:
    if held is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(held)
    with pytest.raises(EmbedderError, match=words) as raised:
        _ = LocalEmbedder(str(folder)).space
    assert str(folder) in str(raised.value)


def test_ids_that_the_model_does_not_know_are_an_error(folder: Path) -> None:
    made = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    made["model"]["vocab"]["beyond"] = 10_000
    put(folder / "tokenizer.json", made)
    with pytest.raises(EmbedderError, match="tiny failed"):
        LocalEmbedder(str(folder)).embed(["beyond"], "query")


def test_a_model_of_zeros_or_nan_gives_no_vectors(folder: Path) -> None:
    for factor in (0.0, float("nan")):
        (folder / "model.onnx").write_bytes(model(factor=factor))
        with pytest.raises(EmbedderError, match="NaN"):
            LocalEmbedder(str(folder)).embed(["a"], "query")


def test_without_the_tokenizers_package_the_line_for_pip_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'lamina\[local\]'"):
        _ = LocalEmbedder(str(folder)).space


def test_making_one_loads_nothing(folder: Path) -> None:
    code = (
        "import sys; from lamina.embedders.local import LocalEmbedder;"
        f"LocalEmbedder({str(folder)!r});"
        "sys.exit(bool({'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_memory_is_searched_by_the_models_vectors(folder: Path, tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store", embedder="local", embedder_model=str(folder)) as memory:
        memory.add("a b c")
        found = memory.search("c b a")
        assert [hit.text for hit in found.hits] == ["a b c"]
        assert found.degraded == ()
