"""A call that comes alone is computed on two threads, with the same vectors."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from actors.embedding.engine import ModelFiles, load_engine
from actors.embedding.halves import FEWEST_TEXTS, Halves
from actors.runtime.errors import Corrupt

TEXTS = ["red", "green", "blue", "red green", "bread food a", "nothing known", ""] * 40


class Engine:
    """Notes who asked for how many texts; the vector of a text is its length. calls of so many
    texts wait for their `gates`.
    """

    model_id = "lengths#1"
    n_dims = 1

    def __init__(self) -> None:
        self.asked: list[tuple[bool, int]] = []
        self.gates: dict[int, threading.Event] = {}
        self.is_held = threading.Event()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.append((threading.current_thread() is threading.main_thread(), len(texts)))
        if len(texts) in self.gates:
            self.is_held.set()
            self.gates[len(texts)].wait(30.0)
        if "wrong" in texts:
            raise Corrupt("no vector for this")
        return np.array([[len(text)] for text in texts], dtype=np.float32)


@pytest.fixture
def helper() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def test_the_second_half_goes_to_the_helper(helper: ThreadPoolExecutor) -> None:
    engine = Engine()
    texts = ["x" * number for number in range(FEWEST_TEXTS + 1)]
    rows = Halves(engine, helper).embed(texts)
    assert rows[:, 0].tolist() == list(range(FEWEST_TEXTS + 1))
    assert sorted(engine.asked) == [(False, FEWEST_TEXTS // 2 + 1), (True, FEWEST_TEXTS // 2)]


def test_a_short_call_stays_in_one_piece(helper: ThreadPoolExecutor) -> None:
    engine = Engine()
    assert len(Halves(engine, helper).embed(["x"] * (FEWEST_TEXTS - 1))) == FEWEST_TEXTS - 1
    assert engine.asked == [(True, FEWEST_TEXTS - 1)]


def test_a_call_beside_another_one_stays_in_one_piece(helper: ThreadPoolExecutor) -> None:
    engine = Engine()
    halves = Halves(engine, helper)
    engine.gates[1] = gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(halves.embed, ["x"])
        assert engine.is_held.wait(30.0)
        halves.embed(["x"] * FEWEST_TEXTS)
        gate.set()
        other.result(30.0)
    assert engine.asked == [(False, 1), (True, FEWEST_TEXTS)]


@pytest.mark.parametrize("place", [0, FEWEST_TEXTS])
def test_an_error_of_either_half_is_raised_and_the_next_call_is_cut_again(
    helper: ThreadPoolExecutor, place: int
) -> None:
    engine = Engine()
    halves = Halves(engine, helper)
    texts = ["x"] * FEWEST_TEXTS
    texts.insert(place, "wrong")
    with pytest.raises(Corrupt, match="no vector for this"):
        halves.embed(texts)
    helper.submit(engine.asked.clear).result(30.0)  # after the other half
    halves.embed(["x"] * FEWEST_TEXTS)
    assert len(engine.asked) == 2


def test_a_table_gives_the_same_bits(model_dir: Path, helper: ThreadPoolExecutor) -> None:
    files = ModelFiles("small", model_dir / "model.onnx", model_dir / "tokenizer.json", "0123456789abcdef")
    engine = load_engine(files, n_threads=1)
    halves = Halves(engine, helper)
    assert (halves.model_id, halves.n_dims) == (engine.model_id, engine.n_dims)
    assert halves.embed(TEXTS).tobytes() == engine.embed(TEXTS).tobytes()
