"""An agent in a process of its own, told what to do by JSON lines on standard input; one JSON line answers each.

See conftest.py for the other end.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from actors.quality_store.messages import RecordOutcome
from coordinator import Coordinator, ScentfieldError, Settings
from coordinator.answer import Claimed, NotGranted

MIN_STEPS = 20


class Agent:
    """Carries calls out; each public method is one."""

    def __init__(self) -> None:
        self._coordinator: Coordinator | None = None
        self._claims: list[Claimed] = []

    @property
    def _agent(self) -> Coordinator:
        assert self._coordinator is not None, "connect first"
        return self._coordinator

    def connect(self, settings: dict[str, Any], **arguments: Any) -> str:
        """Connect and register; answers the session's identity."""
        self._coordinator = Coordinator.connect(settings=Settings(**settings), **arguments)
        return self._coordinator.agent_id

    def part(self) -> None:
        """Say goodbye if possible, and be nobody again."""
        if self._coordinator is not None:
            with contextlib.suppress(ScentfieldError):
                self._coordinator.close()
        self._coordinator = None
        self._claims = []

    def up(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Start what is missing."""
        from coordinator.cluster import up

        report = up(Settings(**settings), num_cpus=2)
        return {
            "address": report.address,
            "started_head": report.started_head,
            "created": report.created,
            "pids": {name: account["pid"] for name, account in report.actors.items()},
            "epochs": {name: account["epoch"] for name, account in report.actors.items()},
        }

    def down(self, settings: dict[str, Any]) -> Any:
        """Stop the actors, and the head if `up` has started it."""
        from coordinator.cluster import down

        return down(Settings(**settings))

    def claim(self, targets: Any, **arguments: Any) -> dict[str, Any]:
        """Claim; a grant is remembered for `valid`."""
        return self._kept(self._agent.claim(targets, **arguments))

    def claim_any(self, targets: Any, **arguments: Any) -> dict[str, Any]:
        """Claim the first that is free."""
        return self._kept(self._agent.claim_any(targets, **arguments))

    def _kept(self, answer: Claimed | NotGranted) -> dict[str, Any]:
        if isinstance(answer, Claimed):
            self._claims.append(answer)
        return answer.to_dict()

    def valid(self) -> list[bool]:
        """Whether each claim may be believed, in the order in which they were granted."""
        return [claim.valid for claim in self._claims]

    def release(self, targets: Any = (), **arguments: Any) -> dict[str, Any]:
        """Give back."""
        return self._agent.release(targets, **arguments)._asdict()

    def transfer(self, generation: int, to_agent: str, note: str = "") -> dict[str, Any]:
        """Hand over."""
        answer = self._agent.transfer(generation, to_agent, note=note)
        return answer.to_dict() if isinstance(answer, NotGranted) else {"granted": True, **answer._asdict()}

    def check(self, path: str, generation: int = 0) -> dict[str, Any]:
        """Whether a claim still covers a path."""
        return self._agent.check(path, generation)._asdict()

    def losses(self) -> list[dict[str, Any]]:
        """What the session lost."""
        return [loss._asdict() for loss in self._agent.losses()]

    def sync(self, limit: int = 15) -> dict[str, Any]:
        """The live field."""
        view = self._agent.sync(limit=limit)
        return {**view._asdict(), "rows": [row._asdict() for row in view.rows]}

    def watch(self, version: int, timeout_s: float) -> dict[str, Any]:
        """The changes after a version."""
        changes = self._agent.watch(version, timeout_s=timeout_s)
        return {**changes._asdict(), "changes": [change._asdict() for change in changes.changes]}

    def deposit(self, target: str, kind: str, intensity: float = 1.0) -> float:
        """Leave a signal."""
        return self._agent.deposit(target, kind, intensity=intensity)

    def read(self, path: str, mode: str = "full") -> dict[str, Any]:
        """Show a file."""
        return self._agent.read(path, mode).to_dict()

    def edit(self, path: str, old: str, new: str) -> dict[str, Any]:
        """Change a file."""
        return self._agent.edit(path, old, new).to_dict()

    def stop_at_rename(self, path: str) -> None:
        """Stand still, as by SIGSTOP, when this file is about to be replaced: once, after all checks."""
        target = os.path.realpath(self._agent.root / path)
        armed = [True]

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "os.rename" and armed and os.path.realpath(arguments[1]) == target:
                armed.clear()
                os.kill(os.getpid(), signal.SIGSTOP)

        sys.addaudithook(hook)

    def heartbeat(self) -> float:
        """Beat now; answers the seconds until the session's end."""
        return self._agent.heartbeat().expires_in_s

    def register_anew(self) -> str:
        """Begin a new session."""
        return self._agent.register_anew()

    def close(self) -> int:
        """Say goodbye."""
        return self._agent.close()

    def think(self, how: str, for_s: float) -> float:
        """Keep the main thread busy: `python` in a loop, `c` in calls that let no other Python run meanwhile."""
        until_s = time.monotonic() + for_s
        n_steps = 0
        while time.monotonic() < until_s:
            n_steps += 1
            if how == "c":
                hashlib.pbkdf2_hmac("sha256", b"key", b"salt", 500_000)
        return float(n_steps)

    def race(self, targets: list[str], seed: int) -> list[dict[str, Any]]:
        """Claim all targets one by one, each agent in its own order; what each attempt gave."""
        random.Random(seed).shuffle(targets)
        return [{"target": target, **self.claim(target, intent=f"win {target}")} for target in targets]

    def work(self, until_file: str, ledger: str, crowded: list[str], path: str) -> dict[str, Any]:
        """Claim, release, deposit and edit without pause until the file is there; what was acknowledged.

        `ledger` is a folder in which whoever holds one of the `crowded` targets has a file.
        """
        worker = Worker(self._agent, Path(ledger), path)
        while not Path(until_file).exists() or worker.n_steps < MIN_STEPS:
            worker.step(crowded)
        return worker.account()

    def fork(self, settings: dict[str, Any], root: str) -> list[str]:
        """What a forked process hears when it uses this agent, and when it connects anew."""
        context = multiprocessing.get_context("fork")
        here, there = context.Pipe()
        process = context.Process(target=_try_after_fork, args=(there, self._agent, settings, root))
        process.start()
        said: list[str] = here.recv() if here.poll(30.0) else ["it hangs"]
        process.kill()
        process.join()
        return said

    def pid(self) -> int:
        """This process."""
        return os.getpid()


def _try_after_fork(pipe: Any, agent: Coordinator, settings: dict[str, Any], root: str) -> None:
    said = []
    for act in (
        lambda: agent.claim("src/b.py"),
        lambda: Coordinator.connect(agent="forked", root=root, settings=Settings(**settings)),
    ):
        try:
            said.append(f"no error: {act()}")
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
    pipe.send(said)


class Worker:
    """Keeps books on all that its agent does; a `fault` is what must never happen."""

    def __init__(self, agent: Coordinator, ledger: Path, path: str) -> None:
        self._agent = agent
        self._ledger = ledger
        self._path = path
        self._name = agent.agent_id.partition("#")[0]
        self.n_steps = self._n_granted = self._n_outcomes = 0
        self._longest_s = 0.0
        self._kept: dict[str, int] = {}
        self._faults: list[str] = []

    def step(self, crowded: list[str]) -> None:
        """One round of everything; what it raises is a fault."""
        self.n_steps += 1
        acts = (self._claim_own, self._deposit, self._edit, self._report, lambda: self._claim_crowded(crowded))
        for act in acts:
            started_s = time.monotonic()
            try:
                act()
            except Exception as error:
                self._faults.append(f"{type(error).__name__}: {error}")
            self._longest_s = max(self._longest_s, time.monotonic() - started_s)

    def _claim_own(self) -> None:
        target = f"{self._name}/{self.n_steps}.py"
        claim = self._granted(target)
        if claim is None:
            self._faults.append(f"{target} was not granted")
        elif self.n_steps % 5 == 0:
            self._kept[target] = claim.generation
        else:
            self._give_back(claim)

    def _granted(self, target: str) -> Claimed | None:
        claim = self._agent.claim(target)
        if not claim:
            return None
        self._n_granted += 1
        if claim.renewed:
            self._faults.append(f"the claim of {target} was applied twice")
        return claim

    def _give_back(self, claim: Claimed) -> None:
        n_released = claim.release().n_released
        if n_released != 1:
            self._faults.append(f"releasing {claim.targets} released {n_released}")

    def _deposit(self) -> None:
        intensity = self._agent.deposit(f"task:{self._name}-{self.n_steps}", "STUCK")
        if intensity != 1.0:
            self._faults.append(f"a deposit was applied twice: {intensity}")

    def _edit(self) -> None:
        edited = self._agent.edit(self._path, f"step = {self.n_steps - 1}\n", f"step = {self.n_steps}\n")
        self._n_granted += 1
        if not edited.applied:
            self._faults.append(f"an edit failed: {edited}")

    def _report(self) -> None:
        """An outcome that is waited for, unlike that of an edit, which is given up after a short time."""
        core = self._agent._core
        assert core.session is not None
        outcome = RecordOutcome(core.space, f"{self._name}.rs", "full", "success", "applied")
        self._agent._do(core._quality.request(core.session, outcome))
        self._n_outcomes += 1

    def _claim_crowded(self, crowded: list[str]) -> None:
        target = crowded[self.n_steps % len(crowded)]
        claim = self._granted(target)
        if claim is None:
            return
        mark = self._ledger / target.replace("/", "-")
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            self._faults.append(f"{target} is held twice")
        mark.unlink(missing_ok=True)
        self._give_back(claim)

    def account(self) -> dict[str, Any]:
        """All of it."""
        return {
            "n_steps": self.n_steps,
            "n_granted": self._n_granted,
            "n_outcomes": self._n_outcomes,
            "longest_s": self._longest_s,
            "kept": self._kept,
            "faults": self._faults,
        }


def answer_of(agent: Agent, call: dict[str, Any]) -> dict[str, Any]:
    """Carry one call out."""
    name = call.pop("do")
    try:
        return {"value": getattr(agent, name)(**call)}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


def main() -> None:
    """Serve until standard input ends, or until told to `exit` or to `crash`."""
    agent = Agent()
    for line in sys.stdin:
        call = json.loads(line)
        if call["do"] == "exit":
            return
        if call["do"] == "crash":
            raise RuntimeError("told to crash")
        sys.stdout.write(json.dumps(answer_of(agent, call)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
