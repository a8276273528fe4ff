"""What one look at the coordinator found; what did not answer is missing, and said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from actors.runtime.errors import ScentfieldError
from coordinator.domain import DOMAINS
from coordinator.efficacy.told import efficacy
from coordinator.step import Operation, Transport, drive

if TYPE_CHECKING:
    from actors.quality_store.messages import Statistics
    from actors.scent_field.messages import FieldRow, FieldView
    from actors.sessions.messages import SessionList, SessionRow
    from coordinator.core import Core

Value = TypeVar("Value")
MAX_ROWS: Final = 200
"""Claims and signals together, and agents, that one look asks for."""
CLAIMED: Final = "CLAIMED"
_ANSWER_S: Final = 2.0
_MAX_PROBLEM: Final = 300
_FIRST_SECTION: Final = "Learning Efficacy"


@dataclass(frozen=True, slots=True)
class Sight:
    """One look, at `at_s` of a monotonic clock. `problems` says what could not be seen, by domain."""

    at_s: float
    accounts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    view: FieldView | None = None
    sessions: SessionList | None = None
    counters: Mapping[str, int] | None = None
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def claims(self) -> list[FieldRow]:
        """The strongest claims."""
        return [row for row in self.view.rows if row.kind == CLAIMED] if self.view else []

    @property
    def signals(self) -> list[FieldRow]:
        """The strongest signals that are no claims."""
        return [row for row in self.view.rows if row.kind != CLAIMED] if self.view else []

    @property
    def agents(self) -> tuple[SessionRow, ...]:
        """Who is alive."""
        return self.sessions.rows if self.sessions else ()

    @property
    def is_blind(self) -> bool:
        """Whether nobody answered."""
        return not self.accounts and self.view is None


class Lookout:
    """Looks, through one transport; safe to use from one thread at a time. Raises nothing for who does not answer."""

    def __init__(self, core: Core, transport: Transport, monotonic: Callable[[], float]) -> None:
        self._core = core
        self._transport = transport
        self._monotonic = monotonic

    def look(self) -> Sight:
        """See the field, the agents, the counts and the actors."""
        problems: dict[str, str] = {}
        core = self._core
        accounts: dict[str, dict[str, Any]] = {}
        for domain in DOMAINS:
            account = self._asked(domain, problems, partial(self._transport.describe, domain, _ANSWER_S))
            if account is not None:
                accounts[domain] = account
                if account["trouble"] is not None:
                    problems[domain] = str(account["trouble"][1])[:_MAX_PROBLEM]
        view = self._told("scent_field", problems, core.sync(MAX_ROWS))
        sessions = self._told("scent_field", problems, core.sessions(MAX_ROWS))
        counts = self._told("scent_field", problems, core.field_counts())
        quality = self._told("quality_store", problems, core.quality_statistics())
        counters = {} if counts is None else {one.name: one.value for one in counts.counters}
        counters |= {} if quality is None else _quality_counters(quality)
        return Sight(self._monotonic(), accounts, view, sessions, counters or None, problems)

    def efficacy(self, counters: Mapping[str, int]) -> list[list[str]]:
        """Sections for people: what it was worth, then how edits and reads went. Raises `Unavailable`."""
        sections = drive(efficacy(self._core), self._transport).sections(dict(counters))
        return sorted(sections, key=lambda section: section[0] != _FIRST_SECTION)

    def _told(self, domain: str, problems: dict[str, str], operation: Operation[Value]) -> Value | None:
        return self._asked(domain, problems, partial(drive, operation, self._transport))

    @staticmethod
    def _asked(domain: str, problems: dict[str, str], ask: Callable[[], Value]) -> Value | None:
        """What was asked for; nobody is waited for twice in one look."""
        if domain in problems:
            return None
        try:
            return ask()
        except ScentfieldError as error:
            problems[domain] = error.message[:_MAX_PROBLEM]
            return None


def _quality_counters(quality: Statistics) -> dict[str, int]:
    """Reads and edits, under names beside the field's."""
    made = ("applied", "already_applied", "create", "deleted", "moved", "undone")
    n_edits = sum(row.n for row in quality.outcomes)
    n_made = sum(row.n for row in quality.outcomes if row.cause in made)
    return {
        "reads": sum(row.n_reads for row in quality.reads),
        "bounces": sum(row.n_bounces for row in quality.ledger),
        "edits": n_made,
        "edits_failed": n_edits - n_made,
    }
