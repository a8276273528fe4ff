"""What the tests on real Ray share: a namespace for each test on the run's one head, and agents as processes.

Nothing here patches anything. A test's state actors are taken away after it, and its agents are killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from coordinator.gateway.settings import GatewaySettings
from coordinator.head import Head
from coordinator.settings import Settings

HERE = Path(__file__).parent
ANSWER_S = 45.0


def poll(condition: Callable[[], Any], deadline_s: float = 20.0) -> Any:
    """The condition's first true value; fails the test when there is none within `deadline_s` seconds."""
    until_s = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until_s:
            pytest.fail(f"still {value!r} after {deadline_s:g} s: {condition}")
        time.sleep(0.02)


@pytest.fixture
def wait_until() -> Callable[..., Any]:
    """`wait_until(condition, deadline_s=20.0)`: polls; returns the condition's first true value."""
    return poll


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings with short times; nothing is started yet.

    A test has a namespace of its own or, in a module that says `SHARED_COORDINATOR = True`, a space of its own.
    """
    if _shares(request):
        house: Settings = request.getfixturevalue("house")
        return house.model_copy(update={"space": tmp_path.name})
    return _short_times(request.getfixturevalue("head"), tmp_path.name, tmp_path / "state")


def _shares(request: pytest.FixtureRequest) -> bool:
    return getattr(request.module, "SHARED_COORDINATOR", False)


def _short_times(head: Head, name: str, data_dir: Path) -> Settings:
    namespace = "".join(letter if letter.isalnum() else "-" for letter in name)
    return Settings(
        address=head.address,
        data_dir=data_dir,
        namespace=f"{namespace}-{os.getpid()}",
        space="test",
        ttl_s=2.0,
        lock_delay_s=0.3,
        call_timeout_s=30.0,
        metrics=False,
        gateway=GatewaySettings(enabled=False),
        metrics_port=0,
    )


@pytest.fixture(scope="session")
def house(head: Head, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The coordinator of the tests that share one; starting one takes two seconds."""
    from coordinator.cluster import up

    settings = _short_times(head, "house", tmp_path_factory.mktemp("house"))
    up(settings)
    yield settings
    take_away(settings)


@pytest.fixture
def patient(settings: Settings) -> Settings:
    """The same with a TTL that no test outlives: what is free by then was given back."""
    return settings.model_copy(update={"ttl_s": 60.0})


@pytest.fixture
def coordinator_up(settings: Settings, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """The state actors of `settings`, there and serving; a test's own are gone after it, while the head stays."""
    from coordinator.cluster import up

    if _shares(request):
        yield settings
        return
    up(settings)
    try:
        yield settings
    finally:
        take_away(settings)


@pytest.fixture(name="take_away")
def take_away_fixture() -> Callable[[Settings], None]:
    """`take_away(settings)` removes all actors of a namespace at once, whatever state they are in."""
    return take_away


def take_away(settings: Settings) -> None:
    """Remove all actors of a namespace at once, whatever state they are in."""
    import ray

    from coordinator.cluster import actor_names

    for name in actor_names(settings):
        with contextlib.suppress(ValueError):
            ray.kill(ray.get_actor(name, namespace=settings.namespace), no_restart=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree to work on."""
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (root / "src" / f"{name}.py").write_text(f"def {name}():\n    return 1\n", encoding="utf-8")
    return root


class Refusal(Exception):
    """What an agent's call raised: the error's class by name, and its message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


class AgentProcess:
    """A process of its own that does what it is told, one JSON line a call (see agent.py)."""

    Refusal = Refusal  # test files cannot import this module

    def __init__(self, folder: Path, environment: dict[str, str | None] | None = None) -> None:
        self.id = ""
        self._log = folder / f"agent-{time.monotonic_ns()}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / "agent.py")],
                env={name: value for name, value in {**os.environ, **(environment or {})}.items() if value is not None},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                text=True,
                encoding="utf-8",
            )
        self._answers: queue.Queue[str] = queue.Queue()
        self._n_unread = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line)
        self._answers.put("")

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    @property
    def log(self) -> str:
        """What the process wrote to its standard error."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def tell(self, do: str, **arguments: Any) -> None:
        """Send a call, and do not wait for its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()
        self._n_unread += 1

    def answer(self, within_s: float = ANSWER_S) -> Any:
        """The answer to the earliest call that has none yet. Raises `Refusal` for what the call raised."""
        try:
            line = self._answers.get(timeout=within_s)
        except queue.Empty:
            pytest.fail(f"agent {self.pid} gave no answer within {within_s:g} s: {self.log[-2000:]}")
        if not line:
            pytest.fail(f"agent {self.pid} has ended: {self.log[-2000:]}")
        self._n_unread -= 1
        answer = json.loads(line)
        if "error" in answer:
            raise Refusal(answer["error"], answer["message"])
        return answer["value"]

    @property
    def has_answer(self) -> bool:
        """Whether an answer has arrived that nobody has read."""
        return not self._answers.empty()

    def ask(self, do: str, within_s: float = ANSWER_S, **arguments: Any) -> Any:
        """Send a call and wait for its answer."""
        self.tell(do, **arguments)
        return self.answer(within_s)

    @property
    def is_idle(self) -> bool:
        """Whether it runs and has answered all that it was asked."""
        return self.process.poll() is None and self._n_unread == 0

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it by SIGKILL, as a crash would."""
        self.process.kill()
        self.process.wait(timeout=10)

    def wait(self, within_s: float = ANSWER_S) -> int:
        """Wait for its end; returns its exit code."""
        return self.process.wait(timeout=within_s)

    def stop(self) -> None:
        """Whatever state it is in: end it and give its pipes back."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=10)
        self._reader.join(timeout=10)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


@pytest.fixture(scope="session")
def idle_agents(head: Head, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[AgentProcess]]:
    """Processes that are connected to Ray but to no coordinator. Starting one takes a second or more."""
    idle: list[AgentProcess] = []
    yield idle
    for agent in idle:
        agent.stop()


@pytest.fixture(name="join")
def join_fixture(settings: Settings, tree: Path) -> Callable[..., None]:
    """`join(agent, "ann")` connects a process that `start_agent(None)` gave."""
    return lambda agent, name, **options: join(agent, name, settings, tree, **options)


@pytest.fixture
def start_agent(
    settings: Settings, tree: Path, idle_agents: list[AgentProcess], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., AgentProcess]]:
    """`start_agent("ann")` gives a process that is connected under that name; `start_agent(None)` one that is not yet.

    Further arguments go to its `connect`: `settings` (default: this test's), `root`, `parent`, `kept_by`.
    """
    started: list[AgentProcess] = []

    def start(name: str | None, settings: Settings = settings, **options: Any) -> AgentProcess:
        agent = idle_agents.pop() if idle_agents else AgentProcess(tmp_path_factory.mktemp("agent"))
        started.append(agent)
        if name is not None:
            join(agent, name, settings, tree, **options)
        return agent

    yield start
    for agent in started:
        if agent.is_idle:
            agent.ask("part")
            idle_agents.append(agent)
        else:
            agent.stop()


@pytest.fixture
def run_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., AgentProcess]]:
    """`run_alone(NAME=value)` starts a process that no other test uses; a variable that is None is taken away."""
    started: list[AgentProcess] = []

    def start(**environment: str | None) -> AgentProcess:
        started.append(AgentProcess(tmp_path_factory.mktemp("alone"), environment))
        return started[-1]

    yield start
    for agent in started:
        agent.stop()


def join(agent: AgentProcess, name: str, settings: Settings, root: Path, **options: Any) -> None:
    """Connect a process that was not; its identity is `agent.id` from then on."""
    plain = settings.model_dump(mode="json")
    agent.id = agent.ask("connect", settings=plain, agent=name, **{"root": str(root), **options})


@pytest.fixture
def actor_pid(coordinator_up: Settings) -> Callable[[str], int]:
    """`actor_pid("scent_field")`: the process that runs this test's actor now."""
    from coordinator.ray_transport import RayTransport

    def pid_of(domain: str) -> int:
        return int(RayTransport(coordinator_up.namespace).describe(domain, 30.0)["pid"])

    return pid_of


def family(head: Head) -> list[psutil.Process]:
    """The head's process and all that it has started."""
    process = psutil.Process(head.pid)
    return [process, *process.children(recursive=True)]


@pytest.fixture
def head_family(head: Head) -> list[psutil.Process]:
    """The processes of the head that all tests share."""
    return family(head)
