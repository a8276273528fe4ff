"""Reads a history once, and says which promises it breaks and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from coordinator.simulation.checker.book import Book, facts_of
from coordinator.simulation.checker.count import Counters
from coordinator.simulation.checker.grant import WholeGrants
from coordinator.simulation.checker.holding import Generations, LockDelay, OneHolder
from coordinator.simulation.checker.identity import KeptChildren, NewIdentities, OwnWord
from coordinator.simulation.checker.lifetime import Causes, HeartbeatCounts, Lifetime
from coordinator.simulation.checker.loss import LossesTold
from coordinator.simulation.checker.note import Notes, TroubleTold
from coordinator.simulation.checker.queue import InTurn, NobodyForgotten, NoRing, RestEnds
from coordinator.simulation.checker.receipt import Receipts
from coordinator.simulation.checker.renewal import RenewalsStay
from coordinator.simulation.checker.reply import Answers
from coordinator.simulation.checker.request import Acknowledged, OnceEach
from coordinator.simulation.checker.rule import Finding, Rule
from coordinator.simulation.checker.store import OneWriter
from coordinator.simulation.checker.terms import Terms
from coordinator.simulation.checker.truth import Guarded, TrueAnswers
from coordinator.simulation.history import Committed, Record

RULES: Final[tuple[type[Rule], ...]] = (
    OneHolder,
    WholeGrants,
    Generations,
    LockDelay,
    Lifetime,
    HeartbeatCounts,
    NewIdentities,
    OwnWord,
    KeptChildren,
    Causes,
    LossesTold,
    InTurn,
    NobodyForgotten,
    RestEnds,
    NoRing,
    OnceEach,
    Receipts,
    RenewalsStay,
    Acknowledged,
    TrueAnswers,
    Guarded,
    Counters,
    OneWriter,
    Answers,
    TroubleTold,
    Notes,
)
MAX_FINDINGS: Final = 20
SCENT_FIELD: Final = "scent_field"


class _Enough(Exception):
    """There is no use in more."""


def check(history: Sequence[Record], terms: Terms, kinds: Sequence[type[Rule]] = RULES) -> list[Finding]:
    """What the history breaks of these rules, first things first; `MAX_FINDINGS` at most."""
    findings: list[Finding] = []

    def find(finding: Finding) -> None:
        findings.append(finding)
        if len(findings) >= MAX_FINDINGS:
            raise _Enough

    book = Book(terms)
    rules = [kind(book, find) for kind in kinds]
    try:
        for place, record in enumerate(history):
            _read(place, record, book, rules)
    except _Enough:
        pass
    return findings


def _read(place: int, record: Record, book: Book, rules: list[Rule]) -> None:
    for rule in rules:
        rule.place, rule.at_s = place, record.at_s
    if isinstance(record, Committed) and record.actor == SCENT_FIELD:
        _read_row(place, record, book, rules)
    for rule in rules:
        rule.saw(record)


def _read_row(place: int, row: Committed, book: Book, rules: list[Rule]) -> None:
    book.row = place
    for rule in rules:
        rule.row = row
    for event in facts_of(row.events):
        for rule in rules:
            rule.fact(event)
        book.apply(event)
    for rule in rules:
        rule.settled()
