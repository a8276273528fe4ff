"""How commands act for an agent that outlives them."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.runtime.errors import Unavailable
from coordinator.cli.process import ProcessMark


def session_file(scentfield: Any) -> Path:
    (path,) = scentfield.state_dir.glob("sessions/*/*.json")
    found: Path = path
    return found


def change(path: Path, make: Callable[[dict[str, Any]], None]) -> None:
    plain = json.loads(path.read_text())
    make(plain)
    path.write_text(json.dumps(plain))


def test_a_session_that_the_coordinator_does_not_know_any_more_is_begun_anew(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    scentfield.house.forget_everyone()
    scentfield("claim", "src/b.py", "--agent", "bob")
    result = scentfield("claim", "a.py", "--agent", "ann", "--json")
    assert json.loads(result.stdout)["agent"] == "ann#2"
    assert "ann#1' is not known here" in result.stderr
    assert "registered anew as ann#2, which holds nothing" in result.stderr
    assert scentfield("claim", "a.py", "--agent", "ann").stderr == ""


def test_an_unknown_receiver_does_not_end_ones_own_session(scentfield: Any) -> None:
    generation = scentfield.json("claim", "a.py", "--agent", "ann")["generation"]
    result = scentfield("transfer", str(generation), "eve#9", "--agent", "ann")
    assert (result.exit_code, "registered anew" in result.stderr) == (2, False)
    assert scentfield.json("claim", "a.py", "--agent", "ann")["renewed"] is True


def test_a_grant_that_a_killed_command_never_heard_of_is_undone_by_the_next(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    path = session_file(scentfield)
    first = json.loads(path.read_text())["last"] + 1
    own = ProcessMark(os.uname().nodename, os.getpid(), 0.0, 0.0)  # this process, had it started in 1970: a dead one

    def die() -> None:
        change(path, lambda plain: plain.update(last=first + 255, blocks=[[first, list(own)]]))
        raise KeyboardInterrupt

    replies: list[bytes] = []

    def answer_and_die(domain: str, raw: bytes) -> None:
        replies.append(scentfield.house.actors[domain].submit(raw, 5.0))
        die()

    scentfield.house.before_call = answer_and_die
    scentfield("claim", "src/b.py", "--agent", "ann")
    scentfield.house.before_call = lambda _domain, _raw: None
    assert b"granted" in replies[0]
    change(path, lambda plain: plain.update(last=first + 255, blocks=[[first, list(own)]]))
    scentfield("release", "a.py", "--agent", "ann")
    assert scentfield.json("claim", "src/b.py", "--agent", "bob")["granted"] is True


def test_a_wait_that_is_interrupted_leaves_the_line_at_once(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    house = scentfield.house

    def interrupt(domain: str, raw: bytes) -> None:
        if b"claim" in raw:
            house.actors[domain].mailbox.deliver(raw, lambda _reply: None)
            house.actors[domain].mailbox.turn(monotonic_s=house.actors[domain].now_s, wall_s=0.0)
            raise KeyboardInterrupt

    house.before_call = interrupt
    result = scentfield("claim", "a.py", "--wait", "60", "--agent", "bob")
    house.before_call = lambda _domain, _raw: None
    assert (result.exit_code, result.stderr) == (
        130,
        "error: interrupted: what was asked for was given up\n",
    )
    assert scentfield.json("status")["n_waiters"] == 0


def test_what_could_not_be_given_up_at_once_is_told_by_the_next_command(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    house = scentfield.house

    def lose_the_answer(domain: str, raw: bytes) -> None:
        if b"src/b.py" in raw:
            house.actors[domain].submit(raw, 5.0)
        raise Unavailable("no answer: ask again")

    house.before_call = lose_the_answer
    assert scentfield("claim", "src/b.py", "--agent", "ann").exit_code == 4
    house.before_call = lambda _domain, _raw: None
    assert scentfield.json("check", "src/b.py", "--agent", "bob", expect=3)["holder"] == "ann#1"
    scentfield("claim", "a.py", "--agent", "ann")
    assert scentfield.json("check", "src/b.py", "--agent", "bob")["holder"] == ""


def test_queries_need_no_session(scentfield: Any) -> None:
    for command in ("sync", "sessions", "audit", "status"):
        assert scentfield(command, "--agent", "ann").exit_code == 0
    assert scentfield.json("sessions")["n_live"] == 0
    assert list(scentfield.state_dir.glob("sessions/*/*.json")) == []


def test_the_token_is_never_printed(scentfield: Any) -> None:
    result = scentfield("claim", "a.py", "--agent", "ann", "--json")
    token = json.loads(session_file(scentfield).read_text())["token"]
    everything = "".join(
        scentfield(*command, "--agent", "ann").output
        for command in (["sessions"], ["status", "-v"], ["config"], ["doctor"], ["doctor", "--store"])
    )
    assert token not in result.output + everything
