from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import SCHEMA, PeekMode, Recorded, RecordOutcome, RecordRead, Resolved, ResolveMode
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.wire import Failed, pack, unpack

NOW = Now(0.0, 1000.0)
FAILED = RecordOutcome("home", "a.rs", "map", "failure", "not_shown")


def ask(kernel, number, *commands, token="secret", abandoned=()):
    envelope = ["ada#1", token, number, 0, list(abandoned), [SCHEMA.wire_of(command) for command in commands]]
    turn = kernel.turn([(7, unpack(pack(envelope)))], NOW)
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
