"""Asks the state actors how they are, all at once, and waits for them a short time only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Protocol

from actors.memory.messages import GetStatistics as GetMemoryStatistics
from actors.quality_store.evidence import WINDOW_DAYS, Evidence
from actors.quality_store.messages import GetEvidence, GetStatistics, RecordAccount
from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import FieldStatistics
from actors.thresholds.messages import GetStatistics as GetLearningStatistics
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, EMBEDDING, MEMORY, QUALITY_STORE, SCENT_FIELD, THRESHOLDS
from coordinator.efficacy.telling import account_of
from coordinator.metrics.collector import Sighting
from coordinator.retrieval.account import RetrievalAccount

PATIENCE_S: Final = 2.0
SCRAPE_PATIENCES: Final = 1.5
"""All that is asked for a scrape takes this much of the probe's patience at most, though one follows from the other."""
PROOF_S: Final = 1.0
_GIVE_UP_S: Final = 60.0
_QUESTIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        SCENT_FIELD: FieldStatistics(),
        QUALITY_STORE: GetStatistics(),
        THRESHOLDS: GetLearningStatistics(),
        MEMORY: GetMemoryStatistics(),
    }
)


class Line(Protocol):
    """How the state actors are reached."""

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Send a request and wait for its reply. Raises `Unavailable`."""

    async def describe_async(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account of itself. Raises `Unavailable`."""

    async def prove_async(self, domain: str, timeout_s: float) -> list[str] | None:
        """Have it write to its store and read it back; None, or [code, message]. Raises `Unavailable`."""


class Probe:
    """Looks at the state actors through one line.

    An actor that has not answered is not asked again before it has, however many looks there are: whoever looks
    meanwhile waits for the same answer. So neither many scrapers nor a silent actor make questions pile up. A proof
    costs the actor a commit, so it is asked for once a second at most. `monotonic` gives seconds.
    """

    def __init__(
        self, line: Line, *, patience_s: float = PATIENCE_S, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._line = line
        self._patience_s = patience_s
        self._monotonic = monotonic
        self._proofs: dict[str, asyncio.Task[str]] = {}
        self._proof_due_s: dict[str, float] = {}
        self._asked: dict[str, asyncio.Task[Sighting]] = {}
        self._model: asyncio.Task[dict[str, Any]] | None = None
        self._evidence: asyncio.Task[Evidence] | None = None
        self._indices: asyncio.Task[RetrievalAccount] | None = None

    async def look(self) -> list[Sighting]:
        """What each state actor says within `patience_s` seconds, in the order of `DOMAINS`."""
        asked = {domain: self._ask(domain) for domain in DOMAINS}
        await asyncio.wait(asked.values(), timeout=self._patience_s)
        return [task.result() if task.done() else self._silent(domain) for domain, task in asked.items()]

    async def look_at_model(self) -> dict[str, Any] | None:
        """The embedding actor's account; None if there is none, or it does not answer in time."""
        if self._model is None or self._model.done():
            self._model = asyncio.create_task(self._line.describe_async(EMBEDDING, _GIVE_UP_S))
        await asyncio.wait([self._model], timeout=self._patience_s)
        if not self._model.done() or self._model.exception() is not None:
            return None
        return self._model.result()

    async def look_at_indices(self, account: Callable[[], RetrievalAccount]) -> RetrievalAccount:
        """What the node's indices hold, looked at in a thread; an empty account where the disk is silent."""
        if self._indices is None or self._indices.done():
            self._indices = asyncio.create_task(asyncio.to_thread(account))
        await asyncio.wait([self._indices], timeout=self._patience_s)
        return self._indices.result() if self._indices.done() else RetrievalAccount()

    def now_s(self) -> float:
        """The time, for `look_at_evidence`."""
        return self._monotonic()

    async def look_at_evidence(self, sightings: Sequence[Sighting], began_s: float) -> Evidence | None:
        """What the ledger adds up to, once it was told what the other state actors say; None if it does not answer.

        Waits for `patience_s` seconds, and for half as many again since `began_s` at most; not at all where the quality
        store was silent already.
        """
        if not any(seen.domain == QUALITY_STORE and seen.counts is not None for seen in sightings):
            return None
        if self._evidence is None or self._evidence.done():
            accounts = [account_of(seen.account, seen.counts) for seen in sightings]
            told = [account for account in accounts if account is not None]
            self._evidence = asyncio.create_task(_evidence_of(self._line, told))
        left_s = began_s + SCRAPE_PATIENCES * self._patience_s - self._monotonic()
        await asyncio.wait([self._evidence], timeout=max(0.0, min(self._patience_s, left_s)))
        if not self._evidence.done() or self._evidence.exception() is not None:
            return None
        return self._evidence.result()

    async def prove(self) -> dict[str, str]:
        """What keeps each state actor from writing to its store and reading it back, by domain; empty if nothing does.

        Waits for `patience_s` seconds.
        """
        asked = {domain: self._ask_for_proof(domain) for domain in DOMAINS}
        await asyncio.wait(asked.values(), timeout=self._patience_s)
        return {
            domain: task.result() if task.done() else self._silent(domain).problem for domain, task in asked.items()
        }

    def _ask_for_proof(self, domain: str) -> asyncio.Task[str]:
        task, now_s = self._proofs.get(domain), self._monotonic()
        if task is None or (task.done() and now_s >= self._proof_due_s[domain]):
            task = self._proofs[domain] = asyncio.create_task(_prove(domain, self._line))
            self._proof_due_s[domain] = now_s + PROOF_S
        return task

    def _ask(self, domain: str) -> asyncio.Task[Sighting]:
        task = self._asked.get(domain)
        if task is None or task.done():
            task = self._asked[domain] = asyncio.create_task(_look_at(domain, self._line))
        return task

    def _silent(self, domain: str) -> Sighting:
        return Sighting(domain, problem=f"{domain} gave no answer within {self._patience_s:g} s")


async def _look_at(domain: str, line: Line) -> Sighting:
    account, counts = await asyncio.gather(
        line.describe_async(domain, _GIVE_UP_S), _counts_of(domain, line), return_exceptions=True
    )
    problems = [_problem(one) for one in (account, counts) if isinstance(one, BaseException)]
    return Sighting(
        domain,
        None if isinstance(account, BaseException) else account,
        None if isinstance(counts, BaseException) else counts,
        "; ".join(dict.fromkeys(problems)),
    )


async def _prove(domain: str, line: Line) -> str:
    try:
        trouble = await line.prove_async(domain, _GIVE_UP_S)
    except ScentfieldError as error:
        return error.message
    return "" if trouble is None else trouble[1]


async def _evidence_of(line: Line, told: Sequence[RecordAccount]) -> Evidence:
    """Tell and ask at once. Raises `ScentfieldError`."""
    commands = [*told, GetEvidence(WINDOW_DAYS)]
    stranger = Conversation(DOMAINS[QUALITY_STORE].schema, "", "")
    raw = await line.call_async(QUALITY_STORE, stranger.unnumbered(commands), _GIVE_UP_S)
    evidence: Evidence = value_of(stranger.answers(raw, len(commands))[-1])
    return evidence


async def _counts_of(domain: str, line: Line) -> Any:
    stranger = Conversation(DOMAINS[domain].schema, "", "")
    raw = await line.call_async(domain, stranger.unnumbered([_QUESTIONS[domain]]), _GIVE_UP_S)
    return value_of(stranger.answers(raw, 1)[0])


def _problem(error: BaseException) -> str:
    if isinstance(error, ScentfieldError):
        return error.message
    raise error
