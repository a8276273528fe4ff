"""`ctx_read`: show a file, or one part of it."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from coordinator.aio import AsyncCoordinator
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema


class ReadInput(ToolInput):
    """What to show, and how."""

    path: str = Field(max_length=4_096)
    mode: str = Field(
        default="auto", max_length=40, description="auto, full, lines:N-M, map, signatures, diff, entropy"
    )
    unit: str = Field(default="", max_length=400, description="show this function, class or L10-42 whole instead")
    query: str = Field(default="", max_length=2_000, description="what you look for (entropy)")
    budget_tokens: int = Field(default=0, ge=0, le=1_000_000, description="(entropy) 0: no limit")


async def run(agent: AsyncCoordinator, given: ReadInput, _report: Report) -> Answer:
    """Read a file, or expand a unit of it."""
    if given.unit:
        reading = await agent.expand(given.path, given.unit)
    else:
        reading = await agent.read(given.path, given.mode, query=given.query, budget_tokens=given.budget_tokens or None)
    hints = "".join(f"[{hint}]\n" for hint in reading.hints)
    return Answer(hints + reading.text, reading.to_dict())


TOOL: Final = Tool(
    name="ctx_read",
    about=(
        "Show a file. `auto` chooses a view that costs less and never lies: lines come verbatim, markers say what is "
        "left out and how to get it (`unit`). Says who else works on the file."
    ),
    input=ReadInput,
    output=output_schema(path="string!", text="string!", mode="string", tokens="integer", hints="array"),
    run=run,
    changes=False,
)
