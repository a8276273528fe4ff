"""A gateway with one tool more, which does nothing: what a call over MCP costs without what it is made for."""

from __future__ import annotations

from typing import Final

from coordinator.aio import AsyncCoordinator
from coordinator.gateway.gateway import Gateway
from coordinator.gateway.mcp_server import TOOLS
from coordinator.gateway.site import Premises
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema

NOOP_TOOL: Final = "bench_noop"


class NoopInput(ToolInput):
    """Nothing but who asks."""


async def noop(_agent: AsyncCoordinator, _given: NoopInput, _report: Report) -> Answer:
    """Answer at once."""
    return Answer("done", {})


class NoopGateway(Gateway):
    """The gateway as it is, in a process where the tools are one more."""

    def __init__(self, premises: Premises) -> None:
        about = "Does nothing."
        TOOLS[NOOP_TOOL] = Tool(NOOP_TOOL, about, NoopInput, output_schema(), noop)
        super().__init__(premises)
