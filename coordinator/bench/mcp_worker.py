"""A process of MCP clients that measure: `python -m coordinator.bench.mcp_worker CONFIG`, as `bench.worker` is run.

The clients are the official SDK's, each with a session of its own, and call one after another.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from coordinator.bench.mcp_gateway import NOOP_TOOL

_PATIENCE_S: Final = 60.0
_AT_ONCE: Final = 256
_RELAY: Final = ("-c", "from coordinator.cli.entry import run; run()", "mcp", "--url")


@asynccontextmanager
async def connected(url: str, transport: str, name: str) -> AsyncIterator[Client]:
    """A client, over `http` or over `stdio` (a `scentfield mcp` of its own)."""
    if transport == "stdio":
        relay = StdioServerParameters(command=sys.executable, args=[*_RELAY, url, "--agent", name])
        async with Client(relay, read_timeout_seconds=_PATIENCE_S) as client:
            yield client
        return
    async with httpx2.AsyncClient(headers={"Scentfield-Agent": name}, timeout=_PATIENCE_S) as http:
        line = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(line, read_timeout_seconds=_PATIENCE_S) as client:
            yield client


class McpWorker:
    """Some clients in one process; those of a transport are connected when a round first needs them."""

    def __init__(self, url: str, name: str, stack: AsyncExitStack) -> None:
        self._url = url
        self._name = name
        self._stack = stack
        self._clients: dict[str, list[Client]] = {}
        self._n_rounds = 0
        self._call: Callable[[Client, str], Awaitable[Any]] = call_noop
        self._measured: Sequence[Client] = ()
        self._claimed: dict[int, list[str]] = {}

    async def prepare(self, *, what: str, transport: str, n_clients: int) -> dict[str, Any]:
        """Connect what is missing, and have each client call once."""
        clients = self._clients.setdefault(transport, [])
        for number in range(len(clients), n_clients):
            name = f"{self._name}-{transport}-{number}"
            clients.append(await self._stack.enter_async_context(connected(self._url, transport, name)))
        self._n_rounds += 1
        self._call = call_noop if what == "reference" else call_claim
        self._measured = clients[:n_clients]
        self._claimed = {number: [] for number in range(n_clients)}
        await asyncio.gather(*(call_noop(client, "") for client in self._measured))
        return {}

    async def run(self, *, at_s: float, for_s: float) -> dict[str, Any]:
        """All clients call for so long, from a moment on; answers with what each call took, in seconds."""
        await asyncio.sleep(max(0.0, at_s - time.monotonic()))
        started_s = time.perf_counter()
        each = [self._calls(number, client, started_s + for_s) for number, client in enumerate(self._measured)]
        took_s = [one for calls in await asyncio.gather(*each) for one in calls]
        return {"took_s": took_s, "elapsed_s": time.perf_counter() - started_s}

    async def _calls(self, number: int, client: Client, until_s: float) -> list[float]:
        took_s = []
        claimed = self._claimed[number]
        prefix = f"src/{self._name}/r{self._n_rounds}/{number}"
        ended_s = time.perf_counter()
        while ended_s < until_s:
            before_s = ended_s
            claimed.append(f"{prefix}/{len(claimed)}.py")
            await self._call(client, claimed[-1])
            ended_s = time.perf_counter()
            took_s.append(ended_s - before_s)
        return took_s

    async def tidy(self) -> dict[str, Any]:
        """Release what the round claimed."""
        if self._call is call_claim:
            await asyncio.gather(*(self._release(number, client) for number, client in enumerate(self._measured)))
        return {}

    async def _release(self, number: int, client: Client) -> None:
        claimed = self._claimed[number]
        for at in range(0, len(claimed), _AT_ONCE):
            await _done(client, "ctx_agent", {"action": "release", "targets": claimed[at : at + _AT_ONCE]})


async def call_noop(client: Client, _target: str) -> None:
    """A call of the tool that does nothing."""
    await _done(client, NOOP_TOOL, {})


async def call_claim(client: Client, target: str) -> None:
    """A claim, which must be granted."""
    answer = await _done(client, "ctx_agent", {"action": "claim", "targets": [target]})
    if not answer.get("granted"):
        raise RuntimeError(f"a claim of {target} was not granted: {answer}")


async def _done(client: Client, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    result = await client.call_tool(tool, dict(arguments))
    if result.is_error:
        raise RuntimeError(f"{tool} failed: {result.content}")
    return result.structured_content or {}


async def serve() -> None:
    """Do what the lines of the input say, until it ends."""
    config = json.loads(sys.argv[1])
    async with AsyncExitStack() as stack:
        worker = McpWorker(config["url"], config["name"], stack)
        orders: dict[str, Callable[..., Awaitable[dict[str, Any]]]] = {
            "prepare": worker.prepare,
            "run": worker.run,
            "tidy": worker.tidy,
        }
        _answer({})
        while line := await asyncio.to_thread(sys.stdin.readline):
            order = json.loads(line)
            _answer(await orders[order.pop("do")](**order))


def _answer(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve())
