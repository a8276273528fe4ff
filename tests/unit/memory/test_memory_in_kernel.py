from actors.memory.entry import Draft
from actors.memory.fact import FactDraft
from actors.memory.factory import make_memory
from actors.memory.messages import (
    SCHEMA,
    AddEntry,
    GetPlaybook,
    GetStatistics,
    Recall,
    RecordRecall,
    Remember,
    ShowEntries,
)
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Caller, Now
from actors.runtime.wire import Failed, pack, unpack

NOW = Now(0.0, 1000.0)
ADDED = AddEntry("home", "project", Draft("Fact", "the parser lives in core"))


def ask(kernel, number, *commands, session="ada#1", token="secret"):
    envelope = [session, token, number, 0, [], [SCHEMA.wire_of(command) for command in commands]]
    turn = kernel.turn([(7, unpack(pack(envelope)))], NOW)
    ((slot, packed),) = turn.answers
    assert slot == 7
    return [SCHEMA.answer(fields) for fields in unpack(packed)], turn


def test_a_request_that_arrives_twice_counts_once():
    kernel = Kernel(make_memory())
    first, _ = ask(kernel, 1, ADDED)
    again, turn = ask(kernel, 1, ADDED)
    assert first == again
    assert turn.events == []
    (view,), _ = ask(kernel, 0, GetPlaybook("home", ""), session="", token="")
    assert [(entry.n_confirmed, entry.agent) for entry in view.entries] == [(0, "ada#1")]


def test_queries_need_no_token_and_commands_do():
    kernel = Kernel(make_memory())
    for query in (GetPlaybook("home", ""), Recall("home", "k", "", "", 5), GetStatistics()):
        (answer,), _ = ask(kernel, 0, query, session="", token="")
        assert not isinstance(answer, Failed)
    for command in (ADDED, Remember("home", FactDraft("api", "k", "v")), RecordRecall("exact", 1)):
        (answer,), turn = ask(kernel, 1, command, session="", token="")
        assert answer.code == "unknown_agent"
        assert turn.events == []


def test_what_is_kept_is_durable_and_what_is_counted_may_wait():
    kernel = Kernel(make_memory())
    _, turn = ask(kernel, 1, ADDED)
    assert turn.durable
    for number, command in enumerate((ShowEntries("home", 1), RecordRecall("exact", 1)), start=2):
        _, turn = ask(kernel, number, command)
        assert turn.events
        assert not turn.durable


def test_a_kernel_of_the_same_journal_is_the_same():
    kernel, again = Kernel(make_memory()), Kernel(make_memory())
    for number, command in enumerate((ADDED, Remember("home", FactDraft("api", "k", "v")), ADDED), start=1):
        _, turn = ask(kernel, number, command)
        for code, fields in unpack(pack(kernel.events.pack_form(turn.events))):
            again.evolve(code, fields)
    assert list(kernel.snapshot()) == list(again.snapshot())
    third = Kernel(make_memory())
    third.restore(unpack(pack(list(kernel.snapshot()))))
    assert list(third.snapshot()) == list(kernel.snapshot())
    third.check_invariants()


def test_a_snapshot_from_before_anything_was_mended_is_read():
    memory, again = make_memory(), make_memory()
    for one in (ADDED, ADDED._replace(scope="session")):
        memory.perform(Caller("ada#1"), one, NOW)
    parts = unpack(pack(list(memory.snapshot())))
    older = [["format", 2], *([shelf, [*map(_of_format_2, rows)]] for shelf, rows in parts)]
    assert str(parts).count("False") == 2
    assert "False" not in str(older)
    again.restore(list(again.state_format.upgraded(iter(older), "a store of before")))
    again.check_invariants()
    assert list(again.snapshot()) == list(memory.snapshot())


def _of_format_2(row):
    """An entry's last field was not there."""
    match row:
        case [space, owner, "entry", fields]:
            return [space, owner, "entry", fields[:-1]]
        case _:
            return row
