"""Whoever loses a claim is told."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from actors.scent_field.event import LeaseEnded
from coordinator.simulation.checker.book import INVOLUNTARY
from coordinator.simulation.checker.rule import Record, Rule, any_meet
from coordinator.simulation.history import Arrived, Message, Opened, Replied, Sent

MAX_TOLD: Final = 64
"""Losses in one answer; of more, the rest comes with the next."""


@dataclass(slots=True)
class Owed:
    """A claim that ended without its holder's doing; `number` once an answer has told of it."""

    space: str
    targets: tuple[str, ...]
    generation: int
    reason: str
    place: int
    number: int | None = None


class LossesTold(Rule):
    """The answer to a heartbeat tells of each claim that was lost before it came and that its sender has not heard of.

    With each loss comes why, and who has the targets now. Whoever asks for the losses of a session is told all of them.
    A process that has been replaced may be behind: it must not tell of more than there is.
    """

    name: ClassVar[str] = "losses are told"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._owed: defaultdict[str, list[Owed]] = defaultdict(list)
        self._asked: dict[int, tuple[str, int]] = {}
        self._arrived: dict[tuple[int, int], int] = {}
        self._writer = 0

    def fact(self, event: Any) -> None:
        """A claim that is lost."""
        if isinstance(event, LeaseEnded) and event.reason in INVOLUNTARY and event.lease_id in self.book.leases:
            lease = self.book.leases[event.lease_id]
            owed = Owed(lease.space, lease.targets, lease.generation, event.reason, self.place)
            self._owed[lease.session_id].append(owed)

    def saw(self, record: Record) -> None:
        """Questions and answers; `_asked` has whose losses a call asks for, and up to which it has heard of them."""
        match record:
            case Sent(actor="scent_field", commands=(["heartbeat", through],)):
                self._asked[record.call] = (record.session_id, through)
            case Sent(actor="scent_field", commands=(["list_losses", session_id],)):
                self._asked[record.call] = (session_id, 0)
            case Arrived(actor="scent_field") if record.call in self._asked:
                self._arrived.setdefault((record.process, record.call), self.place)
            case Opened(actor="scent_field"):
                self._writer = record.process
            case Replied(actor="scent_field") if record.call in self._asked:
                self._judge(record)

    def _judge(self, replied: Replied) -> None:
        verb, *fields = replied.answers[0]
        if verb not in ("alive", "losses"):
            return
        losses: list[Message] = fields[1] if verb == "alive" else fields[0]
        session_id, through = self._asked[replied.call]
        since = self._arrived[replied.process, replied.call]
        for loss in losses:
            self._take(session_id, loss)
        if replied.process != self._writer:
            return
        for _number, space, targets, _generation, _reason, _ago_s, holder in losses:
            self._check_holder(space, tuple(targets), holder, since)
        if len(losses) < MAX_TOLD:
            self._check_all(session_id, through, {number for number, *_ in losses}, since)

    def _check_all(self, session_id: str, through: int, shown: set[int], since: int) -> None:
        """All that was lost before the question came has been heard of, or is told now."""
        for owed in self._owed[session_id]:
            is_known = owed.number is not None and (owed.number <= through or owed.number in shown)
            if owed.place < since and not is_known:
                self.broken(
                    f"{session_id} was not told that it lost {', '.join(owed.targets)} (generation {owed.generation}, "
                    f"{owed.reason})",
                    owed.place,
                )

    def _take(self, session_id: str, loss: Message) -> None:
        number, space, targets, generation, reason, *_ = loss
        lost = (space, tuple(targets), generation, reason)
        for owed in self._owed[session_id]:
            if (owed.space, owed.targets, owed.generation, owed.reason) == lost and owed.number in (None, number):
                owed.number = number
                break
        else:
            self.broken(f"{session_id} was told of a loss that there was not: {', '.join(targets)}, {generation}")

    def _check_holder(self, space: str, targets: tuple[str, ...], holder: str, since: int) -> None:
        """Somebody held it at some moment since the question came, or, if nobody is named, nobody did at some."""
        leases = [one for one in self.book.ever() if one.space == space and any_meet(one.targets, targets)]
        if holder and not any(one.session_id == holder and (one.is_live or one.row >= since) for one in leases):
            self.broken(f"{holder} was said to have {', '.join(targets)} now, which it has not")
        for one in leases:
            if not holder and one.is_live and max(one.began, one.row) < since:
                self.broken(f"nobody was said to have {', '.join(targets)} now, but {one.session_id} has it", one.began)
