"""The engine: a graph, its tokenizer, and texts in, unit vectors out. Knows no actor, no cache and no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from actors.embedding.batch import micro_batches
from actors.embedding.topology import Topology, topology_of
from actors.runtime.errors import Corrupt, ScentfieldError

MAX_BATCH_TOKENS: Final = 512
ID_DIGITS: Final = 12
_PROBE: Final = ("a probe", "another one, longer than the first")
_ERRORS_ONLY: Final = 3
_NUMBERS: Final = "fiu"  # NumPy's kinds


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
        self.n_dims = 0
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
        with _no_panic(f"the tokenizer of {self.model_id} does not run", "take another export"):
            encodings = self._tokenizer.encode_batch_fast(
                list(texts), add_special_tokens=self.topology.has_special_tokens
            )
            return [encoding.ids for encoding in encodings]

    def _pooled(self, ids: list[list[int]]) -> npt.NDArray[np.float32]:
        try:
            rows = self.topology.pool(ids)
        except Exception as error:  # what ONNX Runtime raises has no base of its own
            raise Corrupt(f"{self.model_id} does not run ({_first_line(error)}): take another export") from error
        return self._checked(rows, len(ids))

    def _checked(self, found: Any, n_texts: int) -> npt.NDArray[np.float32]:
        """Whatever the graph gave as rows of numbers, one for each text, all of one length. Raises `Corrupt`."""
        rows = np.asarray(found)
        is_table = rows.dtype.kind in _NUMBERS and rows.ndim == 2 and rows.shape[1] > 0
        if not is_table or len(rows) != n_texts or rows.shape[1] != (self.n_dims or rows.shape[1]):
            wanted = f"{self.n_dims} numbers" if self.n_dims else "a row of numbers"
            raise Corrupt(
                f"{self.model_id} gives an array of shape {rows.shape} and type {rows.dtype} for {n_texts} texts, not "
                f"{wanted} for each: take another export"
            )
        with np.errstate(over="ignore"):
            numbers: npt.NDArray[np.float32] = rows.astype(np.float32, copy=False)
        if not np.isfinite(numbers).all():
            raise Corrupt(f"{self.model_id} gives for a text what is no number: take another export")
        return numbers


def load_engine(files: ModelFiles, *, n_threads: int) -> Engine:
    """An engine that has answered once. Raises `Corrupt`, which names the file that cannot be used."""
    session = _session(files.graph, n_threads)
    with _no_panic(f"{files.tokenizer} is no tokenizer", "fetch it anew"):
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
        padding = tokenizer.padding or {}
        tokenizer.no_padding()
        topology = topology_of(session, int(padding.get("pad_id", 0)))
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


@contextmanager
def _no_panic(what: str, next_step: str) -> Iterator[None]:
    """Whatever the library `tokenizers` raises as `Corrupt`: bare exceptions, and panics that are not even these."""
    try:
        yield
    except (ScentfieldError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise Corrupt(f"{what} ({_first_line(error)}): {next_step}") from error


def _unit(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """In double precision, or the squares of very large and of very small numbers would be infinite, or nothing."""
    lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows, dtype=np.float64))
    rows /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    return rows


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else type(error).__name__
