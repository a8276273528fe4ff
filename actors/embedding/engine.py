"""The engine: a graph, its tokenizer, and texts in, unit vectors out. Knows no actor, no cache and no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from actors.embedding.batch import micro_batches
from actors.embedding.topology import Topology, topology_of
from actors.runtime.errors import Corrupt

MAX_BATCH_TOKENS: Final = 512
ID_DIGITS: Final = 12
_PROBE: Final = ("a probe", "another one, longer than the first")
_ERRORS_ONLY: Final = 3


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model's files are; `sha256` is that of both hashes, so it names what the vectors depend on."""

    name: str
    graph: Path
    tokenizer: Path
    sha256: str

    @property
    def model_id(self) -> str:
        """The name and the first digits of the hash: rows of equal ids may be compared."""
        return f"{self.name}#{self.sha256[:ID_DIGITS]}"


class Engine:
    """Texts to vectors, in the calling thread and at most `n_threads` of ONNX Runtime's.

    A static table's vectors do not depend on what else is in the call. An int8 encoder's do, a little: ONNX Runtime
    scales the activations of a whole micro-batch together.
    """

    def __init__(
        self, model_id: str, topology: Topology, tokenizer: Any, *, max_batch_tokens: int = MAX_BATCH_TOKENS
    ) -> None:
        self.model_id = model_id
        self.topology = topology
        self._tokenizer = tokenizer
        self._max_batch_tokens = max_batch_tokens
        self.n_dims = self._n_dims()
        self.embed(_PROBE)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Rows [len(texts), n_dims] float32 in C order, unit length; a text without tokens has a row of zeros.

        Raises `Corrupt` if the graph cannot take what the tokenizer gives, or gives what is no number.
        """
        ids = self._ids(texts)
        there = [index for index, row in enumerate(ids) if row]
        rows = np.zeros((len(texts), self.n_dims), dtype=np.float32)
        for batch in micro_batches(
            [len(ids[index]) for index in there],
            max_tokens=self._max_batch_tokens,
            is_padded=self.topology.is_padded,
        ):
            places = [there[number] for number in batch]
            rows[places] = self._pooled([ids[index] for index in places])
        return _unit(rows)

    def _n_dims(self) -> int:
        ids = self._ids(_PROBE[:1])
        if not ids[0]:
            raise Corrupt(f"{self.model_id}: its tokenizer knows no part of {_PROBE[0]!r}: take another export")
        return int(self._pooled(ids).shape[1])

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=self.topology.has_special_tokens)
        return [encoding.ids for encoding in encodings]

    def _pooled(self, ids: list[list[int]]) -> npt.NDArray[np.float32]:
        try:
            rows = self.topology.pool(ids)
        except Exception as error:  # what ONNX Runtime raises has no base of its own
            raise Corrupt(f"{self.model_id} does not run ({_first_line(error)}): take another export") from error
        if rows.ndim != 2 or len(rows) != len(ids) or not np.isfinite(rows).all():
            raise Corrupt(
                f"{self.model_id} gives an array of shape {rows.shape} for {len(ids)} texts, or what is no number: "
                "take another export"
            )
        return rows


def load_engine(files: ModelFiles, *, n_threads: int) -> Engine:
    """An engine that has answered once. Raises `Corrupt`, which names the file that cannot be used."""
    tokenizer = _tokenizer(files.tokenizer)
    padding = tokenizer.padding or {}
    tokenizer.no_padding()
    topology = topology_of(_session(files.graph, n_threads), int(padding.get("pad_id", 0)))
    tokenizer.enable_truncation(topology.max_tokens)
    return Engine(files.model_id, topology, tokenizer)


def _session(path: Path, n_threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = n_threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # Threads that spin between two runs would take the machine away from the agents.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above
        raise Corrupt(
            f"{path} is no graph that ONNX Runtime {onnxruntime.__version__} can load ({_first_line(error)}): "
            "fetch it anew or take another export"
        ) from error


def _tokenizer(path: Path) -> Any:
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare exceptions
        raise Corrupt(f"{path} is no tokenizer ({_first_line(error)}): fetch it anew") from error


def _unit(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
    rows /= np.where(lengths > 0.0, lengths, np.float32(1.0))[:, None]
    return rows


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else type(error).__name__
