"""`scentfield embedding`: how the model is, why no further, and waiting for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.embedding.status import State, Status
from actors.runtime.errors import Unavailable
from coordinator.cli import embedding
from coordinator.embedding import connect

READY = Status(State.READY, "static", "", "static#1c0ffee15bad", 256)
LOADING = Status(State.LOADING, "static", "its files are looked for and checked")
ARRIVING = Status(State.DOWNLOADING, "hf:org/repo@main", "3.0 of 9.0 MB have arrived", "", 0, 3_000_000, 9_000_000)
FAILED = Status(State.FAILED, "minilm", "the package is not installed")


class Line:
    """The way to an actor that says one status after the other, and the last one from then on."""

    def __init__(self, *statuses: Status) -> None:
        self._statuses = list(statuses)
        self.asked: list[tuple[Any, ...]] = []

    def connect(self) -> None:
        if not self._statuses:
            raise Unavailable("no embedding actor runs in namespace 'default'")

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Status:  # noqa: ARG002  # the protocol's signature
        self.asked.append((method, *arguments))
        return self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Line]:
    """`model(LOADING, READY)` stands in for the actor."""
    monkeypatch.setattr(embedding, "_POLL_S", 0.0)

    def stand_in(*statuses: Status) -> Line:
        line = Line(*statuses)
        monkeypatch.setattr(connect, "RayEmbeddingLine", lambda _namespace: line)
        return line

    return stand_in


def test_a_model_that_is_ready_is_shown_with_what_its_vectors_depend_on(scentfield: Any, model: Any) -> None:
    model(READY)
    result = scentfield("embedding")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Embedding\n  static: ready, 256 dimensions (static#1c0ffee15bad)\n"
    assert scentfield("embedding", "status").stdout == result.stdout
    assert scentfield.json("embedding") == {
        "state": "ready",
        "model": "static",
        "reason": "",
        "model_id": "static#1c0ffee15bad",
        "n_dims": 256,
        "n_bytes": 0,
        "n_total_bytes": 0,
        "wanted": "static",
    }


def want(tree: Path, model: str) -> None:
    (tree / "scentfield.toml").write_text(f'[embedding]\nmodel = "{model}"\n', encoding="utf-8")


def test_one_that_is_not_is_exit_code_4_and_says_why(scentfield: Any, tree: Path, model: Any) -> None:
    for seen, line in (
        (LOADING, "static: loading: its files are looked for and checked"),
        (ARRIVING, "hf:org/repo@main: downloading: 3.0 of 9.0 MB have arrived"),
        (FAILED, "minilm: failed: the package is not installed"),
    ):
        model(seen)
        want(tree, seen.model)
        result = scentfield("embedding", "status")
        assert (result.exit_code, result.stdout, result.stderr) == (4, f"Embedding\n  {line}\n", "")
    assert scentfield.json("embedding", expect=4)["reason"] == "the package is not installed"


def test_settings_that_have_changed_since_are_told_with_what_to_do(scentfield: Any, tree: Path, model: Any) -> None:
    model(READY)
    want(tree, "minilm")
    shown = scentfield("embedding")
    assert shown.exit_code == 0
    assert shown.stdout.endswith(
        "  the settings name 'minilm' by now: `scentfield up` puts it in the place of 'static'\n"
    )
    assert scentfield.json("embedding")["wanted"] == "minilm"
    looked = scentfield.json("doctor", expect=1)
    (finding,) = [one for one in looked["findings"] if one["name"] == "embedding"]
    assert (finding["state"], finding["next_step"]) == ("failed", "run `scentfield up`")
    want(tree, "static")
    assert "settings" not in scentfield("embedding").stdout


@pytest.mark.parametrize(
    ("seen", "state"), [(READY, "ok"), (LOADING, "skipped"), (FAILED._replace(model="static"), "failed")]
)
def test_doctor_says_how_the_model_is(scentfield: Any, model: Any, seen: Status, state: str) -> None:
    model(seen)
    looked = scentfield.json("doctor", expect=int(state == "failed"))
    (finding,) = [one for one in looked["findings"] if one["name"] == "embedding"]
    assert finding["state"] == state
    assert (seen.reason or seen.model_id) in finding["what"]


def test_without_its_actor_it_is_off_and_says_so(scentfield: Any, model: Any) -> None:
    model()
    seen = scentfield.json("embedding", expect=4)
    assert (seen["state"], seen["reason"]) == ("off", "no embedding actor runs in namespace 'default'")


def test_warm_waits_until_it_is_ready(scentfield: Any, model: Any) -> None:
    line = model(LOADING, ARRIVING, LOADING, READY)
    assert scentfield("embedding", "warm").exit_code == 0
    assert line.asked == [("warm", True), ("status",), ("status",), ("status",)]


def test_warm_does_not_wait_for_what_will_not_come_nor_longer_than_it_was_told(scentfield: Any, model: Any) -> None:
    line = model(FAILED)
    assert scentfield.json("embedding", "warm", expect=4)["state"] == "failed"
    assert line.asked == [("warm", True)]
    line = model(LOADING)
    assert scentfield.json("embedding", "warm", "--wait", "0", expect=4)["state"] == "loading"
    assert line.asked == [("warm", True)]


def test_a_model_that_is_switched_off_is_a_state_and_no_error(alone: Any, tree: Path, model: Any) -> None:
    line = model(READY)
    (tree / "scentfield.toml").write_text('[embedding]\nmodel = "off"\n', encoding="utf-8")
    for verb in ("status", "warm"):
        seen = alone.json("embedding", verb, expect=4)
        assert seen["state"] == "off"
        assert seen["reason"].startswith("it is switched off: set model under [embedding]")
    assert alone("embedding").stdout.startswith("Embedding\n  no model: off: it is switched off")
    assert line.asked == []


def test_where_everything_is_switched_off_the_model_is_too(alone: Any) -> None:
    result = alone("embedding", "--json", SCENTFIELD_DISABLED="1")
    assert result.exit_code == 4
    assert '"SCENTFIELD_DISABLED is set"' in result.stdout


def test_without_a_coordinator_it_is_an_error_with_exit_code_4(alone: Any) -> None:
    for verb in ("status", "warm"):
        assert alone.json("embedding", verb, expect=4)["error"]["code"] == "unavailable"


def test_a_wait_that_cannot_be_is_wrong_usage(alone: Any) -> None:
    for wait in ("-1", "3601", "long"):
        assert alone.json("embedding", "warm", "--wait", wait, expect=2)["error"]["code"] == "usage"
