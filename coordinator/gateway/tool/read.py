"""`ctx_read`: show a file, or one part of it."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from coordinator.aio import AsyncCoordinator
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema
from coordinator.reading.budget import Budget


class ReadInput(ToolInput):
    """What to show, and how."""

    path: str = Field(max_length=4_096)
    mode: str = Field(
        default="auto", max_length=40, description="auto, full, lines:N-M, map, signatures, units, diff, entropy"
    )
    unit: str = Field(default="", max_length=400, description="show this function, class or L10-42 whole instead")
    query: str = Field(default="", max_length=2_000, description="what you look for (units, entropy)")
    budget: float = Field(default=0.0, ge=0.0, le=1e9, description="(units, entropy) tokens, or a share such as 0.25")


async def run(agent: AsyncCoordinator, given: ReadInput, _report: Report) -> Answer:
    """Read a file, or expand a unit of it."""
    if given.unit:
        reading = await agent.expand(given.path, given.unit)
    else:
        reading = await agent.read(given.path, given.mode, query=given.query, budget=_budget(given.budget))
    beside = [*reading.hints, *reading.lessons]
    return Answer("".join(f"{line}\n" for line in beside) + reading.text, reading.to_dict())


def _budget(number: float) -> Budget | None:
    """Below one a share of the file, else tokens; nothing where none was given."""
    if number == 0.0:
        return None
    return number if number < 1.0 else int(number)


TOOL: Final = Tool(
    name="ctx_read",
    about=(
        "Show a file. `auto` chooses a view that costs less and never lies: lines come verbatim, markers say what is "
        "left out and how to get it (`unit`). Says who else works on the file."
    ),
    input=ReadInput,
    output=output_schema(
        path="string!", text="string!", mode="string", tokens="integer", hints="array", lessons="array"
    ),
    run=run,
    changes=False,
)
