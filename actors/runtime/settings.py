"""The limits of a state actor, as plain numbers that cross to the actor's process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MailboxLimits:
    """What a mailbox holds at most; over it the answer is `Busy`.

    A turn takes `max_batch` envelopes, and all signs of life behind them, so that a heartbeat that has arrived counts.
    `relaxed_s` is how long an answered but relaxed fact may wait for its commit; `compact_after_*` say when the journal
    is folded into a new snapshot.
    """

    max_queue: int = 2_000
    max_queue_bytes: int = 64 * 2**20
    max_batch: int = 512
    max_unacknowledged: int = 256
    max_memory_bytes: int = 64 * 2**20
    relaxed_s: float = 1.0
    probe_s: float = 0.5
    compact_after_rows: int = 20_000
    compact_after_bytes: int = 64 * 2**20
