"""`ctx_compress`: what outlives an agent's context, and what the next one begins with."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from coordinator.aio import AsyncCoordinator
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema


class CompressInput(ToolInput):
    """Before the context goes, or after."""

    action: Literal["checkpoint", "wakeup"] = "checkpoint"
    tests: dict[str, bool] = Field(default_factory=dict, max_length=200, description="(checkpoint) which tests passed")
    task: str = Field(default="", max_length=2_000, description="(wakeup) what you are to do")
    max_tokens: int = Field(default=0, ge=0, le=100_000, description="(wakeup) 0: as set")


async def run(agent: AsyncCoordinator, given: CompressInput, _report: Report) -> Answer:
    """Make a checkpoint, or begin with what is known."""
    return await (_wakeup(agent, given) if given.action == "wakeup" else _checkpoint(agent, given))


async def _checkpoint(agent: AsyncCoordinator, given: CompressInput) -> Answer:
    if given.tests:
        agent.playbook.tests(given.tests)
    taken = await agent.playbook.checkpoint()
    resume = f'A later agent goes on with ctx_knowledge action=resume_notes from_agent="{agent.agent_id}".'
    return Answer(f"{taken.text}{resume}", taken.to_dict())


async def _wakeup(agent: AsyncCoordinator, given: CompressInput) -> Answer:
    woken = await agent.wakeup(given.task, max_tokens=given.max_tokens or None)
    document = {"text": woken.text, "n_tokens": woken.n_tokens, "n_left_out": woken.n_left_out}
    return Answer(woken.text or "nothing is known yet", document)


TOOL: Final = Tool(
    name="ctx_compress",
    about=(
        "Before your context is compacted: checkpoint keeps what you did and found as short notes, never rewritten. "
        "At the start: wakeup gives the facts for a task."
    ),
    input=CompressInput,
    output=output_schema(text="string!"),
    run=run,
)
