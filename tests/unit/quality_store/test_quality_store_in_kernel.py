from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import (
    SCHEMA,
    GetLedger,
    PeekMode,
    Recorded,
    RecordOutcome,
    RecordRead,
    Resolved,
    ResolveMode,
)
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.wire import Failed, pack, unpack

NOW = Now(0.0, 1000.0)
FAILED = RecordOutcome("home", "a.rs", "map", "failure", "not_shown")


def ask(kernel, number, *commands, token="secret", abandoned=(), now=NOW):
    envelope = ["ada#1", token, number, 0, list(abandoned), [SCHEMA.wire_of(command) for command in commands]]
    turn = kernel.turn([(7, unpack(pack(envelope)))], now)
    ((slot, packed),) = turn.answers
    assert slot == 7
    return [SCHEMA.answer(fields) for fields in unpack(packed)], turn


def test_a_request_that_arrives_twice_counts_once():
    kernel = Kernel(QualityStore())
    first, _ = ask(kernel, 1, FAILED)
    again, turn = ask(kernel, 1, FAILED)
    assert first == again == [Recorded("failure", True, False)]
    assert turn.events == []


def test_a_session_is_pinned_to_its_first_token():
    kernel = Kernel(QualityStore())
    ask(kernel, 1, FAILED)
    (answer,), turn = ask(kernel, 2, FAILED, token="guess")
    assert isinstance(answer, Failed)
    assert answer.code == "unknown_agent"
    assert turn.events == []


def test_signals_are_durable_and_counts_are_relaxed():
    kernel = Kernel(QualityStore())
    _, turn = ask(kernel, 1, FAILED)
    assert turn.durable
    _, turn = ask(kernel, 2, RecordRead("home", "a.rs", "map", "", 1, 2))
    assert turn.events
    assert not turn.durable


def test_an_escalation_whose_answer_was_abandoned_is_pending_again():
    kernel = Kernel(QualityStore())
    ask(kernel, 1, FAILED)
    (served,), _ = ask(kernel, 2, ResolveMode("home", "a.rs", "map"))
    assert served.source == "edit_fail_escalation"
    ask(kernel, 3, RecordRead("home", "a.rs", "map", "", 1, 2), abandoned=[2])
    (peeked,), _ = ask(kernel, 0, PeekMode("home", "a.rs", "map"))
    assert peeked == Resolved("full", "edit_fail_escalation")


def test_a_bounce_and_its_notes_are_one_commit():
    kernel = Kernel(QualityStore())
    reads = [RecordRead("home", "a.rs", mode, "explicit", 10, 100) for mode in ("map", "full")]
    _, turn = ask(kernel, 1, *reads)
    kinds = [type(event).__name__ for event in turn.events]
    assert kinds == ["TokenPinned", "ViewShown", "ViewShown", "NotePut", "NotePut", "AnsweredIdly"]
    assert kernel.machine.outbox.pending("thresholds").notes == kernel.machine.outbox.pending("scent_field").notes


def test_a_turn_of_a_later_day_closes_the_day_for_good_even_if_it_only_asks():
    kernel = Kernel(QualityStore())
    ask(kernel, 1, RecordRead("home", "a.rs", "map", "explicit", 10, 100))
    (page,), turn = ask(kernel, 0, GetLedger(0, 10), now=Now(1.0, 90_000.0))
    assert turn.durable
    assert [(record.day, page.n_closed) for record in page.records] == [(0, 1)]


def test_all_that_a_kernel_did_is_replayed_from_its_journal():
    kernel = Kernel(QualityStore(Limits(max_files=1, max_paths=1)))
    events = []
    for number, path in enumerate(("a.rs", "b.rs", "c.py", "a.rs"), start=1):
        now = Now(0.0, 50_000.0 * number)
        reads = [RecordRead("home", path, mode, "explicit", 10, 100) for mode in ("map", "full")]
        events += ask(kernel, number, *reads, FAILED, now=now)[1].events
    replica = Kernel(QualityStore())
    for code, fields in unpack(pack(kernel.events.pack_form(events))):
        replica.evolve(code, fields)
    replica.check_invariants()
    assert list(replica.machine.snapshot()) == list(kernel.machine.snapshot())
