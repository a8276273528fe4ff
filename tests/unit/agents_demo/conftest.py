"""Agents of the demo in one process: the real mailboxes and stores, on a clock that stands still unless turned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.actor import ActorConfig
from actors.runtime.errors import Unavailable
from actors.runtime.journal import Journal, Recover, Store
from actors.runtime.mailbox import Mailbox
from agents_demo.task import Task, find_tasks
from coordinator import core as core_module
from coordinator.client import Coordinator
from coordinator.core import Core, Identity
from coordinator.domain import DOMAINS, machine_options
from coordinator.settings import Settings
from coordinator.workspace import Workspace

FILES = {
    "a.py": 'def f(x, y):\n    p = "%s" % (x,)\n    q = y == None\n    return p, q\n',
    "pkg/b.py": 'def g(v):\n    if not v in (1, 2):\n        return "%r" % (v,)\n    return v != None\n',
}


class Field:
    """The state actors without Ray. A call that has to wait moves the clock on."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 1_000.0
        self.settings = Settings(data_dir=folder / "state", space="demo", ttl_s=30.0)
        self._mailboxes = {name: self._open(folder, name) for name in DOMAINS}

    def _open(self, folder: Path, name: str) -> Mailbox:
        url = f"sqlite:///{folder / name}.sqlite3"
        config = ActorConfig(name, DOMAINS[name].machine, url, machine_options(name, self.settings))

        def open_journal(recover: Recover) -> Journal:
            return Journal.open(Store(url, name), new_store_id=name, recover=recover)

        mailbox = Mailbox(open_journal=open_journal, make_machine=config.make_machine, limits=config.limits)
        mailbox.open()
        return mailbox

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        replies: list[bytes] = []
        mailbox = self._mailboxes[domain]
        mailbox.deliver(raw, replies.append)
        until_s = self.now_s + timeout_s
        self._turn(mailbox)
        while not replies:
            if self.now_s >= until_s:
                raise Unavailable(f"{domain} gave no answer within {timeout_s:g} s")
            self.pass_time(1.0)
        return replies[0]

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        raise NotImplementedError

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:
        raise NotImplementedError

    def _turn(self, mailbox: Mailbox) -> None:
        while mailbox.turn(monotonic_s=self.now_s, wall_s=1_700_000_000.0 + self.now_s) == 0.0:
            pass

    def pass_time(self, for_s: float) -> None:
        """Second by second, as the actors wake."""
        for _ in range(int(for_s)):
            self.now_s += 1.0
            for mailbox in self._mailboxes.values():
                self._turn(mailbox)

    def close(self) -> None:
        for mailbox in self._mailboxes.values():
            if mailbox.journal is not None:
                mailbox.journal.close()

    def join(self, name: str, root: Path) -> Coordinator:
        """One more agent."""
        core = Core(self.settings, Workspace(root, space="demo"), self, Identity(name))
        coordinator = Coordinator(core)
        coordinator._do(core.register())
        return coordinator


class SilentHeart:
    """No background thread: nobody beats, so time ends sessions."""

    def __init__(self, *_args: object, **_more: object) -> None:
        pass

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass


def plant(root: Path) -> Path:
    """The small tree at `root`."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def make_field(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], Field]]:
    """`make_field(folder)`: a field of its own, closed at the end."""
    made: list[Field] = []

    def make(folder: Path) -> Field:
        field = Field(folder)
        made.append(field)
        monkeypatch.setattr(core_module, "Heart", SilentHeart)
        monkeypatch.setattr(core_module, "monotonic_s", lambda: made[-1].now_s)
        return field

    yield make
    for field in made:
        field.close()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree")


@pytest.fixture
def plant_tree() -> Callable[[Path], Path]:
    return plant


@pytest.fixture
def tasks() -> tuple[Task, ...]:
    return tuple(task for path, text in FILES.items() for task in find_tasks(text, path))


@pytest.fixture
def join(make_field: Callable[[Path], Field], tmp_path: Path, tree: Path) -> Callable[[str], Coordinator]:
    """`join("ann")`: an agent in the tree, with a coordinator."""
    field = make_field(tmp_path)
    return lambda name: field.join(name, tree)
