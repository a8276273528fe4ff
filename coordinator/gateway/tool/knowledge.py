"""`ctx_knowledge`: what agents keep for themselves and for each other, facts and a playbook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal

from pydantic import Field

from actors.memory.messages import Remembered
from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator
from coordinator.cli.outcome import plain, times
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema

Action = Literal[
    "recall",
    "remember",
    "confirm",
    "contradict",
    "forget",
    "notes",
    "note",
    "confirm_note",
    "vote_note",
    "resume_notes",
]


class KnowledgeInput(ToolInput):
    """What to do, and with which fact or note."""

    action: Action
    text: str = Field(default="", max_length=2_000, description="(recall) words; (note) one line, up to 200 characters")
    category: str = Field(default="", max_length=200, description="(remember, recall) a label such as api")
    key: str = Field(default="", max_length=400, description="(remember, recall) what it is about")
    value: str = Field(default="", max_length=1_000, description="(remember, contradict) what is so")
    confidence: float = Field(default=1.0, gt=0.0, le=1.0)
    path: str = Field(default="", max_length=4_096, description="where it was found, or what a note is about")
    ids: list[int] = Field(default_factory=list, max_length=100, description="numbers in [brackets]")
    kind: Literal["", "Strategy", "Pitfall", "Fact", "FileRef"] = Field(default="", description="(note)")
    scope: Literal["session", "project"] = Field(default="session", description="notes: yours, or everybody's")
    helpful: bool = Field(default=True, description="(vote_note)")
    from_agent: str = Field(default="", max_length=200, description="(resume_notes) agent id")
    limit: int = Field(default=10, ge=1, le=100, description="(recall)")


async def run(agent: AsyncCoordinator, given: KnowledgeInput, _report: Report) -> Answer:
    """Carry one action out."""
    return await _ACTIONS[given.action](agent, given)


async def _recall(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    found = await agent.facts.recall(given.text, key=given.key, category=given.category, n=given.limit)
    more = [f"and {found.n_all - len(found)} more"] if found.n_all > len(found) else []
    lines = [*str(found).splitlines(), *more, *([found.note] if found.note else [])]
    return Answer("\n".join(lines) if found else "nothing is known of that", found.to_dict())


async def _remember(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    kept = await agent.facts.remember(
        given.category, given.key, given.value, confidence=given.confidence, path=given.path
    )
    return _kept(kept)


async def _contradict(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    kept = await agent.facts.contradict(_one(given), given.value, confidence=given.confidence, path=given.path)
    return _kept(kept)


def _kept(kept: Remembered) -> Answer:
    what = "kept" if kept.is_new else f"confirmed, {times(kept.fact.n_confirmed)} in all"
    conflicts = "".join(f"\nin conflict with [{fact.fact_id}] {fact.line}" for fact in kept.conflicts)
    return Answer(f"[{kept.fact.fact_id}] {what}{conflicts}", plain(kept))


async def _confirm(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    fact = await agent.facts.confirm(_one(given))
    return Answer(f"[{fact.fact_id}] confirmed, {times(fact.n_confirmed)} in all", plain(fact))


async def _forget(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    if not given.ids:
        raise Misuse("forget needs ids: the numbers in [brackets] that recall shows")
    n_forgotten = await agent.facts.forget(*given.ids)
    return Answer(f"{n_forgotten} forgotten", {"n_forgotten": n_forgotten})


async def _notes(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    text = await agent.playbook.render(scope=given.scope)
    return Answer(text or "there are no notes", {"text": text})


async def _note(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    if not given.kind or not given.text:
        raise Misuse("note needs kind (Strategy, Pitfall, Fact or FileRef) and text (one line)")
    added = await agent.playbook.add(given.kind, given.text, about=given.path, scope=given.scope)
    what = "noted" if added.is_new else "was noted before, and is confirmed"
    gone = "".join(f"\n[{one.entry_id}] had to go ({one.reason})" for one in added.evicted)
    return Answer(f"[{added.entry_id}] {what}{gone}", plain(added))


async def _confirm_note(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    entry = await agent.playbook.confirm(_one(given), scope=given.scope)
    return Answer(f"[{entry.entry_id}] confirmed", plain(entry))


async def _vote_note(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    entry = await agent.playbook.vote(_one(given), helpful=given.helpful, scope=given.scope)
    return Answer(f"[{entry.entry_id}] helped {entry.n_helpful}, harmed {entry.n_harmful}", plain(entry))


async def _resume_notes(agent: AsyncCoordinator, given: KnowledgeInput) -> Answer:
    if not given.from_agent:
        raise Misuse("resume_notes needs from_agent: the id of the agent whose notes go on, name#number")
    text = await agent.playbook.resume(given.from_agent)
    return Answer(text or "that agent kept no notes", {"text": text})


def _one(given: KnowledgeInput) -> int:
    if len(given.ids) != 1:
        raise Misuse(f"{given.action} needs one number in ids, as shown in [brackets], not {len(given.ids)}")
    return given.ids[0]


_ACTIONS: Final[dict[str, Callable[[AsyncCoordinator, Any], Awaitable[Answer]]]] = {
    "recall": _recall,
    "remember": _remember,
    "confirm": _confirm,
    "contradict": _contradict,
    "forget": _forget,
    "notes": _notes,
    "note": _note,
    "confirm_note": _confirm_note,
    "vote_note": _vote_note,
    "resume_notes": _resume_notes,
}

TOOL: Final = Tool(
    name="ctx_knowledge",
    about=(
        "What agents keep. Facts: remember (category, key, value), recall by text or key, contradict when it is "
        "otherwise. Notes: short lines for yourself or the project that outlive a summary. Secrets are refused."
    ),
    input=KnowledgeInput,
    output=output_schema(text="string", found="array", fact="object", entry_id="integer"),
    run=run,
)
