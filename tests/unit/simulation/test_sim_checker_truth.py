"""Hand-made histories of what is told and believed."""

from typing import Any

from actors.scent_field.event import ClaimRejected, LeaseShrunk, Prevented, ReleaseForced

NAMES = ("leases", "waiters", "sessions", "spaces")


def check(session_id: str, path: str, generation: int) -> list[Any]:
    return ["check", "house", path, generation, session_id]


def checked(holds: bool) -> list[Any]:
    return ["checked", holds, "", "", 0, 0.0, 0.0, "", "deny"]


def held(target: str, holder: str, generation: int) -> list[Any]:
    conflict = [target, target, holder, generation, "exclusive", False, 1.0, 1.0, 5.0, ""]
    return ["held", "claimed", [conflict], 0, "Wait.", []]


def test_a_check_tells_what_is_the_case(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.reply(story.ask("ann#1", check("ann#1", "src/api.py", 1)), checked(True))
    story.reply(story.ask("ann#1", check("ann#1", "docs/guide.md", 1)), checked(False))
    story.reply(story.ask("ann#1", check("ann#1", "src/api.py", 2)), checked(False))
    assert story.broken() == []


def test_a_false_check_is_found_either_way(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "src/", generation=1))
    for path, generation, holds in (("src/api.py", 1, False), ("src/api.py", 2, True), ("docs/guide.md", 1, True)):
        story.reply(story.ask("ann#1", check("ann#1", path, generation)), checked(holds))
        assert story.broken() == ["answers are true"]
        del story.records[-3:]


def test_a_check_may_tell_what_was_the_case_when_it_was_asked(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "src/", generation=1))
    call = story.ask("ann#1", check("ann#1", "src/api.py", 1))
    story.commit(story.ended(1, "released"), story.answered("ann#1", 1, ["released", 1, []]))
    story.reply(call, checked(True))
    assert story.broken() == []


def test_a_check_may_tell_of_what_was_given_back_after_it_was_asked(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "src/", "docs/", generation=1))
    call = story.ask("ann#1", check("ann#1", "src/api.py", 1))
    shrunk = LeaseShrunk("house", 1, ("src/",), 1.0)
    story.commit(shrunk, story.answered("ann#1", 1, ["released", 1, []]))
    story.reply(call, checked(True))
    assert story.broken() == []
    story.reply(story.ask("ann#1", check("ann#1", "src/api.py", 1)), checked(True))
    assert story.broken() == ["answers are true"]


def test_a_request_that_comes_again_gets_the_answer_that_was_true_when_it_came_first(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    claim = ["claim", "house", ["src/api.py"], "exclusive", 0.0, ""]
    story.reply(story.ask("bob#2", claim, number=1), held("src/api.py", "ann#1", 1))
    story.commit(story.ended(1, "released"), story.answered("ann#1", 1, ["released", 1, []]))
    story.reply(story.ask("bob#2", claim, number=1), held("src/api.py", "ann#1", 1))
    assert story.broken() == []
    story.reply(story.ask("bob#2", claim, number=2), held("src/api.py", "ann#1", 1))
    assert story.broken() == ["answers are true"]


def test_a_parent_may_be_refused_for_what_its_child_wrote_that_has_ended_since(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.registered("ann/sub#2", parent="ann#1"))
    story.commit(story.granted("ann/sub#2", "src/api.py", generation=2))
    story.write("ann/sub#2", "src/api.py", 2)
    story.commit(story.ended(2, "goodbye"), story.died("ann/sub#2", "goodbye"))
    story.write("ann#1", "src/api.py", 1, ok=False)
    assert story.broken() == []


def test_a_refusal_names_those_who_were_in_the_way(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    claim = ["claim", "house", ["src/api.py"], "exclusive", 0.0, ""]
    story.reply(story.ask("bob#2", claim, number=1), held("src/api.py", "ann#1", 1))
    assert story.broken() == []
    for answer in (held("docs/guide.md", "ann#1", 1), held("src/api.py", "ann#1", 2), held("src/api.py", "bob#2", 1)):
        story.reply(story.ask("bob#2", claim, number=2), answer)
        assert story.broken() == ["answers are true"]
        del story.records[-3:]
    story.reply(story.ask("bob#2", claim, number=2), ["held", "claimed", [], 0, "Wait.", []])
    assert story.broken() == ["answers are true"]


def test_a_resource_takes_newer_numbers_and_the_same_of_one_holder(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.write("ann#1", "docs/guide.md", 1)
    story.write("ann#1", "docs/guide.md", 1)
    story.commit(story.ended(1, "released"), story.answered("ann#1", 1, ["released", 1, []]))
    story.commit(story.granted("bob#2", "docs/guide.md", generation=2))
    story.write("bob#2", "docs/guide.md", 2)
    story.write("ann#1", "docs/guide.md", 1, believed=False, ok=False)
    assert story.broken() == []


def test_an_older_number_after_a_newer_one_is_found(story: Any) -> None:
    story.write("bob#2", "docs/guide.md", 2, believed=False)
    story.write("ann#1", "docs/guide.md", 1, believed=False)
    assert story.broken() == ["a guarded resource"]


def test_one_number_of_two_holders_is_found(story: Any) -> None:
    story.write("bob#2", "docs/guide.md", 2, believed=False)
    story.write("ann#1", "docs/guide.md", 2, believed=False)
    assert story.broken() == ["a guarded resource"]


def test_a_holder_that_is_refused_for_a_stranger_who_holds_nothing_of_it_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("bob#2", "src/", generation=1))
    story.write("bob#2", "docs/guide.md", 9, believed=False)
    story.commit(story.granted("ann#1", "docs/", generation=2))
    story.write("ann#1", "docs/guide.md", 2, ok=False)
    assert story.broken() == ["a guarded resource"]


def test_belief_in_a_claim_that_is_over_is_found_unless_it_was_taken_by_force(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.write("ann#1", "docs/guide.md", 1)
    assert story.broken() == []
    story.commit(story.ended(1, "released"), story.answered("ann#1", 1, ["released", 1, []]))
    story.write("ann#1", "docs/guide.md", 1)
    assert story.broken() == ["a guarded resource"]
    story.write("ann#1", "src/api.py", 1)
    assert "believes that it holds src/api.py with generation 1" in story.messages()


def counts(*values: int, **counters: int) -> list[Any]:
    gauges = [[name, value] for name, value in zip(NAMES, values, strict=True)]
    return ["field_counts", gauges, [[name, value] for name, value in counters.items()]]


def test_counters_that_equal_the_history_break_nothing(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    rejected = ClaimRejected("house", "bob#2", (Prevented(1, "docs/"),))
    story.commit(rejected, rejected)
    answer = counts(1, 0, 2, 1, claims_granted=1, claims_rejected=2, duplicate_work_prevented=1, sessions_registered=2)
    story.reply(story.ask("", ["field_statistics"]), answer)
    assert story.broken() == []


def test_a_counter_or_gauge_that_is_one_off_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    for answer in (
        counts(1, 0, 2, 1, claims_granted=2),
        counts(1, 0, 2, 1, claims_rejected=1),
        counts(0, 0, 2, 1),
        counts(1, 1, 2, 1),
        counts(1, 0, 3, 1),
        counts(1, 0, 2, 0),
    ):
        story.reply(story.ask("", ["field_statistics"]), answer)
        assert story.broken() == ["counters equal the history"], answer
        del story.records[-3:]


def test_what_happens_between_question_and_answer_may_count_or_not(story: Any) -> None:
    story.register("ann#1")
    call = story.ask("", ["field_statistics"])
    story.commit(story.granted("ann#1", "docs/", generation=1))
    for value in (0, 1):
        story.reply(call, counts(value, 0, 1, 1, claims_granted=value))
        assert story.broken() == []
        del story.records[-1]
    story.reply(call, counts(1, 0, 1, 1, claims_granted=2))
    assert story.broken() == ["counters equal the history"]


def test_a_child_that_ended_with_its_parent_may_believe_until_it_is_told(story: Any) -> None:
    child = story.registered("ann/kid#2", parent="ann#1", kept_by="connection")
    story.commit(story.registered("ann#1"), child)
    story.commit(story.granted("ann/kid#2", "docs/", generation=1))
    dead = (story.died("ann#1", "goodbye"), story.died("ann/kid#2", "parent"))
    story.commit(*dead, story.ended(1, "goodbye"))
    story.write("ann/kid#2", "docs/guide.md", 1)
    assert story.broken() == []
    story.records[-2] = story.records[-2]._replace(
        events=(*dead[:1], story.died("ann/kid#2", "goodbye"), *story.records[-2].events[2:])
    )
    assert story.broken() == ["a guarded resource"]


def test_a_sharer_may_be_refused_for_a_later_sharer_and_for_no_earlier_one(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1, shared=True))
    story.commit(story.granted("bob#2", "src/", generation=2, shared=True))
    story.write("bob#2", "src/api.py", 2)
    story.write("ann#1", "src/api.py", 1, ok=False)
    assert story.broken() == []
    story.commit(story.granted("ann#1", "src/api.py", generation=1, shared=True))
    story.write("ann#1", "src/api.py", 1, ok=False)
    assert "a guarded resource" in story.broken()


def lost(story: Any, generation: int = 1) -> list[Any]:
    return ["alive", 6.0, [[1, "house", ["src/"], generation, "forced", 0.0, "bob#2"]], []]


def forced(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "src/", generation=1))
    force = ReleaseForced("house", story.at_s, 1_000.0, "bob#2", "ann#1", "src/", 1, "it is in the way", True)
    story.commit(force, story.ended(1, "forced"))


def test_what_was_taken_away_may_be_believed_until_a_heartbeat_tells_of_it(story: Any) -> None:
    forced(story)
    story.write("ann#1", "src/api.py", 1)
    story.hear(story.ask("ann#1", ["heartbeat", 0]), ["alive", 6.0, [], []])
    story.write("ann#1", "src/api.py", 1)
    assert story.broken() == []
    story.hear(story.ask("ann#1", ["heartbeat", 0]), lost(story))
    story.write("ann#1", "src/api.py", 1)
    assert story.broken() == [], "another of its threads may have looked at the same moment"
    story.wait(0.1)
    story.write("ann#1", "src/api.py", 1)
    assert story.broken() == ["a guarded resource"]


def test_a_loss_that_was_told_says_nothing_of_what_was_claimed_after_it(story: Any) -> None:
    forced(story)
    story.hear(story.ask("ann#1", ["heartbeat", 0]), lost(story))
    story.wait(1.0)
    story.commit(story.granted("ann#1", "src/", generation=2), story.answered("ann#1", 2))
    story.write("ann#1", "src/api.py", 2)
    assert story.broken() == []
    story.commit(story.ended(2, "forced"), ReleaseForced("house", 1.0, 0.0, "bob#2", "ann#1", "src/", 2, "again", True))
    story.write("ann#1", "src/api.py", 2)
    assert story.broken() == []
