"""Whatever happens, its story can be told: nothing is cited before it happened, and nothing is told twice."""

import random

import pytest

from actors.coordination.messages import Heartbeat
from actors.quality_store.messages import FollowMove, RecordOutcome, RecordRead, ResolveMode
from actors.scent_field.messages import (
    Claim,
    ClaimAny,
    ClaimEach,
    ForceRelease,
    LeaveSignal,
    Progress,
    Release,
    SetStrictness,
    Transfer,
)
from actors.sessions.messages import Goodbye

FIELD, QUALITY = "scent_field", "quality_store"
TARGETS = ("a.py", "src/b.py", "src/", "**/*.py", "task:x", "./", "src/[[]c].py")
FILES = ("a.py", "src/b.py", "src/[[]c].py")
CAUSES = ("not_shown", "never_there", "claimed", "changed", "ambiguous")


class Crowd:
    """Agents that do anything."""

    def __init__(self, past, seed):
        self.past, self.random = past, random.Random(seed)
        self.agents = [past.register(f"agent{number}") for number in range(4)]
        self.n_registered = 4

    def act(self):
        """Something, by somebody who may be gone already."""
        agent, roll = self.random.choice(self.agents), self.random.random()
        if roll < 0.5:
            self.past.send(FIELD, agent, self._of_field())
        elif roll < 0.8:
            self.past.send(QUALITY, agent, self._of_quality())
        elif roll < 0.9:
            self.past.wait(self.random.choice((0.5, 1.0, 3.0)))
            if self.past.mailboxes[QUALITY].outbox is not None:  # all that it says is committed
                self.past.carry()
        elif roll < 0.93:
            self.past.fold(self.random.choice((FIELD, QUALITY)))
        elif roll < 0.96 and len(self.agents) > 2:
            self.past.send(FIELD, self.agents.pop(), Goodbye())
        else:
            self.n_registered += 1
            self.agents.append(self.past.register(f"agent{self.n_registered}"))

    def _of_field(self):
        pick = self.random.choice
        some = tuple(self.random.sample(TARGETS, self.random.randint(1, 3)))
        return pick(
            (
                Claim("home", some, pick(("exclusive", "shared")), pick((0.0, 2.0)), "why"),
                ClaimAny("home", some, "exclusive", pick((0.0, 2.0)), ""),
                ClaimEach("home", FILES[:2], "exclusive", ""),
                Release("home", some, 0, pick((True, False))),
                Transfer("home", self.random.randint(1, 30), pick(self.agents), "note"),
                ForceRelease("home", pick(TARGETS), "needed", True),
                LeaveSignal("home", pick(("HOT", "STUCK", "DONE", "AVOID")), pick(TARGETS), 1.0),
                Progress("home", pick(FILES), 0.3, 0.0),
                SetStrictness("home", pick(("warn", "deny"))),
                Heartbeat(0),
            )
        )

    def _of_quality(self):
        pick = self.random.choice
        path = pick(FILES)
        return pick(
            (
                RecordRead("home", path, pick(("map", "full")), pick(("size", "")), 10, 100),
                RecordOutcome("home", path, pick(("map", "full", "")), "failure", pick(CAUSES), 5),
                RecordOutcome("home", path, "map", "success", "applied", 5),
                ResolveMode("home", path, "map"),
                FollowMove("home", path, pick(FILES)),
            )
        )


@pytest.mark.parametrize("seed", range(6))
def test_every_agent_and_every_target_has_a_story(past, seed):
    crowd = Crowd(past, seed)
    for _ in range(120):
        crowd.act()
    past.wait(40.0)  # whoever was silent is gone
    told = 0
    for about in (*TARGETS, *(f"agent{number}#" for number in range(1, crowd.n_registered + 1)), "agent0#1"):
        facts = past.story(about, limit=10_000).facts
        place = {fact.ref: number for number, fact in enumerate(facts)}
        assert len(place) == len(facts), "nothing is told twice"
        for number, fact in enumerate(facts):
            assert all(place.get(cause, -1) < number for cause in fact.causes), (fact, "follows from what came later")
            assert fact.ref not in fact.causes
        times = [fact.at_utc_s for fact in facts if fact.at_utc_s]
        assert times == sorted(times)
        told += len(facts)
    assert told > 50
