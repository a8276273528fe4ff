"""What edits say about the views they were written from, and what follows for the next read.

Two rules, from the quality-loop contract (version 1). A failed edit whose old text was not found arms an escalation:
the path's next automatic read is `full`, once. And a pair (extension, mode) whose edits fail too often is risky:
automatic reads that would pick that mode for that kind of file get `full`. Both only ever move toward `full`. The book
does not know who edits, and takes the caller's word for the mode of the last view.

Every change is handed to `record` as an event; it must come back through the methods under "Facts" before `record`
returns, because the next decision builds on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors.quality_store.cause import FAILURE, check_cause, signal_of
from actors.quality_store.escalation import Escalation, Escalations
from actors.quality_store.event import (
    EscalationArmed,
    EscalationEnded,
    EscalationMoved,
    EscalationReturned,
    OutcomeCounted,
    OutcomeRecorded,
    PairDropped,
    PenaltyHeldOut,
    PenaltyServed,
)
from actors.quality_store.limit import Limits
from actors.quality_store.messages import Dropped, FollowMove, Recorded, RecordOutcome
from actors.quality_store.mode import FULL, check_mode
from actors.quality_store.pair import NO_EVIDENCE, Key, Pairs, fail_rate, is_risky
from actors.quality_store.path import check_path, extension_of, label_of
from actors.quality_store.row import PairRow
from actors.quality_store.tally import Tally
from actors.runtime.errors import InvariantBroken, Misuse

ENDINGS = ("served", "expired", "evicted", "changed", "reset")


class EditBook:
    """Pairs, pending escalations, and the counts of what came of both."""

    def __init__(self, limits: Limits, record: Callable[[Any], None]) -> None:
        self._limits = limits
        self._record = record
        self.pairs = Pairs()
        self.escalations = Escalations()
        self.outcomes = Tally()
        self.penalties = Tally()
        self.held_out = Tally()
        self.totals = Tally()

    # Commands

    def record_outcome(self, asked: RecordOutcome, utc_s: float) -> Recorded:
        """Take note of how an edit ended. Raises `Misuse` for a path, mode, outcome or cause that does not exist."""
        check_path(asked.space, asked.path)
        check_cause(asked.outcome, asked.cause)
        if asked.mode:
            check_mode(asked.mode)
        signal = signal_of(asked.cause) if asked.mode else ""
        if not signal:
            self._record(OutcomeCounted(*self._outcome_row(asked)))
            return Recorded("", False, False)
        self.expire(utc_s)
        risky = self._record_signal(asked, signal == FAILURE, utc_s)
        escalated = signal == FAILURE and asked.mode != FULL
        if escalated:
            self._arm(asked.space, asked.path, utc_s)
        return Recorded(signal, escalated, risky)

    def _outcome_row(self, asked: RecordOutcome) -> Key:
        return self.outcomes.place((label_of(extension_of(asked.path)), asked.cause), self._limits.max_rows)

    def _record_signal(self, asked: RecordOutcome, failed: bool, utc_s: float) -> bool:
        """Record one outcome of a pair; True if the pair is risky now."""
        key = (extension_of(asked.path), asked.mode)
        risky = self._risky_after(key, failed, utc_s)
        self._record(OutcomeRecorded(*key, *self._outcome_row(asked), failed, risky, utc_s))
        while len(self.pairs) > self._limits.max_pairs:
            self._record(PairDropped(*self.pairs.first_out(), "evicted"))
        return risky

    def _risky_after(self, key: Key, failed: bool, utc_s: float) -> bool:
        """The baseline is never risky: there is nothing fuller than `full`."""
        pair = self.pairs.get(key, self._pair_horizon(utc_s)) or NO_EVIDENCE
        n_fails, n_successes = pair.n_fails + failed, pair.n_successes + (not failed)
        return key[1] != FULL and is_risky(pair.risky, n_fails, n_successes, self._limits)

    def _arm(self, space: str, path: str, utc_s: float) -> None:
        self._record(EscalationArmed(space, path, utc_s))
        self._evict_escalations()

    def _evict_escalations(self) -> None:
        while len(self.escalations) > self._limits.max_escalations:
            oldest = self.escalations.oldest()
            self._record(EscalationEnded(oldest.space, oldest.path, "evicted"))

    def serve(self, escalation: Escalation) -> None:
        """Use an escalation up."""
        self._record(EscalationEnded(escalation.space, escalation.path, "served"))

    def count_penalty(self, extension: str, mode: str, *, is_held_out: bool) -> None:
        """An automatic read met a risky pair, and got `full` or was held out from that."""
        fact, tally = (PenaltyHeldOut, self.held_out) if is_held_out else (PenaltyServed, self.penalties)
        self._record(fact(*tally.place((label_of(extension), mode), self._limits.max_rows)))

    def drop_escalations(self, space: str, paths: tuple[str, ...], utc_s: float) -> Dropped:
        """Forget the escalations of files that were changed from outside."""
        for path in paths:
            check_path(space, path)
        self.expire(utc_s)
        pending = [path for path in dict.fromkeys(paths) if (space, path) in self.escalations]
        for path in pending:
            self._record(EscalationEnded(space, path, "changed"))
        return Dropped(len(pending))

    def follow_move(self, asked: FollowMove, utc_s: float) -> Dropped:
        """Take an escalation along with its file; one of a file that was there before is void."""
        check_path(asked.space, asked.path)
        check_path(asked.space, asked.new_path)
        if asked.path == asked.new_path:
            raise Misuse(f"{asked.path[:80]!r} cannot be moved to itself: name two paths")
        dropped = self.drop_escalations(asked.space, (asked.new_path,), utc_s)
        if asked[:2] in self.escalations:
            self._record(EscalationMoved(*asked))
        return dropped

    def give_back(self, escalation: Escalation, utc_s: float) -> None:
        """Undo a `serve` whose caller never heard of it; a newer escalation of the path stands."""
        self.expire(utc_s)
        lapsed = escalation.armed_at < self._escalation_horizon(utc_s)
        if lapsed or escalation[:2] in self.escalations:
            return
        self._record(EscalationReturned(*escalation))
        self._evict_escalations()

    def expire(self, utc_s: float) -> None:
        """Collect the pairs and escalations whose time is over."""
        for key in self.pairs.decayed(self._pair_horizon(utc_s)):
            self._record(PairDropped(*key, "decayed"))
        for lapsed in self.escalations.lapsed(self._escalation_horizon(utc_s)):
            self._record(EscalationEnded(lapsed.space, lapsed.path, "expired"))

    # Queries

    def escalation(self, space: str, path: str, utc_s: float) -> Escalation | None:
        """The path's pending escalation."""
        return self.escalations.get(space, path, self._escalation_horizon(utc_s))

    def is_risky(self, extension: str, mode: str, utc_s: float) -> bool:
        """Whether edits from such views of such files fail too often."""
        pair = self.pairs.get((extension, mode), self._pair_horizon(utc_s))
        return pair is not None and pair.risky

    def pair_rows(self, utc_s: float) -> tuple[PairRow, ...]:
        """The pairs that have not decayed, by label and mode; those that share the label "other" are added up."""
        sums: dict[Key, tuple[int, int, bool]] = {}
        for (extension, mode), pair in self.pairs.live(self._pair_horizon(utc_s)):
            row = (label_of(extension), mode)
            n_fails, n_successes, risky = sums.get(row, (0, 0, False))
            sums[row] = (n_fails + pair.n_fails, n_successes + pair.n_successes, risky or pair.risky)
        return tuple(
            PairRow(*row, fails, successes, fail_rate(fails, successes), risky)
            for row, (fails, successes, risky) in sorted(sums.items())
        )

    def n_escalations(self, utc_s: float) -> int:
        """How many are pending."""
        return self.escalations.n_live(self._escalation_horizon(utc_s))

    def n_ended(self, reason: str, utc_s: float) -> int:
        """How many escalations ended so, those included that have lapsed and are not collected yet."""
        uncollected = len(self.escalations) - self.n_escalations(utc_s) if reason == "expired" else 0
        return self.totals["escalation", reason] + uncollected

    def n_dropped_pairs(self, reason: str, utc_s: float) -> int:
        """How many pairs were dropped so, those included that have decayed and are not collected yet."""
        n_live = sum(1 for _ in self.pairs.live(self._pair_horizon(utc_s)))
        uncollected = len(self.pairs) - n_live if reason == "decayed" else 0
        return self.totals["pair", reason] + uncollected

    def _pair_horizon(self, utc_s: float) -> float:
        return utc_s - self._limits.pair_decay_s

    def _escalation_horizon(self, utc_s: float) -> float:
        return utc_s - self._limits.escalation_ttl_s

    # Facts

    def outcome_recorded(self, fact: OutcomeRecorded) -> None:
        """Apply a signal."""
        self.totals.add(("pair", "recorded"))
        self.outcomes.add((fact.label, fact.cause))
        number = self.totals["pair", "recorded"]
        self.pairs.record((fact.extension, fact.mode), fact.failed, fact.risky, fact.at_utc_s, number)

    def outcome_counted(self, fact: OutcomeCounted) -> None:
        """Apply an outcome without signal."""
        self.outcomes.add((fact.label, fact.cause))

    def pair_dropped(self, fact: PairDropped) -> None:
        """Apply the end of a pair."""
        self.totals.add(("pair", fact.reason))
        self.pairs.drop((fact.extension, fact.mode))

    def escalation_armed(self, fact: EscalationArmed) -> None:
        """Apply an escalation; one that is pending already counts once."""
        if (fact.space, fact.path) not in self.escalations:
            self.totals.add(("escalation", "armed"))
        self.escalations.arm(Escalation(*fact))

    def escalation_returned(self, fact: EscalationReturned) -> None:
        """Apply an escalation's return."""
        self.totals.add(("escalation", "returned"))
        self.escalations.arm(Escalation(*fact))

    def escalation_ended(self, fact: EscalationEnded) -> None:
        """Apply the end of an escalation."""
        self.totals.add(("escalation", fact.reason))
        self.escalations.end(fact.space, fact.path)

    def escalation_moved(self, fact: EscalationMoved) -> None:
        """Apply a move: it is the same escalation."""
        self.escalations.move(*fact)

    def penalty_served(self, fact: PenaltyServed) -> None:
        """Apply a served penalty."""
        self.penalties.add((fact.label, fact.mode))

    def penalty_held_out(self, fact: PenaltyHeldOut) -> None:
        """Apply a penalty that the holdout went without."""
        self.held_out.add((fact.label, fact.mode))

    def forget(self, extension: str) -> None:
        """Apply that the pairs and escalations of an extension are forgotten, or for "" all."""
        pairs, escalations = self.of_extension(extension)
        for key in pairs:
            self.totals.add(("pair", "reset"))
            self.pairs.drop(key)
        for one in escalations:
            self.totals.add(("escalation", "reset"))
            self.escalations.end(one.space, one.path)

    def of_extension(self, extension: str) -> tuple[list[Key], list[Escalation]]:
        """The pairs and pending escalations of an extension, or for "" all."""
        pairs = [key for key, _ in self.pairs.live(float("-inf")) if extension in ("", key[0])]
        escalations = self.escalations.lapsed(float("inf"))
        return pairs, [one for one in escalations if extension in ("", extension_of(one.path))]

    def check_invariants(self) -> None:
        """Each escalation is pending or has ended; only what failed and is not the baseline is risky."""
        begun = self.totals["escalation", "armed"] + self.totals["escalation", "returned"]
        ended = sum(self.totals["escalation", reason] for reason in ENDINGS)
        if begun != ended + len(self.escalations):
            raise InvariantBroken(f"{begun} escalations began, {ended} ended, {len(self.escalations)} are pending")
        for extension, mode, n_fails, n_successes, risky, *_ in self.pairs.rows():
            if risky and (mode == FULL or n_fails == 0):
                counts = f"{n_fails} failures and {n_successes} successes"
                raise InvariantBroken(f"{extension!r}|{mode!r} is risky with {counts}")
