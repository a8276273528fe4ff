"""What the judge of chaos runs makes of journals and diaries that were made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coordinator.chaos.account import account_of
from coordinator.chaos.judge import NOT_APPLIED, RULES
from coordinator.chaos.nemesis import Deed
from coordinator.chaos.plan import KILL_ACTOR, KILL_AGENT, KILL_CLUSTER, STOP_ACTOR
from coordinator.chaos.run import is_at_rest, lost_edits
from coordinator.simulation.checker import checker
from coordinator.simulation.history import Heard, Sent

GRANTED = ["granted", 1, ["src/api.py"], 4.0, "heartbeat", False, [], [], "house"]


def claim(chaos: Any, session_id: str, lease_id: int, generation: int, *, is_journaled: bool = True) -> None:
    """A claim as an agent makes it: asked, committed, heard."""
    call = chaos.ask(session_id, ["claim", "house", ["src/api.py"], "exclusive", 0.0, ""], number=lease_id)
    answer = ["granted", generation, *GRANTED[2:]]
    if is_journaled:
        grant = chaos.granted(lease_id, session_id, "src/api.py", generation)
        chaos.commit(grant, chaos.answered(session_id, lease_id, answer))
    chaos.wait(0.01)
    chaos.hear(session_id, call, answer)


def begin(chaos: Any, *session_ids: str) -> None:
    chaos.commit(*(chaos.registered(one) for one in session_ids))
    chaos.wait(0.1)


def test_an_honest_run_breaks_nothing(chaos: Any) -> None:
    begin(chaos, "ann#1", "bob#2")
    claim(chaos, "ann#1", 1, 1)
    chaos.write("ann#1", 1, believed=True, accepted=True)
    chaos.wait(0.1)
    chaos.end("ann#1", "goodbye", 1)
    chaos.wait(0.1)
    claim(chaos, "bob#2", 2, 2)
    chaos.write("bob#2", 2, believed=True, accepted=True)
    chaos.write("ann#1", 1, believed=False, accepted=False)
    chaos.wait(0.1)
    chaos.end("bob#2", "goodbye", 2)
    assert chaos.messages() == ""


def test_two_holders_of_one_path_are_found(chaos: Any) -> None:
    begin(chaos, "ann#1", "bob#2")
    claim(chaos, "ann#1", 1, 1)
    claim(chaos, "bob#2", 2, 2)
    chaos.end("ann#1", "goodbye", 1)
    chaos.end("bob#2", "goodbye", 2)
    assert "one holder" in chaos.broken()
    assert "bob#2 was given src/api.py while ann#1 holds src/api.py (generation 1)" in chaos.messages()


def test_an_acknowledgement_that_is_in_no_journal_is_found(chaos: Any) -> None:
    begin(chaos, "ann#1")
    claim(chaos, "ann#1", 1, 1, is_journaled=False)
    chaos.end("ann#1", "goodbye")
    assert "acknowledged is committed" in chaos.broken()
    assert "request 1 of ann#1 was answered 'granted', which is not in the store" in chaos.messages()


def test_a_row_that_was_committed_after_its_answer_was_heard_is_found(chaos: Any) -> None:
    begin(chaos, "ann#1")
    claim(chaos, "ann#1", 1, 1, is_journaled=False)
    chaos.wait(0.01)
    chaos.commit(chaos.granted(1, "ann#1", "src/api.py", 1), chaos.answered("ann#1", 1, GRANTED))
    chaos.end("ann#1", "goodbye", 1)
    assert "acknowledged is committed" in chaos.broken()


def test_a_stale_write_that_a_resource_took_is_found(chaos: Any) -> None:
    begin(chaos, "ann#1", "bob#2")
    claim(chaos, "ann#1", 1, 1)
    chaos.end("ann#1", "goodbye", 1)
    claim(chaos, "bob#2", 2, 2)
    chaos.write("bob#2", 2, believed=True, accepted=True)
    chaos.wait(0.1)
    chaos.write("ann#1", 1, believed=False, accepted=True)
    chaos.wait(0.1)
    chaos.end("bob#2", "goodbye", 2)
    assert chaos.broken() == ["a guarded resource"]
    assert "src/api.py took generation 1 after 2" in chaos.messages()


def test_a_holder_that_believes_in_a_claim_which_is_over_is_found(chaos: Any) -> None:
    begin(chaos, "ann#1")
    claim(chaos, "ann#1", 1, 1)
    chaos.end("ann#1", "goodbye", 1)
    chaos.wait(0.1)
    chaos.write("ann#1", 1, believed=True, accepted=True)
    assert chaos.broken() == ["a guarded resource"]


def test_a_session_that_dies_soon_after_its_last_heartbeat_is_found(chaos: Any) -> None:
    begin(chaos, "ann#1")
    chaos.wait(3.0)
    chaos.beat("ann#1")
    chaos.wait(3.0)
    chaos.end("ann#1", "expired")
    assert chaos.broken() == ["the living never die"]
    assert "ann#1 was declared dead 3.000 s after its last heartbeat was sent; its TTL is 4 s" in chaos.messages()


def test_a_heartbeat_that_nobody_answered_is_no_sign_of_life(chaos: Any) -> None:
    begin(chaos, "ann#1")
    chaos.wait(3.0)
    chaos.ask("ann#1", ["heartbeat", 0])
    chaos.wait(1.5)
    chaos.end("ann#1", "expired")
    assert chaos.broken() == []


@pytest.mark.parametrize("kind", [KILL_ACTOR, STOP_ACTOR])
def test_the_time_in_which_the_field_is_not_there_is_no_silence(chaos: Any, kind: str) -> None:
    begin(chaos, "ann#1")
    chaos.beat("ann#1")
    chaos.wait(5.0)
    chaos.deeds.append(Deed(kind, "scent_field", chaos.at_s - 4.9, chaos.at_s))
    chaos.wait(0.5)
    chaos.end("ann#1", "expired")
    assert chaos.broken() == ["the living never die"]


@pytest.mark.parametrize(("late_s", "broken"), [(0.5, ["the living never die"]), (1.5, [])])
def test_a_field_that_was_back_before_anybody_heard_of_it_may_count_from_then(
    chaos: Any, late_s: float, broken: list[str]
) -> None:
    begin(chaos, "ann#1")
    chaos.beat("ann#1")
    killed_s, dead_s = chaos.at_s + 0.2, chaos.at_s + 0.7
    chaos.wait(30.0)
    sure_s = dead_s, chaos.at_s - late_s
    chaos.deeds.append(Deed(KILL_CLUSTER, "scent_field", killed_s, chaos.at_s, sure_s))
    chaos.end("ann#1", "expired")
    assert chaos.broken() == broken


@pytest.mark.parametrize(("after_s", "broken"), [(4.5, []), (8.0, ["the dead are gone in time"])])
def test_a_killed_agent_ends_within_its_ttl(chaos: Any, after_s: float, broken: list[str]) -> None:
    begin(chaos, "ann#1", "bob#2")
    chaos.deeds.append(Deed(KILL_AGENT, "ann", chaos.at_s, chaos.at_s))
    chaos.wait(after_s)
    chaos.end("bob#2", "goodbye")
    chaos.end("ann#1", "expired")
    assert chaos.broken() == broken


def test_who_is_alive_at_the_end_is_named(chaos: Any) -> None:
    begin(chaos, "ann#1")
    assert "ann#1 is still alive at the end" in chaos.messages()
    assert not is_at_rest(chaos.rows, chaos.terms)
    chaos.end("ann#1", "goodbye")
    assert chaos.messages() == ""
    assert is_at_rest(chaos.rows, chaos.terms)


def test_a_gap_in_a_journal_and_clocks_that_run_wrong_are_found(chaos: Any) -> None:
    begin(chaos, "ann#1")
    chaos.commit(seq=3)
    chaos.wait(1.0)
    chaos.commit(seq=4, field_s=0.05)
    chaos.wait(1.0)
    chaos.commit(seq=5, field_s=3.0)
    chaos.end("ann#1", "goodbye")
    messages = chaos.messages()
    assert "row 3 of scent_field follows row 1" in messages
    assert "time ran back in scent_field: field -0.05 s" in messages
    assert "field time of scent_field went on by 2.950 s in 1.000 s" in messages


def test_what_an_agent_could_not_explain_is_told(chaos: Any) -> None:
    chaos.note("ann", "surprise", message="KeyError: 'x'")
    assert chaos.messages() == "ann is surprised: KeyError: 'x'"


def test_edits_of_a_line_count_up_and_stay(chaos: Any, tmp_path: Path) -> None:
    for count in (1, 2):
        chaos.note("ann", "edited", path="a.py", place=0, count=count)
        chaos.wait(0.1)
    (tmp_path / "a.py").write_text("agent 0 has been here 2 times\n", encoding="utf-8")
    assert chaos.broken() == []
    assert lost_edits(tmp_path, chaos.history()) == []
    (tmp_path / "a.py").write_text("agent 0 has been here 1 times\n", encoding="utf-8")
    assert lost_edits(tmp_path, chaos.history()) == ["the line of place 0 in a.py says 1, its last edit made it 2"]
    chaos.note("bob", "edited", path="a.py", place=0, count=2)
    assert chaos.broken() == ["edits are kept"]


def test_calls_of_all_diaries_have_numbers_of_their_own_and_rows_stand_before_their_answers(chaos: Any) -> None:
    for session_id in ("ann#1", "bob#2"):
        chaos.beat(session_id)
    chaos.commit(chaos.registered("ann#1"))
    history = account_of(chaos.diaries, chaos.rows, [], chaos.at_s)
    sent = [record for record in history if isinstance(record, Sent)]
    assert [record.who for record in sent] == ["ann", "bob"]
    assert sorted(record.call for record in sent) == sorted({record.call for record in sent})
    heard = next(place for place, record in enumerate(history) if isinstance(record, Heard))
    assert history.index(chaos.rows[0]) < heard


def test_the_rest_of_a_line_whose_writer_was_killed_is_left_out(chaos: Any) -> None:
    chaos.beat("ann#1")
    with (chaos.diaries / "ann.diary").open("a", encoding="utf-8") as diary:
        diary.write('{"what":"sent","at_s":10')
    assert sum(isinstance(record, Sent) for record in chaos.history()) == 1


def test_every_rule_of_the_simulation_is_applied_or_named_with_a_reason() -> None:
    names = {rule.name for rule in RULES}
    assert names.isdisjoint(NOT_APPLIED)
    assert {rule.name for rule in checker.RULES} <= names | set(NOT_APPLIED)
