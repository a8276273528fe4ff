"""Answers are true: what the field tells of its claims is what the store says."""

from __future__ import annotations

from typing import Any, ClassVar, Final, TypeAlias

from coordinator.simulation.checker.entry import Lease
from coordinator.simulation.checker.rule import Record, Rule, any_meet
from coordinator.simulation.history import Arrived, Heard, Message, Opened, Replied, Sent, Wrote
from coordinator.simulation.universe import covers

_RACE_S: Final = 0.05
"""Between a thread's look at its claims and its word of what it wrote, on real processes."""


_Request: TypeAlias = tuple[str, int, int]
"""Whose it is, its number, and where it has none, its call: one that comes again gets the answer that it got."""


def _request(sent: Sent) -> _Request:
    return sent.session_id, sent.number, 0 if sent.number else sent.call


def _targets(lease: Lease, since: int) -> tuple[str, ...]:
    """What a claim was for at some moment after `since`."""
    return lease.targets + (lease.given_back if lease.row >= since else ())


class TrueAnswers(Rule):
    """A check, and a refusal, tell of claims that there were at some moment between the question and the answer.

    The writer's answers only: a process that has been replaced may be a little behind until it notices.
    """

    name: ClassVar[str] = "answers are true"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sent: dict[int, Sent] = {}
        self._first_arrival: dict[_Request, int] = {}
        self._writer = 0

    def saw(self, record: Record) -> None:
        """Questions, and what the writer answers."""
        match record:
            case Sent(actor="scent_field"):
                self._sent[record.call] = record
            case Arrived(actor="scent_field"):
                self._first_arrival.setdefault(_request(self._sent[record.call]), self.place)
            case Opened(actor="scent_field"):
                self._writer = record.process
            case Replied(actor="scent_field") if record.process == self._writer:
                self._judge(record)

    def _judge(self, replied: Replied) -> None:
        since = self._first_arrival[_request(self._sent[replied.call])]
        for command, answer in zip(self._sent[replied.call].commands, replied.answers, strict=False):
            if answer[0] == "checked":
                self._judge_check(command, answer, since)
            elif answer[0] == "held":
                self._judge_refusal(command[1], answer[1:], since)
            elif answer[0] == "claimed_each":
                for held in [held for _, _, held, *_ in answer[5] if held]:
                    self._judge_refusal(command[1], held, since)

    def _judge_check(self, command: Message, answer: Message, since: int) -> None:
        _, space, path, generation, session_id = command
        holds = answer[1]
        meant = [
            lease
            for lease in self.book.ever()
            if lease.space == space
            and lease.generation == generation
            and session_id in ("", lease.session_id)
            and any(covers(target, path) for target in _targets(lease, since))
        ]
        who = f"{session_id} generation {generation} on {path}"
        if holds and not any(lease.is_live or lease.row >= since for lease in meant):
            self.broken(f"{who} was said to hold, which it does not", *(lease.row for lease in meant))
        if not holds:
            for lease in meant:
                if lease.is_live and max(lease.began, lease.row) < since:
                    self.broken(f"{who} was said not to hold, but it does", lease.began)

    def _judge_refusal(self, space: str, held: Message, since: int) -> None:
        """Each holder that a refusal names was in the way."""
        reason, conflicts, *_ = held
        for target, _met, holder, generation, _mode, is_waiting, *_ in conflicts:
            if not is_waiting and not self._was_in_the_way(space, target, holder, generation, since):
                self.broken(f"{holder} was said to hold {target} with generation {generation}, which it does not")
        if not conflicts and reason in ("claimed", "queued", "lock_delay"):
            self.broken(f"a claim was refused ({reason}) and nobody was named")

    def _was_in_the_way(self, space: str, target: str, holder: str, generation: int, since: int) -> bool:
        for lease in self.book.ever():
            if (lease.space, lease.session_id, lease.generation) == (space, holder, generation):
                is_or_was = lease.row >= since or lease.lease_id in self.book.leases
                if is_or_was and any_meet((target,), _targets(lease, since)):
                    return True
        return False


class Guarded(Rule):
    """A resource that compares generations never takes an older one after a newer one, and belief is never wrong.

    An agent that believes in its claim, by its own clock and what it was told, holds it; unless somebody took it away
    by force or for its rest, or its session ended with its parent's, until it hears so with its next heartbeat.
    """

    name: ClassVar[str] = "a guarded resource"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._newest: dict[tuple[str, str], tuple[int, str, int]] = {}
        self._beats: dict[int, str] = {}
        self._told: dict[tuple[str, str, int], tuple[int, float]] = {}

    def saw(self, record: Record) -> None:
        """A write, and what heartbeats told of losses."""
        match record:
            case Sent(actor="scent_field", commands=(["heartbeat", *_],)):
                self._beats[record.call] = record.session_id
            case Heard(answers=(["alive", _, losses, *_],)):
                for _number, space, _targets, generation, *_ in losses:
                    self._told[self._beats[record.call], space, generation] = (self.place, record.at_s)
            case Wrote():
                self._judge(record)

    def _judge(self, wrote: Wrote) -> None:
        claims = self._claims(wrote)
        if wrote.is_accepted:
            self._check_order(wrote, claims)
        else:
            self._check_refusal(wrote, [lease for lease in claims if lease.is_live])
        if wrote.is_believed and not any(self._may_be_believed(lease) for lease in claims):
            self.broken(
                f"{wrote.session_id} believes that it holds {wrote.path} with generation {wrote.generation}",
                *(lease.row for lease in claims),
            )

    def _claims(self, wrote: Wrote) -> list[Lease]:
        return [
            lease
            for lease in self.book.ever()
            if (lease.space, lease.session_id, lease.generation) == (wrote.space, wrote.session_id, wrote.generation)
            and any(covers(target, wrote.path) for target in lease.targets)
        ]

    def _check_order(self, wrote: Wrote, claims: list[Lease]) -> None:
        place = (wrote.space, wrote.path)
        generation, who, at = self._newest.get(place, (0, "", -1))
        if wrote.generation < generation:
            self.broken(f"{wrote.path} took generation {wrote.generation} after {generation}", at)
        elif wrote.generation == generation and who != wrote.session_id and not any(one.shared for one in claims):
            self.broken(f"{wrote.path} took generation {generation} from {who} and from {wrote.session_id}", at)
        self._newest[place] = (wrote.generation, wrote.session_id, self.place)

    def _check_refusal(self, wrote: Wrote, claims: list[Lease]) -> None:
        """A live holder is overtaken by nobody but its own children and parents; a sharer by later sharers, too."""
        generation, who, at = self._newest.get((wrote.space, wrote.path), (0, "", -1))
        its, theirs = self.book.lineage_ever(wrote.session_id), self.book.lineage_ever(who)
        related = who in its or wrote.session_id in theirs
        if not related and any(self._was_alone(lease, who, generation) for lease in claims):
            self.broken(f"{wrote.session_id} holds {wrote.path}, but {who} wrote with generation {generation}", at)

    def _was_alone(self, lease: Lease, who: str, generation: int) -> bool:
        """Whether this claim, which lives, was not overtaken by a later one that may be beside it."""
        its = (lease.space, who, generation)
        theirs = [other for other in self.book.ever() if (other.space, other.session_id, other.generation) == its]
        return not (lease.shared and any(other.shared and other.began >= lease.began for other in theirs))

    def _may_be_believed(self, lease: Lease) -> bool:
        """It lives, or nobody has told its holder yet that it was taken, or that the session went with its parent's."""
        if lease.is_live:
            return True
        _row, reason = self.book.ended_sessions.get(lease.session_id, (-1, ""))
        return (lease.reason in ("forced", "idle") or reason == "parent") and not self._was_told(lease)

    def _was_told(self, lease: Lease) -> bool:
        """Whether its holder has heard since it ended that it is lost; another thread may have written just then."""
        place, at_s = self._told.get((lease.session_id, lease.space, lease.generation), (-1, 0.0))
        return place > lease.row and self.at_s > at_s + _RACE_S
