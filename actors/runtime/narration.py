"""Says in the log what becomes of a state actor: what has changed since it looked last."""

from __future__ import annotations

from typing import Final

from actors.runtime.compaction import Compaction
from actors.runtime.courier import Courier
from actors.runtime.errors import ScentfieldError
from actors.runtime.log import Log
from actors.runtime.mailbox import Mailbox

SLOW_COMMIT_S: Final = 1.0
_COURIER_EVERY_S: Final = 1.0


class Narration:
    """Looks at the parts of one actor; `look` costs a comparison while nothing happens.

    It is asked after every turn, and says each thing once, however long it lasts.
    """

    def __init__(self, log: Log, mailbox: Mailbox, compaction: Compaction, courier: Courier | None) -> None:
        self._log = log
        self._mailbox = mailbox
        self._compaction = compaction
        self._courier = courier
        self._trouble: ScentfieldError | None = None
        self._trouble_since_s = 0.0
        self._counts = self._count()
        self._commit_seconds = mailbox.statistics.commit_seconds
        self._stuck: dict[str, str] = {}
        self._courier_due_s = 0.0

    def begin(self, took_s: float, now_s: float) -> None:
        """The actor has read its store, or could not."""
        mailbox, journal = self._mailbox, self._mailbox.journal
        if mailbox.trouble is not None:
            self._look_at_trouble(now_s)
            return
        self._log.info(
            "started",
            store="" if journal is None else journal.store.where,
            epoch=None if journal is None else journal.head.epoch,
            commits=None if journal is None else journal.seq,
            n_replayed_rows=mailbox.statistics.n_replayed_rows,
            took_s=round(took_s, 3),
        )

    def look(self, now_s: float) -> None:
        """Say what has changed; `now_s` is monotonic."""
        if self._mailbox.trouble is not self._trouble:
            self._look_at_trouble(now_s)
        counts = self._count()
        if counts != self._counts:
            before, self._counts = self._counts, counts
            self._tell_counts(before, counts)
        self._look_at_commit()
        if self._courier is not None and now_s >= self._courier_due_s:
            self._courier_due_s = now_s + _COURIER_EVERY_S
            self._look_at_courier(self._courier)

    def stopped(self) -> None:
        """All that was queued is answered and committed."""
        self._log.info("drained", commits=None if self._mailbox.journal is None else self._mailbox.journal.seq)

    def _count(self) -> tuple[int, int, int, int, int]:
        statistics, compaction = self._mailbox.statistics, self._compaction
        n_jumps = self._mailbox.clock.n_refused_jumps
        return statistics.n_busy, statistics.n_bugs, compaction.n_started, compaction.n_failed, n_jumps

    def _look_at_trouble(self, now_s: float) -> None:
        before, trouble = self._trouble, self._mailbox.trouble
        self._trouble = trouble
        if trouble is None:
            self._log.info("serves again", after_s=round(now_s - self._trouble_since_s, 3))
            return
        if before is None:
            self._trouble_since_s = now_s
        if before is None or before.code != trouble.code:
            self._log.error("does not serve", code=trouble.code, why=trouble.message)

    def _tell_counts(self, before: tuple[int, ...], now: tuple[int, ...]) -> None:
        n_busy, n_bugs, n_started, n_failed, n_jumps = (new - old for old, new in zip(before, now, strict=True))
        if n_busy:
            self._log.warning("busy", n_refused=n_busy, n_queued=self._mailbox.n_queued)
        if n_bugs:
            self._log.error("a bug: a batch was thrown away and the state rebuilt", n_bugs=n_bugs)
        if n_started:
            self._log.info("folds its journal", commits=None if (j := self._mailbox.journal) is None else j.seq)
        if n_failed:
            self._log.error("could not fold its journal", n_failed=n_failed)
        if n_jumps:
            self._log.warning("a jump of the clock was refused", n_jumps=n_jumps)

    def _look_at_commit(self) -> None:
        spent_s = self._mailbox.statistics.commit_seconds
        took_s, self._commit_seconds = spent_s - self._commit_seconds, spent_s
        if took_s >= SLOW_COMMIT_S:
            self._log.warning("a commit took long", took_s=round(took_s, 3))

    def _look_at_courier(self, courier: Courier) -> None:
        """Notes that cannot be delivered wait; it is said once, and when they go again."""
        stuck = {name: told["trouble"] for name, told in courier.describe().items() if told["trouble"]}
        for receiver in sorted(stuck.keys() - self._stuck.keys()):
            self._log.warning("notes wait", receiver=receiver, why=stuck[receiver])
        for receiver in sorted(self._stuck.keys() - stuck.keys()):
            self._log.info("notes go again", receiver=receiver)
        self._stuck = stuck
