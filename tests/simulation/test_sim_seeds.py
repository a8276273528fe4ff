"""Many seeds of the whole house: none breaks a promise, and what is meant to happen in them does happen."""

from collections import Counter

import pytest

from actors.scent_field.event import LeaseEnded, SignalDeposited, WaiterLeft
from actors.sessions.registry import SessionEnded
from coordinator.simulation.campaign import Campaign, explore
from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.history import Committed, Happened, Heard, Stopped, Troubled, Wrote
from coordinator.simulation.plan import MEAN_S
from coordinator.simulation.verdict import Run, run_seed

N_STEPS, N_AGENTS = 2_000, 8


def told(campaign: Campaign) -> str:
    return "\n".join(violation.text() for violation in campaign.violations[:3])


@pytest.mark.timeout(600)
def test_no_seed_of_300_breaks_a_promise() -> None:
    campaign = explore(range(300), n_steps=N_STEPS, n_agents=N_AGENTS)
    assert campaign.n_violations == 0, told(campaign)


@pytest.mark.soak
@pytest.mark.timeout(5_400)
def test_no_seed_of_10_000_breaks_a_promise() -> None:
    campaign = explore(range(10_000), n_steps=N_STEPS, n_agents=N_AGENTS)
    assert campaign.n_seeds == 10_000
    assert campaign.n_violations == 0, told(campaign)


@pytest.mark.timeout(300)
def test_two_thousand_agents_keep_the_promises_too() -> None:
    campaign = explore(range(2), n_steps=16_000, n_agents=2_000)
    assert campaign.n_violations == 0, told(campaign)


class Census:
    """What has happened in some seeds, by name."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def take(self, run: Run) -> None:
        self.counts.update(run.plan.faults)
        for record in run.history:
            self.counts[type(record).__name__] += 1
            if isinstance(record, Committed):
                self._take_facts(record)
            elif isinstance(record, Heard):
                self.counts.update(
                    f"hears {'/'.join(map(str, one[: 1 + (one[0] in _REASONED)]))}" for one in record.answers
                )
            elif isinstance(record, Stopped):
                self.counts[f"stops {record.why}"] += 1
            elif isinstance(record, Troubled):
                self.counts[f"trouble {record.code}"] += 1
            elif isinstance(record, Wrote):
                self.counts[f"writes {'believing' if record.is_believed else 'blindly'} {record.is_accepted}"] += 1
            elif isinstance(record, Happened):
                self.counts[record.what.partition(" for ")[0]] += 1

    def _take_facts(self, row: Committed) -> None:
        for event in row.events:
            self.counts[type(event).__name__] += 1
            if isinstance(event, (LeaseEnded, SessionEnded, WaiterLeft)):
                self.counts[f"{type(event).__name__} {event.reason}"] += 1
            elif isinstance(event, SignalDeposited):
                self.counts[f"signal {event.kind}"] += 1


_REASONED = ("held", "failed")


@pytest.fixture(scope="module")
def census() -> Counter[str]:
    census = Census()
    with DiskRoom() as room:
        for seed in range(60):
            census.take(run_seed(seed, n_steps=N_STEPS, n_agents=N_AGENTS, room=room))
    return census.counts


@pytest.mark.parametrize(
    "what",
    [
        *MEAN_S,
        *("Stalled", "Torn", "Mended", "stops killed", "stops fenced", "trouble unavailable", "trouble corrupt"),
        *("hears granted", "hears claimed_each", "hears released", "hears checked", "hears alive", "hears busy"),
        *("hears held/claimed", "hears held/queued", "hears held/lock_delay", "hears held/timeout"),
        *("hears held/would_deadlock", "hears failed/unavailable", "hears failed/unknown_agent"),
        *("hears field_counts", "hears losses", "hears changes", "hears deposited", "hears farewell", "hears recorded"),
        *("LeaseEnded released", "LeaseEnded expired", "LeaseEnded goodbye", "LeaseEnded forced", "LeaseEnded idle"),
        *("LeaseEnded faded", "LeaseMoved", "LeaseShrunk", "LeaseRenewed", "LeasesGranted", "LockDelayOver"),
        *("SessionEnded expired", "SessionEnded goodbye", "SessionEnded parent"),
        *("WaiterLeft granted", "WaiterLeft timeout", "WaiterLeft withdrawn", "WaiterLeft session ended"),
        *("Abandoned", "Parked", "Answered", "AnsweredIdly", "Forgotten", "NotePut", "NotesSent", "NotesApplied"),
        *("writes believing True", "writes blindly True", "writes blindly False", "GivenUp", "signal STUCK"),
        *("is stopped", "dies", "a second copy is started", "nobody starts it", "the disk is full"),
    ],
)
def test_what_a_world_is_made_for_happens_in_sixty_seeds(census: Counter[str], what: str) -> None:
    assert census[what] > 0
