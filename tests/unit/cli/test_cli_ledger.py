"""`scentfield ledger`: savings by day, and closed days that can be taken away and verified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.quality_store.messages import RecordRead
from coordinator.asking import Asker
from coordinator.cli import ledger
from coordinator.domain import QUALITY_STORE
from coordinator.efficacy import ledger_file
from coordinator.learning.ledger_key import own_ledger_key
from coordinator.session import AgentSession
from coordinator.step import drive

DAY_S = 86_400.0


@pytest.fixture
def read_on(house: Any) -> Callable[[int], None]:
    """`read_on(3)` shows 100 of 1,000 tokens on each of three days from 2023-11-14 on; all are closed."""
    session = AgentSession("ann#1", "token", "decay", 30.0, 0.0)
    asker = Asker(QUALITY_STORE, timeout_s=5.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)

    def read(n_days: int) -> None:
        for number in range(n_days):
            command = RecordRead("test", f"{number}.py", "map", "explicit", 100, 1_000)
            drive(asker.request(session, command), house)
            house.actors[QUALITY_STORE].now_s += DAY_S

    return read


def lines_of(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write(path: str, lines: list[dict[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_without_reads_nothing_is_known(scentfield: Any) -> None:
    assert scentfield("ledger").stdout == "not yet known: nothing was read so far\n"
    assert scentfield.json("ledger", "show") == {"days": [], "months": []}


def test_each_day_has_a_row_with_what_was_sent_and_saved(scentfield: Any, read_on: Any) -> None:
    read_on(2)
    header, *rows = (line.split("  ") for line in scentfield("ledger").stdout.splitlines())
    assert [name.strip() for name in header if name] == [
        "day",
        "reads",
        "tokens sent",
        "saved",
        "lost to second reads",
        "lost to failed edits",
        "net",
    ]
    assert [" ".join(row).split() for row in rows] == [
        ["2023-11-14", "1", "100", "900", "0", "0", "900"],
        ["2023-11-15", "1", "100", "900", "0", "0", "900"],
    ]
    assert [sheet["period"] for sheet in scentfield.json("ledger", "--days", "1")["days"]] == ["2023-11-15"]


def test_parts_of_files_cost_tokens_and_are_no_reads(scentfield: Any, house: Any, read_on: Any) -> None:
    """As everywhere else: the metric `scentfield_ledger_reads_total` and `status -v` count whole files only."""
    session = AgentSession("bob#2", "token", "decay", 30.0, 0.0)
    asker = Asker(QUALITY_STORE, timeout_s=5.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)
    drive(asker.request(session, RecordRead("test", "0.py", "lines", "explicit", 50, 1_000)), house)
    read_on(1)
    assert scentfield("ledger").stdout.splitlines()[1].split() == ["2023-11-14", "1", "150", "900", "0", "0", "900"]


@pytest.mark.parametrize("days", ["0", "31", "-1", "many"])
def test_days_that_cannot_be_are_wrong_usage(alone: Any, days: str) -> None:
    assert alone.json("ledger", "show", "--days", days, expect=2)["error"]["code"] == "usage"


def test_an_option_of_show_before_another_command_is_wrong_usage(alone: Any) -> None:
    result = alone("ledger", "--days", "5", "export", "out.jsonl")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--days: it would have no effect on 'export'" in result.stderr


def test_closed_days_are_exported_and_verify_without_the_coordinator(scentfield: Any, read_on: Any) -> None:
    read_on(3)
    key = scentfield.state_dir / "ledger.pub"
    said = scentfield("ledger", "export", "out.jsonl").stdout.splitlines()
    last = lines_of("out.jsonl")[-1]["digest"]
    assert said == [
        f"out.jsonl: 3 closed days; the public key is in {key}",
        f"the digest of the last day, by which a missing end is noticed: {last}",
    ]
    scentfield.house.down(scentfield.house.settings)
    n_calls = scentfield.house.n_calls
    assert scentfield("ledger", "verify", "out.jsonl").stdout == (
        "out.jsonl: 3 closed days, 2023-11-14 to 2023-11-16: all unchanged and signed\n"
    )
    assert scentfield.json("ledger", "verify", "out.jsonl") == {
        "file": "out.jsonl",
        "n_days": 3,
        "first_day": "2023-11-14",
        "last_day": "2023-11-16",
        "n_before": 0,
        "faults": [],
    }
    assert scentfield.house.n_calls == n_calls


@pytest.mark.parametrize(("n", "said"), [(1, "1 closed day before is"), (2, "2 closed days before are")])
def test_older_days_that_are_not_in_it_are_counted(scentfield: Any, read_on: Any, n: int, said: str) -> None:
    """They may be pruned or cut off; the numbers of the records that are left say that they were there."""
    read_on(3)
    scentfield("ledger", "export", "out.jsonl")
    write("out.jsonl", lines_of("out.jsonl")[n:])
    assert scentfield("ledger", "verify", "out.jsonl").stdout.endswith(f"all unchanged and signed; {said} not in it\n")
    assert scentfield.json("ledger", "verify", "out.jsonl")["n_before"] == n


def test_an_end_that_was_cut_off_is_noticed_by_the_digest_of_the_last_day(scentfield: Any, read_on: Any) -> None:
    read_on(3)
    last = scentfield.json("ledger", "export", "out.jsonl")["last_digest"]
    assert scentfield("ledger", "verify", "out.jsonl", "--last-digest", last).exit_code == 0
    write("cut.jsonl", lines_of("out.jsonl")[:2])
    assert scentfield("ledger", "verify", "cut.jsonl").exit_code == 0
    (fault,) = scentfield.json("ledger", "verify", "cut.jsonl", "--last-digest", last, expect=1)["faults"]
    assert (fault["day"], fault["kind"]) == ("2023-11-15", "missing")
    for command in (("ledger", "verify"), ("efficacy", "--from-ledger")):
        assert "the end of the ledger is missing" in scentfield(*command, "cut.jsonl", "--last-digest", last).stdout
        for none in ("", "zz", "00", last + "00"):
            assert "give the 64 hex digits" in scentfield(*command, "out.jsonl", "--last-digest", none).stderr


def test_a_dash_is_standard_output_and_standard_input(scentfield: Any, read_on: Any) -> None:
    read_on(1)
    text = scentfield("ledger", "export", "-").stdout
    assert scentfield("ledger", "verify", "-", text=text).stdout == (
        "-: 1 closed day, 2023-11-14 to 2023-11-14: all unchanged and signed\n"
    )
    document = scentfield.json("ledger", "export", "-")
    assert document["days"] == [json.loads(text)]
    assert scentfield.json("ledger", "export", "out.jsonl") == {
        "file": "out.jsonl",
        "n_days": 1,
        "public_key": document["public_key"],
        "last_digest": document["days"][-1]["digest"],
    }
    assert Path("out.jsonl").read_text(encoding="utf-8") == text


def test_more_days_than_a_page_holds_are_all_exported(scentfield: Any, read_on: Any) -> None:
    read_on(101)
    assert scentfield.json("ledger", "export", "out.jsonl")["n_days"] == 101
    days = [line["day"] for line in lines_of("out.jsonl")]
    assert days == list(range(19_675, 19_776))
    assert scentfield.json("ledger", "verify", "out.jsonl")["last_day"] == "2024-02-22"


def test_before_a_day_is_over_there_is_nothing_to_verify(scentfield: Any) -> None:
    scentfield("read", "a.py", "--agent", "ann")
    result = scentfield("ledger", "export", "out.jsonl")
    assert result.stdout.startswith("out.jsonl: 0 closed days; ")
    assert "today's is when the first request after midnight UTC has come" in result.stderr
    verified = scentfield("ledger", "verify", "out.jsonl")
    assert verified.exit_code == 1
    assert "there is no day in it: nothing was verified" in verified.stdout


def test_an_empty_ledger_does_not_verify(scentfield: Any, read_on: Any) -> None:
    read_on(1)
    write("empty.jsonl", [])
    (fault,) = scentfield.json("ledger", "verify", "empty.jsonl", expect=1)["faults"]
    assert (fault["kind"], fault["message"]) == ("missing", "there is no day in it: nothing was verified")


def test_today_is_exported_on_request_and_said_to_be_open(scentfield: Any, read_on: Any) -> None:
    assert "nothing was counted so far" in scentfield("ledger", "export", "out.jsonl", "--today").stderr
    read_on(1)
    scentfield("read", "a.py", "--agent", "bob")
    assert scentfield("ledger", "export", "out.jsonl", "--today").stdout.startswith("out.jsonl: 2 days; ")
    assert scentfield("ledger", "verify", "out.jsonl").stdout == (
        "out.jsonl: 1 closed day, 2023-11-14 to 2023-11-15, which is not over: all unchanged and signed\n"
    )
    assert len(lines_of("out.jsonl")) == 2
    assert scentfield.json("ledger", "export", "closed.jsonl")["n_days"] == 1


def test_what_was_done_to_a_ledger_is_named_with_exit_code_1(scentfield: Any, read_on: Any, tmp_path: Path) -> None:
    read_on(3)
    scentfield("ledger", "export", "out.jsonl")
    first, second, third = lines_of("out.jsonl")
    prettier = {**second, "content": second["content"].replace("900", "990")}
    done = {
        "changed": [first, prettier, third],
        "missing": [first, third],
        "reordered": [second, first, third],
        "unsigned": [first, {**second, "signature": ""}, third],
        "wrong_signature": [first, {**second, "signature": first["signature"]}, third],
    }
    for kind, lines in done.items():
        write("bad.jsonl", lines)
        faults = scentfield.json("ledger", "verify", "bad.jsonl", expect=1)["faults"]
        assert kind in {fault["kind"] for fault in faults}, (kind, faults)
    write("bad.jsonl", done["missing"])
    assert "the records of 1 closed days are missing" in scentfield("ledger", "verify", "bad.jsonl").stdout


def test_another_key_fits_no_day(scentfield: Any, read_on: Any, tmp_path: Path) -> None:
    read_on(1)
    scentfield("ledger", "export", "out.jsonl")
    own_ledger_key(tmp_path / "other")
    other = str(tmp_path / "other" / "ledger.pub")
    faults = scentfield.json("ledger", "verify", "out.jsonl", "--key", other, expect=1)["faults"]
    assert [fault["kind"] for fault in faults] == ["wrong_signature"]
    taken_along = tmp_path / "theirs.pub"
    taken_along.write_bytes((scentfield.state_dir / "ledger.pub").read_bytes())
    assert scentfield("ledger", "verify", "out.jsonl", "--key", str(taken_along)).exit_code == 0


@pytest.mark.parametrize("content", [None, b"", b"zz", b"00" * 31, b"00" * 33, b"\xff" * 64])
def test_what_is_no_public_key_is_misuse(alone: Any, tmp_path: Path, content: bytes | None) -> None:
    write("out.jsonl", [])
    key = tmp_path / "some.pub"
    if content is not None:
        key.write_bytes(content)
    for arguments in ((), ("--key", str(key))):
        result = alone("ledger", "verify", "out.jsonl", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "does not hold a ledger's public key" in result.stderr


GOOD = {"day": 19_675, "content": "{}", "digest": "00", "signature": "00"}
BAD_LINES = {
    "no JSON": b"day\n",
    "no text": b"\xff\n",
    "a blank line": b"\n",
    "no object": b"[1, 2]\n",
    "nothing in it": b"{}\n",
    "nested deep": b"[" * 100_000 + b"\n",
    "a field more": json.dumps({**GOOD, "note": ""}).encode(),
    "a day that is a text": json.dumps({**GOOD, "day": "19675"}).encode(),
    "a day that is a truth": json.dumps({**GOOD, "day": True}).encode(),
    "a day without end": json.dumps({**GOOD, "day": float("inf")}).encode(),
    "a day before all": json.dumps({**GOOD, "day": -1}).encode(),
    "a day too far": json.dumps({**GOOD, "day": 10**30}).encode(),
    "content that is a number": json.dumps({**GOOD, "content": 1}).encode(),
    "content that is not ASCII": json.dumps({**GOOD, "content": "ä"}).encode(),
    "a digest that is no hex": json.dumps({**GOOD, "digest": "xy"}).encode(),
    "no signature": json.dumps({**GOOD, "signature": None}).encode(),
}


def test_a_line_that_is_no_closed_day_is_misuse_and_named(alone: Any, tree: Path) -> None:
    good = json.dumps(GOOD).encode() + b"\n"
    for what, line in BAD_LINES.items():
        Path("bad.jsonl").write_bytes(good + line)
        result = alone("ledger", "verify", "bad.jsonl")
        assert (what, result.exit_code, result.stdout) == (what, 2, "")
        assert result.stderr.startswith("error: line 2 of 'bad.jsonl' is no closed day ("), what


def test_a_day_that_says_nothing_of_ours_is_a_fault(alone: Any, tmp_path: Path) -> None:
    own_ledger_key(tmp_path / "state")
    write("bad.jsonl", [GOOD])
    faults = alone.json("ledger", "verify", "bad.jsonl", expect=1)["faults"]
    assert [fault["kind"] for fault in faults] == ["changed", "wrong_signature"]


def test_a_ledger_that_is_too_long_or_too_large_is_misuse(
    alone: Any, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("long.jsonl").write_bytes(b"{}\n" * (ledger_file.MAX_LEDGER_DAYS + 1))
    assert "has 10001 lines, the limit is 10000" in alone("ledger", "verify", "long.jsonl").stderr
    monkeypatch.setattr(ledger, "MAX_LEDGER_BYTES", 10)
    Path("large.jsonl").write_bytes(b" " * 11)
    assert "has more than 10 bytes" in alone("ledger", "verify", "large.jsonl").stderr
    assert "has more than 10 bytes" in alone("ledger", "verify", "-", text=" " * 11).stderr


def test_files_that_cannot_be_read_or_written_are_misuse(scentfield: Any, tree: Path) -> None:
    for file in ("nowhere.jsonl", "src"):
        assert scentfield.json("ledger", "verify", file, expect=2)["error"]["code"] == "misuse"
    before = sorted(tree.rglob("*"))
    for file in ("nowhere/out.jsonl", "src", ""):
        assert scentfield("ledger", "export", file).exit_code == 2
    assert sorted(tree.rglob("*")) == before


def test_without_a_coordinator_only_verify_works(alone: Any) -> None:
    for arguments in ([], ["show"], ["export", "out.jsonl"]):
        assert alone.json("ledger", *arguments, expect=4)["error"]["code"] == "unavailable"
    assert not Path("out.jsonl").exists()
