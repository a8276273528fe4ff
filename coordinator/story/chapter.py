"""One store's part of a story: its state, replayed event by event, each told before it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from actors.runtime.kernel import Kernel
from actors.runtime.recovery import replay_row, restore_snapshot
from actors.runtime.request_memory import Answered, AnsweredIdly, Parked
from actors.runtime.state_format import state_format_of
from actors.runtime.table import Head
from actors.runtime.view import View
from coordinator.story.fact import Draft, Fact
from coordinator.story.thread import Threads

Keep: TypeAlias = Callable[[Fact, Draft], None]
_LATEST_S: Final = 5.0
_INVOLUNTARY: Final = ("expired", "faded", "idle", "forced", "free", "gone")


class Teller(Protocol):
    """Makes sense of one domain's events."""

    @property
    def letter(self) -> str: ...  # noqa: D102 - the protocol's docstring says it

    def already(self) -> Iterator[Draft]: ...  # noqa: D102 - the protocol's docstring says it

    def begin_row(self) -> None: ...  # noqa: D102 - the protocol's docstring says it

    def tell(self, event: Any) -> Draft | None: ...  # noqa: D102 - the protocol's docstring says it

    def told(self, event: Any, _draft: Draft, ref: str) -> None: ...  # noqa: D102 - the protocol's docstring says it


class Moment(NamedTuple):
    """One event of a journal: when it happened, its row and place there, and as it stands in the row.

    `event` is None if this version cannot read it: the replay says why. `is_last` marks the last one of its row.
    """

    utc_s: float
    seq: int
    place: int
    found: Any
    event: Any
    is_last: bool


class Horizon(NamedTuple):
    """Which rows of a store a story could be told from: those after `folded_through`, up to `last_row`.

    What was folded into a snapshot is gone from the journal. `since_utc_s` is when the first row was written, None
    without rows.
    """

    domain: str
    folded_through: int
    last_row: int
    since_utc_s: float | None


@dataclass
class Chapter:
    """One store's rows and the teller that understands them. `view` must stay open while rows are taken."""

    domain: str
    where: str
    view: View
    head: Head
    kernel: Kernel
    threads: Threads
    folded_through: int = 0
    since_utc_s: float | None = None
    _open: list[tuple[Fact, Draft]] = field(default_factory=list)

    def restore(self) -> None:
        """Bring the state to where the rows begin. Raises `Corrupt`."""
        form = state_format_of(self.kernel.machine)
        self.folded_through = restore_snapshot(self.kernel, self.view, self.where, form)

    @property
    def horizon(self) -> Horizon:
        """What there was to tell from; complete once the rows were taken."""
        return Horizon(self.domain, self.folded_through, self.head.seq, self.since_utc_s)

    def moments(self) -> Iterator[Moment]:
        """All events after the snapshot, in order. Raises `Corrupt`."""
        for seq, payload in self.view.rows(self.folded_through, self.head.seq):
            row = self.view.unpacked(payload, f"row {seq}")
            is_row = isinstance(row, list) and len(row) == 3 and isinstance(row[2], list)
            if not is_row:
                replay_row(self.kernel, state_format_of(self.kernel.machine), self._name_of(seq), row)
                continue
            if self.since_utc_s is None:
                self.since_utc_s = float(row[1])
            yield from self._moments_of(seq, row)

    def _moments_of(self, seq: int, row: list[Any]) -> Iterator[Moment]:
        form, utc_s = state_format_of(self.kernel.machine), float(row[1])
        events = []
        for found in row[2]:
            event = None
            with suppress(Exception):  # the replay says what is wrong with it
                event = self.kernel.events.make(*form.present(*found))
            events.append(event)
        times = _times(events, float(row[0]), utc_s)
        for place, (found, event, at_utc_s) in enumerate(zip(row[2], events, times, strict=True)):
            yield Moment(at_utc_s, seq, place, found, event, place == len(events) - 1)

    def tell_already(self, teller: Teller, keep: Keep) -> None:
        """Tell what was so before the first row."""
        for place, draft in enumerate(teller.already()):
            fact = self._fact(f"{teller.letter}{self.folded_through}.s{place}", 0.0, self.folded_through, draft)
            self._know(draft, fact.ref)
            keep(fact, draft)

    def tell_moment(self, teller: Teller, moment: Moment, keep: Keep) -> None:
        """Tell an event, then apply it. Raises `Corrupt` for one that cannot be applied."""
        event = moment.event
        if moment.place == 0:
            teller.begin_row()
        if isinstance(event, (Answered, AnsweredIdly, Parked)):
            self._close(keep, event.session_id, event.number)
        elif event is not None:
            self._tell_event(teller, moment)
        form = state_format_of(self.kernel.machine)
        replay_row(self.kernel, form, self._name_of(moment.seq), [0.0, 0.0, [moment.found]])
        if moment.is_last:
            self._close(keep)

    def _name_of(self, seq: int) -> str:
        return f"row {seq} of the store {self.where}"

    def _tell_event(self, teller: Teller, moment: Moment) -> None:
        draft = teller.tell(moment.event)
        if draft is None:
            return
        fact = self._fact(f"{teller.letter}{moment.seq}.{moment.place}", moment.utc_s, moment.seq, draft)
        self._know(draft, fact.ref)
        teller.told(moment.event, draft, fact.ref)
        self._open.append((fact, draft))

    def _fact(self, ref: str, utc_s: float, seq: int, draft: Draft) -> Fact:
        what, agent, space, targets, detail, causes, *_ = draft
        return Fact(ref, utc_s, self.domain, seq, what, agent, space, targets, len(targets), detail, causes, None)

    def _know(self, draft: Draft, ref: str) -> None:
        if draft.known_as:
            self.threads.know(draft.known_as, ref)

    def _close(self, keep: Keep, session_id: str = "", number: int | None = None) -> None:
        """Hand on what was told since the last request's end; what its caller did was asked for by this one."""
        for fact, draft in self._open:
            is_asked = fact.agent == session_id and fact.what not in _INVOLUNTARY
            keep(fact._replace(request=number if is_asked else None), draft)
        self._open.clear()


def _times(events: list[Any], field_s: float, utc_s: float) -> list[float]:
    """When each event of a row happened: one that may be lost was committed up to a second or two later.

    An event without a time of its own has that of the one before, and the first ones that of the first with one.
    """
    own = [_own_time(event, field_s, utc_s) for event in events]
    last = next((at for at in own if at is not None), utc_s)
    times = []
    for at in own:
        last = max(last, last if at is None else at)
        times.append(last)
    return times


def _own_time(event: Any, field_s: float, utc_s: float) -> float | None:
    at_utc_s = getattr(event, "at_utc_s", None)
    at_s = getattr(event, "at_s", None)
    if at_utc_s is None and at_s is not None:
        at_utc_s = utc_s - (field_s - at_s)
    return None if at_utc_s is None else min(utc_s, max(utc_s - _LATEST_S, at_utc_s))
