"""A real browser before a real gateway; the actors are real too, and live in the gateway's process, without Ray."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from coordinator import Coordinator
from coordinator.gateway.token import read_token

sys.path.insert(0, str(Path(__file__).parent))  # other processes import it by its name too
from page_house import house_settings, run  # the path comes first

START_S = 120.0
PATIENCE_MS = 45_000


class House:
    """A gateway that can be killed and started again, and agents that come in by it."""

    def __init__(self, processes: Any, folder: Path, *, needs_token: bool = False) -> None:
        self._processes = processes
        self.folder, self.tree, self._needs_token = folder, folder / "tree", needs_token
        self.tree.mkdir(parents=True, exist_ok=True)
        self.settings = house_settings(folder, needs_token)
        self.port = 0
        self.start()

    def start(self) -> None:
        """Serve, at the same address as before."""
        self._control, theirs = self._processes.Pipe()
        arguments = (self.folder, self.port, self._needs_token, theirs)
        self._process = self._processes.Process(target=run, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        if not self._control.poll(START_S):
            self.kill()
            pytest.fail(f"no gateway after {START_S:g} s")
        self.url = str(self._control.recv()["url"])
        self.port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """As a crash does: the gateway, its actors, and whatever was not written."""
        self._process.kill()
        self._process.join(30.0)
        self._process.close()
        self._control.close()

    def lose(self, *actors: str) -> None:
        """These actors cannot be reached any more, and all others can."""
        self._control.send(actors)

    @property
    def token(self) -> str:
        return read_token(self.settings.state_dir)

    def agent(self, name: str) -> Coordinator:
        return Coordinator.connect(self.url, agent=name, root=self.tree, settings=self.settings)


@pytest.fixture(scope="session")
def processes() -> Any:
    """Processes that have imported all they need when they begin."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["actors.runtime.actor", "coordinator.gateway.gateway"])
    return context


@pytest.fixture
def open_house(processes: Any, tmp_path: Path) -> Iterator[Callable[..., House]]:
    """`open_house(needs_token=True)`: one that asks for its token."""
    with ExitStack() as stack:

        def open_one(**options: bool) -> House:
            house = House(processes, tmp_path / "house", **options)
            stack.callback(house.kill)
            return house

        yield open_one


@pytest.fixture
def house(open_house: Callable[..., House]) -> House:
    return open_house()


@pytest.fixture
def join(house: House) -> Iterator[Callable[[str], Coordinator]]:
    """`join("ann")`: an agent, who leaves at the end if there is anybody to tell."""
    agents: list[Coordinator] = []

    def join_as(name: str) -> Coordinator:
        agents.append(house.agent(name))
        return agents[-1]

    yield join_as
    for agent in agents:
        agent.close()


class Window:
    """A page, and what it said on its console."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.complaints = page, []
        page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.set_default_timeout(PATIENCE_MS)
        page.goto(url)

    def wait(self, script: str, argument: Any = None) -> None:
        """Until the expression is true in the page."""
        self.page.wait_for_function(script, arg=argument, timeout=PATIENCE_MS)

    def wait_until_live(self) -> None:
        self.page.wait_for_selector("[data-state=live]", timeout=PATIENCE_MS)

    def wait_for_text(self, selector: str, text: str) -> None:
        self.wait("([where, what]) => document.querySelector(where)?.textContent.includes(what)", [selector, text])

    def texts(self, selector: str) -> list[str]:
        return [
            str(text) for text in self.page.eval_on_selector_all(selector, "all => all.map(one => one.textContent)")
        ]


@pytest.fixture
def look(chromium: Any) -> Iterator[Callable[..., Window]]:
    """`look(url, color_scheme="dark")`: a window that is live; the test fails if its page complains on the console."""
    opened: list[tuple[Window, Any, bool]] = []

    def look_at(url: str, *, is_live: bool = True, may_complain: bool = False, **options: Any) -> Window:
        context = chromium.new_context(**options)
        window = Window(context.new_page(), url)
        opened.append((window, context, may_complain))
        if is_live:
            window.wait_until_live()
        return window

    yield look_at
    for window, context, may_complain in opened:
        context.close()
        assert may_complain or window.complaints == []


def wait_for(condition: Callable[[], Any], deadline_s: float = 45.0) -> Any:
    until_s = time.monotonic() + deadline_s
    while not (value := condition()):
        assert time.monotonic() < until_s, f"still {value!r} after {deadline_s:g} s"
        time.sleep(0.02)
    return value


@pytest.fixture
def eventually() -> Callable[..., Any]:
    """`eventually(condition)`: polls; returns its first true value."""
    return wait_for


@pytest.fixture(autouse=True)
def _is_gone_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SCENTFIELD_")]:
        monkeypatch.delenv(name)
