"""What the exporter shows follows from the signed ledger alone: real state actors in this process, no Ray."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from actors.memory.entry import Draft
from actors.memory.messages import AddEntry, TakeCheckpoint, VoteEntry
from actors.quality_store.ledger_chain import verify_chain
from actors.quality_store.messages import GetLedger, LedgerPage, RecordOutcome, RecordRead, RecordTrial
from actors.thresholds.messages import RecordPlacement
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, MEMORY, QUALITY_STORE, THRESHOLDS
from coordinator.efficacy.figure import Terms, figures_of
from coordinator.efficacy.ledger_file import evidence_in
from coordinator.learning.ledger_key import PUBLIC_FILE, public_ledger_key
from coordinator.metrics.exposition import look_through
from coordinator.metrics.probe import Probe
from coordinator.metrics.total_file import TotalFile

TERMS = Terms(holdout_share=0.5, token_price=3.0)


class Teller:
    """Tells the state actors what happened, as one session."""

    def __init__(self, line: Any) -> None:
        self._line = line
        self._said = {name: Conversation(domain.schema, "ann#1", "token") for name, domain in DOMAINS.items()}

    async def __call__(self, domain: str, *commands: Any) -> list[Any]:
        said = self._said[domain]
        number, raw = said.numbered(commands)
        answers = said.answers(await self._line.call_async(domain, raw, 10.0), len(commands))
        said.received(number)
        return [value_of(answer) for answer in answers]


def views() -> list[Any]:
    """Forty views in both arms of the penalty: some missed, some bounced."""
    found: list[Any] = []
    for number in range(40):
        path, arms = f"{number}.py", ("edit_penalty",) if number % 2 else ()
        found.append(RecordRead("test", path, "map", "auto", 100, 1_000, arms=arms, layers=("edit_penalty",)))
        if number % 4 == 0:
            found.append(RecordOutcome("test", path, "map", "failure", "not_shown", 40))
        elif number % 4 == 1:
            found.append(RecordRead("test", path, "full", "explicit", 1_000, 1_000))
    return [*found, RecordOutcome("test", "a.py", "", "failure", "claimed"), RecordTrial("lessons", True, 4, 1)]


def test_every_figure_of_a_scrape_follows_from_the_records(tmp_path: Path, local_line: Any) -> None:
    async def run() -> tuple[Any, LedgerPage]:
        line = local_line(tmp_path)
        tell = Teller(line)
        await tell(QUALITY_STORE, *views())
        await tell(THRESHOLDS, RecordPlacement("claude", "begin", 5, 2), RecordPlacement("claude", "end", 3, 0))
        await tell(MEMORY, AddEntry("test", "session", Draft("Pitfall", "generated", "a.py")))
        await tell(MEMORY, VoteEntry("test", "session", 1, True))
        for _ in range(11):
            await tell(MEMORY, TakeCheckpoint("test", "session", ()))
        totals = TotalFile(tmp_path, "test")
        first = await look_through(Probe(line), TERMS, totals)
        again = await look_through(Probe(line), TERMS, totals)
        assert again.figures == first.figures  # telling the same again adds nothing
        (page,) = await tell(QUALITY_STORE, GetLedger(0, 100))
        return again.figures, page

    figures, page = asyncio.run(run())
    assert page.open_day is not None
    records = [*page.records, page.open_day]
    assert verify_chain(records, public_ledger_key(tmp_path / PUBLIC_FILE)) == ()
    assert figures_of(evidence_in(records, records[-1].day), TERMS) == figures
    assert figures.bounce_rate == 10 / 40
    assert [(row.mode, row.cause, row.n) for row in figures.failures] == [
        ("map", "not_shown", 10),
        ("none", "claimed", 1),
    ]
    assert (figures.placed["begin"].n_misses, figures.hit_rate, figures.survival) == (2, 0.8, 1.0)
    penalty = figures.verdict_of("edit_penalty")
    assert (penalty.treatment, penalty.holdout, penalty.n_units) == (0.5, 0.5, 40)
    assert figures.price == figures.evidence.n_net_tokens * 3e-6
