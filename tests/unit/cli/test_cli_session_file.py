"""Sessions that outlive the commands they are used by."""

import json
import os
import stat
from pathlib import Path

import pytest

from actors.runtime.errors import Busy, Corrupt, Unavailable
from coordinator import identity
from coordinator.cli.process import FOREIGN_S, ProcessMark, own_mark
from coordinator.cli.session_file import BLOCK, KEPT_S, MAX_BLOCKS, KeptSession, SessionFolder, file_stem
from coordinator.domain import QUALITY_STORE, SCENT_FIELD
from coordinator.identity import LAUNCHERS, caller_names, local_name
from coordinator.lineage import Process

NOBODY: dict[str, frozenset[int]] = {}
DEAD = ProcessMark(own_mark(0.0).host, 2**22 + 1, 1.0, 0.0)
ELSEWHERE = ProcessMark("another-host", 7, 1.0, 0.0)


@pytest.fixture
def clock() -> list[float]:
    return [1_000_000.0]


@pytest.fixture
def folder(tmp_path: Path, clock: list[float]) -> SessionFolder:
    return SessionFolder(tmp_path, "scentfield", "test", now=lambda: clock[0])


def as_ann(token: str) -> str:
    assert len(token) == 32
    return "ann#1"


def never(_token: str) -> str:
    raise AssertionError("registered twice")


def test_a_session_is_registered_once_and_found_again(folder: SessionFolder) -> None:
    first, _ = folder.begin("ann", as_ann)
    again, _ = folder.begin("ann", never)
    assert (again.session_id, again.token) == ("ann#1", first.token)


def test_its_file_is_private_and_its_token_is_not_shown(folder: SessionFolder) -> None:
    kept, _ = folder.begin("ann", as_ann)
    assert stat.S_IMODE(folder.path("ann").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.path("ann").parent.stat().st_mode) == 0o700
    assert kept.token not in repr(kept)


def test_a_caller_that_died_before_it_heard_registers_again_with_the_same_token(folder: SessionFolder) -> None:
    tokens: list[str] = []

    def lost(token: str) -> str:
        tokens.append(token)
        raise Unavailable("no answer: ask again")

    with pytest.raises(Unavailable):
        folder.begin("ann", lost)
    kept, _ = folder.begin("ann", as_ann)
    assert [kept.token] == tokens


def test_request_numbers_go_on_where_the_last_process_stopped(folder: SessionFolder) -> None:
    kept, block = folder.begin("ann", as_ann)
    assert (block.first, kept.numbers(block, SCENT_FIELD).last) == (1, 256)
    folder.settle(kept, block, NOBODY)
    kept, block = folder.begin("ann", never)
    numbers = kept.numbers(block, SCENT_FIELD)
    assert (numbers.first, numbers.open_from, numbers.given_up) == (257, 513, frozenset())


def test_what_another_live_process_waits_for_is_not_called_received(folder: SessionFolder) -> None:
    first, first_block = folder.begin("ann", as_ann)
    second, second_block = folder.begin("ann", never)
    assert second.numbers(second_block, SCENT_FIELD).open_from == 1
    folder.settle(first, first_block, NOBODY)
    folder.settle(second, second_block, NOBODY)
    third, third_block = folder.begin("ann", never)
    assert third.numbers(third_block, SCENT_FIELD).open_from == 769


def test_the_numbers_of_a_process_that_died_are_given_up_until_each_actor_was_told(folder: SessionFolder) -> None:
    session = KeptSession("ann", "test", "0" * 32, "ann#1", blocks=(), last=0)
    session, dead = session.reserve(DEAD)
    session, block = session.reserve(own_mark(0.0))
    numbers = session.numbers(block, SCENT_FIELD)
    assert (numbers.first, numbers.given_up) == (257, frozenset(dead.numbers))
    untold = {QUALITY_STORE: session.given_up[QUALITY_STORE]}
    after = session.settle(block, session.given_up, untold)
    assert (after.given_up[SCENT_FIELD], after.given_up[QUALITY_STORE]) == (frozenset(), frozenset(range(1, 257)))
    assert after.blocks == ()


def test_a_process_of_another_host_may_run_for_an_hour(folder: SessionFolder) -> None:
    assert ELSEWHERE.may_run(FOREIGN_S - 1.0)
    assert not ELSEWHERE.may_run(FOREIGN_S)


def test_a_recycled_process_id_is_somebody_else() -> None:
    own = own_mark(0.0)
    assert own.may_run(0.0)
    assert not own._replace(started_at_s=own.started_at_s - 60.0).may_run(0.0)


def test_too_many_commands_of_one_agent_are_busy(folder: SessionFolder) -> None:
    session = KeptSession("ann", "test", "0" * 32, "ann#1")
    for _ in range(MAX_BLOCKS):
        session, _ = session.reserve(own_mark(0.0))
    assert session.last == MAX_BLOCKS * BLOCK
    with pytest.raises(Busy, match="64 commands of agent 'ann' are running"):
        session.reserve(own_mark(0.0))


def test_a_session_that_is_over_is_forgotten_unless_it_was_replaced(folder: SessionFolder) -> None:
    old, block = folder.begin("ann", as_ann)
    folder.forget(old)
    new, _ = folder.begin("ann", lambda _token: "ann#2")
    folder.forget(old)
    folder.settle(old, block, NOBODY)
    again, _ = folder.begin("ann", never)
    assert (new.session_id, again.session_id, len(again.blocks)) == ("ann#2", "ann#2", 2)


def test_coordinators_and_spaces_do_not_share_sessions(tmp_path: Path) -> None:
    folders = [SessionFolder(tmp_path, *key) for key in (("a", "b"), ("a", "c"), ("d", "b"))]
    assert len({folder.path("ann") for folder in folders}) == 3


def test_a_file_that_is_no_session_is_corrupt_and_stays(folder: SessionFolder) -> None:
    folder.begin("ann", as_ann)
    for text in ("{", "[]", '{"name": "ann"}'):
        folder.path("ann").write_text(text)
        with pytest.raises(Corrupt, match="remove it"):
            folder.begin("ann", never)
        assert folder.path("ann").read_text() == text


def test_what_nobody_used_for_a_week_is_removed(folder: SessionFolder, clock: list[float]) -> None:
    folder.begin("old", lambda _token: "old#1")
    os.utime(folder.path("old"), (clock[0], clock[0]))
    clock[0] += KEPT_S
    folder.begin("ann", as_ann)
    assert folder.path("old").exists()
    clock[0] += 1.0
    folder.begin("bob", lambda _token: "bob#3")
    assert not folder.path("old").exists()


@pytest.mark.parametrize(("one", "other"), [("Ann", "ann"), ("a/b", "a-b"), ("../a", ".._a"), ("x" * 100, "x" * 101)])
def test_names_have_files_of_their_own_inside_the_folder(one: str, other: str) -> None:
    assert file_stem(one).casefold() != file_stem(other).casefold()
    assert "/" not in file_stem(one)


def test_the_nearest_process_above_that_has_a_session_is_found(folder: SessionFolder) -> None:
    names = ["local-a", "local-b", "local-c"]
    assert folder.nearest(names) is None
    folder.begin("local-b", lambda _token: "local-b#1")
    folder.begin("local-c", lambda _token: "local-c#2")
    assert folder.nearest(names) == "local-b"


def test_launchers_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"timeout", "uv", "env"} <= LAUNCHERS
    above = (Process(30, "timeout", 20, 3), Process(20, "bash", 10, 2), Process(10, "env", 1, 1))
    monkeypatch.setattr(identity, "above", lambda _pid: iter(above))
    (name,) = caller_names()
    assert name.endswith("-20-2")
    monkeypatch.setattr(identity, "above", lambda _pid: iter(()))
    assert caller_names() == [local_name()]


def test_the_file_is_plain_json(folder: SessionFolder) -> None:
    folder.begin("ann", as_ann)
    plain = json.loads(folder.path("ann").read_text())
    assert json.loads(json.dumps(KeptSession.from_plain(plain).to_plain())) == plain
