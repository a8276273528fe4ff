"""A scene for pictures of the page: agents at work on a parser, some in each other's way."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from actors.quality_store.messages import RecordOutcome, RecordRead
from coordinator import Coordinator
from coordinator.asking import Asker
from coordinator.domain import QUALITY_STORE
from coordinator.settings import Settings

FOLDERS = ("src/parser", "src/lexer", "src/emit", "src/cli", "tests/unit", "tests/golden", "docs")
NAMES = ("token", "walk", "scope", "table", "render", "options", "error", "cache", "path", "format", "stream", "unit")
INTENTS = {
    "ann": "keep comments when a block is reformatted",
    "bob": "report every error of a file, not the first",
    "cleo": "speed up scope look-ups",
    "dan": "write the grammar's missing tests",
    "eve": "split the emitter by target",
    "finn": "document the command line",
}


def paths() -> list[str]:
    ends = {"tests": ".py", "docs": ".md"}
    return [f"{folder}/{name}{ends.get(folder.split('/')[0], '.py')}" for folder in FOLDERS for name in NAMES]


@contextmanager
def scene(url: str, settings: Settings, tree: Path) -> Iterator[None]:
    """The scene, for as long as the context lasts."""
    chance = random.Random(7)
    with ExitStack() as stack:
        agents = {
            name: stack.enter_context(Coordinator.connect(url, agent=name, root=tree, settings=settings))
            for name in INTENTS
        }
        claim_some(agents, chance)
        leave_signals(agents, chance)
        note_some(agents["ann"], agents["dan"])
        learn_some(agents["bob"], chance)
        agents["bob"].import_learning(learned())
        waiting = wait_in_line(agents)
        yield
        for agent in agents.values():
            agent.close()
        for thread in waiting:
            thread.join(30.0)


def claim_some(agents: dict[str, Any], chance: random.Random) -> None:
    free = paths()
    chance.shuffle(free)
    for name, agent in agents.items():
        for _ in range(3):
            agent.claim(free.pop(), intent=INTENTS[name])
    agents["ann"].claim(["src/parser/block.py", "src/parser/comment.py"], intent=INTENTS["ann"])
    agents["eve"].claim("src/emit/js/", intent=INTENTS["eve"])
    agents["cleo"].claim("task:scope-cache", intent=INTENTS["cleo"])
    for name, times in (("bob", 1), ("finn", 1), ("dan", 3)):
        for _ in range(times):
            agents[name].claim("src/parser/block.py", intent=INTENTS[name])


def leave_signals(agents: dict[str, Any], chance: random.Random) -> None:
    names = list(agents)
    for path in paths():
        if chance.random() < 0.62:
            kind = chance.choices(("HOT", "STUCK", "DONE", "AVOID"), (6, 2, 3, 1))[0]
            agents[chance.choice(names)].deposit(path, kind, intensity=round(chance.uniform(0.15, 2.4), 2))
            if chance.random() < 0.25:
                agents[chance.choice(names)].deposit(path, "HOT", intensity=round(chance.uniform(0.3, 1.5), 2))


def learned() -> bytes:
    """What another machine has learned, as a bundle."""
    day = int(time.time() // 86_400)
    deltas = {"py": (0.041, 127), "rs": (-0.063, 58), "md": (0.018, 31), "ts": (0.02, 6)}
    thresholds = {
        name: {"day": day, "delta": delta, "revision": n, "samples": n} for name, (delta, n) in deltas.items()
    }
    origin = {"era": 0, "thresholds": thresholds, "placement": {}}
    return json.dumps({"schema": "scentfield-learning", "version": 1, "origins": {"0123456789abcdef": origin}}).encode()


def note_some(ann: Any, dan: Any) -> None:
    for kind, content, about in (
        ("Pitfall", "Block comments end at the first */, also inside a string", "src/parser"),
        ("Strategy", "Run tests/golden after every change of the emitter: it prints the first difference", ""),
        ("Fact", "Scopes are numbered in the order of their closing brace", "src/parser/scope.py"),
    ):
        added = dan.playbook.add(kind, content, about=about, scope="project")
        for is_helpful in (True, True) if kind == "Pitfall" else (True,) if kind == "Strategy" else ():
            ann.playbook.vote(added.entry_id, helpful=is_helpful, scope="project")


def learn_some(agent: Any, chance: random.Random) -> None:
    """Reads and edits as they are recorded, with what came of them."""
    core = agent._core
    asker = Asker(QUALITY_STORE, timeout_s=10.0, jitter=chance.random)

    def record(command: Any) -> None:
        agent._do(asker.request(core.session, command))

    for n in range(200):
        path = f"{chance.choice(FOLDERS)}/{chance.choice(NAMES)}{n}.{chance.choice(('py', 'py', 'rs', 'md'))}"
        total = chance.randint(900, 6_000)
        arms = chance.choices(((), ("expected_cost",), ("entropy_delta",), ("unit_ranking",)), (5, 1, 1, 1))[0]
        share = chance.uniform(0.2, 0.5) if not arms else chance.uniform(0.3, 0.7)
        record(RecordRead("test", path, "map", "expected_cost", int(total * share), total, arms=arms))
        if chance.random() < (0.06 if not arms else 0.14):
            record(RecordRead("test", path, "full", "explicit", total, total))
        elif chance.random() < 0.5:
            is_bad = chance.random() < 0.08
            record(
                RecordOutcome("test", path, "map", "failure", "not_shown", 300, arms)
                if is_bad
                else RecordOutcome("test", path, "map", "success", "applied", 0, arms)
            )
    for path, cause in (
        ("src/cli/options.py", "changed"),
        ("src/parser/block.py", "claimed"),
        ("docs/path.md", "ambiguous"),
    ):
        record(RecordOutcome("test", path, "map", "failure", cause, 120))


def wait_in_line(agents: dict[str, Any]) -> list[threading.Thread]:
    threads = [
        threading.Thread(target=agents[name].claim, args=(target,), kwargs={"wait_s": 300.0, "intent": INTENTS[name]})
        for name, target in (("bob", "src/parser/comment.py"), ("finn", "src/emit/js/module.py"))
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    time.sleep(0.5)
    return threads
