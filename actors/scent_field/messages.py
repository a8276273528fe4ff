"""What clients say to the scent field, and what it answers.

Times in seconds of field time. `space` names the claim space, `targets` are canonical (see `target.py`). Expected
outcomes are answers; what is illegal comes back as `Failed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from actors.runtime.errors import InvariantBroken
from actors.runtime.wire import BusyFor, Failed, Schema


class Claim(NamedTuple):
    """Give me all of these targets, or none. `mode` is `exclusive` or `shared`; `wait_s` 0 does not wait."""

    space: str
    targets: tuple[str, ...]
    mode: str
    wait_s: float
    intent: str


class ClaimAny(NamedTuple):
    """Give me the first of these targets that is free."""

    space: str
    targets: tuple[str, ...]
    mode: str
    wait_s: float
    intent: str


class ClaimEach(NamedTuple):
    """Give me each of these targets that is free: as many claims of one target each, made in this order.

    The outcome is that of as many `Claim` commands; it takes a fraction of their time and of their bytes.
    """

    space: str
    targets: tuple[str, ...]
    mode: str
    intent: str


class SignalNote(NamedTuple):
    """A signal on a target that was asked for: who left it, how long ago, how strong it still is."""

    kind: str
    target: str
    agent: str
    age_s: float
    intensity: float


class Granted(NamedTuple):
    """The targets of `space` are yours. `generation` fences: it only grows there, and a later holder's is higher.

    `expires_in_s` is the earliest end if you went silent now; `kept_by` says what pushes it out.
    """

    generation: int
    targets: tuple[str, ...]
    expires_in_s: float
    kept_by: str
    renewed: bool
    signals: tuple[SignalNote, ...]
    warnings: tuple[str, ...]
    space: str = ""


class Conflict(NamedTuple):
    """One reason why a target is not free. `waiting` marks an earlier waiter instead of a holder."""

    target: str
    held_target: str
    holder: str
    generation: int
    mode: str
    waiting: bool
    age_s: float
    last_progress_s: float
    expires_in_s: float
    intent: str


class Held(NamedTuple):
    """Not yours, and why.

    `reason` is `claimed`, `queued` (an earlier waiter needs it), `lock_delay`, `timeout` or `would_deadlock` (then
    `cycle` lists the agents that would wait for each other).
    """

    reason: str
    conflicts: tuple[Conflict, ...]
    n_more: int
    next_step: str
    cycle: tuple[str, ...]


class GrantedRun(NamedTuple):
    """Claims of `n_claims` targets in a row, from the one at `place` on: new ones, about which there is no more to say.

    Their generations count on from `generation`.
    """

    place: int
    n_claims: int
    generation: int


class AnsweredApart(NamedTuple):
    """The answer to the claim of the target at `place`: one of the four."""

    place: int
    granted: Granted | None
    held: Held | None
    failed: Failed | None
    busy: BusyFor | None

    @property
    def answer(self) -> Granted | Held | Failed | BusyFor:
        """The one that is there."""
        return self.granted or self.held or self.failed or self.busy or _missing(self.place)


class ClaimedEach(NamedTuple):
    """What became of each target of a `ClaimEach`, in as few words as it takes; `answers_of` spells it out."""

    space: str
    expires_in_s: float
    kept_by: str
    runs: tuple[GrantedRun, ...]
    apart: tuple[AnsweredApart, ...]


def answers_of(each: ClaimedEach, targets: Sequence[str]) -> list[Granted | Held | Failed | BusyFor]:
    """The answer to each claim, as a `Claim` of that target alone would have had it.

    `targets` are those of the command. Raises `InvariantBroken` if an answer is missing.
    """
    answers: list[Granted | Held | Failed | BusyFor | None] = [None] * len(targets)
    for one in each.apart:
        answers[one.place] = one.answer
    for place, n_claims, generation in each.runs:
        for at in range(n_claims):
            target = (targets[place + at],)
            answers[place + at] = Granted(
                generation + at, target, each.expires_in_s, each.kept_by, False, (), (), each.space
            )
    return [answer or _missing(place) for place, answer in enumerate(answers)]


def _missing(place: int) -> NoReturn:
    raise InvariantBroken(f"the target at place {place} has no answer")


class Release(NamedTuple):
    """Give up these targets, or with `generation` the whole claim of that number. `done` leaves a DONE signal."""

    space: str
    targets: tuple[str, ...]
    generation: int
    done: bool


class GiveBack(NamedTuple):
    """Release a claim of just these targets that was made for a moment, unless it was claimed again since."""

    space: str
    targets: tuple[str, ...]
    generation: int


class NotReleased(NamedTuple):
    """A target that was not released, and why."""

    target: str
    why: str


class Released(NamedTuple):
    """So many targets were released; the others with their reasons. True if there are no others."""

    n_released: int
    not_released: tuple[NotReleased, ...]

    def __bool__(self) -> bool:
        return not self.not_released


class Transfer(NamedTuple):
    """Hand this claim over to another live session."""

    space: str
    generation: int
    to_session: str
    note: str


class ForceRelease(NamedTuple):
    """Take a target away from whoever holds it. Refused while a holder is alive, unless `even_if_alive`."""

    space: str
    target: str
    reason: str
    even_if_alive: bool


class Progress(NamedTuple):
    """I have edited or read this path: my claim on it is not idle, and the path is warm.

    `heat` is the HOT intensity to leave (0: none), `trouble` the STUCK intensity.
    """

    space: str
    path: str
    heat: float
    trouble: float


class Noted(NamedTuple):
    """Taken."""


class LeaveSignal(NamedTuple):
    """Deposit a signal."""

    space: str
    kind: str
    target: str
    intensity: float


class Deposited(NamedTuple):
    """The signal's intensity now."""

    intensity: float


class Sync(NamedTuple):
    """What does the field look like? Strongest signals first."""

    space: str
    limit: int


class FieldRow(NamedTuple):
    """One (kind, target); for CLAIMED with the oldest live claim's age and generation. `idle_s` is without progress."""

    kind: str
    target: str
    intensity: float
    agents: tuple[str, ...]
    age_s: float
    generation: int
    idle_s: float
    intent: str


class FieldView(NamedTuple):
    """The strongest rows, and how many were left out. `version` is where `watch` goes on."""

    rows: tuple[FieldRow, ...]
    n_left_out: int
    n_claims: int
    n_waiters: int
    strictness: str
    version: int


class Check(NamedTuple):
    """Does the claim with this generation still cover the path? Generation 0 asks who holds it."""

    space: str
    path: str
    generation: int
    session_id: str


class Checked(NamedTuple):
    """Whether it holds, also as a condition; if not, why and who holds the path now.

    `strictness` says what a guard should do.
    """

    holds: bool
    why: str
    holder: str
    holder_generation: int
    age_s: float
    expires_in_s: float
    intent: str
    strictness: str

    def __bool__(self) -> bool:
        return self.holds


class Guard(NamedTuple):
    """Would changes of these targets, 1,024 at most, go over claims of others? Refusals count once, under `source`.

    Who has made them: agents in `names` (`ann` or `ann#1`), or those that speak for the first of the processes in
    `seats` for which any does. Their own claims and those of their ancestors are in nobody's way. `ages_s` says of
    each target how many seconds ago it was changed, or is empty for now: a claim that was granted later was not in the
    way. `generation` other than 0 is that of the claim under which they were made: it must cover each target still.
    `strictness` replaces the space's, unless it is empty; only at `deny` is anything refused.
    """

    space: str
    targets: tuple[str, ...]
    ages_s: tuple[float, ...]
    names: tuple[str, ...]
    seats: tuple[str, ...]
    generation: int
    source: str
    strictness: str


class Overtaken(NamedTuple):
    """A target that the claim does not cover any more, and why."""

    target: str
    why: str


class Guarded(NamedTuple):
    """What is in the way of changes, in the order of the targets, 20 of each kind at most; and who `agents` are."""

    strictness: str
    agents: tuple[str, ...]
    conflicts: tuple[Conflict, ...]
    n_more: int
    overtaken: tuple[Overtaken, ...]
    n_more_overtaken: int


class CheckHeat(NamedTuple):
    """Ask how hot a file is by what agents other than this session have left."""

    space: str
    path: str
    session_id: str


class AgentHeat(NamedTuple):
    """The sum of one agent's HOT signals on a file and the folders that hold it."""

    agent_id: str
    intensity: float


class Heat(NamedTuple):
    """Who has made the file hot, hottest first, 10 at most."""

    agents: tuple[AgentHeat, ...]


class Watch(NamedTuple):
    """Tell me what changes after `version`; wait up to `timeout_s` for something."""

    space: str
    version: int
    timeout_s: float


class Change(NamedTuple):
    """One change.

    `what` is `claimed`, `released`, `ended`, `moved`, `waiting`, `left` or `signal`; `detail` names the cause.
    """

    version: int
    what: str
    target: str
    agent: str
    detail: str


class Changes(NamedTuple):
    """Changes up to `version`. With `resync` some were missed: ask `sync` and go on from `version`."""

    version: int
    resync: bool
    changes: tuple[Change, ...]


class SetStrictness(NamedTuple):
    """How this space treats an edit of a file that somebody else holds: `observe`, `warn` or `deny`."""

    space: str
    strictness: str


class ListLosses(NamedTuple):
    """Ask which claims this session lost, and who has them now."""

    session_id: str


class Loss(NamedTuple):
    """A claim that ended without its holder's doing; `number` grows."""

    number: int
    space: str
    targets: tuple[str, ...]
    generation: int
    reason: str
    ago_s: float
    new_holder: str


class Losses(NamedTuple):
    """A session's lost claims, oldest first."""

    losses: tuple[Loss, ...]


class ListAudit(NamedTuple):
    """The last forced releases of a space."""

    space: str


class AuditLine(NamedTuple):
    """Who took which target from whom, when (UTC, seconds since the epoch) and why."""

    at_utc_s: float
    by: str
    from_session: str
    target: str
    generation: int
    reason: str
    was_alive: bool


class Audit(NamedTuple):
    """Audit lines, oldest first."""

    lines: tuple[AuditLine, ...]


class ListClaims(NamedTuple):
    """Who holds what? The newest claims of a space, `limit` at most."""

    space: str
    limit: int


class ClaimRow(NamedTuple):
    """One live claim: `targets` are 8 at most, and `n_more_targets` others. `idle_s` is without progress.

    `expires_in_s` is the earliest end if the holder went silent now; `kept_by` says what pushes it out. `number` is the
    claim's own: generations of shared claims may be equal.
    """

    number: int
    targets: tuple[str, ...]
    n_more_targets: int
    holder: str
    generation: int
    mode: str
    kept_by: str
    age_s: float
    idle_s: float
    expires_in_s: float
    intent: str


class ClaimList(NamedTuple):
    """Claims, the newest first, and how many older ones were left out."""

    rows: tuple[ClaimRow, ...]
    n_left_out: int


class ListWaiters(NamedTuple):
    """Who waits? The requests at the head of a space's line, `limit` at most."""

    space: str
    limit: int


class WaiterRow(NamedTuple):
    """One request that waits, for `left_s` seconds more at most; `any_of` takes any of its targets."""

    ticket: int
    targets: tuple[str, ...]
    n_more_targets: int
    waiter: str
    mode: str
    any_of: bool
    age_s: float
    left_s: float
    intent: str


class WaiterList(NamedTuple):
    """Waiters in the order of the line, and how many were left out."""

    rows: tuple[WaiterRow, ...]
    n_left_out: int


class ListRefusals(NamedTuple):
    """Who was refused lately? Known since the actor's start."""

    space: str


class RefusalRow(NamedTuple):
    """Claims that were answered `Held`, `n_times` the same, the last `ago_s` seconds ago.

    `target` is the first that was asked for in vain, `n_more` counts further conflicts; `holder` had it, to do
    `intent`, or waits for it before the asker. `number` is the row's own.
    """

    number: int
    asker: str
    target: str
    n_more: int
    reason: str
    holder: str
    intent: str
    n_times: int
    ago_s: float


class RefusalList(NamedTuple):
    """The last refusals of a space, the newest first, 64 at most."""

    rows: tuple[RefusalRow, ...]


class FieldStatistics(NamedTuple):
    """Counts over all spaces; counters only grow."""


class Count(NamedTuple):
    """A named count."""

    name: str
    value: int


class FieldCounts(NamedTuple):
    """`gauges` are current numbers, `counters` totals since the store began."""

    gauges: tuple[Count, ...]
    counters: tuple[Count, ...]


SCHEMA = Schema(
    commands={
        "claim": Claim,
        "claim_any": ClaimAny,
        "claim_each": ClaimEach,
        "release": Release,
        "give_back": GiveBack,
        "transfer": Transfer,
        "force_release": ForceRelease,
        "progress": Progress,
        "deposit": LeaveSignal,
        "sync": Sync,
        "check": Check,
        "check_heat": CheckHeat,
        "guard": Guard,
        "watch": Watch,
        "set_strictness": SetStrictness,
        "list_losses": ListLosses,
        "list_audit": ListAudit,
        "list_claims": ListClaims,
        "list_waiters": ListWaiters,
        "list_refusals": ListRefusals,
        "field_statistics": FieldStatistics,
    },
    answers={
        "granted": Granted,
        "held": Held,
        "claimed_each": ClaimedEach,
        "released": Released,
        "noted": Noted,
        "deposited": Deposited,
        "field_view": FieldView,
        "checked": Checked,
        "heat": Heat,
        "guarded": Guarded,
        "changes": Changes,
        "losses": Losses,
        "audit": Audit,
        "claim_list": ClaimList,
        "waiter_list": WaiterList,
        "refusal_list": RefusalList,
        "field_counts": FieldCounts,
    },
    queries=[
        "sync",
        "check",
        "check_heat",
        "watch",
        "list_losses",
        "list_audit",
        "list_claims",
        "list_waiters",
        "list_refusals",
        "field_statistics",
    ],
    anonymous=["guard"],
    waiting={"claim": "wait_s", "claim_any": "wait_s", "watch": "timeout_s"},
    committed=["field_statistics"],
)
