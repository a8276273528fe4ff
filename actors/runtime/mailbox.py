"""The shell of a state actor without its event loop: queue, batch, apply, commit, answer.

All I/O it does is the journal, handed in. One call of `turn` is one beat; it says when it wants to be called again.

States: *serving*; *refusing* after a commit failed, until a probe write succeeds; *corrupt* for good, when the store
cannot be trusted. It never starts empty over a store that it could not read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from actors.runtime.clock import ActorClock, earlier
from actors.runtime.errors import Corrupt, InvariantBroken, ScentfieldError
from actors.runtime.inbox import Inbox, Queued, Reply
from actors.runtime.journal import CommitFailed, Fenced, Head, Journal, Recover, Store
from actors.runtime.kernel import Kernel, Turn
from actors.runtime.machine import Machine, Now, outbox_of
from actors.runtime.outbox import Outbox
from actors.runtime.recovery import Recovered, recover_into
from actors.runtime.settings import MailboxLimits
from actors.runtime.wire import pack

OpenJournal = Callable[[Recover], Journal]
_WAKE_S: Final = 1.0
_SHORTEST_WAKE_S: Final = 0.001


@dataclass(slots=True)
class MailboxStatistics:
    """Counts since this process started, for the exporter."""

    n_requests: int = 0
    n_busy: int = 0
    n_turns: int = 0
    n_commits: int = 0
    n_failed_commits: int = 0
    n_bugs: int = 0
    n_replayed_rows: int = 0
    journal_bytes: int = 0
    rows_since_snapshot: int = 0
    commit_seconds: float = 0.0
    largest_batch: int = 0


class Mailbox:
    """Owns one kernel and its journal.

    `open_journal` opens the store as its writer, once the function that it is given has recovered the state from it;
    `make_machine` gives an empty machine. `stopwatch` is read around commits only, for the statistics.
    """

    def __init__(
        self,
        *,
        open_journal: OpenJournal,
        make_machine: Callable[[], Machine],
        limits: MailboxLimits,
        stopwatch: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._open_journal = open_journal
        self._make_machine = make_machine
        self._limits = limits
        self._stopwatch = stopwatch
        self._n_alone = 0
        self._relaxed: list[Any] = []
        self._relaxed_since_s = 0.0
        self._ticked_s: float | None = None
        self._probe_after_s = 0.0
        self._trouble: ScentfieldError | None = None
        self._parked: dict[int, list[int]] = {}
        self._confirmed: dict[str, int] = {}
        self.clock = ActorClock()
        self.statistics = MailboxStatistics()
        self.kernel = self._empty_kernel()
        self._inbox = Inbox(limits, self.kernel.machine.schema.liveness_verbs)
        self.journal: Journal | None = None

    def open(self) -> None:
        """Recover from the store. A store that cannot be read leaves the mailbox in trouble; it does not raise."""
        try:
            self._recover()
        except (CommitFailed, Corrupt) as error:
            self._trouble = error

    @property
    def trouble(self) -> ScentfieldError | None:
        """Why it does not serve; None while it does."""
        return self._trouble

    @property
    def n_queued(self) -> int:
        """Envelopes that wait for their turn."""
        return len(self._inbox)

    @property
    def n_unanswered(self) -> int:
        """Envelopes that have no answers yet: those queued, and those that wait inside the machine."""
        return self._inbox.n_unanswered

    @property
    def is_private(self) -> bool:
        """Whether nobody would share the next turn with what is queued: then there is no use in waiting for others."""
        return self._inbox.is_private

    def deliver(self, raw: bytes, reply: Reply) -> None:
        """Take a request; `reply` is called once, now or in a later turn, with the reply's bytes."""
        self.statistics.n_requests += 1
        self._inbox.deliver(raw, reply)
        self.statistics.n_busy = self._inbox.n_busy

    def turn(self, *, monotonic_s: float, wall_s: float) -> float | None:
        """One beat. Returns in how many seconds the next is due: 0 at once, None when a delivery comes.

        Raises `Fenced` if another writer has the store: this process must end. Raises nothing else.
        """
        self.statistics.n_turns += 1
        now = self.clock.advance(monotonic_s=monotonic_s, wall_s=wall_s, serving=self._trouble is None)
        if self._trouble is not None:
            if not self._back_in_service(monotonic_s):
                return self._refuse(self._trouble)
            now = self.clock.now
        batch = self._take_batch()
        try:
            self._settle(self._run(batch, now), now, monotonic_s)
        except Fenced:
            raise
        except (CommitFailed, Corrupt) as error:
            self._after_a_failure(error, batch, monotonic_s)
        except Exception as error:  # a bug in a machine must not leave half-applied state behind
            self._after_a_bug(error, batch, monotonic_s)
        else:
            self._n_alone = max(0, self._n_alone - len(batch))
        return self._next_wake_s(monotonic_s)

    def prove(self, *, monotonic_s: float, wall_s: float) -> ScentfieldError | None:
        """Write to the store and read it back; returns what keeps this mailbox from serving. Raises `Fenced`."""
        self.turn(monotonic_s=monotonic_s, wall_s=wall_s)
        if self._trouble is None:
            try:
                self._writer().prove(self.clock.now)
            except (CommitFailed, Corrupt) as error:
                self._after_a_failure(error, [], monotonic_s)
        return self._trouble

    def _take_batch(self) -> list[Queued]:
        batch = self._inbox.take(1) if self._n_alone else self._inbox.take_with_signs(self._limits.max_batch)
        self.statistics.largest_batch = max(self.statistics.largest_batch, len(batch))
        return batch

    def _run(self, batch: list[Queued], now: Now) -> Turn:
        is_behind = self._record_sent()
        turn = self.kernel.turn([(queued.slot, queued.fields) for queued in batch], now)
        turn.tells_committed |= is_behind
        return turn

    def _settle(self, turn: Turn, now: Now, monotonic_s: float) -> None:
        """Journal the turn's events, then send its answers."""
        if turn.events and not self._relaxed:
            self._relaxed_since_s = monotonic_s
        self._relaxed += turn.events
        if turn.durable or (self._relaxed and (turn.tells_committed or self._is_overdue(monotonic_s))):
            self._commit(now)
            self._ticked_s = monotonic_s
        elif self._tick_is_due(monotonic_s):
            self._writer().tick(now)
            self._ticked_s = monotonic_s
        self._inbox.answer(turn.answers)

    def _is_overdue(self, monotonic_s: float) -> bool:
        return self._relaxed_wait_s(monotonic_s) <= 0.0 or len(self._relaxed) > self._limits.max_batch

    def _relaxed_wait_s(self, monotonic_s: float) -> float:
        """How long what is relaxed may still wait."""
        return self._relaxed_since_s + self._limits.relaxed_s - monotonic_s

    def _tick_is_due(self, monotonic_s: float) -> bool:
        """Field time is journaled once a second while anything hangs on it."""
        ticked_s = self._ticked_s
        is_time = ticked_s is None or monotonic_s - ticked_s >= _WAKE_S
        return is_time and self.kernel.machine.next_deadline_s() is not None

    def _commit(self, now: Now) -> None:
        events, self._relaxed = self._relaxed, []
        payload = pack([now.field_s, now.utc_s, self.kernel.events.pack_form(events)])
        started = self._stopwatch()
        try:
            self._append(payload, now)
        finally:
            self.statistics.commit_seconds += self._stopwatch() - started
        self.statistics.n_commits += 1
        self.statistics.journal_bytes += len(payload)
        self.statistics.rows_since_snapshot += 1

    def _append(self, payload: bytes, now: Now) -> None:
        """Commit; a commit whose confirmation was lost may have been done, and the store knows."""
        journal = self._writer()
        seq = journal.seq + 1
        try:
            journal.append(payload, now)
        except CommitFailed:
            if not _has_row(journal.store, seq, payload):
                raise
            journal.confirm(seq)

    def _next_wake_s(self, monotonic_s: float) -> float | None:
        if len(self._inbox):
            return 0.0
        if self._trouble is not None:
            return self._probe_wait_s()
        wake_s = max(0.0, self._relaxed_wait_s(monotonic_s)) if self._relaxed else None
        deadline_s = self.kernel.machine.next_deadline_s()
        if deadline_s is None:
            return wake_s
        return earlier(wake_s, min(_WAKE_S, max(_SHORTEST_WAKE_S, deadline_s - self.clock.field_s)))

    def _probe_wait_s(self) -> float | None:
        return None if isinstance(self._trouble, Corrupt) else self._limits.probe_s

    # Notes to other actors

    @property
    def outbox(self) -> Outbox | None:
        """The machine's outbox, while the store holds all that it says; None otherwise, and if there is none."""
        return None if self._relaxed or self._trouble is not None else outbox_of(self.kernel.machine)

    def confirm_sent(self, receiver: str, number: int) -> None:
        """A receiver has its notes up to `number`: the next turn records it."""
        self._confirmed[receiver] = number

    def _record_sent(self) -> bool:
        """Tell the machine what was confirmed; True if so much more waits that the next commit should come now."""
        confirmed, self._confirmed = self._confirmed, {}
        outbox = outbox_of(self.kernel.machine) if confirmed else None
        if outbox is None:
            return False
        for receiver, number in confirmed.items():
            outbox.sent(receiver, number)
        return any(outbox.is_behind(receiver) for receiver in confirmed)

    # Trouble

    def _after_a_failure(self, error: CommitFailed | Corrupt, batch: list[Queued], monotonic_s: float) -> None:
        """The store did not take the batch: nothing of it was done, and its callers hear so."""
        self.statistics.n_failed_commits += 1
        self._throw_away(error, batch, monotonic_s)
        self._inbox.refuse(error, [queued.slot for queued in batch])
        if isinstance(error, Corrupt):
            self._inbox.refuse_all(error)

    def _after_a_bug(self, error: Exception, batch: list[Queued], monotonic_s: float) -> None:
        """Rebuild the state, and run the batch again one by one: only what breaks it is answered so.

        A bug that comes back without anybody asking, or in another batch at once, has to wait for the next probe.
        """
        self.statistics.n_bugs += 1
        broken = _broken(error)
        soon = bool(batch) and (self._n_alone > 0 or monotonic_s >= self._probe_after_s)
        n_alone = max(0, self._n_alone - 1)
        self._throw_away(broken, batch, monotonic_s)
        if len(batch) == 1:
            self._inbox.refuse(broken, [batch[0].slot])
        else:
            self._inbox.put_back(batch)
            n_alone = len(batch)
        if soon and self._is_recovered():
            self._n_alone = n_alone

    def _throw_away(self, error: ScentfieldError, batch: list[Queued], monotonic_s: float) -> None:
        """The state has run ahead of the store, so it goes. Earlier calls that wait in it will wait in the next one."""
        self._trouble = error
        self._probe_after_s = monotonic_s + self._limits.probe_s
        self._relaxed = []
        own = {queued.slot for queued in batch}
        for ticket, slots in self.kernel.take_slots().items():
            self._parked.setdefault(ticket, []).extend(slot for slot in slots if slot not in own)
        self.kernel = self._empty_kernel()

    def _back_in_service(self, monotonic_s: float) -> bool:
        """Try to recover and to write, if it is time to; True when it serves again."""
        if isinstance(self._trouble, Corrupt) or monotonic_s < self._probe_after_s:
            return False
        self._probe_after_s = monotonic_s + self._limits.probe_s
        return self._is_recovered()

    def _is_recovered(self) -> bool:
        """Recover; opening the journal and the clocks' commit are the probe write."""
        try:
            self._recover()
            self._writer().tick(self.clock.now)
        except (CommitFailed, Corrupt) as error:
            self._trouble = error
            return False
        return True

    def _refuse(self, error: ScentfieldError) -> float | None:
        """Answer what is queued, and if the store is corrupt also those who wait: nothing will come."""
        self._n_alone = 0
        if isinstance(error, Corrupt):
            self._inbox.refuse_all(error)
        else:
            self._inbox.refuse_queued(error)
        return self._probe_wait_s()

    # Recovery

    def _recover(self) -> None:
        """Build the kernel anew from the latest snapshot and the journal after it."""
        self._close_journal()
        recovered: list[tuple[Kernel, Recovered]] = []

        def recover(store: Store) -> Head:
            kernel = self._empty_kernel()
            recovered[:] = [(kernel, recover_into(kernel, store))]
            return recovered[0][1].head

        self.journal = self._open_journal(recover)
        kernel, how = recovered[0]
        n_rows = how.head.seq - how.snapshot_seq
        self.statistics.rows_since_snapshot = n_rows
        self.statistics.n_replayed_rows += n_rows
        self._serve(kernel, how.head)

    def _serve(self, kernel: Kernel, head: Head) -> None:
        self.clock.start_at(head.field_s, head.utc_s)
        kernel.machine.wake(self.clock.now)
        self.kernel = kernel
        self._trouble = None
        parked, self._parked = self._parked, {}
        lost = CommitFailed("what this call waited for was not committed, and nothing was done: ask again")
        self._inbox.refuse(lost, kernel.adopt(parked))

    def _close_journal(self) -> None:
        journal, self.journal = self.journal, None
        if journal is not None:
            with suppress(ScentfieldError):  # it is in trouble already
                journal.close()

    def _writer(self) -> Journal:
        if self.journal is None:
            raise CommitFailed("the store is not open: nothing was done")
        return self.journal

    def _empty_kernel(self) -> Kernel:
        return Kernel(
            self._make_machine(),
            max_unacknowledged=self._limits.max_unacknowledged,
            max_memory_bytes=self._limits.max_memory_bytes,
        )

    def flush(self) -> None:
        """Commit what is relaxed; for an orderly stop. Raises `CommitFailed`, `Corrupt` or `Fenced`."""
        if self._relaxed and self._trouble is None:
            self._commit(self.clock.now)

    @property
    def wants_compaction(self) -> bool:
        """Whether the journal has grown enough to be folded into a snapshot."""
        statistics, limits = self.statistics, self._limits
        return (
            statistics.rows_since_snapshot >= limits.compact_after_rows
            or statistics.journal_bytes >= limits.compact_after_bytes
        )

    def compaction_started(self) -> None:
        """Start counting anew."""
        self.statistics.rows_since_snapshot = 0
        self.statistics.journal_bytes = 0


def _has_row(store: Store, seq: int, payload: bytes) -> bool:
    try:
        return store.has_row(seq, payload)
    except ScentfieldError:
        return False


def _broken(error: Exception) -> InvariantBroken:
    story = str(error) if isinstance(error, InvariantBroken) else f"{type(error).__name__}: {error}"
    return InvariantBroken(f"a bug in Scentfield: {story}. Nothing was done, and the state was rebuilt from the store")
