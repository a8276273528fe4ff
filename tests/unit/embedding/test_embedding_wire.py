"""Calls of the embedding actor and its answers as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from actors.embedding.messages import DuplicateTexts, NotReady, SimilarTexts, Vectors
from actors.embedding.nearness import Duplicate, Similar
from actors.embedding.status import State, Status
from actors.runtime.errors import InvariantBroken, WireError
from actors.runtime.wire import BusyFor, Failed, pack
from coordinator.embedding.wire import pack_answer, pack_call, unpack_answer, unpack_call

LOADING = Status(State.DOWNLOADING, "m", "it is fetched", "", 0, 10, 100)


@pytest.mark.parametrize(
    "answer",
    [
        SimilarTexts("m#1", (Similar(3, 0.5), Similar(0, 0.25))),
        SimilarTexts("m#1", ()),
        DuplicateTexts("m#1", (Duplicate(4, 1, 0.99),)),
        NotReady(LOADING),
        LOADING,
        BusyFor(1.5, "the queue is full"),
        Failed("misuse", "too many texts"),
    ],
)
def test_an_answer_comes_out_as_it_went_in(answer: Any) -> None:
    told = unpack_answer(pack_answer(answer))
    assert told == answer
    assert type(told) is type(answer)


@pytest.mark.parametrize("shape", [(2, 3), (0, 256), (1, 1)])
def test_vectors_keep_their_shape_and_every_bit(shape: tuple[int, int]) -> None:
    rows = np.linspace(-1.0, 1.0, shape[0] * shape[1], dtype=np.float32).reshape(shape)
    told = unpack_answer(pack_answer(Vectors("m#1", rows)))
    assert told.model_id == "m#1"
    assert told.rows.dtype == np.float32
    assert told.rows.shape == shape
    assert told.rows.tobytes() == rows.tobytes()


def test_rows_that_do_not_lie_in_one_piece_are_sent_as_they_read() -> None:
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2]
    assert unpack_answer(pack_answer(Vectors("m", rows))).rows.tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]


def test_what_the_actor_never_answers_is_our_fault() -> None:
    with pytest.raises(InvariantBroken, match="answered dict"):
        pack_answer({})


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("embed", (["a", "ü"], 0.2)),
        ("similar", ("q", ["a"], 10, 30)),
        ("near_duplicates", ([], 0.9, 8, 30.0)),
        ("status", ()),
        ("warm", (True,)),
    ],
)
def test_a_call_comes_out_as_it_went_in(method: str, arguments: tuple[Any, ...]) -> None:
    assert unpack_call(pack_call(method, arguments), 1_000) == (method, arguments)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        pack(7),
        pack([]),
        pack([7]),
        pack(["fly"]),
        pack(["embed"]),
        pack(["embed", "one text", 1.0]),
        pack(["embed", ["a", 7], 1.0]),
        pack(["embed", ["a"], True]),
        pack(["embed", ["a"], "1"]),
        pack(["similar", ["q"], ["a"], 1, 1.0]),
        pack(["warm", 1]),
        pack(["status", 1]),
        pack(["__init__", 1]),
    ],
)
def test_what_is_no_call_is_refused(raw: bytes) -> None:
    with pytest.raises(WireError):
        unpack_call(raw, 1_000)


def test_a_call_that_is_too_large_is_refused() -> None:
    with pytest.raises(WireError, match="over the limit of 10"):
        unpack_call(pack_call("embed", (["x" * 20], 1.0)), 10)


@pytest.mark.parametrize(
    "raw",
    [
        pack(7),
        pack([]),
        pack(["fly"]),
        pack(["busy"]),
        pack(["vectors", "m", 2, 2, b"1"]),
        pack(["status", "up", "", ""]),
    ],
)
def test_what_is_no_answer_is_refused(raw: bytes) -> None:
    with pytest.raises(WireError, match="the gateway runs another version"):
        unpack_answer(raw)
