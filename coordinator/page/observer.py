"""Asks the state actors what the page shows: once for all who watch, and only while somebody does.

The field is asked when it says that something has changed, and never for more than a twentieth of its time; each other
actor at times of its own. One that is silent holds nobody else up, and is told as trouble.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from actors.memory.messages import GetPlaybook
from actors.memory.messages import GetStatistics as GetMemoryStatistics
from actors.quality_store.evidence import WINDOW_DAYS
from actors.quality_store.messages import (
    GetEditQuality,
    GetEvidence,
    GetFailures,
)
from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import (
    FieldView,
    ListAudit,
    ListClaims,
    ListRefusals,
    ListWaiters,
    Sync,
    Watch,
)
from actors.sessions.messages import ListSessions
from actors.thresholds.messages import GetLearning
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, MEMORY, QUALITY_STORE, SCENT_FIELD, THRESHOLDS
from coordinator.efficacy.figure import Terms, figures_of
from coordinator.metrics.probe import PATIENCE_S, Line
from coordinator.page import field_row, lesson_row
from coordinator.page.broadcast import Broadcast
from coordinator.page.table import Row

MAX_ROWS: Final = 1_000
MAX_WAITERS: Final = 200
MAX_AGENTS: Final = 200
WATCH_S: Final = 1.0
"""How long one question for changes waits; refusals are no changes and are asked for this often."""
WHOLE_S: Final = 5.0
"""After so long the field is asked for everything, also without a change: that somebody works on is none."""
REST_S: Final = 0.25
LOAD: Final = 20.0
"""After a look that took so long, the field is left alone for this many times as long."""
MAX_REST_S: Final = 5.0
RETRY_S: Final = 1.0
FAILURES_S: Final = 1.0
ACCOUNTS_S: Final = 2.0
LESSONS_S: Final = 10.0
PLAYBOOK_S: Final = 5.0
_SESSIONLESS: Final = ""


class Observer:
    """Tells a broadcast about one claim space while somebody watches.

    `half_lives_s` are those of the field, `terms` those that efficacy is told in.
    """

    def __init__(
        self,
        line: Line,
        space: str,
        half_lives_s: Mapping[str, float],
        terms: Terms,
        broadcast: Broadcast,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._line = line
        self._space = space
        self._half_lives_s = half_lives_s
        self._terms = terms
        self._broadcast = broadcast
        self._monotonic = monotonic
        self._trouble: dict[str, Row] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._has_looked = asyncio.Event()

    async def begin(self) -> None:
        """Look on from now on, if nobody did; returns when the field has been looked at, or could not be."""
        if not self._tasks:
            self._has_looked.clear()
            self._tasks = [
                asyncio.create_task(work)
                for work in (
                    self._follow_field(),
                    self._follow(QUALITY_STORE, FAILURES_S, self._look_at_failures),
                    self._follow(QUALITY_STORE, LESSONS_S, self._look_at_quality),
                    self._follow(THRESHOLDS, LESSONS_S, self._look_at_thresholds),
                    self._follow(MEMORY, PLAYBOOK_S, self._look_at_memory),
                    self._follow_accounts(),
                )
            ]
        await self._has_looked.wait()

    async def end(self) -> None:
        """Ask nobody any more."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # The field

    async def _follow_field(self) -> None:
        whole_due_s, version = 0.0, 0
        while True:
            started_s = self._monotonic()
            try:
                if started_s >= whole_due_s:
                    version = await self._look_at_field()
                    whole_due_s = started_s + WHOLE_S
                else:
                    await self._look_at_refusals()
                self._is_well(SCENT_FIELD)
                self._has_looked.set()
                took_s = self._monotonic() - started_s
                await asyncio.sleep(min(MAX_REST_S, max(REST_S, LOAD * took_s)))
                if await self._has_changed(version):
                    whole_due_s = 0.0
            except ScentfieldError as error:
                self._is_in_trouble(SCENT_FIELD, error)
                self._has_looked.set()
                whole_due_s = 0.0
                await asyncio.sleep(RETRY_S)

    async def _has_changed(self, version: int) -> bool:
        (changes,) = await self._ask(SCENT_FIELD, Watch(self._space, version, WATCH_S), wait_s=WATCH_S)
        return bool(changes.changes or changes.resync)

    async def _look_at_refusals(self) -> None:
        (refused,) = await self._ask(SCENT_FIELD, ListRefusals(self._space))
        self._broadcast.tell({"refusals": field_row.refusal_rows(refused.rows, self._monotonic())})

    async def _look_at_field(self) -> int:
        """Look at all of it; returns the version that this was."""
        space = self._space
        view: FieldView
        view, claims, waiters, refused, listed, audit = await self._ask(
            SCENT_FIELD,
            Sync(space, MAX_ROWS),
            ListClaims(space, MAX_ROWS),
            ListWaiters(space, MAX_WAITERS),
            ListRefusals(space),
            ListSessions(MAX_AGENTS),
            ListAudit(space),
        )
        now_s = self._monotonic()
        self._broadcast.tell(
            {
                "signals": field_row.signal_rows(view, self._half_lives_s, now_s),
                "claims": field_row.claim_rows(claims.rows, now_s),
                "waiters": field_row.waiter_rows(waiters.rows, now_s),
                "refusals": field_row.refusal_rows(refused.rows, now_s),
                "agents": field_row.agent_rows(listed, now_s),
                "audit": field_row.audit_rows(audit.lines),
                "totals": field_row.total_rows(view, claims.n_left_out, waiters.n_left_out, listed.n_live),
            }
        )
        return view.version

    # The others

    async def _follow(self, domain: str, period_s: float, look: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await look()
                self._is_well(domain)
            except ScentfieldError as error:
                self._is_in_trouble(domain, error)
            await asyncio.sleep(period_s)

    async def _look_at_failures(self) -> None:
        (failures,) = await self._ask(QUALITY_STORE, GetFailures(self._space))
        self._broadcast.tell({"failures": lesson_row.failure_rows(failures)})

    async def _look_at_quality(self) -> None:
        quality, evidence = await self._ask(QUALITY_STORE, GetEditQuality(), GetEvidence(WINDOW_DAYS))
        figures = figures_of(evidence, self._terms)
        self._broadcast.tell(
            {
                "pairs": lesson_row.pair_rows(quality),
                "layers": lesson_row.layer_rows(figures),
                "outcomes": lesson_row.outcome_rows(figures),
            }
        )

    async def _look_at_thresholds(self) -> None:
        (learned,) = await self._ask(THRESHOLDS, GetLearning())
        self._broadcast.tell({"thresholds": lesson_row.threshold_rows(learned)})

    async def _look_at_memory(self) -> None:
        view, counts = await self._ask(MEMORY, GetPlaybook(self._space, ""), GetMemoryStatistics())
        self._broadcast.tell({"playbook": lesson_row.playbook_rows(view), "memory": lesson_row.memory_rows(counts)})

    async def _follow_accounts(self) -> None:
        while True:
            now_s = self._monotonic()
            rows = await asyncio.gather(*(self._account(domain, now_s) for domain in DOMAINS))
            self._broadcast.tell({"actors": dict(zip(DOMAINS, rows, strict=True))})
            await asyncio.sleep(ACCOUNTS_S)

    async def _account(self, domain: str, now_s: float) -> Row:
        try:
            told = await self._line.describe_async(domain, PATIENCE_S)
        except ScentfieldError as error:
            return {"trouble": error.message}
        trouble = told["trouble"]
        return {
            "trouble": "" if trouble is None else trouble[1],
            "pid": told["pid"],
            "since_at": round(now_s - told.get("uptime_s", 0.0), 2),
            "n_commits": told.get("seq", 0),
            "n_queued": told.get("n_queued", 0),
        }

    # Asking

    async def _ask(self, domain: str, *commands: Any, wait_s: float = 0.0) -> list[Any]:
        """The answers to queries. Raises `Unavailable`, and what an answer carries."""
        stranger = Conversation(DOMAINS[domain].schema, _SESSIONLESS, "")
        raw = await self._line.call_async(domain, stranger.unnumbered(commands), PATIENCE_S + wait_s)
        return [value_of(answer) for answer in stranger.answers(raw, len(commands))]

    def _is_well(self, domain: str) -> None:
        if self._trouble.pop(domain, None) is not None:
            self._broadcast.tell({"trouble": dict(self._trouble)})

    def _is_in_trouble(self, domain: str, error: ScentfieldError) -> None:
        self._trouble[domain] = {"why": error.message}
        self._broadcast.tell({"trouble": dict(self._trouble)})
