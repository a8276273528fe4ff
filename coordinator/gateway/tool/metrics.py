"""`ctx_metrics`: how edits and reads went, what was learned, and whether it pays."""

from __future__ import annotations

import asyncio
from typing import Final

from actors.runtime.errors import ScentfieldError
from coordinator.aio import AsyncCoordinator
from coordinator.embedding.report import status_lines
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema


class MetricsInput(ToolInput):
    """Nothing but who asks."""


async def run(agent: AsyncCoordinator, _given: MetricsInput, _report: Report) -> Answer:
    """All sections."""
    told, (field, _quality), model = await asyncio.gather(agent.efficacy(), agent.statistics(), _model(agent))
    counters = {one.name: one.value for one in field.counters}
    gauges = {one.name: one.value for one in field.gauges}
    sections = [*told.sections(counters), model]
    text = "\n\n".join("\n".join(section) for section in sections)
    return Answer(text, {"text": text, "gauges": gauges, "counters": counters})


async def _model(agent: AsyncCoordinator) -> list[str]:
    try:
        return status_lines(await agent.embedding_status())
    except ScentfieldError as error:
        return ["Embedding", f"  {error.message}"]


TOOL: Final = Tool(
    name="ctx_metrics",
    about="How edits and reads went by kind of file, what was learned from that, what it saved.",
    input=MetricsInput,
    output=output_schema(text="string!", gauges="object", counters="object"),
    run=run,
    changes=False,
)
