"""Reading a file as an agent: resolves `auto`, shows a view, and tells the coordinator.

Works without a coordinator too, on the base policy; the header says so, and nothing is learned. A read never fails, and
hardly ever waits, because of what has to be reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from actors.quality_store.messages import DropEscalation, RecordRead, Resolved, ResolveMode
from actors.quality_store.path import extension_of
from actors.quality_store.source import CHANGED_BY_OTHER, CONTENTION, EXPLICIT, EXPLICIT_IN_VAIN, HOT
from actors.runtime.errors import ScentfieldError
from actors.runtime.holdout import EDIT_PENALTY, ENTROPY_DELTA, EXPECTED_COST, SHARE, UNIT_RANKING, is_held_out
from actors.scent_field.messages import Check, Checked, CheckHeat, Heat, Progress
from coordinator.asking import Asker
from coordinator.conversation import value_of
from coordinator.desk import Desk
from coordinator.editing.atomic_file import read_bytes
from coordinator.learning.policy_desk import PolicyDesk
from coordinator.reading.budget import budget_tokens, check_budget
from coordinator.reading.contention import HOT_FROM, fresh_mode
from coordinator.reading.expected_cost import choose_mode
from coordinator.reading.mode import Mode, Wish
from coordinator.reading.policy import NOTHING_LEARNED, Policy
from coordinator.reading.query import Query
from coordinator.reading.render import expand, render
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import BinaryFile, SourceText, decode
from coordinator.reading.token_count import count_file_tokens
from coordinator.reading.unit_choice import UnitWish
from coordinator.reading.view import View
from coordinator.reading.view_book import SeenFile
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

if TYPE_CHECKING:
    from coordinator.reading.line_history import LineHistory
    from coordinator.reading.redundancy import VectorsOf

READ_HEAT: Final = 0.3
_BASE_POLICY: Final = "base_policy"
_DOES_NOT_PAY: Final = "does_not_pay"


@dataclass(frozen=True, slots=True)
class Reading:
    """A view, and beside it what others are doing with the file. `hints` never stand in the view's bytes.

    Neither do `lessons`, which say what has helped with this file before.
    `arms` are the learned layers that this view went without, as part of a holdout.
    """

    path: str
    view: View
    hints: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.view.text

    @property
    def text(self) -> str:
        """All that the agent is shown of the file; `print(reading)` prints it."""
        return self.view.text

    def to_dict(self) -> dict[str, Any]:
        """The reading for programs."""
        return {
            "path": self.path,
            "text": self.view.text,
            "mode": self.view.mode,
            "source": self.view.source,
            "tokens": self.view.tokens,
            "total_tokens": self.view.total_tokens,
            "content_hash": self.view.content_hash,
            "hints": list(self.hints),
            "lessons": list(self.lessons),
            "held_out": list(self.arms),
        }


@dataclass(frozen=True, slots=True)
class ReadPort:
    """Whom a reader talks to: both actors and the learned policy, and who has vectors and histories, if anybody.

    `history_of` gives that of a file, and what to note in the header about it.
    """

    to_field: Asker
    to_quality: Asker
    policies: PolicyDesk
    vectors_of: VectorsOf | None = None
    history_of: Callable[[str, SourceText], tuple[LineHistory | None, str]] | None = None
    holdout_share: float = SHARE
    utc: Callable[[], float] = field(default=time.time)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A file as it is now; `from_outside` says that it changed since this agent's last read, and by none of us."""

    target: str
    source: SourceText
    seen: SeenFile | None
    from_outside: bool


@dataclass(slots=True)
class _Decision:
    """The mode, what chose it, what it was chosen by, and what the header says of it.

    `arms` are the layers that were held out; `layers` those that had a say, or would have had one.
    """

    mode: Mode
    why: str = EXPLICIT
    policy: Policy = NOTHING_LEARNED
    arms: list[str] = field(default_factory=list)
    layers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


class Reader:
    """Reads files of one desk. A `session` that is a text says why there is none."""

    def __init__(self, desk: Desk, port: ReadPort) -> None:
        self._desk = desk
        self._port = port

    def read(self, session: AgentSession | str, named: str | PathLike[str], wish: Wish) -> Operation[Reading]:
        """Show a file. Raises `BadTarget`, `Misuse` (mode, budget, binary, vanished) before anything is recorded."""
        decision = _Decision(Mode.parse(wish.mode))
        check_budget(wish.budget)
        opened: _Opened = yield Work(lambda: self._open(named))
        if isinstance(session, str):
            decision.notes.append(_alone(session))
        elif decision.mode.name in ("auto", "entropy", "units"):
            decision.policy = yield from self._port.policies.policy(session)
        if decision.mode.name == "auto":
            yield from self._resolve(session, opened, wish, decision)
        view = yield Work(lambda: self._rendered(opened, wish, decision))
        return (yield from self._shown(session, opened, view, decision))

    def expand(self, session: AgentSession | str, named: str | PathLike[str], unit: str) -> Operation[Reading]:
        """Show one unit whole. Raises `Misuse` that lists the closest names if there is none of that name."""
        opened: _Opened = yield Work(lambda: self._open(named))
        view = yield Work(lambda: expand(opened.source, unit, path=opened.target, why=EXPLICIT))
        return (yield from self._shown(session, opened, view, _Decision(Mode("full"))))

    def _open(self, named: str | PathLike[str]) -> _Opened:
        target = self._desk.workspace.target(named)
        raw = read_bytes(self._desk.workspace.path(target))
        try:
            source = decode(raw)
        except BinaryFile as error:
            raise BinaryFile(f"{target!r}: {error.message}") from None
        self._desk.keep(raw)
        from_outside = self._desk.changed_outside(target, source.content_hash)
        return _Opened(target, source, self._desk.book.of(target), from_outside)

    def _rendered(self, opened: _Opened, wish: Wish, decision: _Decision) -> View:
        mode = decision.mode.name
        line_filter = self._line_filter(opened, wish, decision) if mode == "entropy" else None
        unit_wish = self._unit_wish(opened, wish, decision) if mode == "units" else None
        return render(
            opened.source,
            decision.mode,
            path=opened.target,
            why=decision.why,
            previous=self._previous(opened) if mode == "diff" else None,
            notes=decision.notes,
            line_filter=line_filter,
            unit_wish=unit_wish,
        )

    def _previous(self, opened: _Opened) -> SourceText | None:
        return None if opened.seen is None else self._desk.version(opened.seen.content_hash)

    def _line_filter(self, opened: _Opened, wish: Wish, decision: _Decision) -> LineFilter:
        """What the mode `entropy` goes by."""
        extension = extension_of(opened.target)
        is_at_stake = decision.policy.delta_of(extension) != 0.0
        use_delta = not self._is_held_out(ENTROPY_DELTA, opened, decision, is_at_stake=is_at_stake)
        delta = decision.policy.delta_of(extension, use_delta=use_delta)
        budget = budget_tokens(wish.budget, count_file_tokens(opened.source.text))
        return LineFilter(self._query(wish), budget, delta, self._port.vectors_of)

    def _unit_wish(self, opened: _Opened, wish: Wish, decision: _Decision) -> UnitWish:
        """What the mode `units` goes by."""
        history, note = self._port.history_of(opened.target, opened.source) if self._port.history_of else (None, "")
        decision.notes.append(note)
        extension = extension_of(opened.target)
        is_at_stake = extension in decision.policy.weights
        use_weights = not self._is_held_out(UNIT_RANKING, opened, decision, is_at_stake=is_at_stake)
        weights = decision.policy.weights_of(extension, use_weights=use_weights)
        return UnitWish(self._query(wish), wish.budget, weights, history, self._port.vectors_of)

    def _query(self, wish: Wish) -> Query | None:
        return self._desk.focus.query(wish.query, self._port.utc())

    def _is_held_out(self, layer: str, opened: _Opened, decision: _Decision, *, is_at_stake: bool) -> bool:
        """Whether this file does without a learned layer today; then it is noted.

        `is_at_stake`: the layer would show something else. Only then does the view say anything about it, in whichever
        arm it is.
        """
        if is_at_stake:
            decision.layers.append(layer)
        held_out = is_held_out(layer, opened.target, self._port.utc(), self._port.holdout_share)
        if held_out:
            decision.arms.append(layer)
        return held_out

    def _resolve(
        self, session: AgentSession | str, opened: _Opened, wish: Wish, decision: _Decision
    ) -> Operation[None]:
        """Decide what `auto` means, and why; on the base policy if nobody can be asked."""
        mode, source = self._candidate(opened, wish, decision)
        decision.mode, decision.why = Mode.parse(mode), _BASE_POLICY
        if isinstance(session, str):
            return
        commands = [*self._dropped(opened), ResolveMode(self._desk.workspace.space, opened.target, mode)]
        try:
            answers = yield from self._port.to_quality.request_many(session, commands)
            resolved: Resolved = value_of(answers[-1])
        except ScentfieldError as error:
            decision.notes.append(_alone(f"the quality store is {error.code}"))
            return
        decision.mode, decision.why = Mode.parse(resolved.mode), resolved.source or source
        if resolved.is_held_out:
            decision.arms.append(EDIT_PENALTY)
        if resolved.is_at_stake:
            decision.layers.append(EDIT_PENALTY)
        if not resolved.source:
            yield from self._freshen(session, opened, decision)

    def _freshen(self, session: AgentSession, opened: _Opened, decision: _Decision) -> Operation[None]:
        """Leave out nothing that others have changed, nor anything of a file that they are at work on."""
        target, current_hash = opened.target, opened.source.content_hash
        others = yield Work(lambda: self._desk.changed_by_others(target, current_hash, session.session_id))
        if others:
            decision.why = CHANGED_BY_OTHER
            decision.hints.append(f"[scent: changed by {', '.join(others)}]")
        elif decision.mode.name != "full":
            heated = yield from self._heated(session, target)
            if not heated:
                return
            decision.why = HOT
            decision.hints.append(f"[scent: hot by {', '.join(heated)}]")
        else:
            return
        candidate = decision.mode.name
        decision.mode = yield Work(lambda: fresh_mode(opened.seen, opened.source, self._previous(opened), candidate))

    def _heated(self, session: AgentSession, target: str) -> Operation[list[str]]:
        """Who else is at work on the file; nobody if none can tell."""
        try:
            heat: Heat = yield from self._port.to_field.query(
                session, CheckHeat(self._desk.workspace.space, target, session.session_id)
            )
        except ScentfieldError:
            return []
        return [one.agent_id for one in heat.agents if one.intensity >= HOT_FROM]

    def _candidate(self, opened: _Opened, wish: Wish, decision: _Decision) -> tuple[str, str]:
        """What `auto` would mean if no edit had failed and no view been too short."""
        choose = partial(
            choose_mode,
            decision.policy,
            extension=extension_of(opened.target),
            n_lines=len(opened.source.lines),
            total_tokens=count_file_tokens(opened.source.text),
            has_query=self._query(wish) is not None,
        )
        with_costs, without = choose(use_costs=True), choose(use_costs=False)
        is_at_stake = with_costs.mode != without.mode
        held_out = self._is_held_out(EXPECTED_COST, opened, decision, is_at_stake=is_at_stake)
        choice = without if held_out else with_costs
        return choice.mode, choice.source

    def _dropped(self, opened: _Opened) -> list[DropEscalation]:
        """What an earlier failure armed for a file is void once it was changed by hand."""
        return [DropEscalation(self._desk.workspace.space, (opened.target,))] if opened.from_outside else []

    def _shown(
        self, session: AgentSession | str, opened: _Opened, view: View, decision: _Decision
    ) -> Operation[Reading]:
        arms = tuple(sorted(decision.arms))
        self._desk.book.record(opened.target, view, arms)
        if isinstance(session, str):
            return Reading(opened.target, view, arms=arms)
        hints = yield from self._tell(session, opened, view, decision, arms)
        return Reading(opened.target, view, (*decision.hints, *hints), arms)

    def _tell(
        self, session: AgentSession, opened: _Opened, view: View, decision: _Decision, arms: tuple[str, ...]
    ) -> Operation[tuple[str, ...]]:
        """Report the read, and look who else is at work."""
        space, target = self._desk.workspace.space, opened.target
        counted = RecordRead(
            space,
            target,
            view.mode,
            _source(view, decision),
            view.tokens,
            view.total_tokens,
            _is_unchanged(opened.seen, view),
            arms,
            _is_changed(opened.seen, view),
            tuple(sorted(decision.layers)),
        )
        try:
            yield from self._port.to_quality.request_many(session, [*self._dropped(opened), counted])
            answers = yield from self._port.to_field.request_many(
                session, [Progress(space, target, READ_HEAT, 0.0), Check(space, target, 0, session.session_id)]
            )
            return hints_of(value_of(answers[1]), session.session_id)
        except ScentfieldError as error:
            return (f"[scent: not reported: {error.message}]",)


def _source(view: View, decision: _Decision) -> str:
    """What the view's mode goes by; where the whole file was no longer than the view, that."""
    if view.mode != "full" or decision.mode.name == "full" or decision.why in CONTENTION:
        return decision.why
    return EXPLICIT_IN_VAIN if decision.why == EXPLICIT else _DOES_NOT_PAY


def _is_unchanged(seen: SeenFile | None, view: View) -> bool:
    """Whether the agent has seen just this before: nothing new was shown, and nothing can be told from it."""
    if view.mode == "diff" and not view.body:
        return True
    return seen is not None and (seen.viewed_hash, seen.last_mode) == (view.content_hash, view.mode)


def _is_changed(seen: SeenFile | None, view: View) -> bool:
    """Whether the agent's last view of the whole file showed other content."""
    return seen is not None and seen.viewed_hash not in ("", view.content_hash)


def hints_of(checked: Checked, session_id: str) -> tuple[str, ...]:
    """What to say of a file that somebody else holds; without an age, which would break prompt caches."""
    if not checked.holder or checked.holder == session_id:
        return ()
    intent = f" to {checked.intent}" if checked.intent else ""
    return (f"[scent: claimed by {checked.holder}{intent}]",)


def _alone(why: str) -> str:
    return f"{why}: base policy, nothing is learned"
