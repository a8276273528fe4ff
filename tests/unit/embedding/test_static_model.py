"""`static`: the table of the installed package as a graph, and what its vectors are worth."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from actors.embedding.engine import Engine, load_engine
from actors.embedding.onnx_graph import table_graph
from actors.embedding.packaged import STATIC_GRAPH_SHA256, checked, package_folder, packaged_files
from actors.runtime.errors import Corrupt, Misuse


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def static(folder: Path) -> Engine:
    return load_engine(packaged_files("static", folder), n_threads=1)


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations
    weights = Path(spec.submodule_search_locations[0]) / "weights" / "l2_supercat_256.safetensors"
    return load_file(weights)["embedding.weight"].astype(np.float32)


def test_the_graph_is_built_once_and_always_the_same(folder: Path, static: Engine) -> None:
    graph = folder / "static" / "model.onnx"
    built_at_ns = graph.stat().st_mtime_ns
    assert hashlib.sha256(graph.read_bytes()).hexdigest() == STATIC_GRAPH_SHA256
    assert packaged_files("static", folder).model_id == static.model_id
    assert graph.stat().st_mtime_ns == built_at_ns


def test_a_damaged_graph_is_built_anew(tmp_path: Path) -> None:
    graph = packaged_files("static", tmp_path).graph
    graph.write_bytes(graph.read_bytes()[:1000])
    packaged_files("static", tmp_path)
    assert hashlib.sha256(graph.read_bytes()).hexdigest() == STATIC_GRAPH_SHA256
    assert [path.name for path in graph.parent.iterdir()] == ["model.onnx"]


def test_another_table_is_another_graph() -> None:
    ones = np.ones((3, 2), dtype=np.float16)
    assert table_graph(ones) == table_graph(ones.copy(order="F"))
    assert table_graph(ones) != table_graph(ones * 2)


def test_a_vector_is_the_mean_of_the_tables_rows(static: Engine, table: np.ndarray) -> None:
    texts = ["def load(path):", "return None", "x", "the quick brown fox jumps over the lazy dog"]
    for text, row in zip(texts, static.embed(texts), strict=True):
        mean = table[static._tokenizer.encode(text, add_special_tokens=False).ids].mean(axis=0)
        assert row == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_vectors_do_not_depend_on_what_else_is_in_the_call(static: Engine) -> None:
    texts = [f"line {n} says {'more ' * (n % 7)}than the last" for n in range(100)]
    together = static.embed(texts)
    assert all((static.embed([text])[0] == row).all() for text, row in zip(texts, together, strict=True))


def test_like_lines_are_near_and_others_are_not(static: Engine) -> None:
    rows = static.embed(
        ["I love food", "bread is my favourite meal", "raise ValueError(name)", "raise ValueError(path)"]
    )
    cosines = rows @ rows.T
    assert cosines[2, 3] > 0.8
    assert cosines[0, 1] > cosines[0, 2] + 0.1


def test_the_model_has_256_dimensions_and_a_stable_name(static: Engine) -> None:
    assert static.n_dims == 256
    assert static.model_id.startswith("static#")
    assert len(static.model_id) == len("static#") + 12


def test_a_file_that_is_not_the_known_one_is_refused_with_both_hashes(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other")
    found = hashlib.sha256(b"other").hexdigest()
    with pytest.raises(Corrupt, match=f"SHA-256 {'a' * 64} is expected, it has {found}"):
        checked(other, "a" * 64)
    with pytest.raises(Corrupt, match="cannot be read"):
        checked(tmp_path / "none", "a" * 64)


def test_a_missing_package_is_named_with_how_to_get_it() -> None:
    needed = r"'minilm' needs the package no_such_package: pip install 'scentfield\[minilm\]', or choose another model"
    with pytest.raises(Misuse, match=needed):
        package_folder("no_such_package", "minilm", "scentfield[minilm]")
