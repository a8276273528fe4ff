"""A table of token vectors as an ONNX graph, so that both kinds of model run in the same engine.

The bytes are written here, field by field (the numbers are those of onnx.proto, IR version 8, opset 13): the same table
gives the same bytes on every machine, whatever version of a library is installed, so that their hash can be pinned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Value: TypeAlias = int | str | bytes

_IR_VERSION: Final = 8
_OPSET: Final = 13
_FLOAT, _INT64, _FLOAT16 = 1, 7, 10  # TensorProto.DataType
_AN_INT, _INTS = 2, 7  # AttributeProto.AttributeType
_LENGTH_DELIMITED: Final = 2


def table_graph(table: npt.NDArray[np.float16]) -> bytes:
    """The graph `input_ids` [b, s] int64 -> `embeddings` [b, d] float32: means of rows of `table` [v, d] float16.

    All texts of one run have the same number of tokens: there is no mask.
    """
    n_rows, n_dims = table.shape
    graph = _message(
        (1, _node("Gather", ("table", "input_ids"), "halves")),
        (1, _node("Cast", ("halves",), "rows", _int_attribute("to", _FLOAT))),
        (1, _node("ReduceMean", ("rows",), "embeddings", _ints_attribute("axes", 1), _int_attribute("keepdims", 0))),
        (2, "static_table"),
        (5, _message((1, n_rows), (1, n_dims), (2, _FLOAT16), (8, "table"), (9, _little_endian(table)))),
        (11, _tensor("input_ids", _INT64, ("batch", "tokens"))),
        (12, _tensor("embeddings", _FLOAT, ("batch", n_dims))),
    )
    return _message((1, _IR_VERSION), (2, "scentfield"), (7, graph), (8, _message((1, ""), (2, _OPSET))))


def _node(operator: str, inputs: Iterable[str], output: str, *attributes: bytes) -> bytes:
    return _message(
        *((1, name) for name in inputs), (2, output), (4, operator), *((5, attribute) for attribute in attributes)
    )


def _int_attribute(name: str, value: int) -> bytes:
    return _message((1, name), (3, value), (20, _AN_INT))


def _ints_attribute(name: str, *values: int) -> bytes:
    return _message((1, name), *((8, value) for value in values), (20, _INTS))


def _tensor(name: str, element: int, dims: Iterable[str | int]) -> bytes:
    shape = _message(*((1, _message((2 if isinstance(dim, str) else 1, dim))) for dim in dims))
    return _message((1, name), (2, _message((1, _message((1, element), (2, shape))))))


def _little_endian(table: npt.NDArray[np.float16]) -> bytes:
    return np.ascontiguousarray(table, dtype="<f2").tobytes()


def _message(*fields: tuple[int, Value]) -> bytes:
    """A protocol buffer of these (number, value) fields, in this order."""
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: Value) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _LENGTH_DELIMITED) + _varint(len(raw)) + raw


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
