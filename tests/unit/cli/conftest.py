"""A house without Ray: the real mailboxes and stores in this process, on a clock that moves when somebody waits."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer.testing
from typer.main import get_command
from typer.testing import CliRunner, Result

from actors.runtime.actor import ActorConfig
from actors.runtime.errors import Unavailable
from actors.runtime.journal import Journal, Recover
from actors.runtime.mailbox import Mailbox
from actors.runtime.settings import MailboxLimits
from actors.runtime.store import Store
from actors.scent_field.messages import Claim
from coordinator.asking import Asker
from coordinator.cli.invocation import Invocation
from coordinator.cli.main import app
from coordinator.domain import DOMAINS, SCENT_FIELD, machine_options
from coordinator.session import new_token, register
from coordinator.settings import Settings
from coordinator.step import drive


class LocalActor:
    """A mailbox over its SQLite store; a call runs turns until its answer is there."""

    def __init__(self, domain: str, settings: Settings) -> None:
        config = ActorConfig(
            domain, DOMAINS[domain].machine, settings.store_url_of(domain), machine_options(domain, settings)
        )
        self._config = config
        self._settings = settings
        self.now_s = 0.0
        self.mailbox = Mailbox(open_journal=self._open, make_machine=config.make_machine, limits=MailboxLimits())
        self.mailbox.open()

    def _open(self, recover: Recover) -> Journal:
        store = Store(self._config.store_url, self._settings.store_key_of(self._config.domain))
        return Journal.open(store, new_store_id=secrets.token_hex(16), recover=recover)

    def submit(self, raw: bytes, timeout_s: float) -> bytes:
        replies: list[bytes] = []
        self.mailbox.deliver(raw, replies.append)
        until_s = self.now_s + timeout_s
        while not replies:
            wait_s = self.mailbox.turn(monotonic_s=self.now_s, wall_s=1_700_000_000.0 + self.now_s)
            if not replies:
                self.now_s += min(1.0, wait_s or 0.01)
            if self.now_s > until_s:
                raise Unavailable(f"{self._config.domain} gave no answer within {timeout_s:g} s: ask again")
        return replies[0]

    def describe(self) -> dict[str, Any]:
        mailbox = self.mailbox
        trouble = mailbox.trouble
        return {
            "domain": self._config.domain,
            "pid": 1,
            "uptime_s": self.now_s,
            "store": None if mailbox.journal is None else mailbox.journal.store.where,
            "seq": None if mailbox.journal is None else mailbox.journal.seq,
            "n_queued": mailbox.n_queued,
            "trouble": None if trouble is None else [trouble.code, trouble.message],
        }

    def close(self) -> None:
        if self.mailbox.journal is not None:
            self.mailbox.flush()
            self.mailbox.journal.close()


class LocalHouse:
    """The cluster, as the commands see it; also the transport."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.actors: dict[str, LocalActor] = {}
        self.web: dict[str, dict[str, Any]] = {}  # what web servers say of themselves
        self.before_call: Callable[[str, bytes], None] = lambda _domain, _raw: None
        self.n_calls = 0
        self.keeps_head = False
        self.gateway_differences: tuple[str, ...] = ()

    def connect(self, _settings: Settings) -> LocalHouse:
        if not self.actors:
            raise Unavailable("no coordinator runs here: start it with `scentfield up`")
        return self

    def address(self, _settings: Settings) -> str | None:
        return "127.0.0.1:1" if self.actors else None

    def up(self, _settings: Settings, _num_cpus: int | None, _root: Path | None = None) -> Any:
        created = tuple(name for name in DOMAINS if name not in self.actors)
        self.actors |= {name: LocalActor(name, self.settings) for name in created}
        accounts = {name: actor.describe() for name, actor in self.actors.items()}
        return SimpleNamespace(
            address="127.0.0.1:1",
            dashboard_url="http://127.0.0.1:2",
            metrics_url="",
            gateway_url="",
            gateway_differences=self.gateway_differences,
            started_head=bool(created),
            created=created,
            actors=accounts,
        )

    def down(self, _settings: Settings) -> tuple[list[str], bool]:
        self.connect(self.settings)
        stopped = list(self.actors)
        for actor in self.actors.values():
            actor.close()
        self.actors = {}
        return stopped, not self.keeps_head

    def actor_names(self, _settings: Settings) -> list[str]:
        return list(self.actors)

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        self.connect(self.settings)
        self.n_calls += 1
        self.before_call(domain, raw)
        return self.actors[domain].submit(raw, timeout_s)

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        return self.call(domain, raw, timeout_s)

    def describe(self, domain: str, _timeout_s: float) -> dict[str, Any]:
        self.connect(self.settings)
        if domain in self.web:
            return self.web[domain]
        if domain not in self.actors:
            raise Unavailable(f"there is no actor {domain!r}")
        return self.actors[domain].describe()

    def forget_everyone(self) -> None:
        """What a coordinator with a new store is like: it knows nobody."""
        self.down(self.settings)
        for path in self.settings.state_dir.glob("*.sqlite3*"):
            path.unlink()
        self.up(self.settings, None)


class Scentfield:
    """`scentfield(*arguments)` runs the command line in the tree and returns what came of it."""

    def __init__(self, house: LocalHouse, state_dir: Path) -> None:
        self.house = house
        self.state_dir = state_dir

    def __call__(self, *arguments: str, text: str | None = None, **environment: str) -> Result:
        given = ["--data-dir", str(self.state_dir), "--space", "test", *arguments]
        return CliRunner(env={"SCENTFIELD_AGENT": None, **environment}).invoke(
            app, given, obj=Invocation(self.house), input=text
        )

    def json(self, *arguments: str, expect: int = 0) -> Any:
        """The document that a command prints; nothing else may stand on its standard output."""
        result = self(*arguments, "--json")
        assert result.exit_code == expect, (result.stdout, result.stderr, result.exception)
        return json.loads(result.stdout)


COMMAND = get_command(app)


@pytest.fixture(autouse=True)
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner builds all commands anew for each call, which takes longer than most calls do."""
    monkeypatch.setattr(typer.testing, "_get_command", lambda _app: COMMAND)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small tree, and the current folder."""
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "scentfield.toml").touch()
    (root / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    (root / "src" / "b.py").write_text("def g():\n    return 2\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def house(tmp_path: Path) -> Iterator[LocalHouse]:
    """A house in which nothing runs yet."""
    (tmp_path / "state").mkdir(mode=0o700)
    made = LocalHouse(Settings(data_dir=tmp_path / "state", space="test"))
    yield made
    if made.actors:
        made.down(made.settings)


@pytest.fixture
def scentfield(house: LocalHouse, tree: Path) -> Scentfield:
    """The command line, in a house where the coordinator runs."""
    house.up(house.settings, None)
    return Scentfield(house, house.settings.state_dir)


@pytest.fixture
def alone(house: LocalHouse, tree: Path) -> Scentfield:
    """The command line, in a house where nothing runs."""
    return Scentfield(house, house.settings.state_dir)


class LiveAgent:
    """An agent that is kept by heartbeats, such as a Python process."""

    def __init__(self, house: LocalHouse, name: str) -> None:
        self._house = house
        registering = register(
            name=name, parent="", kept_by="heartbeat", ttl_s=30.0, token=new_token(), now_s=0.0, timeout_s=5.0
        )
        self.session = drive(registering, house)

    def claim(self, target: str) -> Any:
        asker = Asker(SCENT_FIELD, timeout_s=5.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)
        command = Claim("test", (target,), "exclusive", 0.0, "")
        return drive(asker.request(self.session, command), self._house)


@pytest.fixture
def live_agent(house: LocalHouse) -> Callable[[str], LiveAgent]:
    """`live_agent("ann")` registers an agent that is kept by heartbeats."""
    return lambda name: LiveAgent(house, name)
