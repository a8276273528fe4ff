"""One watcher's connection, as a web server sees it: who takes nothing is let go, and who leaves is not waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from coordinator.gateway.batcher import Batcher
from coordinator.page.site import PageSite
from coordinator.settings import Settings

Story = Callable[[PageSite, Starlette], Awaitable[None]]


@pytest.fixture
def run(tmp_path: Path, local_line: type) -> Callable[[Story], None]:
    """Runs a story on a page whose watchers are let go after a fraction of a second."""

    def run_one(story: Story) -> None:
        async def told() -> None:
            line = local_line(tmp_path)
            site = PageSite(line, Batcher(line, 5.0), ["test"], Settings(data_dir=tmp_path), send_s=0.1)
            try:
                await asyncio.wait_for(story(site, Starlette(routes=site.routes)), 30.0)
            finally:
                await site.close()

        asyncio.run(told())

    return run_one


def scope() -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": "/events",
        "raw_path": b"/events",
        "query_string": b"",
        "headers": [],
        "root_path": "",
        "http_version": "1.1",
    }


async def never() -> dict[str, Any]:
    await asyncio.Event().wait()
    raise AssertionError


def n_watchers(site: PageSite) -> int:
    return sum(show.broadcast.n_watchers for show in site._shows.values())


def test_a_watcher_that_takes_nothing_is_let_go(run: Callable[[Story], None]) -> None:
    async def story(site: PageSite, app: Starlette) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                assert n_watchers(site) == 1
                await asyncio.Event().wait()

        await app(scope(), never, send)
        assert n_watchers(site) == 0

    run(story)


def test_a_watcher_that_leaves_makes_room_at_once(run: Callable[[Story], None]) -> None:
    async def story(site: PageSite, app: Starlette) -> None:
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                gone.set()

        await app(scope(), receive, send)
        assert n_watchers(site) == 0

    run(story)


def test_a_connection_that_breaks_is_no_fault_of_ours(run: Callable[[Story], None]) -> None:
    async def story(site: PageSite, app: Starlette) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                raise BrokenPipeError

        await app(scope(), never, send)
        assert n_watchers(site) == 0

    run(story)


def test_nobody_is_asked_any_more_when_nobody_watches_and_all_is_over(run: Callable[[Story], None]) -> None:
    async def story(site: PageSite, app: Starlette) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                raise ConnectionResetError

        await app(scope(), never, send)
        (show,) = site._shows.values()
        assert show.ending is not None, "it lingers for those who come back"
        await site.close()
        assert show.observer._tasks == []

    run(story)
