from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.outbox import CLEAN_COMPRESSED, Deliver, Delivered, Note
from actors.runtime.wire import Failed, pack, unpack
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import (
    SCHEMA,
    ExportBundle,
    GetLearning,
    ImportBundle,
    PlacementCounted,
    RecordPlacement,
    ResetLearning,
)

NOW = Now(0.0, 1000.0)
NOTE = Note(CLEAN_COMPRESSED, "ada#1", "home", "a.rs", "rs", "map", 10, 100, 0, 1000.0)
PLACED = RecordPlacement("cursor", "begin", 3, 1)


def ask(kernel, number, *commands, session="ada#1", token="secret"):
    envelope = [session, token, number, 0, [], [SCHEMA.wire_of(command) for command in commands]]
    turn = kernel.turn([(7, unpack(pack(envelope)))], NOW)
    ((slot, packed),) = turn.answers
    assert slot == 7
    return [SCHEMA.answer(fields) for fields in unpack(packed)], turn


def test_notes_come_without_a_session_and_are_durable():
    kernel = Kernel(make_thresholds(origin="aaaaaaaa"))
    (answer,), turn = ask(kernel, 0, Deliver("quality_store@1", 1, (NOTE,)), session="", token="")
    assert answer == Delivered(1)
    assert turn.durable
    (again,), turn = ask(kernel, 0, Deliver("quality_store@1", 1, (NOTE,)), session="", token="")
    assert again == Delivered(1)
    assert turn.events == []


def test_a_request_that_arrives_twice_counts_once():
    kernel = Kernel(make_thresholds(origin="aaaaaaaa"))
    first, _ = ask(kernel, 1, PLACED)
    again, turn = ask(kernel, 1, PLACED)
    assert first == again == [PlacementCounted("cursor", 0.7)]
    assert turn.events == []


def test_queries_need_no_token_and_commands_do():
    kernel = Kernel(make_thresholds(origin="aaaaaaaa"))
    (learning,), _ = ask(kernel, 0, GetLearning(), session="", token="")
    assert learning.deltas == ()
    for command in (PLACED, ImportBundle(b"{}"), ResetLearning("")):
        (answer,), turn = ask(kernel, 1, command, session="", token="")
        assert isinstance(answer, Failed)
        assert answer.code == "unknown_agent"
        assert turn.events == []


def test_a_bundle_travels_from_one_actor_to_the_other():
    one, other = (Kernel(make_thresholds(origin=origin)) for origin in ("aaaaaaaa", "bbbbbbbb"))
    ask(one, 0, Deliver("quality_store@1", 100, (NOTE,) * 100))
    (bundle,), _ = ask(one, 0, ExportBundle())
    (imported,), _ = ask(other, 1, ImportBundle(bundle.text))
    assert imported.deltas == (("rs", 0.0, 0.15, 0, 100),)


def test_a_bundle_that_is_refused_is_an_answer():
    kernel = Kernel(make_thresholds(origin="aaaaaaaa"))
    (answer,), _ = ask(kernel, 1, ImportBundle(b"{"))
    assert answer.code == "misuse"
    assert "not JSON" in answer.message
