"""The kinds of graph that make vectors of texts, told apart by the graph's inputs.

input_ids, attention_mask[, token_type_ids]   a transformer encoder: hidden states, pooled by their masked mean
input_ids                                     a static table: the mean of its rows, texts of one length together
input_ids, offsets                            a static table as an embedding bag: texts end to end
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from actors.runtime.errors import Corrupt

TokenIds = Sequence[Sequence[int]]
Rows = npt.NDArray[np.float32]
_INTEGERS: Final[Mapping[str, type[np.integer[Any]]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_HIDDEN_STATES: Final = ("last_hidden_state", "token_embeddings")


class Topology(Protocol):
    """How a batch of token ids becomes one row for each text."""

    name: str
    is_padded: bool
    """Whether texts of a batch may differ in length."""
    is_independent: bool
    """Whether a text's row is the same, to the last bit, whatever else is in its batch."""
    has_special_tokens: bool
    """Whether the tokenizer adds what the model was trained with around a text, such as [CLS] and [SEP]."""
    max_tokens: int
    """How many tokens of a text are looked at; the rest is cut."""

    def pool(self, ids: TokenIds) -> Rows:
        """Rows [b, d] float32, not yet of unit length, of b texts that have at least one token each."""


class Encoder:
    """A transformer encoder; padding is masked out of the mean (Reimers & Gurevych 2019)."""

    name = "encoder"
    is_padded = True
    is_independent = False
    has_special_tokens = True
    max_tokens = 256

    def __init__(self, session: Any, pad_id: int) -> None:
        self._session = session
        self._pad_id = pad_id
        self._dtypes = {graph_input.name: _integer(graph_input) for graph_input in session.get_inputs()}
        self._output = _hidden_state(session)

    def pool(self, ids: TokenIds) -> Rows:
        """Hidden states [b, s, d] -> the mean over each text's own tokens [b, d]."""
        n_tokens = np.array([len(row) for row in ids])
        mask = np.arange(n_tokens.max()) < n_tokens[:, None]
        padded = np.full(mask.shape, self._pad_id, dtype=np.int64)
        padded[mask] = list(chain.from_iterable(ids))
        feeds = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
        (hidden,) = self._session.run(
            [self._output], {name: feeds[name].astype(dtype) for name, dtype in self._dtypes.items()}
        )
        means: Rows = np.einsum("bsd,bs->bd", hidden, mask / n_tokens[:, None].astype(np.float32))
        return means


class Table:
    """A static table that takes texts of one length."""

    name = "static table"
    is_padded = False
    is_independent = True
    has_special_tokens = False
    max_tokens = 512

    def __init__(self, session: Any) -> None:
        self._session = session
        self._dtype = _integer(session.get_inputs()[0])

    def pool(self, ids: TokenIds) -> Rows:
        """Ids [b, s] -> rows [b, d]."""
        # ONNX Runtime adds up in another order for a batch of one: the same text should have the same vector in each.
        several = ids if len(ids) > 1 else [*ids, *ids]
        rows: Rows = self._session.run(None, {"input_ids": np.array(several, dtype=self._dtype)})[0]
        return rows[: len(ids)]


class Bag:
    """A static table that takes texts end to end, and where each begins."""

    name = "static bag"
    is_padded = True
    is_independent = True
    has_special_tokens = False
    max_tokens = 512

    def __init__(self, session: Any) -> None:
        self._session = session
        self._dtypes = {graph_input.name: _integer(graph_input) for graph_input in session.get_inputs()}

    def pool(self, ids: TokenIds) -> Rows:
        """Ids [sum of lengths] and offsets [b] -> rows [b, d]."""
        offsets = np.cumsum([0, *(len(row) for row in ids[:-1])])
        feeds = {"input_ids": list(chain.from_iterable(ids)), "offsets": offsets}
        rows: Rows = self._session.run(
            None, {name: np.array(feeds[name], dtype=dtype) for name, dtype in self._dtypes.items()}
        )[0]
        return rows


def topology_of(session: Any, pad_id: int) -> Topology:
    """How this session's graph is used. Raises `Corrupt` and names the inputs when it is none that makes vectors."""
    names = {graph_input.name for graph_input in session.get_inputs()}
    if {"input_ids", "attention_mask"} <= names <= {"input_ids", "attention_mask", "token_type_ids"}:
        return Encoder(session, pad_id)
    if names == {"input_ids"}:
        return Table(session)
    if names == {"input_ids", "offsets"}:
        return Bag(session)
    raise Corrupt(
        f"the graph takes {', '.join(sorted(names)) or 'nothing'}, which is neither a transformer encoder (input_ids, "
        "attention_mask) nor a static table (input_ids): take another export of the model"
    )


def _integer(graph_input: Any) -> type[np.integer[Any]]:
    dtype = _INTEGERS.get(graph_input.type)
    if dtype is None:
        raise Corrupt(f"the graph's input {graph_input.name!r} is {graph_input.type}: it should be token numbers")
    return dtype


def _hidden_state(session: Any) -> str:
    names: list[str] = [output.name for output in session.get_outputs()]
    return next((name for name in _HIDDEN_STATES if name in names), names[0])
