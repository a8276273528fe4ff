"""Totals over processes that come and go, and the file that keeps them."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.metrics.collector import Sighting
from coordinator.metrics.total import MAX_ACTORS, MAX_COUNTS, MAX_OF_A_KIND, Tally, Totals
from coordinator.metrics.total_file import MAX_BYTES, MAX_PENDING, TotalFile
from coordinator.retrieval.account import MAX_TREES, RetrievalAccount, TreeTally

ACCOUNT = {"domain": "memory", "pid": 1, "epoch": 1, "n_commits": 10, "n_busy": 2, "seq": 40, "uptime_s": 5.0}


def test_what_a_process_had_counted_is_carried_over_to_the_next() -> None:
    totals = Totals()
    assert totals.see("memory", Tally(1, 1, {"n": 10})) == {"n": 10}
    assert totals.see("memory", Tally(1, 1, {"n": 12})) == {"n": 12}
    assert totals.see("memory", Tally(2, 2, {"n": 3})) == {"n": 15}
    assert totals.see("memory", Tally(3, 3, {"n": 0})) == {"n": 15}
    assert totals.see("thresholds", Tally(9, 1, {"n": 1})) == {"n": 1}


def test_a_process_with_the_number_of_the_one_before_is_told_by_its_counts() -> None:
    totals = Totals()
    totals.see("memory", Tally(7, 1, {"n": 10, "m": 1}))
    assert totals.see("memory", Tally(7, 2, {"n": 4, "m": 1})) == {"n": 14, "m": 2}


def test_a_late_look_at_a_process_of_before_changes_nothing() -> None:
    totals = Totals()
    totals.see("memory", Tally(1, 1, {"n": 10}))
    totals.see("memory", Tally(2, 2, {"n": 1}))
    assert totals.see("memory", Tally(1, 1, {"n": 12})) == {"n": 11}
    assert totals.see("memory", Tally(2, 2, {"n": 2})) == {"n": 12}


def test_a_count_that_is_not_told_for_once_is_not_forgotten() -> None:
    totals = Totals()
    totals.see("memory", Tally(1, 1, {"n": 10, "m": 5}))
    assert totals.see("memory", Tally(1, 1, {"n": 11})) == {"n": 11, "m": 5}
    assert totals.see("memory", Tally(2, 2, {"n": 1})) == {"n": 12, "m": 5}


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), max_size=40))
def test_totals_never_fall_and_are_what_was_seen_of_each_process(steps: list[tuple[int, bool, bool]]) -> None:
    """Each step: so much work, then perhaps a look at it, then perhaps a restart."""
    totals, pid, count, seen, shown = Totals(), 1, 0, {1: 0}, 0.0
    for work, looks, restarts in steps:
        count += work
        if looks:
            now = totals.see("memory", Tally(pid, pid, {"n": count}))["n"]
            seen[pid] = count
            assert now >= shown
            assert now == sum(seen.values())
            shown = now
            totals = Totals.of(json.loads(json.dumps(totals.document())))
        if restarts:
            pid, count = pid + 1, 0
            seen[pid] = 0


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"memory": None},
        {"memory": {"pid": "1", "epoch": 1, "last": {}, "before": {}}},
        {"memory": {"pid": 1, "epoch": 1, "last": {"n": -1}, "before": {}}},
        {"memory": {"pid": 1, "epoch": 1, "last": {"n": True}, "before": {}}},
        {"memory": {"pid": 1, "epoch": 1, "last": {"n": float("nan")}, "before": {}}},
        {"memory": {"pid": 1, "epoch": 1, "last": {}}},
        {"memory": {"pid": 1, "epoch": 1, "last": {str(n): n for n in range(MAX_COUNTS + 1)}, "before": {}}},
        {str(n): {"pid": 1, "epoch": 1, "last": {}, "before": {}} for n in range(MAX_ACTORS + 1)},
    ],
)
def test_what_is_no_document_of_totals_is_refused(document: Any) -> None:
    with pytest.raises(ValueError, match=r"is no|are not|is not"):
        Totals.of(document)


def shown(file: TotalFile, **account: Any) -> Any:
    """What is told of an actor's account, through the file."""
    told, model, _ = asyncio.run(file.carried([Sighting("memory", {**ACCOUNT, **account})], None, RetrievalAccount()))
    assert model is None
    return told[0].account


async def look(file: TotalFile) -> Any:
    """Those of one actor, and no index."""
    return await file.carried([Sighting("memory", ACCOUNT)], None, RetrievalAccount())


def test_whoever_looks_through_the_file_shows_the_same(tmp_path: Path) -> None:
    exporter, gateway = TotalFile(tmp_path, "test"), TotalFile(tmp_path, "test")
    assert shown(exporter)["n_commits"] == 10
    assert shown(gateway, n_commits=11)["n_commits"] == 11
    assert shown(exporter, pid=2, epoch=2, n_commits=1)["n_commits"] == 12
    assert shown(gateway, pid=2, epoch=2, n_commits=2)["n_commits"] == 13
    later = TotalFile(tmp_path, "test")
    assert shown(later, pid=3, epoch=3, n_commits=0)["n_commits"] == 13
    assert later.is_kept
    assert shown(TotalFile(tmp_path, "other"))["n_commits"] == 10


def test_only_counts_of_processes_are_added_up(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test")
    shown(file)
    told = shown(file, pid=2, epoch=2, seq=41, uptime_s=0.5)
    assert (told["seq"], told["uptime_s"], told["epoch"], told["n_busy"]) == (41, 0.5, 2, 4)


def test_the_embedding_actor_is_added_up_too_and_who_is_silent_stays_silent(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test")
    silent = Sighting("memory", problem="no answer")

    def look(pid: int, n: int) -> Any:
        account = {"pid": pid, "n_computed": n, "n_cached": 0}
        told, model, _ = asyncio.run(file.carried([silent], account, RetrievalAccount()))
        assert told == [silent]
        return None if model is None else model["n_computed"]

    assert look(1, 5) == 5
    assert look(2, 1) == 6


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"memory": 5}', b"[" * 100_000, b"\xff", b" " * (MAX_BYTES + 1)]
)
def test_a_file_that_cannot_be_read_is_made_anew_from_what_is_remembered(tmp_path: Path, content: bytes) -> None:
    file = TotalFile(tmp_path, "test")
    shown(file)
    (tmp_path / "metric-totals-test.json").write_bytes(content)
    assert shown(file, pid=2, epoch=2, n_commits=1)["n_commits"] == 11
    assert shown(TotalFile(tmp_path, "test"), pid=2, epoch=2, n_commits=1)["n_commits"] == 11


def test_a_file_that_vanished_takes_nothing_from_who_remembers(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test")
    shown(file)
    (tmp_path / "metric-totals-test.json").unlink()
    assert shown(file, pid=2, epoch=2, n_commits=1)["n_commits"] == 11


def test_a_file_of_the_past_does_not_make_totals_fall(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test")
    shown(file)
    old = (tmp_path / "metric-totals-test.json").read_bytes()
    assert shown(file, pid=2, epoch=2, n_commits=7)["n_commits"] == 17
    (tmp_path / "metric-totals-test.json").write_bytes(old)
    assert shown(file, pid=3, epoch=3, n_commits=0)["n_commits"] == 17


def test_a_folder_that_cannot_be_written_to_costs_no_scrape(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("not a folder")
    file = TotalFile(tmp_path / "state", "test")
    assert shown(file)["n_commits"] == 10
    assert not file.is_kept
    assert shown(file, pid=2, epoch=2, n_commits=1)["n_commits"] == 11
    (tmp_path / "state").unlink()
    assert shown(file, pid=2, epoch=2, n_commits=2)["n_commits"] == 12
    assert file.is_kept


def test_whoever_holds_the_lock_for_ever_costs_no_scrape(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test")
    shown(file)
    descriptor = os.open(tmp_path / "metric-totals-test.lock", os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        assert shown(file, pid=2, epoch=2, n_commits=1)["n_commits"] == 11
        assert not file.is_kept
    finally:
        os.close(descriptor)
    assert shown(file, pid=2, epoch=2, n_commits=2)["n_commits"] == 12
    assert file.is_kept


def test_many_looks_at_one_time_agree(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test")

    async def looks() -> list[Any]:
        told = await asyncio.gather(*(look(file) for _ in range(20)))
        return [one[0].account["n_commits"] for one, *_ in told if one[0].account is not None]

    assert asyncio.run(looks()) == [10] * 20


def test_no_more_looks_than_a_few_wait_for_a_disk_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, answers, n_asked = TotalFile(tmp_path, "test", patience_s=0.0), threading.Event(), [0]

    def silent(_path: Path) -> Path:
        n_asked[0] += 1
        assert answers.wait(60.0)
        return tmp_path

    monkeypatch.setattr("coordinator.metrics.total_file.private_folder", silent)

    async def looks() -> list[float]:
        try:
            told = [await look(file) for _ in range(3 * MAX_PENDING)]
        finally:
            answers.set()
        return [one[0].account["n_commits"] for one, *_ in told if one[0].account is not None]

    assert asyncio.run(looks()) == [10] * 3 * MAX_PENDING
    assert n_asked[0] <= MAX_PENDING


def test_a_disk_that_does_not_answer_costs_a_scrape_no_more_than_its_patience(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test", patience_s=0.0)
    assert shown(file)["n_commits"] == 10
    assert shown(file, pid=2, epoch=2, n_commits=1)["n_commits"] >= 10


def found(file: TotalFile, *trees: TreeTally) -> float:
    """How many passages are shown as reread, when these indices can be looked into."""
    _, _, indices = asyncio.run(file.carried([], None, RetrievalAccount(n_trees=1, trees=trees)))
    return indices.tally.get("reread", 0)


def test_what_an_index_had_counted_stays_while_it_cannot_be_read_and_after_it_is_gone(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test", patience_s=60.0)
    one, two = TreeTally("one", 7, {"reread": 5}), TreeTally("two", 8, {"reread": 2})
    assert [found(file, one, two), found(file, two), found(file), found(file, one, two)] == [7, 7, 7, 7]
    assert found(file, TreeTally("one", 9, {"reread": 1}), two) == 8  # another file: made anew
    assert found(file, TreeTally("one", 9, {"reread": 4}), two._replace(tally={"reread": 1})) == 12
    assert found(TotalFile(tmp_path, "test", patience_s=60.0)) == 12


def test_of_very_many_indices_those_that_are_gone_are_kept_as_one_sum(tmp_path: Path) -> None:
    file = TotalFile(tmp_path, "test", patience_s=60.0)
    for first in range(0, 3 * MAX_TREES, MAX_TREES):
        trees = [TreeTally(str(number), number, {"reread": 1}) for number in range(first, first + MAX_TREES)]
        assert found(file, *trees) == first + MAX_TREES
    document = json.loads((tmp_path / "metric-totals-test.json").read_bytes())
    assert len(document) == MAX_OF_A_KIND + 1 <= MAX_ACTORS
    assert found(TotalFile(tmp_path, "test", patience_s=60.0), *trees) == 3 * MAX_TREES
