"""Many claims of one target each, decided as one by one but recorded in runs.

Nearly all claims are of one plain file that nobody holds, waits for or has marked. What comes in a row of such is one
fact, one part of the answer, and a few dict updates; every other target takes the way of a single claim. The outcome is
the same, and a property test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from actors.runtime.errors import Misuse
from actors.runtime.wire import BusyFor, Failed
from actors.scent_field.claiming import Claiming
from actors.scent_field.event import LeasesGranted
from actors.scent_field.expiry import Expiry
from actors.scent_field.liveness import Liveness
from actors.scent_field.mark import places_marked
from actors.scent_field.messages import AnsweredApart, Claim, ClaimEach, ClaimedEach, Granted, GrantedRun, Held
from actors.scent_field.request import check_space, check_terms
from actors.scent_field.state import FieldState
from actors.scent_field.target import places_not_plain


class Batch:
    """Decides batches of claims on the field's state."""

    def __init__(self, state: FieldState, sessions: Liveness, expiry: Expiry, claiming: Claiming) -> None:
        self._state = state
        self._sessions = sessions
        self._expiry = expiry
        self._claiming = claiming

    def claim_each(self, session_id: str, command: ClaimEach, now_s: float) -> ClaimedEach | BusyFor:
        """Give each target that is free. Raises `Misuse` for what is wrong with the command, not with one target."""
        self._check(command)
        kept_by = self._sessions.kept_by(session_id)
        runs: list[GrantedRun] = []
        apart: list[AnsweredApart] = []
        for place, n_free in self._stretches(command):
            if n_free:
                runs.append(self._grant_run(session_id, command, place, n_free, now_s))
            else:
                apart.append(self._apart(session_id, command, place, now_s))
        if not runs and all(one.busy for one in apart):
            return apart[0].busy or BusyFor(1.0, "nothing was asked for")
        expires_in_s = self._expiry.fresh_s(session_id, now_s)
        return ClaimedEach(command.space, expires_in_s, kept_by, tuple(runs), tuple(apart))

    def _check(self, command: ClaimEach) -> None:
        limits = self._state.limits
        if not 0 < len(command.targets) <= limits.max_each:
            raise Misuse(f"a batch takes 1 to {limits.max_each} targets, not {len(command.targets)}: split it")
        check_terms(command.mode, command.intent, limits)
        check_space(self._state, command.space)

    def _stretches(self, command: ClaimEach) -> Iterator[tuple[int, int]]:
        """(place, how many from there on are free plain files); 0 for a target that goes the way of a single claim.

        Each is asked for when the one before has been recorded.
        """
        place, targets = 0, command.targets
        for stop in (*self._singles(command), len(targets)):
            while place < stop:
                n_free = self._n_free(command, place, stop)
                yield place, n_free
                place += n_free or 1
            if stop < len(targets):
                yield stop, 0
            place = stop + 1

    def _n_free(self, command: ClaimEach, place: int, stop: int) -> int:
        """How many targets from this place on nobody holds, as far as there is room for more claims."""
        stop = min(stop, place + self._state.n_room)
        return self._state.look(command.space).leases.index.n_free(command.targets, place, stop)

    def _singles(self, command: ClaimEach) -> list[int]:
        """Places that cannot be in a run.

        That is what is no plain file, may have marks to tell of, is waited for, or comes a second time.
        """
        targets = command.targets
        if command.mode != "exclusive":
            return list(range(len(targets)))
        space = self._state.look(command.space)
        singles = {*places_not_plain(targets), *places_marked(space.signals, targets)}
        if len(space.waiters):
            singles.update(space.waiters.index.places_taken(targets))
        if len(set(targets)) < len(targets):
            first = {text: place for place, text in reversed(list(enumerate(targets)))}
            singles.update(place for place, text in enumerate(targets) if first[text] < place)
        return sorted(singles)

    def _grant_run(self, session_id: str, command: ClaimEach, place: int, n_claims: int, now_s: float) -> GrantedRun:
        state = self._state
        generation = state.look(command.space).generation + 1
        state.record(
            LeasesGranted(
                state.last_lease + 1,
                command.space,
                session_id,
                command.targets[place : place + n_claims],
                generation,
                self._sessions.kept_by(session_id) == "decay",
                now_s,
                command.intent,
            )
        )
        return GrantedRun(place, n_claims, generation)

    def _apart(self, session_id: str, command: ClaimEach, place: int, now_s: float) -> AnsweredApart:
        single = Claim(command.space, command.targets[place : place + 1], command.mode, 0.0, command.intent)
        try:
            answer = self._claiming.claim(session_id, single, now_s)
        except Misuse as error:
            return AnsweredApart(place, None, None, Failed(error.code, error.message), None)
        return AnsweredApart(
            place,
            answer if isinstance(answer, Granted) else None,
            answer if isinstance(answer, Held) else None,
            None,
            answer if isinstance(answer, BusyFor) else None,
        )
