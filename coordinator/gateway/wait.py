"""Long calls: the client is told that somebody is still at it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Final, TypeVar

from coordinator.gateway.tool.tool import Report

Value = TypeVar("Value")
PERIOD_S: Final = 2.0


async def reported(work: Awaitable[Value], at_most_s: float, what: str, report: Report) -> Value:
    """The value of `work`; while it takes its time, `report` is called every two seconds.

    If this is cancelled, so is the work.
    """
    task = asyncio.ensure_future(work)
    started_s = time.monotonic()
    try:
        while not (await asyncio.wait([task], timeout=PERIOD_S))[0]:
            await report(time.monotonic() - started_s, at_most_s, what)
        return task.result()
    finally:
        task.cancel()
