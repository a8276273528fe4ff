"""What a read goes by of what was learned, what is held out from it, and what it reports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from actors.runtime.errors import Unavailable
from actors.thresholds.ranking import LEARNED as SIGNALS
from coordinator.settings import Settings

BASE, LEARNED = "lines of 3.600 bits or more", "lines of 4.050 bits or more"  # 1.2 x 3, and (1.2 + 0.15) x 3


def teach(ann: Any, delta: float = 0.15, revision: int = 200) -> None:
    """Somebody else has seen 200 signals that say how much to compress .py."""
    learned = {"day": 19_675, "delta": delta, "revision": revision, "samples": 200}
    origin = {"era": 0, "thresholds": {"py": learned}, "placement": {}}
    bundle = {"origins": {"3f0c3f0c3f0c3f0c": origin}, "schema": "scentfield-learning", "version": 1}
    ann.import_learning(json.dumps(bundle).encode())


def ledger_rows(ann: Any, transport: Any) -> dict[tuple[str, str], Any]:
    """The open day's rows by mode and arm."""
    transport.pass_time(2)  # reads may be committed a second later
    (day,) = ann.savings(n_days=1).days
    return {(row.mode, row.arm): row for row in day.rows}


def auto_sources(ann: Any, transport: Any) -> dict[str, int]:
    """Automatic reads by what decided their mode."""
    transport.pass_time(2)
    return {row.source: row.n for row in ann.statistics()[1].sources}


def test_a_learned_delta_decides_over_the_lines_that_are_kept(agent):
    ann = agent("ann", holdout_share=0.0)
    teach(ann)
    reading = ann.read("long.py", "entropy")
    assert LEARNED in reading.view.header
    assert reading.arms == ()


def test_a_file_in_the_holdout_goes_by_the_base_and_says_so_to_programs_only(agent, transport):
    ann = agent("ann", holdout_share=1.0)
    teach(ann)
    reading = ann.read("long.py", "entropy")
    assert BASE in reading.view.header
    assert reading.arms == ("entropy_delta",)
    assert reading.to_dict()["held_out"] == ["entropy_delta"]
    assert "held" not in reading.text
    assert list(ledger_rows(ann, transport)) == [("entropy", "entropy_delta")]


def test_two_agents_in_different_arms_are_counted_apart(agent, transport):
    treated, held_out = agent("ann", holdout_share=0.0), agent("bob", holdout_share=1.0)
    treated.read("long.py", "entropy")
    held_out.read("long.py", "entropy")
    rows = ledger_rows(treated, transport)
    assert {arm: row.n_reads for (_, arm), row in rows.items()} == {"": 1, "entropy_delta": 1}


def test_a_failed_edit_is_charged_to_the_arm_of_the_view_that_it_was_made_from(agent, transport):
    ann = agent("ann", holdout_share=1.0)
    ann.read("long.py", "entropy")
    ann.read("a.py", "lines:1-2")  # no view of the whole file, and of another one
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "")
    rows = ledger_rows(ann, transport)
    assert rows["entropy", "entropy_delta"].n_retries == 1
    assert all(row.n_retries == 0 for key, row in rows.items() if key != ("entropy", "entropy_delta"))


def arms(ann: Any, transport: Any, layer: str) -> dict[str, int]:
    """Views of a layer's trial, by its arm."""
    transport.pass_time(2)
    return {arm.side: arm.n for arm in ann.evidence().arms if (arm.layer, arm.measure) == (layer, "loss_rate")}


def test_a_view_counts_for_a_layer_only_where_that_would_show_something_else(agent, transport):
    ann, bob = agent("ann", holdout_share=0.0), agent("bob", holdout_share=1.0)
    ann.read("long.py", "entropy")
    bob.read("long.py", "entropy")
    assert ann.evidence().arms == ()
    teach(ann)
    treated, held_out = agent("cyd", holdout_share=0.0), agent("dan", holdout_share=1.0)
    for one in (treated, held_out):
        one.read("long.py", "entropy")
        one.read("long.py", "map")
        one.read("long.py")
    assert arms(ann, transport, "entropy_delta") == {"treatment": 1, "holdout": 1}
    assert arms(ann, transport, "expected_cost") == {}


def test_only_automatic_reads_can_be_held_out_from_learned_costs(agent):
    ann = agent("ann", holdout_share=1.0)
    assert ann.read("long.py").arms == ("expected_cost",)
    for mode in ("map", "full", "signatures", "diff", "lines:1-2"):
        assert ann.read("long.py", mode).arms == ()
    assert ann.expand("long.py", "f1").arms == ()


def test_the_policy_is_pinned_for_an_hour(agent, transport):
    ann = agent("ann", holdout_share=0.0, kept_by="decay")
    before = ann.read("long.py", "entropy").text
    assert BASE in before
    teach(ann)
    assert ann.read("long.py", "entropy").text == before
    transport.now_s += 3_590.0
    assert ann.read("long.py", "entropy").text == before
    transport.now_s += 20.0
    assert LEARNED in ann.read("long.py", "entropy").text


def test_modes_that_use_nothing_learned_ask_for_no_policy(agent, transport, monkeypatch):
    ann = agent("ann")
    asked: list[str] = []
    call = transport.call
    monkeypatch.setattr(transport, "call", lambda domain, *more: (asked.append(domain), call(domain, *more))[1])
    for mode in ("full", "map", "signatures", "lines:1-2", "diff"):
        ann.read("long.py", mode)
    assert set(asked) == {"quality_store", "scent_field", "memory"}  # the memory for lessons, once
    ann.read("long.py", "entropy")
    assert asked.count("thresholds") == 1


def test_while_the_thresholds_do_not_answer_reads_go_by_the_base(agent, transport, monkeypatch):
    ann = agent("ann", holdout_share=0.0)
    teach(ann)
    call = transport.call

    def without_thresholds(domain: str, raw: bytes, timeout_s: float) -> bytes:
        if domain == "thresholds":
            raise Unavailable("thresholds cannot be reached")
        return call(domain, raw, timeout_s)

    monkeypatch.setattr(transport, "call", without_thresholds)
    reading = ann.read("long.py", "entropy")
    assert BASE in reading.view.header
    assert reading.hints == ()
    assert ann.read("long.py").view.source == "map_over_400_lines"


def test_the_same_view_again_is_counted_but_is_no_read(agent, transport):
    ann = agent("ann")
    for _ in range(3):
        ann.read("long.py", "map")
    row = ledger_rows(ann, transport)["map", ""]
    assert (row.n_views, row.n_reads) == (3, 1)
    ann.read("long.py", "full")
    ann.read("long.py", "map")
    row = ledger_rows(ann, transport)["map", ""]
    assert (row.n_views, row.n_reads) == (4, 2)  # the view before was another one


def test_a_file_that_has_changed_is_read_anew(agent, transport, tree):
    ann = agent("ann")
    ann.read("long.py", "map")
    (tree / "long.py").write_text((tree / "long.py").read_text() + "x = 1\n")
    ann.read("long.py", "map")
    assert ledger_rows(ann, transport)["map", ""].n_reads == 2


def test_an_empty_diff_is_no_read_and_one_with_changes_is(agent, transport, tree):
    ann = agent("ann")
    ann.read("long.py", "full")
    assert ann.read("long.py", "diff").view.body == ""
    row = ledger_rows(ann, transport)["diff", ""]
    assert (row.n_views, row.n_reads) == (1, 0)
    (tree / "long.py").write_text((tree / "long.py").read_text() + "x = 1\n")
    ann.read("long.py", "diff")
    row = ledger_rows(ann, transport)["diff", ""]
    assert (row.n_views, row.n_reads) == (2, 1)


def test_the_whole_file_for_a_view_that_does_not_pay_is_no_bounce(agent, transport, tree):
    dense = "".join(f"def f{n}(): return {n}, 'alpha beta', [gamma, delta]\n\n\n" for n in range(40))
    (tree / "dense.py").write_text(dense + "def g():\n" + "    x = 1\n" * 200)
    ann = agent("ann")
    assert ann.read("dense.py", "map").view.mode == "map"
    (tree / "dense.py").write_text(dense)
    reading = ann.read("dense.py", "signatures")
    assert (reading.view.mode, reading.view.source) == ("full", "explicit")
    assert "signatures would cost as much" in reading.view.header
    assert auto_sources(ann, transport) == {}  # the agent named the mode, so no rule of `auto` chose it
    assert ledger_rows(ann, transport)["map", ""].n_bounces == 0
    ann.read("long.py", "map")
    ann.read("long.py", "full")  # asked for: that is one
    assert ledger_rows(ann, transport)["map", ""].n_bounces == 1


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_that_cannot_be_is_refused(share):
    with pytest.raises(ValueError, match="holdout_share"):
        Settings(holdout_share=share)


def teach_ranking(ann: Any) -> None:
    """Somebody has learned that the end of a file is hardly more than any other place."""
    shifts = dict.fromkeys(SIGNALS, 0.0) | {"end": -1.0}
    learned = {"day": 19_675, "shifts": shifts, "revision": 2, "samples": 200}
    origin = {"era": 0, "thresholds": {}, "placement": {}, "rankings": {"py": learned}}
    bundle = {"origins": {"3f0c3f0c3f0c3f0c": origin}, "schema": "scentfield-learning", "version": 1}
    ann.import_learning(json.dumps(bundle).encode())


def test_learned_weights_rank_units_and_a_file_in_the_holdout_goes_by_the_defaults(agent, transport):
    treated, held_out = agent("ann", holdout_share=0.0), agent("bob", holdout_share=1.0)
    teach_ranking(treated)
    reading, other = (one.read("long.py", "units", query="f7", budget=550) for one in (treated, held_out))
    assert (reading.arms, other.arms) == ((), ("unit_ranking",))
    assert other.view.shown.contains(1_786, 1_800)
    assert not reading.view.shown.contains(1_786, 1_800)
    rows = ledger_rows(treated, transport)
    assert {arm for mode, arm in rows if mode == "units"} == {"", "unit_ranking"}
