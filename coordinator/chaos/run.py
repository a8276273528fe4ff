"""A chaos run from its start to its verdict: stage, agents, journals that are followed, faults, and the judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from actors.runtime.outbox import NotePut
from actors.runtime.received import NotesApplied
from coordinator.chaos.account import EDITED, account_of
from coordinator.chaos.crew import Crew
from coordinator.chaos.follower import JournalFollower, following
from coordinator.chaos.judge import Violation, judge
from coordinator.chaos.nemesis import Nemesis
from coordinator.chaos.plan import Plan
from coordinator.chaos.report import LOST, Report, figures_of
from coordinator.chaos.routine import count_in
from coordinator.chaos.rule import EditsKept
from coordinator.chaos.stage import Stage, staged
from coordinator.cli.places import open_places
from coordinator.domain import SCENT_FIELD
from coordinator.simulation.checker.book import Book, facts_of
from coordinator.simulation.checker.terms import Terms
from coordinator.simulation.history import Committed, Happened, History

Told = Callable[[float, int], None]
_REST_S: Final = 30.0
_POLL_S: Final = 0.5


def run_chaos(
    plan: Plan, folder: Path, *, store_url: str | None = None, told: Told = lambda _share, _n_faults: None
) -> Report:
    """Run a plan in a new folder and judge it. `told` hears how far it is.

    Raises `Misuse` in a process that is connected to a cluster, `Unavailable` where none can be started.
    """
    started_s = time.time()
    with staged(folder, plan, store_url) as stage, ExitStack() as opened:
        places = opened.enter_context(open_places(stage.settings))
        followers = [JournalFollower(place) for place in places]
        nemesis, late = _bring(plan, stage, followers, told)
        ended_at_s = time.time()
        changed = [f"{one.domain}: row {seq}" for one in followers for seq in one.changed_rows()]
    history = account_of(stage.diaries, (row for one in followers for row in one.rows), nemesis.deeds, ended_at_s)
    violations = judge(history, plan.terms)
    violations += [Violation(LOST, ended_at_s, f"{one} is no longer what it was") for one in changed]
    violations += [Violation("the whole journal was read", ended_at_s, gap) for gap in _gaps(followers)]
    violations += [Violation("agents do not end", ended_at_s, f"{name} ended by itself") for name in nemesis.gone]
    violations += [Violation("agents end when told", ended_at_s, f"{name} had to be killed") for name in late]
    violations += [Violation(EditsKept.name, ended_at_s, one) for one in lost_edits(stage.root, history)]
    return Report(
        seed=plan.seed,
        store="sqlite" if store_url is None else "postgresql",
        for_s=ended_at_s - started_s,
        n_agents=plan.n_agents,
        deeds=tuple(nemesis.deeds),
        violations=tuple(violations),
        **figures_of(history, nemesis.deeds),
    )


def _bring(plan: Plan, stage: Stage, followers: Sequence[JournalFollower], told: Told) -> tuple[Nemesis, list[str]]:
    """Let the agents work under faults; returns when nobody works or holds anything, and the stores are at rest."""

    def config_of(name: str, place: int) -> dict[str, object]:
        return {
            "name": name,
            "place": place,
            "seed": f"{plan.seed}/{name}",
            "settings": stage.settings.model_dump(mode="json"),
            "root": str(stage.root),
            "diaries": str(stage.diaries),
            "resource": str(stage.resource),
        }

    with following(followers), Crew(plan.n_agents, stage.folder, config_of) as crew:
        crew.fill()
        crew.await_ready()
        nemesis = Nemesis(plan, stage, crew)
        nemesis.run(told)
        late = crew.dismiss()
        _await_rest(plan, followers)
        stage.down()
    return nemesis, late


def _await_rest(plan: Plan, followers: Sequence[JournalFollower]) -> None:
    """Give what ends by itself the time to; what has not come to an end then, the judge will name."""
    until_s = time.monotonic() + plan.ttl_s + _REST_S
    while time.monotonic() < until_s and not is_at_rest([row for one in followers for row in one.rows], plan.terms):
        time.sleep(_POLL_S)


def is_at_rest(rows: Sequence[Committed], terms: Terms) -> bool:
    """Whether nobody is alive, holds or waits by what is committed, and no note is on its way."""
    book, n_put, n_applied = Book(terms), 0, 0
    for row in rows:
        for event in facts_of(row.events):
            if row.actor == SCENT_FIELD:
                book.apply(event)
            n_put += isinstance(event, NotePut) and event.receiver == SCENT_FIELD
            if isinstance(event, NotesApplied) and row.actor == SCENT_FIELD:
                n_applied = event.number
    return not (book.sessions or book.leases or book.waiters) and n_put == n_applied


def _gaps(followers: Sequence[JournalFollower]) -> list[str]:
    return [
        f"{one.domain}: its rows up to {one.folded_over} were folded before they were read; nothing can be said"
        for one in followers
        if one.folded_over
    ]


def lost_edits(root: Path, history: History) -> list[str]:
    """The lines of the files that hold less than what their agents were told that they had written."""
    told: dict[tuple[str, str], int] = {}
    for record in history:
        if isinstance(record, Happened) and record.what.startswith(EDITED):
            path, place, count = record.what.removeprefix(EDITED).split(" ")
            told[path, place] = int(count)
    found = {key: count_in(root / key[0], int(key[1])) for key in told}
    return [
        f"the line of place {place} in {path} says {found[path, place]}, its last edit made it {count}"
        for (path, place), count in told.items()
        if found[path, place] < count
    ]
