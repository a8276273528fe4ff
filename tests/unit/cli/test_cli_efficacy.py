"""`scentfield efficacy`: the same figures from the running coordinator and from the signed ledger alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.quality_store.messages import RecordOutcome, RecordRead, RecordTrial
from actors.quality_store.trial import MEASURES
from coordinator.asking import Asker
from coordinator.domain import QUALITY_STORE
from coordinator.learning.ledger_key import own_ledger_key
from coordinator.session import AgentSession
from coordinator.step import drive

DAY_S = 86_400.0
BESIDE = ("ledger", "n_records", "faults", "off")


@pytest.fixture
def work_on(house: Any) -> Callable[[int], None]:
    """`work_on(3)` lets 25 files be read and one edit miss on each of three days from 2023-11-14 on."""
    session = AgentSession("ann#1", "token", "decay", 30.0, 0.0)
    asker = Asker(QUALITY_STORE, timeout_s=5.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)

    def read(path: str, mode: str = "map", source: str = "auto") -> RecordRead:
        n_tokens = 1_000 if mode == "full" else 100
        arms = ("edit_penalty",) if path.startswith("1") else ()
        return RecordRead("test", path, mode, source, n_tokens, 1_000, False, arms, False, ("edit_penalty",))

    def work(n_days: int) -> None:
        for day in range(n_days):
            house.actors[QUALITY_STORE].now_s += DAY_S if day else 0.0
            commands: list[Any] = [read(f"{number}.py") for number in range(25)]
            commands += [read("24.py", "full", "explicit"), RecordTrial("lessons", False, 2, 1)]
            commands += [RecordOutcome("test", "23.py", "map", "failure", "not_shown", 40)]
            for command in commands:
                drive(asker.request(session, command), house)

    return work


def figures(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in BESIDE}


def test_of_nothing_nothing_is_known(scentfield: Any) -> None:
    said = scentfield("efficacy").stdout
    assert "bounce rate: not yet known this week, not yet known before" in said
    assert "no edit failed" in said
    assert said.count("not yet known: 400 more units at least") == sum(map(len, MEASURES.values()))
    document = scentfield.json("efficacy")
    assert (document["net_saved_tokens"], document["net_saved_price"], document["edit_failures"]) == (0, None, [])
    assert {one["verdict"] for one in document["layers"]} == {"not_yet_known"}


def test_the_figures_are_those_of_what_happened(scentfield: Any, work_on: Any) -> None:
    work_on(2)
    document = scentfield.json("efficacy")
    assert document["last_day"] == "2023-11-15"
    assert document["bounce_rate"] == {"this_week": 2 / 50, "week_before": None}
    assert document["edit_failures"] == [{"extension": "py", "mode": "map", "cause": "not_shown", "n": 2}]
    assert document["net_saved_tokens"] == 2 * (25 * 900 - 1_000 - 40)
    (lessons,) = (one for one in document["layers"] if one["layer"] == "lessons")
    assert (lessons["treatment"], lessons["n_treatment_units"], lessons["verdict"]) == (0.5, 2, "not_yet_known")
    table = scentfield("efficacy").stdout
    assert "bounce rate: 4.0% this week" in table
    assert " ".join(next(line for line in table.splitlines() if ".py" in line).split()) == ".py map not_shown 2"


def test_the_ledger_alone_says_the_same(scentfield: Any, work_on: Any, tmp_path: Path) -> None:
    work_on(3)
    told = figures(scentfield.json("efficacy"))
    alone = scentfield.json("efficacy", "--from-ledger")
    assert (alone["n_records"], alone["faults"]) == (3, [])
    assert figures(alone) == told
    scentfield("ledger", "export", "out.jsonl", "--today")
    public = tmp_path / "their.pub"
    public.write_bytes((scentfield.state_dir / "ledger.pub").read_bytes())
    scentfield.house.down(scentfield.house.settings)
    n_calls = scentfield.house.n_calls
    assert figures(scentfield.json("efficacy", "--from-ledger", "out.jsonl", "--key", str(public))) == told
    text = Path("out.jsonl").read_text(encoding="utf-8")
    result = scentfield("efficacy", "--from-ledger", "-", text=text)
    assert result.stdout.startswith("worked out from - ledger alone: 3 days, all unchanged and signed\n")
    assert scentfield.house.n_calls == n_calls


def test_the_window_may_end_on_an_earlier_day(scentfield: Any, work_on: Any) -> None:
    work_on(3)
    scentfield("ledger", "export", "out.jsonl")
    document = scentfield.json("efficacy", "--from-ledger", "out.jsonl", "--through", "2023-11-14")
    assert (document["last_day"], document["bounce_reads"]["this_week"]) == ("2023-11-14", 25)
    later = scentfield("efficacy", "--from-ledger", "out.jsonl", "--through", "2024-11-14")
    assert "net tokens saved: 0 " in later.stdout
    assert "the ledger ends with 2023-11-15: nothing is known of the days to 2024-11-14" in later.stderr


@pytest.mark.parametrize(("n", "said"), [(1, "1 older day was closed"), (2, "2 older days were closed")])
def test_days_of_the_window_that_are_not_in_the_file_are_said_to_be_missing(
    scentfield: Any, work_on: Any, n: int, said: str
) -> None:
    work_on(3)
    scentfield("ledger", "export", "out.jsonl", "--today")
    assert scentfield("efficacy", "--from-ledger", "out.jsonl").stderr == ""
    lines = Path("out.jsonl").read_text(encoding="utf-8").splitlines()
    Path("late.jsonl").write_text("\n".join(lines[n:]) + "\n", encoding="utf-8")
    told = scentfield("efficacy", "--from-ledger", "late.jsonl").stderr
    assert f"begins with 2023-11-{14 + n}, {said}: what is of these 30 days is not counted" in told


def test_a_ledger_that_was_touched_says_nothing_but_what_is_wrong(
    scentfield: Any, work_on: Any, tmp_path: Path
) -> None:
    work_on(3)
    scentfield("ledger", "export", "out.jsonl", "--today")
    lines = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    lines[1]["content"] = lines[1]["content"].replace('"lessons","failure_rate"', '"lessons","miss_rate"')
    Path("bad.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    document = scentfield.json("efficacy", "--from-ledger", "bad.jsonl", expect=1)
    assert {fault["kind"] for fault in document["faults"]} >= {"changed", "wrong_signature"}
    assert "layers" not in document
    own_ledger_key(tmp_path / "other")
    other = str(tmp_path / "other" / "ledger.pub")
    assert scentfield("efficacy", "--from-ledger", "out.jsonl", "--key", other).exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("out.jsonl",),
        ("--key", "a.pub"),
        ("--through", "2023-11-14"),
        ("--last-digest", "00" * 32),
        ("--from-ledger", "none.jsonl"),
        ("--from-ledger", "empty.jsonl"),
        ("--from-ledger",),
        ("--from-ledger", "out.jsonl", "--through", "yesterday"),
        ("--plot", "picture.jpg"),
        ("--plot", "nowhere/picture.png"),
    ],
)
def test_what_cannot_be_is_wrong_usage(scentfield: Any, read_one_day: None, arguments: tuple[str, ...]) -> None:
    Path("empty.jsonl").touch()
    assert scentfield.json("efficacy", *arguments, expect=2)["error"]["message"]


@pytest.fixture
def read_one_day(scentfield: Any, work_on: Any) -> None:
    """An exported day, of a coordinator that begins anew after that."""
    work_on(1)
    scentfield("ledger", "export", "out.jsonl", "--today")
    scentfield.house.forget_everyone()


def test_a_picture_is_drawn(scentfield: Any, work_on: Any) -> None:
    pytest.importorskip("matplotlib")
    scentfield("efficacy", "--plot", "empty.png")
    work_on(2)
    assert scentfield("efficacy", "--plot", "picture.png").stdout.endswith("drawn: picture.png\n")
    first = Path("picture.png").read_bytes()
    scentfield("efficacy", "--plot", "picture.png")
    assert Path("picture.png").read_bytes() == first
    assert first.startswith(b"\x89PNG")
