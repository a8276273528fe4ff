"""What happened is told in order, and each fact cites those that it follows from."""

import hashlib

import pytest

from actors.quality_store.messages import RecordOutcome, RecordRead, ResolveMode
from actors.runtime.errors import Corrupt, Misuse
from actors.scent_field.messages import ClaimEach, ForceRelease, Guard, LeaveSignal, Release, SetStrictness, Transfer
from coordinator.story.fact import MAX_DETAIL, MAX_TARGETS, Draft, bounded
from coordinator.story.subject import AgentSubject, TargetSubject, names_an_agent
from coordinator.story.thread import Threads

FIELD, QUALITY = "scent_field", "quality_store"


def miss(past, session, path, cause="not_shown", mode="map"):
    past.send(QUALITY, session, RecordOutcome("home", path, mode, "failure", cause, 50))


def read(past, session, path, mode="map", source="size"):
    past.send(QUALITY, session, RecordRead("home", path, mode, source, 10, 100))


def test_a_grant_after_waiting_cites_the_wait_and_what_freed_the_target(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "a.py", intent="tidy up")
    past.wait(1.0)
    answers = past.claim(bob, "a.py", wait_s=60.0)
    assert not answers
    past.wait(1.0)
    past.send(FIELD, ann, Release("home", ("a.py",), 0, True))
    assert answers[0].generation == 2
    assert past.told("a.py") == [
        (ann, "granted", ""),
        (bob, "waits", "granted"),
        (ann, "released", "granted"),
        (ann, "signal", "released"),
        (bob, "granted", "waits released"),
    ]
    facts = past.story("a.py").facts
    assert facts[0].detail == "generation 1: tidy up"
    assert facts[1].detail == "for ann#1, 60 s at most"
    assert [fact.request for fact in facts] == [1, 1, 2, 2, None]
    assert [fact.at_utc_s - 1_700_000_000.0 for fact in facts] == [0.0, 1.0, 2.0, 2.0, 2.0]


def test_a_claim_that_expires_cites_its_grant_and_the_agent_that_fell_silent(past):
    ann = past.register("ann")
    past.claim(ann, "a.py")
    past.wait(40.0)
    assert past.told("a.py") == [
        (ann, "granted", ""),
        (ann, "gone", "f1.0"),
        (ann, "expired", "granted gone"),
        ("", "free", "expired"),
    ]
    assert past.told(ann)[0] == (ann, "registered", ""), "which f1.0 is"
    assert "nobody gets it for 2 s" in past.story("a.py").facts[-2].detail


def test_a_refusal_cites_the_grant_and_stands_in_the_holders_story_too(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "src/")
    past.claim(bob, "src/b.py")
    assert past.told("src/b.py") == [(ann, "granted", ""), (bob, "refused", "granted")]
    assert past.told(ann) == [(ann, "registered", ""), (ann, "granted", ""), (bob, "refused", "granted")]
    assert past.story(bob).facts[-1].detail == "held by ann#1"


def test_a_commit_that_the_guard_refused_is_told_with_the_claim_that_it_went_over(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "src/")
    past.send(FIELD, "", Guard("home", ("src/b.py",), (), (bob,), (), 0, "guard", ""), free=True)
    assert past.told("src/b.py") == [(ann, "granted", ""), (bob, "refused", "granted")]
    assert past.story(bob).facts[-1].detail == "held by ann#1, said the guard"


def test_a_refusal_that_is_no_news_is_told_of_the_agent_only(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "a.py")
    past.claim(bob, "a.py")
    past.claim(bob, "a.py")
    assert [what for _, what, _ in past.told("a.py")] == ["granted", "refused"]
    assert [what for _, what, _ in past.told(bob)].count("refused") == 2


def test_an_edit_that_ran_into_a_claim_cites_that_claim_although_it_was_committed_later(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "a.py")
    past.wait(0.5)
    miss(past, bob, "a.py", "claimed", "")
    past.send(FIELD, ann, Release("home", ("a.py",), 0, False))
    past.wait(5.0)
    assert past.told("a.py") == [(ann, "granted", ""), (bob, "fenced", "granted"), (ann, "released", "granted")]
    assert past.story("a.py").facts[1].detail == "claimed, held by ann#1"
    assert (bob, "fenced", "granted") in past.told(ann), "the holder's story has it too"


@pytest.mark.parametrize("cause", ["changed", "ambiguous", "stale_hash", "missing_file"])
def test_an_edit_that_failed_without_saying_anything_about_a_view_is_told(past, cause):
    ann = past.register("ann")
    miss(past, ann, "a.py", cause)
    assert [(fact.what, fact.detail) for fact in past.story("a.py").facts] == [("edit failed", cause)]


def test_trouble_in_the_field_cites_the_edit_that_failed_and_no_other(past):
    ann, bob = past.register("ann"), past.register("bob")
    for agent, path in ((ann, "a.py"), (bob, "a.py"), (ann, "b.py"), (bob, "b.py")):
        miss(past, agent, path)
        past.wait(0.5)
    past.wait(1.0)
    past.carry()
    story = past.story("b.py")
    failed, signals = story.facts[:2], story.facts[2:]
    assert [fact.what for fact in signals] == ["signal", "signal"]
    assert {(fact.agent, *fact.causes) for fact in signals} == {(fact.agent, fact.ref) for fact in failed}
    assert signals[0].detail == "STUCK 1.00"


def test_signals_cite_their_edits_also_when_earlier_ones_are_folded_away(past):
    ann = past.register("ann")
    for _ in range(3):
        miss(past, ann, "a.py")
    past.fold(QUALITY)
    miss(past, ann, "a.py")
    past.wait(2.0)
    past.carry()
    *rest, last = past.story("a.py").facts
    assert [fact.what for fact in rest] == ["edit failed", "signal", "signal", "signal"]
    assert [fact.causes for fact in (*rest[1:], last)] == [(), (), (), (rest[0].ref,)]


def test_a_read_that_comes_in_full_cites_the_failed_edit(past):
    ann = past.register("ann")
    read(past, ann, "a.py")
    miss(past, ann, "a.py")
    past.send(QUALITY, ann, ResolveMode("home", "a.py", "map"))
    read(past, ann, "a.py", "full", "edit_fail_escalation")
    read(past, ann, "a.py", "full", "")
    told = past.told("a.py")
    assert told[:3] == [
        (ann, "read", ""),
        (ann, "edit failed", "read"),
        (ann, "read", "edit failed"),
    ]
    assert told[3][2] == "", "an escalation is served once"
    assert "so its next automatic read is full" in past.story("a.py").facts[1].detail


def test_a_second_read_cites_the_view_that_was_too_short(past):
    ann = past.register("ann")
    read(past, ann, "a.py")
    read(past, ann, "a.py", "full", "explicit")
    assert past.told("a.py") == [(ann, "read", ""), (ann, "read again", "read")]


def test_claims_that_are_taken_away_handed_over_and_given_back_in_part(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "a.py", "b.py")
    past.send(FIELD, ann, Release("home", ("b.py",), 0, False))
    past.send(FIELD, ann, Transfer("home", 1, bob, "tests are red"))
    past.send(FIELD, ann, ForceRelease("home", "a.py", "needed now", True))
    assert past.told("a.py") == [
        (ann, "granted", ""),
        (ann, "handed over", "granted"),
        (ann, "signal", "handed over"),
        (ann, "took away", "handed over"),
        (bob, "forced", "handed over took away"),
    ]
    assert past.told("b.py") == [(ann, "granted", ""), (ann, "gave back", "granted")]
    assert past.story("a.py").facts[1].detail == "to bob#2, generation 2: tests are red"
    assert (ann, "took away", "handed over") in past.told(bob)


def test_what_was_so_before_the_journal_begins_is_said_and_cited(past):
    ann, bob = past.register("ann"), past.register("bob")
    past.claim(ann, "a.py", intent="tidy up")
    past.claim(bob, "a.py", wait_s=300.0)
    past.claim(ann, "other.py")
    past.fold(FIELD)
    past.send(FIELD, ann, Release("home", ("a.py",), 0, False))
    assert past.told("a.py") == [
        (ann, "held", ""),
        (bob, "waited", ""),
        (ann, "released", "held"),
        (bob, "granted", "waited released"),
    ]
    story = past.story("a.py")
    assert story.facts[0].at_utc_s == 0.0, "when it was granted is folded away"
    field = next(one for one in story.horizons if one.domain == FIELD)
    assert (field.folded_through, field.last_row) == (5, 6)
    assert field.since_utc_s == 1_700_000_000.0


def test_the_newest_facts_are_kept_and_the_others_counted(past):
    ann = past.register("ann")
    for _ in range(10):
        past.send(FIELD, ann, LeaveSignal("home", "AVOID", "a.py", 0.1))
        past.wait(1.0)
    story = past.story("a.py", limit=3)
    assert (len(story.facts), story.n_left_out) == (3, 7)
    assert story.facts == past.story("a.py").facts[-3:]
    with pytest.raises(Misuse, match="1 to 10000"):
        past.story("a.py", limit=0)
    with pytest.raises(Misuse, match="1 to 10000"):
        past.story("a.py", limit=10_001)


def test_a_story_may_begin_at_a_time(past):
    ann = past.register("ann")
    past.claim(ann, "a.py")
    past.wait(20.0)
    past.send(FIELD, ann, Release("home", ("a.py",), 0, False))
    assert past.told("a.py", since_utc_s=1_700_000_010.0) == [(ann, "released", "f2.0")], "the cause is named, not told"


def test_all_agents_of_a_name_or_one_of_them(past):
    first, second, child = past.register("ann"), past.register("ann"), past.register("helper", "ann#1")
    other = past.register("annabel")
    for agent in (first, second, child, other):
        past.claim(agent, f"{agent.replace('#', '-').replace('/', '-')}.py")
    assert {fact.agent for fact in past.story("ann#").facts} == {first, second, child}, "the child names its parent"
    assert {fact.agent for fact in past.story("ann#2").facts} == {second}
    assert {fact.agent for fact in past.story(child).facts} == {child, first}, "its parent's beginning is a cause"


def test_strictness_concerns_every_target_of_its_space(past):
    ann = past.register("ann")
    past.send(FIELD, ann, SetStrictness("home", "deny"))
    past.send(FIELD, ann, SetStrictness("elsewhere", "warn"))
    assert [(fact.what, fact.detail) for fact in past.story("a.py").facts] == [("strictness", "deny")]


def test_of_very_many_files_those_that_are_asked_for_are_shown(past):
    ann = past.register("ann")
    past.send(FIELD, ann, ClaimEach("home", tuple(f"f{n}.py" for n in range(1_000)), "exclusive", ""))
    (granted,) = past.story("f777.py").facts
    assert (granted.what, granted.targets[0], len(granted.targets), granted.n_targets) == (
        "granted",
        "f777.py",
        MAX_TARGETS,
        1_000,
    )
    past.send(FIELD, ann, Release("home", ("f777.py",), 0, False))
    assert past.told("f777.py")[-1] == (ann, "released", "granted")


def test_texts_are_bounded():
    short = bounded(Draft("x", detail="y" * 10_000, causes=tuple(f"f{n}" for n in range(9))))
    assert (len(short.detail), len(short.causes)) == (MAX_DETAIL + 3, 4)


def test_what_facts_are_known_as_is_bounded():
    threads = Threads(max_known=2)
    for number in range(3):
        threads.know(("lease", number), f"f{number}")
    assert (threads.of("lease", 0), threads.of("lease", 2)) == ((), ("f2",))
    assert (threads.take("lease", 2), threads.of("lease", 2)) == (("f2",), ())


def test_telling_changes_nothing(past):
    ann = past.register("ann")
    past.claim(ann, "a.py")
    past.story("a.py")
    past.close()
    before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in past.folder.glob("*.sqlite3")}
    past.mailboxes.clear()
    assert len(past.story("a.py").facts) == 1, "a stopped coordinator's store tells as well"
    assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in before} == before


def test_a_damaged_store_is_not_told_from(past):
    ann = past.register("ann")
    past.claim(ann, "a.py")
    past.claim(ann, "b.py")
    with next(past.places()).store.writing() as connection:
        connection.exec_driver_sql("UPDATE journal SET payload = x'00' WHERE seq = 3")
    with pytest.raises(Corrupt, match="row 3 of 3 is damaged"):
        past.story("a.py")


def test_where_nobody_has_written_there_is_no_story(past, tmp_path):
    (tmp_path / "empty").mkdir()
    past.close()
    past.mailboxes.clear()
    past.folder = tmp_path / "empty"
    with pytest.raises(Misuse, match="nobody has written to"):
        past.story("a.py")
    assert list(past.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "is_agent"), [("ann#3", True), ("ann#", True), ("a/b#12", True), ("a.py", False), ("c#.py", False)]
)
def test_an_agent_is_told_from_a_target_by_its_spelling(text, is_agent):
    assert names_an_agent(text) is is_agent


@pytest.mark.parametrize("text", ["ann", "#", "#3", "", "x" * 2_000 + "#1"])
def test_what_is_no_agent_is_refused(text):
    with pytest.raises(Misuse, match="is no agent"):
        AgentSubject(text)


def test_a_target_meets_what_covers_it_and_nothing_else():
    meeting = TargetSubject("home", "src/a.py").meeting
    assert meeting(["src/", "src/a.py", "**/*.py", "src/b.py", "lib/", "task:a", "./"]) == (
        "src/",
        "src/a.py",
        "**/*.py",
        "./",
    )
    assert TargetSubject("home", "task:a").meeting(["task:a", "task:b", "./"]) == ("task:a",)
    assert TargetSubject("home", "src/").meeting(["src/a.py", "other.py", "not//canonical"]) == ("src/a.py",)
