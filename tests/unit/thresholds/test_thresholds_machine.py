import pytest

from actors.runtime.errors import Corrupt, Misuse, UnknownAgent
from actors.runtime.layer_switch import GetLayers, LayerList, LayerNow, SwitchLayer
from actors.runtime.machine import NOBODY, Caller, Machine, Now, Ticket
from actors.runtime.outbox import (
    BOUNCE,
    CLEAN_COMPRESSED,
    EDIT_FAILURE,
    EDIT_SUCCESS,
    TOPICS,
    Deliver,
    Delivered,
    Note,
)
from actors.runtime.received import NotesApplied
from actors.runtime.wire import pack, unpack
from actors.thresholds.bundle import bundle_text
from actors.thresholds.contribution import Contribution
from actors.thresholds.daily_count import DailyCounts
from actors.thresholds.event import EVENTS, BundleImported, CostRecorded, DeltaMoved, LearningReset, ReplayRow
from actors.thresholds.factory import make_thresholds
from actors.thresholds.limit import MAX_REVISION, Limits
from actors.thresholds.machine import Thresholds
from actors.thresholds.messages import (
    SCHEMA,
    Bundle,
    DeltaRow,
    ExportBundle,
    Forgotten,
    GetLearning,
    GetPolicy,
    GetStatistics,
    ImportBundle,
    Imported,
    Learning,
    PlacementCounted,
    Policy,
    RankingCounted,
    RankingEvidence,
    RecordPlacement,
    RecordRanking,
    RecordReplay,
    ReplayCounted,
    ResetLearning,
    Statistics,
)
from actors.thresholds.origin import Origin

DAY_S = 86_400.0
LOCAL = "aaaaaaaa"
ADA = Caller("ada#1")
NOW = Now(0.0, 100 * DAY_S)
SOURCE = "quality_store@1"


def note(topic=CLEAN_COMPRESSED, extension="rs", mode="map", n_tokens=100, n_total=1000, n_extra=0):
    return Note(topic, "ada#1", "home", "a.rs", extension, mode, n_tokens, n_total, n_extra, NOW.utc_s)


def deliver(machine, *notes, now=NOW):
    number = len(notes) + machine._received.applied(SOURCE)
    machine.perform(NOBODY, Deliver(SOURCE, number, tuple(notes)), now)


def foreign(*numbers, extension="rs"):
    origins = {f"{n:08x}": Origin(0, {extension: Contribution(1, 0.1, 100, 10)}, {}) for n in numbers}
    return bundle_text(origins)


def statistics(machine, now=NOW):
    return machine.perform(NOBODY, GetStatistics(), now)


def busy_machine(**limits):
    machine = make_thresholds(origin=LOCAL, **limits)
    machine.admit("ada#1", "secret", NOW)
    deliver(machine, *[note(topic) for topic in TOPICS], *[note()] * 12, note(extension="a/b"), note(mode="tiny"))
    machine.perform(ADA, RecordPlacement("cursor", "begin", 30, 2), NOW)
    machine.perform(ADA, ImportBundle(foreign(1, 2)), NOW)
    return machine


@pytest.mark.parametrize(("age", "n_origins", "n_signals"), [(365, 2, 110), (366, 1, 100)])
def test_an_origin_whose_signals_are_too_old_is_counted_no_more_than_they_are(age, n_origins, n_signals):
    machine = make_thresholds(origin=LOCAL)
    fresh = Now(0.0, (100 + age) * DAY_S)
    here = Origin(0, {"rs": Contribution(1, 0.1, 100 + age, 100)}, {})
    machine.perform(ADA, ImportBundle(foreign(1)), fresh)
    machine.perform(ADA, ImportBundle(bundle_text({"0000000a": here})), fresh)
    (row,) = machine.perform(NOBODY, GetLearning(), fresh).deltas
    assert (row.n_origins, row.n_signals) == (n_origins, n_signals)


def test_the_thresholds_are_a_machine():
    machine: Machine = Thresholds(LOCAL)
    assert machine.next_deadline_s() is None
    assert machine.take_settled(NOW) == []
    machine.withdraw(Ticket(1), NOW)
    machine.wake(NOW)
    machine.expire(NOW)
    assert machine.take_events() == []


@pytest.mark.parametrize("origin", ["", "ada", "0123456", "0" * 33, "ABCDEF01", "abcdef0g", "abcdef01\n"])
def test_an_origin_that_says_something_is_refused(origin):
    with pytest.raises(ValueError, match="random hexadecimal digits"):
        make_thresholds(origin=origin)


def test_every_message_survives_the_wire():
    machine = busy_machine()
    commands = [
        Deliver(SOURCE, 20, (note(),)),
        RecordPlacement("cursor", "end", 1, 2),
        GetPolicy(),
        GetLearning(),
        GetStatistics(),
        ExportBundle(),
        ImportBundle(foreign(3)),
        ResetLearning("rs"),
        RecordRanking((RankingEvidence("rs", (0.1,) * 9, 60),)),
        RecordReplay("0123abcd", (ReplayRow("rs", "map", "<500", 200, 20, 1, 2, 3),)),
        SwitchLayer("entropy_delta", False, "no difference"),
        GetLayers(),
    ]
    assert {type(command) for command in commands} == set(SCHEMA.commands.values())
    kinds = set()
    for command in commands:
        assert SCHEMA.command(unpack(pack(SCHEMA.wire_of(command)))) == command
        answer = machine.perform(ADA, command, NOW)
        assert SCHEMA.answer(unpack(pack(SCHEMA.wire_of(answer)))) == answer
        kinds.add(type(answer))
    assert kinds == {
        Delivered, PlacementCounted, Policy, Learning, Statistics, Bundle, Imported, Forgotten, ReplayCounted,
        RankingCounted, LayerNow, LayerList,
    }  # fmt: skip


def test_codes_are_for_ever():
    assert {code: kind.__name__ for code, kind in EVENTS.kinds.items()} == {
        13: "NotesApplied",
        14: "SourceForgotten",
        400: "TokenPinned",
        401: "PinEvicted",
        402: "DeltaMoved",
        403: "ExtensionEvicted",
        404: "PlacementRecorded",
        405: "PlacementRolled",
        406: "CostRecorded",
        407: "CostRolled",
        408: "CostEvicted",
        409: "NoteIgnored",
        410: "OriginMerged",
        411: "OriginEvicted",
        412: "BundleImported",
        413: "LearningReset",
        414: "ReplayRecorded",
        415: "ReplayEvicted",
        416: "RankingLearned",
        417: "RankingEvicted",
        418: "RankingsMerged",
    }


def test_nothing_that_was_learned_may_be_lost_in_a_crash():
    assert EVENTS.relaxed == frozenset()


def test_a_snapshot_survives_the_store_and_gives_the_same_state():
    machine = busy_machine()
    restored = Thresholds(LOCAL)
    restored.restore([unpack(pack(part)) for part in machine.snapshot()])
    restored.check_invariants()
    assert list(restored.snapshot()) == list(machine.snapshot())
    for query in (GetPolicy(), GetLearning(), GetStatistics(), ExportBundle()):
        assert restored.perform(NOBODY, query, NOW) == machine.perform(NOBODY, query, NOW)


def test_a_snapshot_that_another_version_wrote_is_not_read_as_empty():
    with pytest.raises(Corrupt, match="'weights'"):
        Thresholds(LOCAL).restore([["weights", [["rs", 1]]]])


def test_a_command_of_another_domain_is_misuse():
    with pytest.raises(Misuse, match="str is no command of the thresholds"):
        Thresholds(LOCAL).perform(ADA, "claim", NOW)


def test_a_signal_is_what_it_makes_of_the_delta_and_a_cost():
    machine = Thresholds(LOCAL)
    deliver(machine, note(BOUNCE, n_extra=900))
    assert machine.take_events() == [
        NotesApplied(SOURCE, 1),
        DeltaMoved(BOUNCE, LOCAL, "rs", 1, -0.06, 100, 1),
        CostRecorded("rs", "map", "<2000", 100, 1, 100, 1000, 900),
    ]


def test_a_delivery_that_does_not_follow_is_refused_and_changes_nothing():
    machine = busy_machine()
    machine.take_events()
    before = list(machine.snapshot())
    with pytest.raises(Misuse, match="do not follow"):
        machine.perform(NOBODY, Deliver(SOURCE, 99, (note(),)), NOW)
    assert machine.take_events() == []
    assert list(machine.snapshot()) == before


@pytest.mark.parametrize(
    "odd",
    [
        note("rumour"),
        note(extension=""),
        note(extension="."),
        note(extension="x" * 4000),
        note(mode=""),
        note(n_total=0),
        note(n_tokens=-5),
        note(n_extra=10**12),
        note(EDIT_FAILURE, mode="full"),
    ],
)
def test_no_note_stops_those_behind_it(odd):
    machine = Thresholds(LOCAL)
    deliver(machine, odd, note(EDIT_SUCCESS), note(BOUNCE, "go"))
    machine.check_invariants()
    assert machine.perform(NOBODY, Deliver(SOURCE, 3, (odd,)), NOW) == Delivered(3)
    learned = {row.extension: row for row in machine.perform(NOBODY, GetLearning(), NOW).deltas}
    assert (learned["go"].delta, learned["go"].n_signals) == (-0.06, 1)


def test_undoing_changes_nothing():
    machine = busy_machine()
    machine.take_events()
    before = list(machine.snapshot())
    for answer in (Delivered(1), Forgotten(1, 1, 1), PlacementCounted("cursor", 0.7)):
        machine.undo(ADA, answer, NOW)
    assert list(machine.snapshot()) == before
    assert machine.take_events() == []


def test_an_import_and_a_reset_say_who_and_when():
    machine = Thresholds(LOCAL)
    machine.perform(ADA, ImportBundle(foreign(1)), NOW)
    *_, imported = machine.take_events()
    assert isinstance(imported, BundleImported)
    assert imported[:2] == ("ada#1", NOW.utc_s)
    assert imported[3:] == (1, 0)
    machine.perform(ADA, ResetLearning(""), NOW)
    assert machine.take_events() == [LearningReset("ada#1", NOW.utc_s, "", LOCAL, 1, 0, 100)]


def test_a_bundle_says_what_it_changed_and_the_second_time_that_it_changed_nothing():
    machine = Thresholds(LOCAL)
    first = machine.perform(ADA, ImportBundle(foreign(1)), NOW)
    assert first == Imported((("rs", 0.0, 0.1, 0, 10),), (), 1, 0)
    machine.take_events()
    assert machine.perform(ADA, ImportBundle(foreign(1)), NOW) == Imported((), (), 0, 0)
    assert machine.take_events() == []


def test_the_version_of_a_policy_is_that_of_its_content():
    machine = busy_machine()
    first = machine.perform(NOBODY, GetPolicy(), NOW)
    assert first == machine.perform(NOBODY, GetPolicy(), NOW)
    assert first.deltas == (DeltaRow("rs", 0.0678),)
    next_day = machine.perform(NOBODY, GetPolicy(), Now(0.0, 101 * DAY_S))
    assert next_day.deltas == (DeltaRow("rs", 0.0665),)
    assert next_day.version != first.version
    machine.perform(ADA, RecordPlacement("new-client", "end", 3, 0), NOW)
    assert machine.perform(NOBODY, GetPolicy(), NOW) == first
    machine.perform(ADA, RecordPlacement("new-client", "end", 17, 0), NOW)
    assert machine.perform(NOBODY, GetPolicy(), NOW).version != first.version


def test_the_empty_policy_is_the_same_everywhere():
    version = Thresholds(LOCAL).perform(NOBODY, GetPolicy(), NOW).version
    assert version == Thresholds("bbbbbbbb").perform(NOBODY, GetPolicy(), Now(0.0, 0.0)).version
    assert len(version) == 12


def test_of_too_many_origins_the_last_by_id_goes_and_never_our_own():
    machine = Thresholds("ffffffff")
    deliver(machine, note())
    first = machine.perform(ADA, ImportBundle(foreign(*range(1, 251))), NOW)
    assert (first.n_origins, first.n_left_out) == (250, 0)
    second = machine.perform(ADA, ImportBundle(foreign(0, *range(300, 310))), NOW)
    assert (second.n_origins, second.n_left_out) == (5, 6)
    machine.check_invariants()
    assert statistics(machine).n_origins == 256
    assert "ffffffff" in machine._book.origins
    assert machine.perform(ADA, ImportBundle(foreign(0, *range(300, 310))), NOW) == Imported((), (), 0, 6)
    third = machine.perform(ADA, ImportBundle(foreign(260)), NOW)
    assert third.n_origins == 2
    assert statistics(machine).evicted == (("left_out", 6), ("origin", 1))


def test_our_own_origin_has_its_place_kept_until_it_learns():
    machine = Thresholds("ffffffff")
    assert machine.perform(ADA, ImportBundle(foreign(*range(256))), NOW).n_left_out == 1
    deliver(machine, note())
    machine.check_invariants()
    assert statistics(machine).evicted == (("left_out", 1),)


def test_a_copy_with_a_new_origin_makes_room_for_it():
    machine = Thresholds("ffffffff")
    machine.perform(ADA, ImportBundle(foreign(*range(255))), NOW)
    deliver(machine, note())
    copy = Thresholds("eeeeeeee")
    copy.restore(list(machine.snapshot()))
    deliver(copy, note())
    copy.check_invariants()
    assert "eeeeeeee" in copy._book.origins
    assert statistics(copy).evicted == (("origin", 1),)


def test_costs_are_bounded_and_the_one_that_was_not_added_to_for_longest_goes():
    machine = make_thresholds(origin=LOCAL, max_cost_rows=2)
    deliver(machine, note(extension="a"), note(extension="b"), note(extension="a"), note(extension="c"))
    learned = machine.perform(NOBODY, GetLearning(), NOW)
    assert [row.cost.extension for row in learned.costs] == ["a", "c"]
    assert statistics(machine).evicted == (("cost", 1),)


def test_days_of_a_cost_are_bounded():
    machine = Thresholds(LOCAL)
    for day in range(100, 200):
        deliver(machine, note(), now=Now(0.0, day * DAY_S))
        machine.check_invariants()
    (row,) = machine.perform(NOBODY, GetLearning(), Now(0.0, 199 * DAY_S)).costs
    assert row.n_outcomes == pytest.approx((1 - 0.98**100) / 0.02, abs=0.01)


def test_sessions_are_pinned_to_their_first_token_and_bounded():
    machine = make_thresholds(origin=LOCAL, max_pins=2)
    for name in ("ada#1", "bob#1", "cyd#1"):
        machine.admit(name, "t", NOW)
    assert machine.take_departed() == ["ada#1"]
    assert machine.take_departed() == []
    assert machine.admit("bob#1", "t", NOW) == Caller("bob#1")
    before = list(machine.snapshot())
    for session, token in (("bob#1", "guess"), ("bob", "t"), ("bob#1", ""), ("#1", "t")):
        with pytest.raises(UnknownAgent):
            machine.admit(session, token, NOW)
    assert list(machine.snapshot()) == before
    assert statistics(machine).n_pins == 2
    assert statistics(machine).evicted == (("pin", 1),)


def test_limits_are_no_part_of_replay():
    machine = busy_machine()
    deliver(machine, *[note(extension=f"x{n}") for n in range(70)])
    machine.perform(ADA, ResetLearning("x69"), NOW)
    replica = Thresholds("bbbbbbbb", Limits(min_signals=1, min_observations=1, max_cost_rows=1, max_pins=1))
    for event in machine.take_events():
        (row,) = EVENTS.pack_form([event])
        replica.evolve(EVENTS.make(*unpack(pack(row))))
    assert list(replica.snapshot()) == list(machine.snapshot())


def test_a_bundle_of_ours_with_the_last_revision_stops_no_learning():
    machine = Thresholds(LOCAL)
    ours = {LOCAL: Origin(0, {"rs": Contribution(MAX_REVISION, 0.1, 102, 10)}, {})}
    machine.perform(ADA, ImportBundle(bundle_text(ours)), NOW)
    deliver(machine, note())
    text = machine.perform(NOBODY, ExportBundle(), NOW).text
    assert b'"delta":0.11,"revision":1000000000000,"samples":11' in text
    assert Thresholds("bbbbbbbb").perform(ADA, ImportBundle(text), NOW).n_origins == 1


def test_a_rest_of_ours_that_reaches_to_today_stops_no_counting():
    machine = Thresholds(LOCAL)
    ours = {LOCAL: Origin(0, {}, {"cursor": DailyCounts(100, (1.0, 0.0, 0.0, 0.0), {102: (1, 0, 0, 0)})})}
    machine.perform(ADA, ImportBundle(bundle_text(ours)), NOW)
    machine.perform(ADA, RecordPlacement("cursor", "begin", 5, 0), NOW)
    machine.check_invariants()
    text = machine.perform(NOBODY, ExportBundle(), NOW).text
    assert b'"days":{"101":[5,0,0,0],"102":[1,0,0,0]}' in text
    assert Thresholds("bbbbbbbb").perform(ADA, ImportBundle(text), NOW).n_origins == 1
