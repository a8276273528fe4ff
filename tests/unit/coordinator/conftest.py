"""A coordinator without Ray: the real mailboxes and stores in this process, on a clock that the test turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.actor import ActorConfig
from actors.runtime.errors import Unavailable
from actors.runtime.journal import Journal, Recover, Store
from actors.runtime.mailbox import Mailbox
from actors.runtime.outbox import Deliver
from actors.runtime.received import SCHEMA as RECEIVED_SCHEMA
from actors.runtime.wire import encode_request
from coordinator import core as core_module
from coordinator.client import Coordinator
from coordinator.core import Core, Identity
from coordinator.domain import DOMAINS, machine_options
from coordinator.settings import Settings
from coordinator.workspace import Workspace

SPACE = "house"


class LocalTransport:
    """Delivers calls to mailboxes in this process. `now_s` is the only clock; a call that waits moves it on.

    `lose_replies` makes the next so many calls run and lose their answers; `is_down` makes all fail.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.now_s = 1_000.0
        self.is_down = False
        self.lose_replies = 0
        self.n_calls = 0
        self._one_at_a_time = threading.Lock()
        self._mailboxes = {name: self._open(folder, settings, name) for name in DOMAINS}

    def _open(self, folder: Path, settings: Settings, name: str) -> Mailbox:
        url = f"sqlite:///{folder / name}.sqlite3"
        config = ActorConfig(name, DOMAINS[name].machine, url, machine_options(name, settings))

        def open_journal(recover: Recover) -> Journal:
            return Journal.open(Store(url, name), new_store_id=name, recover=recover)

        mailbox = Mailbox(open_journal=open_journal, make_machine=config.make_machine, limits=config.limits)
        mailbox.open()
        return mailbox

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        with self._one_at_a_time:
            return self._call(domain, raw, timeout_s)

    def _call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        self.n_calls += 1
        if self.is_down:
            raise Unavailable(f"{domain} cannot be reached: start it with `scentfield up`")
        replies: list[bytes] = []
        mailbox = self._mailboxes[domain]
        mailbox.deliver(raw, replies.append)
        give_up_at_s = self.now_s + timeout_s
        while True:
            self._turn(mailbox)
            if replies and not self.lose_replies:
                return replies[0]
            if replies or self.lose_replies or self.now_s >= give_up_at_s:
                self.lose_replies = max(0, self.lose_replies - 1)
                raise Unavailable(f"{domain} gave no answer within {timeout_s:g} s")
            self.now_s += 1.0

    def _turn(self, mailbox: Mailbox) -> None:
        while mailbox.turn(monotonic_s=self.now_s, wall_s=1_700_000_000.0 + self.now_s) == 0.0:
            pass
        self._carry_notes(mailbox)

    def _carry_notes(self, mailbox: Mailbox) -> None:
        """What an actor has committed for another is there at once."""
        outbox = mailbox.outbox
        for receiver in [] if outbox is None else [one for one in outbox.receivers if one in self._mailboxes]:
            pending = outbox.pending(receiver)
            if pending.notes:
                deliver = RECEIVED_SCHEMA.wire_of(Deliver("quality_store@local", *pending))
                self._mailboxes[receiver].deliver(encode_request([("", "", 0, 0, [], [deliver])]), lambda _: None)
                self._turn(self._mailboxes[receiver])
                mailbox.confirm_sent(receiver, pending.number)

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        return self.call(domain, raw, timeout_s)

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:
        raise NotImplementedError

    def pass_time(self, for_s: float) -> None:
        """Let time go by; the actors wake every second, as they do while something can expire."""
        for _ in range(int(for_s)):
            self.now_s += 1.0
            for mailbox in self._mailboxes.values():
                self._turn(mailbox)

    def close(self) -> None:
        for mailbox in self._mailboxes.values():
            if mailbox.journal is not None:
                mailbox.journal.close()


def _function(n: int) -> str:
    steps = "".join(f"    value_{n} = value_{n} * {step} + total\n" for step in range(2, 12))
    return f"def f{n}(total):\n    value_{n} = {n}\n{steps}    return value_{n}\n\n\n"


class SilentHeart:
    """No background thread: the test says when an agent shows that it is alive."""

    def __init__(self, *_args: object, **_more: object) -> None:
        pass

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "state", space=SPACE, ttl_s=30.0)


@pytest.fixture
def transport(tmp_path: Path, settings: Settings) -> Iterator[LocalTransport]:
    local = LocalTransport(tmp_path, settings)
    yield local
    local.close()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small workspace with one short and one long file."""
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text("def f():\n    return 1\n")
    body = "".join(_function(n) for n in range(120))
    (root / "long.py").write_text(body)
    return root


@pytest.fixture
def agent(
    monkeypatch: pytest.MonkeyPatch, transport: LocalTransport, settings: Settings, tree: Path
) -> Callable[..., Coordinator]:
    """Makes agents: `agent("ann")`. They live in the test's clock and beat only when told to.

    With `root` they are at home in another tree, whose space follows from it.
    """
    monkeypatch.setattr(core_module, "Heart", SilentHeart)
    monkeypatch.setattr(core_module, "monotonic_s", lambda: transport.now_s)

    def make(
        name: str, *, parent: str = "", kept_by: str = "heartbeat", root: Path | None = None, **changes: Any
    ) -> Coordinator:
        changed = settings.model_copy(update=changes)
        workspace = Workspace(tree, space=SPACE) if root is None else Workspace.discover(root)
        core = Core(changed, workspace, transport, Identity(name, parent, kept_by))
        coordinator = Coordinator(core)
        coordinator._do(core.register())
        return coordinator

    return make
