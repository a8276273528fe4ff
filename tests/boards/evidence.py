"""What takes weeks of work to come together, told to the stores at once: a trial with an effect, answers, placement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from actors.quality_store.answer_message import CONVERGED, FAILED, RecordAnswer, StepTaken
from actors.quality_store.messages import RecordOutcome, RecordRead, RecordTrial, ResolveMode
from actors.quality_store.strategy import PLANS, WEAKNESSES
from actors.runtime.holdout import BEGIN_SHARE, ENTROPY_DELTA
from actors.thresholds.messages import RecordPlacement
from coordinator.client import Coordinator
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, QUALITY_STORE, THRESHOLDS
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

N_FILES = 160
N_SESSIONS = 160
SPACE = "boards"


def tell(transport: RayTransport, domain: str, session: str, commands: Sequence[Any]) -> None:
    """Have one session say all of this. Raises what a command was answered with."""
    conversation = Conversation(DOMAINS[domain].schema, session, "0" * 32)
    for first in range(0, len(commands), 200):
        part = commands[first : first + 200]
        number, raw = conversation.numbered(part)
        for answer in conversation.answers(transport.call(domain, raw, 60.0), len(part)):
            value_of(answer)
        conversation.received(number)


def views() -> list[Any]:
    """Views of files, half of them held out; with the layer one of four is too short, without it two of three."""
    told: list[Any] = []
    for number in range(N_FILES):
        path, is_held_out = f"src/file{number}.py", number % 2 == 0
        arms = (ENTROPY_DELTA,) if is_held_out else ()
        told.append(
            RecordRead(SPACE, path, "entropy", "", 300, 1_000, arms=arms, layers=(ENTROPY_DELTA,)),
        )
        if number % 3 if is_held_out else number % 4 == 1:
            told.append(RecordRead(SPACE, path, "full", "explicit", 1_000, 1_000))
    return told


def risky_reads() -> list[Any]:
    """Edits from maps of one kind of file that fail, and automatic reads of such files."""
    failed = [RecordOutcome(SPACE, "src/a.go", "map", "failure", "not_shown", 50) for _ in range(6)]
    return [*failed, *(ResolveMode(SPACE, f"src/b{number}.go", "map") for number in range(30))]


def answers() -> list[Any]:
    """Questions that were answered, with a refinement each."""
    step = StepTaken(WEAKNESSES[0], PLANS[0], 0.2)
    told = [RecordAnswer(0.8, 0.6, CONVERGED, 2, 0, (step,)) for _ in range(15)]
    return [*told, RecordAnswer(0.0, 0.0, FAILED, 1, 1, ())]


def tell_all(settings: Settings, root: Any) -> None:
    """Tell the stores of everything here."""
    transport = RayTransport(settings.namespace)
    tell(transport, QUALITY_STORE, "evidence#1", [*views(), *risky_reads(), *answers()])
    for number in range(N_SESSIONS):
        trial = RecordTrial(BEGIN_SHARE, number % 2 == 0, 5, 3 if number % 2 == 0 else 1)
        tell(transport, QUALITY_STORE, f"session{number}#1", [trial])
    placed = [RecordPlacement("claude", end, 10, 2) for end in ("begin", "end") for _ in range(20)]
    tell(transport, THRESHOLDS, "evidence#1", placed)
    with Coordinator.connect(agent="old", settings=settings, root=root) as agent:
        entry = agent.playbook.add("Strategy", "run the tests of one file first").entry_id
        agent.playbook.vote(entry, helpful=True)
        for _ in range(12):
            agent.playbook.checkpoint()
        agent.index()
        agent.search("value of a part")
