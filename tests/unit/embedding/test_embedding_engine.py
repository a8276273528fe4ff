"""The engine over small real graphs: a table, an embedding bag, and an encoder, all with the same nine words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from actors.embedding.engine import Engine, ModelFiles, load_engine
from actors.embedding.topology import Bag, Encoder, Table, topology_of
from actors.runtime.errors import Corrupt


class Port:
    """A graph's input or output."""

    def __init__(self, name: str, kind: str = "tensor(int64)") -> None:
        self.name = name
        self.type = kind


class Session:
    """Stands in for a session; gives for each token id n the vector [n, 1], and remembers what it was fed."""

    def __init__(self, *inputs: str, kind: str = "tensor(int64)", outputs: tuple[str, ...] = ("pooler", "x")) -> None:
        self._inputs = [Port(name, kind) for name in inputs]
        self._outputs = [Port(name) for name in outputs]
        self.fed: dict[str, np.ndarray] = {}
        self.wanted: list[str] | None = []

    def get_inputs(self) -> list[Port]:
        return self._inputs

    def get_outputs(self) -> list[Port]:
        return self._outputs

    def run(self, wanted: list[str] | None, fed: dict[str, np.ndarray]) -> list[np.ndarray]:
        self.wanted, self.fed = wanted, fed
        ids = fed["input_ids"].astype(np.float32)
        states = np.stack([ids, np.ones_like(ids)], axis=-1)
        if "offsets" in fed:
            return [np.array([part.mean(axis=0) for part in np.split(states, fed["offsets"][1:])])]
        return [states if "attention_mask" in fed else states.mean(axis=1)]


def engine_of(folder: Path) -> Engine:
    return load_engine(
        ModelFiles("small", folder / "model.onnx", folder / "tokenizer.json", "0123456789abcdef"), n_threads=1
    )


def test_a_text_is_the_mean_of_its_words_at_unit_length(model_dir: Path) -> None:
    rows = engine_of(model_dir).embed(["red green", "blue"])
    half = 0.5**0.5
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous
    assert rows == pytest.approx(np.array([[half, half, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]))


def test_order_is_kept_over_texts_of_all_lengths(model_dir: Path) -> None:
    texts = ["red", "red green blue", "blue", "green green green green", "red blue", "green"]
    engine = engine_of(model_dir)
    together = engine.embed(texts)
    assert [row.tolist() for row in together] == [engine.embed([text])[0].tolist() for text in texts]


def test_a_text_without_tokens_is_a_row_of_zeros(model_dir: Path) -> None:
    assert engine_of(model_dir).embed(["", "red", "   "]).tolist() == [[0.0] * 4, [1.0, 0.0, 0.0, 0.0], [0.0] * 4]


def test_no_texts_have_no_rows(model_dir: Path) -> None:
    assert engine_of(model_dir).embed([]).shape == (0, 4)


def test_the_model_id_is_the_name_and_twelve_digits(model_dir: Path) -> None:
    assert engine_of(model_dir).model_id == "small#0123456789ab"


def test_padding_and_truncation_of_the_tokenizers_file_do_not_count(
    model_dir: Path, make_tokenizer: Callable[..., bytes]
) -> None:
    (model_dir / "tokenizer.json").write_bytes(
        make_tokenizer(
            truncation={"max_length": 1, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
            padding={
                "strategy": {"Fixed": 8},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 3,
                "pad_type_id": 0,
                "pad_token": "blue",
            },
        )
    )
    half = 0.5**0.5
    assert engine_of(model_dir).embed(["red green"])[0].tolist() == pytest.approx([half, half, 0.0, 0.0])


def test_what_follows_the_last_token_that_is_looked_at_does_not_count(model_dir: Path) -> None:
    first, second = engine_of(model_dir).embed(["red " * 512 + "green", "red " * 511 + "green"])
    assert first.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert second[1] > 0.0


def test_a_graph_that_is_cut_off_is_corrupt_and_named(model_dir: Path) -> None:
    path = model_dir / "model.onnx"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(Corrupt, match=r"model\.onnx is no graph that ONNX Runtime .* can load"):
        engine_of(model_dir)


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"\x00" * 64])
def test_what_is_no_graph_is_corrupt(model_dir: Path, content: bytes) -> None:
    (model_dir / "model.onnx").write_bytes(content)
    with pytest.raises(Corrupt):
        engine_of(model_dir)


def test_what_is_no_tokenizer_is_corrupt_and_named(model_dir: Path) -> None:
    (model_dir / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(Corrupt, match=r"tokenizer\.json is no tokenizer"):
        engine_of(model_dir)


@pytest.mark.parametrize(
    "part",
    [
        {"model": {"type": "WordLevel", "vocab": {"red": 0}, "unk_token": "[UNK]"}},  # a bare exception at each text
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},  # a panic while it is read
        {"pre_tokenizer": {"type": "FixedLength", "length": 0}},  # a panic at each text
    ],
)
def test_a_tokenizer_that_fails_or_panics_is_corrupt(
    model_dir: Path, make_tokenizer: Callable[..., bytes], part: dict[str, object]
) -> None:
    (model_dir / "tokenizer.json").write_bytes(make_tokenizer(**part))
    with pytest.raises(Corrupt, match=r"tokenizer"):
        engine_of(model_dir)


def test_a_tokenizer_that_fails_at_some_texts_only_is_corrupt_at_these(
    model_dir: Path, make_tokenizer: Callable[..., bytes]
) -> None:
    words = {"a": 6, "probe": 7, "another": 8, "one,": 0, "longer": 0, "than": 0, "the": 0, "first": 0, "red": 1}
    model = {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}
    (model_dir / "tokenizer.json").write_bytes(make_tokenizer(model=model))
    engine = engine_of(model_dir)
    assert engine.embed(["red"]).tolist() == [[1.0, 0.0, 0.0, 0.0]]
    with pytest.raises(Corrupt, match=r"the tokenizer of small#0123456789ab does not run \(WordLevel error"):
        engine.embed(["red", "green"])


class Odd:
    """A topology that gives what it is told to give for texts with so many tokens."""

    name = "odd"
    is_padded = False
    has_special_tokens = False
    max_tokens = 512

    def __init__(self, rows_of: Callable[[int, int], object]) -> None:
        self._rows_of = rows_of

    def pool(self, ids: Sequence[Sequence[int]]) -> Any:
        return self._rows_of(len(ids), len(ids[0]))


ODD: dict[str, Callable[[int, int], object]] = {
    "as long as the text": lambda n, length: np.ones((n, length), np.float32),
    "one number": lambda n, length: np.ones((n, 4 if length == 2 else 1), np.float32),
    "no numbers": lambda n, _: np.ones((n, 0), np.float32),
    "texts": lambda n, _: np.full((n, 4), "red"),
    "a list of lists": lambda n, _: [["red"] * 4] * n,
    "an image": lambda n, _: np.ones((n, 2, 2), np.float32),
    "fewer rows": lambda n, _: np.ones((n - 1, 4), np.float32),
    "not a number": lambda n, _: np.full((n, 4), np.nan, np.float32),
    "infinite": lambda n, _: np.full((n, 4), -np.inf, np.float32),
    "too large to keep": lambda n, _: np.full((n, 4), 1e300),
}


@pytest.mark.parametrize("what", ODD)
def test_a_graph_that_gives_no_rows_of_one_length_is_corrupt(model_dir: Path, what: str) -> None:
    tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
    with pytest.raises(Corrupt, match="odd#1 gives"):
        Engine("odd#1", Odd(ODD[what]), tokenizer).embed(["red"])


@pytest.mark.parametrize("size", [1e-45, 1e-30, 1.0, 1e30, 3e38])
def test_rows_have_unit_length_whatever_their_size(model_dir: Path, size: float) -> None:
    tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
    engine = Engine("odd#1", Odd(lambda n, _: np.full((n, 4), size, np.float32)), tokenizer)
    assert engine.embed(["red"])[0].tolist() == pytest.approx([0.5] * 4)


def test_a_tokenizer_with_more_words_than_the_table_is_corrupt(
    model_dir: Path, make_tokenizer: Callable[..., bytes]
) -> None:
    model = {"type": "WordLevel", "vocab": {"[UNK]": 999}, "unk_token": "[UNK]"}
    (model_dir / "tokenizer.json").write_bytes(make_tokenizer(model=model))
    with pytest.raises(Corrupt, match=r"small#0123456789ab does not run .*take another export"):
        engine_of(model_dir)


def test_inputs_tell_the_topologies_apart() -> None:
    assert type(topology_of(Session("input_ids"), 0)) is Table
    assert type(topology_of(Session("input_ids", "offsets"), 0)) is Bag
    assert type(topology_of(Session("input_ids", "attention_mask"), 0)) is Encoder
    assert type(topology_of(Session("token_type_ids", "attention_mask", "input_ids"), 0)) is Encoder


@pytest.mark.parametrize("inputs", [(), ("pixels",), ("input_ids", "attention_mask", "position_ids")])
def test_other_inputs_are_no_model_for_texts(inputs: tuple[str, ...]) -> None:
    with pytest.raises(Corrupt, match=", ".join(sorted(inputs)) or "nothing"):
        topology_of(Session(*inputs), 0)


def test_inputs_that_are_no_token_numbers_are_refused() -> None:
    with pytest.raises(Corrupt, match=r"'input_ids' is tensor\(float\)"):
        topology_of(Session("input_ids", kind="tensor(float)"), 0)


def test_an_encoder_leaves_padding_out_of_the_mean() -> None:
    session = Session("input_ids", "attention_mask", "token_type_ids")
    rows = topology_of(session, 77).pool([[2, 4, 6], [10]])
    assert rows.tolist() == [[4.0, 1.0], [10.0, 1.0]]
    assert session.fed["input_ids"].tolist() == [[2, 4, 6], [10, 77, 77]]
    assert session.fed["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert session.fed["token_type_ids"].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert {array.dtype for array in session.fed.values()} == {np.dtype(np.int64)}


def test_an_encoders_hidden_states_are_found_by_name() -> None:
    session = Session("input_ids", "attention_mask", outputs=("pooler_output", "last_hidden_state"))
    topology_of(session, 0).pool([[1]])
    assert session.wanted == ["last_hidden_state"]
    session = Session("input_ids", "attention_mask", outputs=("hidden",))
    topology_of(session, 0).pool([[1]])
    assert session.wanted == ["hidden"]


def test_a_bag_gets_texts_end_to_end() -> None:
    session = Session("input_ids", "offsets", kind="tensor(int32)")
    assert topology_of(session, 0).pool([[2, 4], [6], [1, 2, 3]]).tolist() == [[3.0, 1.0], [6.0, 1.0], [2.0, 1.0]]
    assert session.fed["input_ids"].tolist() == [2, 4, 6, 1, 2, 3]
    assert session.fed["offsets"].tolist() == [0, 2, 3]
    assert session.fed["input_ids"].dtype == np.int32
