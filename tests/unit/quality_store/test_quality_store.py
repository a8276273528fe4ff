import pytest

from actors.quality_store.account import AccountRow
from actors.quality_store.answer_message import (
    Advice,
    AnswerCounted,
    AnswerQuality,
    AnswersReset,
    AskAdvice,
    GetAnswerQuality,
    RecordAnswer,
    ResetAnswers,
    StepTaken,
)
from actors.quality_store.cause import NOT_FOUND_CAUSES, SILENT_CAUSES
from actors.quality_store.escalation import Escalation
from actors.quality_store.event import (
    EVENTS,
    SUCCESSORS,
    AccountTold,
    AgentForgotten,
    AnswerRecorded,
    AnswersForgotten,
    DayClosed,
    EditCounted,
    EditMissed,
    EditTried,
    EscalationArmed,
    EscalationEnded,
    EscalationMoved,
    ExtensionForgotten,
    FilesForgotten,
    MemoryMoved,
    OutcomeCounted,
    OutcomeRecorded,
    OutcomesForgotten,
    PairDropped,
    PathsForgotten,
    PenaltyHeldOut,
    ReadRecorded,
    SourceDropped,
    TrialCounted,
    ViewShown,
    WindowDropped,
)
from actors.quality_store.evidence import Evidence
from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import (
    SCHEMA,
    AccountCounted,
    DropEscalation,
    Dropped,
    EditQuality,
    Failures,
    FollowMove,
    ForgetOutcomes,
    GetEditQuality,
    GetEvidence,
    GetFailures,
    GetLedger,
    GetReadQuality,
    GetSavings,
    GetStatistics,
    LedgerPage,
    OutcomesGone,
    PeekMode,
    ReadCounted,
    ReadQuality,
    RecordAccount,
    Recorded,
    RecordOutcome,
    RecordRead,
    RecordTrial,
    Resolved,
    ResolveMode,
    Savings,
    Statistics,
    TrialNoted,
)
from actors.quality_store.mode import WHOLE_FILE_MODES
from actors.quality_store.row import ReadRow, SourceRow
from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.layer_switch import GetLayers, LayerList, LayerNow, LayerSwitched, SwitchLayer
from actors.runtime.machine import NOBODY, Caller, Machine, Now, Ticket, outbox_of
from actors.runtime.outbox import Note, NotePut
from actors.runtime.wire import pack, unpack

ADA = Caller("ada#1")
NOW = Now(0.0, 1000.0)


def failed(path="a.rs", mode="map"):
    return RecordOutcome("home", path, mode, "failure", "not_shown")


def busy_store():
    store = QualityStore()
    store.admit("ada#1", "secret", NOW)
    for command in (
        failed(),
        failed(),
        failed("b.py", "signatures"),
        RecordOutcome("home", "a.rs", "map", "failure", "ambiguous"),
        RecordRead("home", "a.rs", "map", "size", 10, 100),
        ResolveMode("home", "a.rs", "map"),
        ResolveMode("home", "c.rs", "map"),
    ):
        store.perform(ADA, command, NOW)
    return store


def test_the_store_is_a_machine():
    store: Machine = QualityStore()
    assert store.next_deadline_s() is None
    assert store.take_settled(NOW) == []
    store.withdraw(Ticket(1), NOW)
    store.wake(NOW)
    assert store.take_events() == []
    assert outbox_of(store) is store.outbox


def test_every_message_survives_the_wire():
    store = busy_store()
    commands = [
        failed(),
        ResolveMode("home", "a.rs", "map"),
        PeekMode("home", "b.py", "map"),
        RecordRead("home", "a.rs", "map", "size", 10, 100),
        DropEscalation("home", ("a.rs", "b.py")),
        FollowMove("home", "a.rs", "c.rs"),
        GetStatistics(),
        GetEditQuality(),
        GetReadQuality(),
        GetLedger(0, 10),
        GetSavings(30),
        GetFailures("home"),
        RecordTrial("lessons", True, 3, 1),
        RecordAccount("scent_field@5707e", (AccountRow("duplicates_prevented", "claim", 3),)),
        GetEvidence(30),
        RecordAnswer(0.7, 0.5, "converged", 2, 0, (StepTaken("relevance", "expand_retrieval", 0.2),)),
        AskAdvice("a1"),
        GetAnswerQuality(),
        ResetAnswers(),
        SwitchLayer("edit_penalty", False, "no difference"),
        GetLayers(),
        ForgetOutcomes("rs"),
    ]
    assert {type(command) for command in commands} == set(SCHEMA.commands.values())
    kinds = set()
    for command in commands:
        assert SCHEMA.command(unpack(pack(SCHEMA.wire_of(command)))) == command
        answer = store.perform(ADA, command, NOW)
        assert SCHEMA.answer(unpack(pack(SCHEMA.wire_of(answer)))) == answer
        kinds.add(type(answer))
    assert kinds == {
        Recorded,
        Resolved,
        ReadCounted,
        Dropped,
        Statistics,
        EditQuality,
        ReadQuality,
        LedgerPage,
        Savings,
        Failures,
        TrialNoted,
        AccountCounted,
        Evidence,
        AnswerCounted,
        Advice,
        AnswerQuality,
        AnswersReset,
        LayerNow,
        LayerList,
        OutcomesGone,
    }


def test_every_event_survives_the_journal():
    store = busy_store()
    store.perform(ADA, DropEscalation("home", ("b.py",)), NOW)
    store.expire(Now(0.0, 1000.0 + 31 * 86_400))
    events = store.take_events()
    assert {
        OutcomeRecorded,
        OutcomeCounted,
        PairDropped,
        EscalationArmed,
        EscalationEnded,
        ViewShown,
        EditTried,
        DayClosed,
        PathsForgotten,
    } <= {type(event) for event in events}
    events += [
        ReadRecorded("rs", "map", "size", 10, 100),
        AgentForgotten("ada#1"),
        FilesForgotten("ada#1", 3),
        ExtensionForgotten("rs"),
        PenaltyHeldOut("rs", "map"),
        EscalationMoved("home", "a.rs", "b.rs"),
        MemoryMoved("home", "a.rs", "b.rs"),
        EditMissed("ada#1", "home", "a.rs", "map", "claimed", 1.0),
        ViewShown(
            "a#1", "home", "a.rs", "map", "", "", 1, 2, True, True, False, False, 1, (True, False), 200, 1.0, "", 9
        ),
        TrialCounted("lessons", False, "ada#1", 3, 1, 9, 1.0),
        AccountTold("scent_field@5707e", (AccountRow("duplicates_prevented", "claim", 3),), (), 1.0),
        SourceDropped("scent_field@5707e"),
        OutcomesForgotten("ada#1", "rs", 1.0),
        LayerSwitched("edit_penalty", False, "ada#1", "no difference", 1.0),
        EditCounted("rs", "none", "claimed", 200, 1.0),
        AnswerRecorded(
            "a#1", 0.7, 0.5, "failed", 2, 1, (StepTaken("none", "full_requery", -0.1),), "", True, False, 1.0
        ),
        WindowDropped("a#1", "lapsed"),
        AnswersForgotten(1.0),
    ]
    for event in events:
        (row,) = store.events.pack_form([event])
        assert store.events.make(*unpack(pack(row))) == event


def test_events_of_before_the_layers_that_had_a_say_are_read_as_without_any():
    view = ["a#1", "home", "a.rs", "map", "", "", 1, 2, True, True, False, False, 0, [], 200, 1.0]
    tried = ["a#1", "home", "a.rs", "map", "", "failure", False, 3, 200, 1.0]
    store = QualityStore()
    for code, fields in ((310, view), (311, tried)):
        assert code not in EVENTS.kinds
        store.evolve(store.events.make(*SUCCESSORS[code](fields)))
        assert QualityStore.state_format.present(code, fields) == SUCCESSORS[code](fields)
    (row,) = store.perform(NOBODY, GetStatistics(), NOW).ledger
    assert (row.n_reads, row.n_retries) == (1, 1)
    assert store.perform(NOBODY, GetEvidence(30), NOW).arms == ()


def test_codes_are_for_ever():
    assert {code: kind.__name__ for code, kind in EVENTS.kinds.items()} == {
        300: "TokenPinned",
        301: "PinEvicted",
        302: "OutcomeRecorded",
        303: "OutcomeCounted",
        304: "PairDropped",
        305: "EscalationArmed",
        306: "EscalationEnded",
        307: "EscalationReturned",
        308: "PenaltyServed",
        309: "ReadRecorded",
        312: "FilesForgotten",
        313: "AgentForgotten",
        314: "PathsForgotten",
        315: "ExtensionForgotten",
        316: "DayClosed",
        317: "PenaltyHeldOut",
        318: "EscalationMoved",
        319: "MemoryMoved",
        330: "EditMissed",
        340: "ViewShown",
        341: "EditTried",
        342: "EditCounted",
        343: "TrialCounted",
        344: "AccountTold",
        345: "SourceDropped",
        346: "OutcomesForgotten",
        350: "AnswerRecorded",
        351: "WindowDropped",
        352: "AnswersForgotten",
    }


def test_only_counts_may_be_lost_in_a_crash():
    durable = [kind.__name__ for kind in EVENTS.kinds.values() if kind not in EVENTS.relaxed]
    assert durable == [
        "TokenPinned",
        "PinEvicted",
        "OutcomeRecorded",
        "PairDropped",
        "EscalationArmed",
        "EscalationEnded",
        "EscalationReturned",
        "DayClosed",
        "EscalationMoved",
        "OutcomesForgotten",
        "AnswerRecorded",
        "WindowDropped",
        "AnswersForgotten",
    ]


def test_a_snapshot_that_another_version_wrote_is_not_read_as_empty():
    with pytest.raises(Corrupt, match="'bounces'"):
        QualityStore().restore([["bounces", [["rs", 1]]]])


def test_a_snapshot_survives_the_store_and_gives_the_same_state():
    store = busy_store()
    parts = [unpack(pack(part)) for part in store.snapshot()]
    restored = QualityStore()
    restored.restore(parts)
    restored.check_invariants()
    assert list(restored.snapshot()) == list(store.snapshot())
    assert restored.perform(NOBODY, GetStatistics(), NOW) == store.perform(NOBODY, GetStatistics(), NOW)


def test_a_command_of_another_domain_is_misuse():
    with pytest.raises(Misuse, match="str is no command of the quality store"):
        QualityStore().perform(ADA, "claim", NOW)


@pytest.mark.parametrize("mode", WHOLE_FILE_MODES)
@pytest.mark.parametrize("cause", [*NOT_FOUND_CAUSES, *SILENT_CAUSES])
def test_recording_a_failure_never_fails_whatever_was_read(mode, cause):
    answer = QualityStore().perform(ADA, RecordOutcome("home", "a.rs", mode, "failure", cause), NOW)
    assert answer.signal == ("failure" if cause in {"not_shown", "never_there"} else "")
    assert answer.escalated is (cause in {"not_shown", "never_there"} and mode != "full")


def test_recording_never_fails_with_every_limit_reached():
    store = QualityStore(Limits(max_pairs=1, max_escalations=1, max_rows=1, max_sources=1, max_pins=1))
    for number in range(5):
        store.admit(f"a#{number}", "t", NOW)
        assert store.perform(ADA, failed(f"a.x{number}"), NOW) == Recorded("failure", True, False)
        store.perform(ADA, RecordRead("home", f"a.x{number}", "map", f"s{number}", 1, 2), NOW)
    store.check_invariants()
    statistics = store.perform(NOBODY, GetStatistics(), NOW)
    assert (len(statistics.pairs), statistics.escalations_pending, statistics.pins) == (1, 1, 1)
    assert (statistics.pairs_evicted, statistics.escalations_evicted, statistics.pins_evicted) == (4, 4, 4)


def test_reading_never_fails_with_every_limit_reached():
    store = QualityStore(Limits(max_agents=1, max_files=1, max_paths=1, max_extensions=1, max_rows=1, max_notes=201))
    for number in range(300):
        caller = Caller(f"a#{number}")
        for path in (f"a.x{number}", f"b.x{number}"):
            store.perform(caller, RecordRead("home", path, "map", "", 1, 2), NOW)
            store.perform(caller, RecordRead("home", path, "full", "", 2, 2), NOW)
            store.perform(caller, RecordOutcome("home", path, "full", "failure", "not_shown", 3), NOW)
    store.check_invariants()
    seen = store.perform(NOBODY, GetStatistics(), NOW)
    assert (seen.agents, seen.agents_evicted, seen.files_evicted) == (1, 299, 300)
    assert (seen.paths_remembered, seen.paths_evicted) == (1, 599)
    assert (seen.extensions, seen.extensions_evicted) == (1, 299)
    counted = [(row.extension, row.mode, row.n_reads) for row in seen.ledger]
    assert counted == [("other", "full", 600), ("other", "map", 598), ("x0", "map", 2)]
    assert [(count.receiver, count.n_waiting) for count in seen.notes] == [("scent_field", 201), ("thresholds", 201)]


def test_a_store_whose_limits_were_lowered_shrinks_with_the_next_outcome():
    store = busy_store()
    smaller = QualityStore(Limits(max_pairs=1, max_escalations=1))
    smaller.restore(list(store.snapshot()))
    smaller.perform(ADA, failed("z.go"), NOW)
    statistics = smaller.perform(NOBODY, GetStatistics(), NOW)
    assert [row.extension for row in statistics.pairs] == ["go"]
    assert statistics.escalations_pending == 1


def test_a_signal_is_one_durable_fact_and_the_escalation_another():
    store = QualityStore()
    store.perform(ADA, failed(), NOW)
    note = Note("edit_failure", "ada#1", "home", "a.rs", "rs", "map", 0, 0, 0, 1000.0)
    assert store.take_events() == [
        OutcomeRecorded("rs", "map", "rs", "not_shown", True, False, 1000.0),
        EscalationArmed("home", "a.rs", 1000.0),
        EditCounted("rs", "map", "not_shown", 200, 1000.0),
        EditTried("ada#1", "home", "a.rs", "map", "", "failure", False, 0, 200, 1000.0, 50_000),
        NotePut("thresholds", note),
        NotePut("scent_field", note),
    ]


def test_a_read_is_one_fact_until_something_comes_of_it():
    store = QualityStore()
    store.perform(ADA, RecordRead("home", "a.rs", "map", "expected_cost", 10, 100), NOW)
    assert store.take_events() == [
        ViewShown(
            *(
                "ada#1",
                "home",
                "a.rs",
                "map",
                "expected_cost",
                "",
                10,
                100,
                True,
                True,
                False,
                False,
                0,
                (),
                200,
                1000.0,
            ),
            *("", 50_000),
        )
    ]
    store.perform(ADA, RecordRead("home", "a.rs", "full", "explicit", 101, 100), NOW)
    note = Note("bounce", "ada#1", "home", "a.rs", "rs", "map", 10, 100, 101, 1000.0)
    assert store.take_events() == [
        ViewShown(
            *(
                "ada#1",
                "home",
                "a.rs",
                "full",
                "",
                "",
                101,
                100,
                True,
                False,
                True,
                False,
                0,
                (),
                200,
                1000.0,
                "",
                50_000,
            )
        ),
        NotePut("thresholds", note),
        NotePut("scent_field", note),
    ]


def test_a_store_of_before_the_ledger_is_read_on():
    store = QualityStore()
    store.evolve(ReadRecorded("rs", "map", "size", 10, 100))
    store.evolve(ReadRecorded("rs", "map", "", 20, 100))
    store.check_invariants()
    statistics = store.perform(NOBODY, GetStatistics(), NOW)
    assert statistics.reads == (ReadRow("rs", "map", 2, 30, 200),)
    assert statistics.sources == (SourceRow("size", 1),)
    assert statistics.ledger == ()
    older = [["reads", [["rs", "map", 2, 30, 200]]], ["sources", [["size", "", 1]]]]
    restored = QualityStore()
    restored.restore(older)
    assert restored.perform(NOBODY, GetStatistics(), NOW) == statistics


def test_serving_an_escalation_is_a_durable_fact():
    store = QualityStore()
    store.perform(ADA, failed(), NOW)
    store.take_events()
    answer = store.perform(ADA, ResolveMode("home", "a.rs", "map"), NOW)
    assert answer.consumed == ("home", "a.rs", 1000.0)
    assert store.take_events() == [EscalationEnded("home", "a.rs", "served")]


def test_undoing_what_used_nothing_up_changes_nothing():
    store = busy_store()
    store.take_events()
    before = list(store.snapshot())
    for answer in (Recorded("failure", True, True), Resolved("full", "edit_quality_penalty"), Dropped(1)):
        store.undo(ADA, answer, NOW)
    assert list(store.snapshot()) == before
    assert store.take_events() == []


def test_an_escalation_that_comes_back_to_a_full_house_may_be_the_one_to_go():
    store = QualityStore(Limits(max_escalations=1))
    store.perform(ADA, failed("a.rs"), NOW)
    served = store.perform(ADA, ResolveMode("home", "a.rs", "map"), NOW)
    store.perform(ADA, failed("b.py"), Now(0.0, 1001.0))
    store.undo(ADA, served, Now(0.0, 1002.0))
    store.check_invariants()
    assert store.perform(NOBODY, PeekMode("home", "a.rs", "signatures"), Now(0.0, 1002.0)).mode == "signatures"
    assert store.perform(NOBODY, PeekMode("home", "b.py", "signatures"), Now(0.0, 1002.0)).mode == "full"


def test_an_escalation_that_comes_back_to_a_full_house_of_lapsed_ones_evicts_nobody():
    store = QualityStore(Limits(max_escalations=1))
    store.perform(ADA, failed("b.py"), NOW)
    store.undo(ADA, Resolved("full", "edit_fail_escalation", Escalation("home", "a.rs", 2000.0)), Now(0.0, 4601.0))
    assert [event.reason for event in store.take_events() if isinstance(event, EscalationEnded)] == ["expired"]


def test_an_escalation_that_has_lapsed_is_not_counted_as_dropped_by_a_change():
    store = QualityStore()
    store.perform(ADA, failed(), NOW)
    assert store.perform(ADA, DropEscalation("home", ("a.rs",)), Now(0.0, 4601.0)) == Dropped(0)
    statistics = store.perform(NOBODY, GetStatistics(), Now(0.0, 4601.0))
    assert (statistics.escalations_changed, statistics.escalations_expired) == (0, 1)


def test_a_peek_says_that_it_used_nothing_up():
    store = QualityStore()
    store.perform(ADA, failed(), NOW)
    peeked = store.perform(NOBODY, PeekMode("home", "a.rs", "map"), NOW)
    assert peeked == Resolved("full", "edit_fail_escalation", None)


def test_expiry_collects_what_has_lapsed_and_nothing_else():
    store = busy_store()
    store.take_events()
    store.expire(Now(0.0, 1000.0 + 3600))
    assert store.take_events() == []
    store.expire(Now(0.0, 1000.0 + 3601))
    assert store.take_events() == [EscalationEnded("home", "b.py", "expired")]
    store.expire(Now(0.0, 86_400.0))
    assert [type(event) for event in store.take_events()] == [DayClosed]
    store.expire(Now(0.0, 1000.0 + 30 * 86_400 + 1))
    assert store.take_events() == [
        PairDropped("rs", "map", "decayed"),
        PairDropped("py", "signatures", "decayed"),
        PathsForgotten("decayed", 1, 0),
    ]


@pytest.mark.parametrize("n_tokens", [-1, 1_000_000_001])
def test_a_read_of_an_impossible_size_is_refused(n_tokens):
    store = QualityStore()
    with pytest.raises(Misuse, match="tokens"):
        store.perform(ADA, RecordRead("home", "a.rs", "map", "", 1, n_tokens), NOW)
    assert store.take_events() == []
