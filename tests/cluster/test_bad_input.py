"""Bad input over the real wire: a clear error each time, and the state afterwards is the state before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import BadTarget, Misuse, ScentfieldError, UnknownAgent, WireError
from actors.runtime.wire import decode_reply
from actors.scent_field.messages import Claim, LeaveSignal, Release, Transfer
from coordinator.client import Coordinator
from coordinator.cluster import down, up
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.gateway.settings import GatewaySettings
from coordinator.head import Head
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]
TEN_MB = "x" * 10_000_000
BAD_TARGETS = {
    "a malformed glob": "src/[a.py",
    "a target outside the root": "../elsewhere/a.py",
    "an absolute path outside the root": "/etc/passwd",
    "an empty target": "",
    "ten megabytes": TEN_MB,
    "a NUL byte": "src/a\0.py",
}


@pytest.fixture(scope="module")
def quiet(head: Head, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """A coordinator for this file alone: nothing here may change it, and nobody else does."""
    folder = tmp_path_factory.mktemp("quiet")
    settings = Settings(
        address=head.address,
        data_dir=folder,
        namespace=f"quiet-{os.getpid()}",
        space="test",
        ttl_s=60.0,
        metrics=False,
        gateway=GatewaySettings(enabled=False),
    )
    up(settings)
    yield settings
    down(settings)


@pytest.fixture
def ann(quiet: Settings, tree: Path) -> Iterator[Coordinator]:
    """Somebody who holds a file, and before and after whom nothing must have changed."""
    (tree / "image.bin").write_bytes(b"\x89PNG\x00\x01\x02\xff" * 32)
    with Coordinator.connect(agent="ann", root=tree, settings=quiet) as agent:
        assert agent.claim("src/a.py", intent="fix a")
        before = _state(agent, tree)
        yield agent
        assert _state(agent, tree) == before


def _state(agent: Coordinator, tree: Path) -> Any:
    view = agent.sync(limit=100)
    files = {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}
    rows = [(row.kind, row.target, row.agents, row.generation) for row in view.rows]
    return view.version, view.n_claims, view.n_waiters, view.strictness, rows, agent.statistics(), files


def _raw(agent: Coordinator, quiet: Settings, command: Any, **forged: str) -> Any:
    """What the actor itself answers, without the client's own checks before it."""
    session = agent._core.session
    assert session is not None
    conversation = session.conversations[SCENT_FIELD]
    if forged:
        identity = {"session_id": session.session_id, "token": session.token, **forged}
        conversation = Conversation(DOMAINS[SCENT_FIELD].schema, **identity)
    number, raw = conversation.numbered([command])
    reply = RayTransport(quiet.namespace).call(SCENT_FIELD, raw, 30.0)
    conversation.received(number)
    return value_of(conversation.answers(reply, 1)[0])


@pytest.mark.parametrize("target", BAD_TARGETS.values(), ids=BAD_TARGETS)
def test_the_client_refuses_a_bad_target(ann: Coordinator, target: str) -> None:
    for call in (ann.claim, ann.release, ann.check, ann.read, lambda one: ann.edit(one, "a", "b")):
        with pytest.raises(BadTarget) as refused:
            call(target)
        assert len(refused.value.message) < 1_000


@pytest.mark.parametrize("target", BAD_TARGETS.values(), ids=BAD_TARGETS)
def test_the_actor_refuses_a_bad_target_that_comes_over_the_wire(
    quiet: Settings, ann: Coordinator, target: str
) -> None:
    for command in (
        Claim("test", (target,), "exclusive", 0.0, ""),
        Release("test", (target,), 0, False),
        LeaveSignal("test", "HOT", target, 1.0),
    ):
        with pytest.raises(Misuse) as refused:
            _raw(ann, quiet, command)
        assert len(refused.value.message) < 2_000


@pytest.mark.parametrize("target", ["./src/a.py", "src//a.py", "src/../src/a.py", "src/./a.py"])
def test_the_actor_refuses_a_target_that_is_not_canonical(quiet: Settings, ann: Coordinator, target: str) -> None:
    with pytest.raises(BadTarget):
        _raw(ann, quiet, Claim("test", (target,), "exclusive", 0.0, ""))


def test_a_forged_token_opens_nothing(quiet: Settings, ann: Coordinator) -> None:
    with pytest.raises(UnknownAgent, match="the token is not that of agent"):
        _raw(ann, quiet, Claim("test", ("src/b.py",), "exclusive", 0.0, ""), token="0" * 32)
    with pytest.raises(UnknownAgent):
        _raw(ann, quiet, Release("test", ("src/a.py",), 0, False), token="")


def test_an_earlier_incarnation_opens_nothing(quiet: Settings, ann: Coordinator) -> None:
    other = ann.agent_id.rpartition("#")[0] + "#999999"
    with pytest.raises(UnknownAgent, match="register anew"):
        _raw(ann, quiet, Release("test", ("src/a.py",), 0, False), session_id=other)


def test_a_session_that_said_goodbye_is_over(quiet: Settings, tree: Path) -> None:
    with Coordinator.connect(agent="bob", root=tree, settings=quiet) as bob:
        session = bob._core.session
    assert session is not None
    conversation = session.conversations[SCENT_FIELD]
    _, raw = conversation.numbered([Claim("test", ("src/b.py",), "exclusive", 0.0, "")])
    reply = RayTransport(quiet.namespace).call(SCENT_FIELD, raw, 30.0)
    with pytest.raises(UnknownAgent, match="has said goodbye"):
        value_of(conversation.answers(reply, 1)[0])


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (Claim("test", ("src/b.py",), "sideways", 0.0, ""), "sideways"),
        (Claim("test", ("src/b.py",), "exclusive", -1.0, ""), "wait"),
        (Claim("test", ("src/b.py",), "exclusive", 1e9, ""), "wait"),
        (Claim("test", ("src/b.py",), "exclusive", float("nan"), ""), "wait"),
        (Claim("test", (), "exclusive", 0.0, ""), "target"),
        (Claim("test", ("src/b.py",), "exclusive", 0.0, "i" * 100_000), "intent"),
        (Claim("", ("src/b.py",), "exclusive", 0.0, ""), "space"),
        (Claim("test", tuple(f"f{n}.py" for n in range(300)), "exclusive", 0.0, ""), "256"),
        (Transfer("test", 123_456, "nobody#1", ""), "nobody#1"),
        (LeaveSignal("test", "SMELLY", "src/b.py", 1.0), "SMELLY"),
        (LeaveSignal("test", "HOT", "src/b.py", -1.0), "intensity"),
    ],
)
def test_what_makes_no_sense_is_refused(quiet: Settings, ann: Coordinator, command: Any, says: str) -> None:
    with pytest.raises(Misuse, match=says):
        _raw(ann, quiet, command)


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xc1", b"not msgpack at all", b"\x92\x01\x91\x90", b"\x92\x63\x90", bytes(9_000_000)],
    ids=["nothing", "an invalid byte", "text", "no envelope", "another version", "nine megabytes"],
)
def test_bytes_that_are_no_request_are_answered_with_an_error(quiet: Settings, ann: Coordinator, raw: bytes) -> None:
    reply = RayTransport(quiet.namespace).call(SCENT_FIELD, raw, 30.0)
    ((answer,),) = decode_reply(reply, DOMAINS[SCENT_FIELD].schema)
    with pytest.raises(WireError):
        value_of(answer)


@pytest.mark.parametrize("mode", ["sideways", "lines:", "lines:9-2", "lines:a-b", "", "FULL"])
def test_an_unknown_mode_is_refused(ann: Coordinator, mode: str) -> None:
    with pytest.raises(Misuse):
        ann.read("src/b.py", mode)


@pytest.mark.parametrize("path", ["image.bin", "src/vanished.py", "src/"])
def test_a_file_that_cannot_be_shown_is_refused(ann: Coordinator, path: str) -> None:
    with pytest.raises(ScentfieldError) as refused:
        ann.read(path, "full")
    assert path.rstrip("/") in refused.value.message


@pytest.mark.parametrize("path", ["image.bin", "src/vanished.py"])
def test_a_file_that_cannot_be_edited_stays_as_it_is(quiet: Settings, tree: Path, path: str) -> None:
    (tree / "image.bin").write_bytes(b"\x89PNG\x00\x01\x02\xff" * 32)
    with Coordinator.connect(agent="bob", root=tree, settings=quiet) as bob:
        edited = bob.edit(path, "a", "b")
        assert not edited
        assert path in edited.message
        assert bob.sync().n_claims == 0
    assert (tree / "image.bin").read_bytes() == b"\x89PNG\x00\x01\x02\xff" * 32
    assert not (tree / "src" / "vanished.py").exists()


def test_a_name_that_cannot_be_used_is_refused(quiet: Settings, tree: Path) -> None:
    for name in ("two words", "a#1", "a/b", "x" * 200, "nul\0"):
        with pytest.raises(Misuse):
            Coordinator.connect(agent=name, root=tree, settings=quiet)
