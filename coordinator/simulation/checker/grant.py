"""What is granted is what was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from actors.runtime.request_memory import Answered, AnsweredIdly
from actors.runtime.wire import unpack_own
from actors.scent_field.event import LeaseGranted, LeaseRenewed
from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.history import Message, Sent


class Claimed(NamedTuple):
    """One claim, as an answer tells of it or as the facts of a row make it."""

    session_id: str
    space: str
    targets: tuple[str, ...]
    shared: bool
    generation: int


class WholeGrants(Rule):
    """Who is told that it has its targets has all of them, of `any_of` one, in the mode that it asked for.

    What an answer tells is compared with the question, and with the grants and renewals of the row that it stands in.
    """

    name: ClassVar[str] = "a grant is what was asked for"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._commands: dict[tuple[str, int], tuple[Message, ...]] = {}
        self._made: set[Claimed] = set()
        self._told: list[tuple[list[str], Claimed]] = []

    def saw(self, record: Record) -> None:
        """Questions."""
        if isinstance(record, Sent) and record.actor == "scent_field" and record.number:
            self._commands[record.session_id, record.number] = record.commands

    def fact(self, event: Any) -> None:
        """Grants, and the answers that tell of them; those of who waited may stand far behind."""
        match event:
            case LeaseGranted(_, space, session_id, targets, shared, generation):
                self._made.add(Claimed(session_id, space, targets, shared, generation))
            case LeaseRenewed() if event.lease_id in self.book.leases:
                one = self.book.leases[event.lease_id]
                self._made.add(Claimed(one.session_id, one.space, one.targets, one.shared, one.generation))
            case Answered() | AnsweredIdly():
                commands = self._commands.get((event.session_id, event.number), ())
                for command, answer in zip(commands, unpack_own(event.answers), strict=False):
                    self._told += _told(event.session_id, command, answer)

    def settled(self) -> None:
        """Compare."""
        for asked, told in self._told:
            if set(asked) != set(told.targets) or told not in self._made:
                mode = "shared" if told.shared else "exclusive"
                self.broken(
                    f"{told.session_id} asked for {', '.join(asked)} ({mode}) and was told that it has "
                    f"{', '.join(told.targets)} with generation {told.generation}, which is not what it was given"
                )
        self._made.clear()
        self._told.clear()


def _told(session_id: str, command: Message, answer: Message) -> Iterator[tuple[list[str], Claimed]]:
    """What was asked for, and the claim on it that the answer tells of."""
    if command[0] not in ("claim", "claim_any", "claim_each"):
        return
    verb, space, targets, mode, *_ = command
    shared = mode == "shared"
    if answer[0] == "granted":
        generation, given = answer[1:3]
        asked = targets if verb == "claim" else [one for one in targets if one in given][:1]
        yield asked, Claimed(session_id, space, tuple(given), shared, generation)
    elif answer[0] == "claimed_each":
        runs, apart = answer[4:6]
        for place, n_claims, generation in runs:
            for at, target in enumerate(targets[place : place + n_claims]):
                yield [target], Claimed(session_id, space, (target,), shared, generation + at)
        for place, granted, *_ in apart:
            if granted:
                generation, given = granted[:2]
                yield [targets[place]], Claimed(session_id, space, tuple(given), shared, generation)
