"""The state actor: one class for every domain, with one door.

Ray runs it as an async actor, so that calls from many callers form a batch and waiting calls cost nothing. It imports
no Ray itself; whoever creates it decides where it runs. It never exits because of its store: Ray would run the calls
into the same wall again. It does exit at once when another writer has taken the store over.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from actors.runtime.compaction import Compaction
from actors.runtime.courier import Courier, Send
from actors.runtime.journal import Fenced, Journal, Recover, Store
from actors.runtime.log import Log, LogConfig, configure, take_over
from actors.runtime.machine import Machine
from actors.runtime.mailbox import Mailbox
from actors.runtime.narration import Narration
from actors.runtime.ownership import check_owner
from actors.runtime.settings import MailboxLimits
from actors.runtime.trace_context import TraceConfig

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from actors.runtime.tracing import ActorTracing

Value = TypeVar("Value")

FENCED_EXIT: Final = 86
_UPTIME_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


@dataclass(frozen=True, slots=True)
class ActorConfig:
    """All that a state actor needs to start, in plain values that cross to its process.

    `machine` is `module:factory`; the factory is called with `options` and gives an empty machine. `store_url` is the
    store's SQLAlchemy URL, `store_key` the name of its rows there (default: the domain). `store_id` is the identity
    that the store must have, and `owner` who must have adopted it; None asks nothing. `courier` is `module:factory`
    too; called with `courier_options`, it gives the function that takes the machine's notes to other actors
    (`courier.Send`). Without one they wait. `log` is what the actor's process writes, `traces` where
    its spans go.
    """

    domain: str
    machine: str
    store_url: str = field(repr=False)  # it may hold a password
    options: dict[str, Any] = field(default_factory=dict, repr=False)  # and the key of the ledger
    limits: MailboxLimits = field(default_factory=MailboxLimits)
    store_id: str | None = None
    store_key: str = ""
    owner: str | None = None
    courier: str = ""
    courier_options: dict[str, Any] = field(default_factory=dict)
    log: LogConfig | None = None
    traces: TraceConfig | None = None

    def make_machine(self) -> Machine:
        """An empty machine."""
        machine: Machine = _named(self.machine)(**self.options)
        return machine

    def make_send(self) -> Send | None:
        """The function that takes notes to other actors; None if none is set."""
        send: Send | None = _named(self.courier)(**self.courier_options) if self.courier else None
        return send


def _named(place: str) -> Any:
    module, _, factory = place.partition(":")
    return getattr(importlib.import_module(module), factory)


class StateActor:
    """One mailbox on an event loop; `submit` is all that callers see."""

    def __init__(self, config: ActorConfig) -> None:
        if config.log is not None:
            configure(config.log)
            take_over(config.domain)
        self._config = config
        self._store_id = config.store_id
        self._epoch: int | None = None
        self._mailbox = Mailbox(
            open_journal=self._open_journal,
            make_machine=config.make_machine,
            limits=config.limits,
            stopwatch=time.perf_counter,
        )
        self._compaction = Compaction(
            config.store_url, config.store_key or config.domain, config.machine, config.options
        )
        self._courier = self._make_courier(config.make_send())
        self._tracing = None if config.traces is None else _actor_tracing(config.traces, config.domain)
        self._timer: asyncio.TimerHandle | None = None
        self._is_due = False
        self._started_s = time.monotonic()
        self._narration = Narration(Log(config.domain), self._mailbox, self._compaction, self._courier)
        self._mailbox.open()
        self._narration.begin(time.monotonic() - self._started_s, time.monotonic())
        _calm_the_collector()
        self._loop = asyncio.get_running_loop()
        self._soon()

    def _open_journal(self, recover: Recover) -> Journal:
        store = Store(self._config.store_url, self._config.store_key or self._config.domain)
        try:
            check_owner(store, self._config.owner)
            journal = Journal.open(
                store,
                new_store_id=secrets.token_hex(16),
                expected_store_id=self._store_id,
                own_epoch=self._epoch,
                recover=recover,
            )
        except BaseException:
            store.close()
            raise
        self._store_id, self._epoch = journal.head.store_id, journal.head.epoch
        return journal

    def _make_courier(self, send: Send | None) -> Courier | None:
        if send is None:
            return None
        return Courier(
            send,
            source=lambda: f"{self._config.domain}@{self._store_id}",
            confirm=self._mailbox.confirm_sent,
            again=self._soon,
        )

    async def submit(self, raw: bytes) -> bytes:
        """Take a request (see `wire`); returns its reply once what it did is committed."""
        reply: asyncio.Future[bytes] = self._loop.create_future()
        resolve = partial(_resolve, reply)
        if self._tracing is not None and (spans := self._tracing.arrived(raw)):
            resolve = partial(_resolve_traced, reply, self._tracing, spans)
        self._mailbox.deliver(raw, resolve)
        if self._mailbox.is_private and not self._is_due:
            self._beat()
        elif not reply.done():
            self._soon()
        return await reply

    async def prove(self) -> list[str] | None:
        """Write to the store and read it back; [code, message] of what keeps it from serving, None if nothing does."""
        trouble = self._unless_fenced(self._mailbox.prove)
        self._soon()
        return None if trouble is None else [trouble.code, trouble.message]

    async def describe(self) -> dict[str, Any]:
        """Where it runs and how it is: for `up`, `status` and the exporter."""
        mailbox = self._mailbox
        journal = mailbox.journal
        trouble = mailbox.trouble
        statistics = {name: getattr(mailbox.statistics, name) for name in type(mailbox.statistics).__slots__}
        return {
            "domain": self._config.domain,
            "pid": os.getpid(),
            "uptime_s": time.monotonic() - self._started_s,
            "store_id": self._store_id,
            "store": None if journal is None else journal.store.where,
            "epoch": None if journal is None else journal.head.epoch,
            "seq": None if journal is None else journal.seq,
            "trouble": None if trouble is None else [trouble.code, trouble.message],
            "n_queued": mailbox.n_queued,
            "n_unanswered": mailbox.n_unanswered,
            "n_compactions": self._compaction.n_started,
            "n_failed_compactions": self._compaction.n_failed,
            "field_s": mailbox.clock.field_s,
            "n_refused_jumps": mailbox.clock.n_refused_jumps,
            "deliveries": {} if self._courier is None else self._courier.describe(),
            **statistics,
        }

    async def drain(self) -> None:
        """Answer what is queued and commit what is relaxed; called before an orderly stop."""
        self._beat()
        while self._mailbox.n_queued:
            self._beat()
        self._mailbox.flush()
        self._narration.stopped()

    def _soon(self) -> None:
        """Have a turn in the next round of the loop; calls that arrive until then share it."""
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._beat)

    def _beat(self) -> None:
        self._is_due = False
        try:
            wake_s = self._unless_fenced(self._mailbox.turn if self._tracing is None else self._traced_turn)
        except Exception:  # ours; whoever waits must not wait for ever
            self._wake_in(1.0)
            raise
        self._loop.call_soon(self._tend, wake_s)  # behind the answers, which are on their way already

    def _traced_turn(self, *, monotonic_s: float, wall_s: float) -> float | None:
        """The same turn, between marks for the spans of what it answers."""
        mailbox, tracing = self._mailbox, self._tracing
        if tracing is None:
            return mailbox.turn(monotonic_s=monotonic_s, wall_s=wall_s)
        statistics = mailbox.statistics
        tracing.turn_begins(statistics.n_commits, statistics.commit_seconds)
        try:
            return mailbox.turn(monotonic_s=monotonic_s, wall_s=wall_s)
        finally:
            row = None if mailbox.journal is None else mailbox.journal.seq
            tracing.turn_ends(statistics.n_commits, statistics.commit_seconds, row)

    @staticmethod
    def _unless_fenced(act: Callable[..., Value]) -> Value:
        """Let the mailbox act now; end this process if it is not the store's writer any more."""
        try:
            return act(monotonic_s=_uptime_s(), wall_s=time.time())
        except Fenced as error:
            print(f"scentfield: {error}: this actor is stale and ends", file=sys.stderr, flush=True)  # noqa: T201  # the only voice a dying actor has
            os._exit(FENCED_EXIT)

    def _tend(self, wake_s: float | None) -> None:
        """What a turn leaves to do: fold the journal, carry notes, tell of it, and see when the next turn is due."""
        if not self._compaction.is_running and self._mailbox.wants_compaction and self._compaction.start():
            self._mailbox.compaction_started()
        self._carry_notes()
        self._narration.look(time.monotonic())
        if wake_s == 0.0:
            self._soon()
        elif wake_s is not None:
            self._wake_in(wake_s)

    def _wake_in(self, wake_s: float) -> None:
        """Have a turn by then. An earlier one that is set is kept: it will see, and setting anew costs every call."""
        due_s = self._loop.time() + wake_s
        if self._timer is not None and self._timer.when() > due_s:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = self._loop.call_at(due_s, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._beat()

    def _carry_notes(self) -> None:
        """Send what is committed and waits for other actors on its way."""
        if self._courier is not None and (outbox := self._mailbox.outbox) is not None:
            self._courier.carry(outbox)


def _resolve(reply: asyncio.Future[bytes], raw: bytes) -> None:
    if not reply.done():
        reply.set_result(raw)


def _resolve_traced(reply: asyncio.Future[bytes], tracing: ActorTracing, spans: list[Span], raw: bytes) -> None:
    _resolve(reply, raw)
    tracing.answered(spans)


def _actor_tracing(config: TraceConfig, domain: str) -> ActorTracing:
    from actors.runtime.tracing import ActorTracing, make_provider  # its library is an extra

    return ActorTracing(make_provider(config, f"scentfield.{domain}"), domain)


def _uptime_s() -> float:
    """A clock that only runs forward and, where the system has one, counts while the machine sleeps."""
    return time.clock_gettime(_UPTIME_CLOCK)


def _calm_the_collector() -> None:
    """Take the recovered state out of the collector's sight: a full collection of it would stall the loop."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 50, 100)


MakeActor = Callable[[ActorConfig], StateActor]
