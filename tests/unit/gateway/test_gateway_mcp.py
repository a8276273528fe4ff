"""Real clients of the protocol's own library, over real HTTP, at real state actors."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from actors.sessions.messages import ListSessions
from coordinator.conversation import Conversation
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.gateway.instruction import INSTRUCTIONS
from coordinator.gateway.mcp_server import TOOLS, definition
from coordinator.gateway.party import MAX_SUB_AGENTS, agent_name
from coordinator.gateway.resource import SYNC_URI, TASK_TEMPLATE, WAKEUP_URI
from coordinator.reading.token_count import count_tokens


@contextlib.asynccontextmanager
async def client_of(gateway: Any, **headers: str) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=headers, timeout=30.0) as http:
        transport = streamable_http_client(f"{gateway.url}/mcp", http_client=http)
        async with Client(transport, read_timeout_seconds=30.0) as client:
            yield client


async def call(client: Any, tool: str = "ctx_agent", **arguments: Any) -> Any:
    return await client.call_tool(tool, arguments)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


async def until(condition: Callable[[], Awaitable[Any]], within_s: float = 20.0) -> Any:
    async with asyncio.timeout(within_s):
        while not (value := await condition()):
            await asyncio.sleep(0.02)
        return value


async def n_live(gateway: Any, wanted: int) -> bool:
    """Whether so many sessions are alive, asked past the gateway."""
    stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
    raw = stranger.unnumbered([ListSessions(10)])
    asked = gateway.line.actors[SCENT_FIELD].submit(raw)
    reply = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked, gateway.loop))
    return bool(stranger.answers(reply, 1)[0].n_live == wanted)


def test_two_clients_claim_one_file_and_the_second_gets_it_when_the_first_has_gone(
    open_gateway: Callable[..., Any],
) -> None:
    gateway = open_gateway()

    async def story() -> float:
        async with client_of(gateway) as second:
            async with client_of(gateway, **{"Scentfield-Agent": "ann"}) as first:
                granted = await call(first, action="claim", targets=["src/a.py"], intent="tidy up")
                assert granted.structured_content["agent"] == "ann#1"
                refused = await call(second, action="claim", targets=["./src//a.py"])
                assert not refused.is_error
                assert re.match(r"NOT GRANTED. ann#1 holds src/a.py since \d+ s to tidy up", text_of(refused))
                (conflict,) = refused.structured_content["conflicts"]
                assert (conflict["holder"], conflict["age_s"] < 60.0) == ("ann#1", True)

            started_s = time.monotonic()

            async def granted_now() -> bool:
                return bool((await call(second, action="claim", targets=["src/a.py"])).structured_content["granted"])

            await until(granted_now)
            return time.monotonic() - started_s

    assert asyncio.run(story()) < 2.0


def test_an_open_stream_keeps_a_session_and_its_end_frees_what_it_holds(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> float:
        http = httpx2.AsyncClient(timeout=30.0)
        begun = await http.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
        session = {**_ACCEPT, "mcp-session-id": begun.headers["mcp-session-id"]}
        await http.post(f"{gateway.url}/mcp", json=_INITIALIZED, headers=session)
        async with client_of(gateway) as other:
            async with http.stream("GET", f"{gateway.url}/mcp", headers=session):
                claimed = await http.post(f"{gateway.url}/mcp", json=_claim("src/a.py"), headers=session)
                assert '"granted":true' in claimed.text.replace(" ", "")
                waited = await call(other, action="claim", targets=["src/a.py"], wait_s=3.0)  # longer than the TTL
                assert not waited.structured_content["granted"], "the open stream keeps it"
            await http.aclose()  # no DELETE: the connection is gone, as with kill -9
            started_s = time.monotonic()
            answer = await call(other, action="claim", targets=["src/a.py"], wait_s=20.0)
            assert answer.structured_content["granted"]
            return time.monotonic() - started_s

    assert asyncio.run(story()) < 2.0


def test_a_stream_that_comes_back_at_once_keeps_the_session(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(gone_s=1.0)

    async def story() -> None:
        async with httpx2.AsyncClient(timeout=30.0) as http, client_of(gateway) as other:
            begun = await http.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
            session = {**_ACCEPT, "mcp-session-id": begun.headers["mcp-session-id"]}
            await http.post(f"{gateway.url}/mcp", json=_INITIALIZED, headers=session)
            await http.post(f"{gateway.url}/mcp", json=_claim("src/a.py"), headers=session)
            for _ in range(3):
                async with http.stream("GET", f"{gateway.url}/mcp", headers=session) as stream:
                    assert stream.status_code == 200
            async with http.stream("GET", f"{gateway.url}/mcp", headers=session):
                waited = await call(other, action="claim", targets=["src/a.py"], wait_s=3.0)
                assert not waited.structured_content["granted"]

    asyncio.run(story())


def test_a_second_request_with_an_id_that_is_being_answered_is_refused(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with httpx2.AsyncClient(timeout=30.0) as http, client_of(gateway) as other:
            await call(other, action="claim", targets=["src/a.py"])
            begun = await http.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
            session = {**_ACCEPT, "mcp-session-id": begun.headers["mcp-session-id"]}
            await http.post(f"{gateway.url}/mcp", json=_INITIALIZED, headers=session)
            waiting = _claim("src/a.py") | {"id": 7}
            waiting["params"]["arguments"]["wait_s"] = 60.0
            first = asyncio.create_task(http.post(f"{gateway.url}/mcp", json=waiting, headers=session))
            await until(lambda: asyncio.sleep(0, len(gateway.site._mcp._in_flight) == 1))
            for same in (7, "7"):
                ping = {"jsonrpc": "2.0", "id": same, "method": "ping"}
                refused = await http.post(f"{gateway.url}/mcp", json=ping, headers=session)
                assert (refused.status_code, refused.json()["id"]) == (400, same)
                assert "is being answered: give each request of a session its own id" in refused.text
            await call(other, action="release", targets=["src/a.py"])
            assert '"granted":true' in (await first).text.replace(" ", ""), "the first is not disturbed"
            again = await http.post(f"{gateway.url}/mcp", json=ping, headers=session)
            assert again.status_code == 200, "an id that was answered is free"

    asyncio.run(story())


@pytest.mark.parametrize("asked", [b'"' + b"x" * 201 + b'"', b"9" * 4_000])
def test_an_id_that_is_too_long_is_refused(open_gateway: Callable[..., Any], asked: bytes) -> None:
    json_type = {"content-type": "application/json"}
    body = b'{"jsonrpc":"2.0","id":' + asked + b',"method":"ping"}'
    told = open_gateway().post("/mcp", body, **_ACCEPT, **json_type)
    assert told.status_code == 400
    assert "id has at most 200 characters" in told.text


def test_a_fault_ends_neither_the_heartbeats_nor_the_look_for_who_has_gone(
    open_gateway: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = open_gateway(silent_s=1.0)
    faults: list[str] = []

    def once(name: str, whole: Callable[..., Any]) -> Callable[..., Any]:
        async def faulty(*asked: Any) -> Any:
            if name in faults:
                return await whole(*asked)
            faults.append(name)
            raise RuntimeError("nobody thought of this")

        return faulty

    async def begin(http: httpx2.AsyncClient, target: str) -> None:
        begun = await http.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
        session = {**_ACCEPT, "mcp-session-id": begun.headers["mcp-session-id"]}
        await http.post(f"{gateway.url}/mcp", json=_claim(target), headers=session)

    async def has_failed(name: str) -> bool:
        return name in faults

    async def story() -> None:
        async with client_of(gateway) as client, client_of(gateway) as other, httpx2.AsyncClient(timeout=30.0) as http:
            await call(client, action="claim", targets=["src/a.py"])
            await call(other, action="sync")
            monkeypatch.setattr(gateway.line, "call_async", once("beat", gateway.line.call_async))
            await until(partial(has_failed, "beat"))
            kept = await call(other, action="claim", targets=["src/a.py"], wait_s=3.0)  # longer than the TTL
            assert not kept.structured_content["granted"], "its client is there"

            site = gateway.site._mcp
            monkeypatch.setattr(site, "_close_transport", once("end", site._close_transport))
            await begin(http, "src/b.py")
            await until(partial(has_failed, "end"))
            await begin(http, "src/c.py")
            freed = await call(other, action="claim", targets=["src/c.py"], wait_s=20.0)
            assert freed.structured_content["granted"], "its client was silent"

    asyncio.run(story())


def test_a_session_that_was_given_up_is_not_known_any_more(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(silent_s=1.0)

    async def story() -> None:
        async with httpx2.AsyncClient(timeout=30.0) as http, client_of(gateway) as other:
            begun = await http.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
            session = {**_ACCEPT, "mcp-session-id": begun.headers["mcp-session-id"]}
            await http.post(f"{gateway.url}/mcp", json=_INITIALIZED, headers=session)
            await http.post(f"{gateway.url}/mcp", json=_claim("src/a.py"), headers=session)
            freed = await call(other, action="claim", targets=["src/a.py"], wait_s=20.0)
            assert freed.structured_content["granted"]
            again = await http.post(f"{gateway.url}/mcp", json=_claim("src/a.py"), headers=session)
            assert again.status_code == 404

    asyncio.run(story())


def test_sub_agents_are_agents_of_their_own(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway, **{"Scentfield-Agent": "lead"}) as client:
            await call(client, action="claim", targets=["src/"])
            tester = await call(client, action="claim", targets=["src/a.py"], agent="tester")
            assert tester.structured_content["granted"], "a parent's claim blocks no child"
            assert tester.structured_content["agent"] == "lead/tester#2"
            writer = await call(client, action="claim", targets=["src/a.py"], agent="writer")
            assert writer.structured_content["conflicts"][0]["holder"] == "lead/tester#2"
            assert "1 claims released" in text_of(await call(client, action="leave", agent="tester"))
            assert (await call(client, action="claim", targets=["src/a.py"], agent="writer")).structured_content[
                "granted"
            ]
            assert (await call(client, action="leave", agent="nobody")).is_error
            assert (await call(client, action="sync", agent="a b")).is_error

    asyncio.run(story())


def test_one_session_speaks_for_a_bounded_number_of_sub_agents(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> Any:
        async with client_of(gateway) as client:
            names = [f"n{number}" for number in range(MAX_SUB_AGENTS)]
            for name in names:
                assert not (await call(client, action="sync", agent=name)).is_error
            return await call(client, action="sync", agent="one-more")

    refused = asyncio.run(story())
    assert refused.is_error
    assert "let one leave first" in text_of(refused)


def test_a_file_is_read_edited_and_an_edit_undone(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    file: Path = gateway.root / "src" / "a.py"

    async def story() -> None:
        async with client_of(gateway) as client:
            shown = await call(client, "ctx_read", path="src/a.py", mode="full")
            assert "def a():\n    return 1\n" in text_of(shown)
            assert "def a():" in shown.structured_content["text"]
            unit = await call(client, "ctx_read", path="src/a.py", unit="a")
            assert "return 1" in text_of(unit)
            edited = await call(client, "ctx_edit", path="src/a.py", old="return 1", new="return 2")
            assert (edited.is_error, edited.structured_content["applied"]) == (False, True)
            assert "return 2" in file.read_text()
            missed = await call(client, "ctx_edit", path="src/a.py", old="return 7", new="return 3")
            assert missed.is_error
            assert "return 2" in text_of(missed), "a miss shows what the file says"
            await call(client, "ctx_edit", path="src/a.py", action="undo")
            assert "return 1" in file.read_text()
            many = [{"old": "def a", "new": "def aa"}, {"old": "return 1", "new": "return 4"}]
            await call(client, "ctx_edit", path="src/a.py", edits=many)
            assert file.read_text() == "def aa():\n    return 4\n"
            await call(client, "ctx_edit", path="src/new.py", action="create", new="n = 1\n")
            await call(client, "ctx_edit", path="src/new.py", action="move", to="src/moved.py")
            assert (gateway.root / "src" / "moved.py").read_text() == "n = 1\n"
            await call(client, "ctx_edit", path="src/moved.py", action="delete")
            assert sorted(file.name for file in (gateway.root / "src").iterdir()) == ["a.py", "b.py"]
            for wrong in ({"action": "undo", "old": "x"}, {"action": "move"}, {"action": "delete", "to": "x"}):
                assert (await call(client, "ctx_edit", path="src/a.py", **wrong)).is_error, wrong
            assert file.read_text() == "def aa():\n    return 4\n"

    asyncio.run(story())


def test_a_read_without_a_query_goes_by_what_was_searched_for(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway) as client:
            lines = "".join(f"def f{n}(value):\n" + f"    value_{n} = value + {n}\n" * 9 for n in range(80))
            (gateway.root / "long.py").write_text(lines)
            before = await call(client, "ctx_read", path="long.py", mode="units", budget=600)
            assert "query" not in text_of(before)
            await call(client, "ctx_search", query="value_41")
            after = await call(client, "ctx_read", path="long.py", mode="units", budget=600)
            assert 'query (search) "value_41"' in text_of(after)
            assert "    value_41 = value + 41\n" in text_of(after)

    asyncio.run(story())


def test_who_holds_a_file_stands_above_its_text_and_an_edit_of_it_is_refused(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> tuple[Any, Any]:
        async with client_of(gateway, **{"Scentfield-Agent": "ann"}) as ann, client_of(gateway) as bob:
            await call(ann, action="claim", targets=["src/a.py"])
            read = await call(bob, "ctx_read", path="src/a.py")
            return read, await call(bob, "ctx_edit", path="src/a.py", old="return 1", new="return 2")

    read, refused = asyncio.run(story())
    assert text_of(read).startswith("[scent: claimed by ann#1]\n")
    assert refused.is_error
    assert "ann#1" in text_of(refused)


def test_paths_stay_in_the_root_also_by_links(open_gateway: Callable[..., Any], tmp_path: Path) -> None:
    gateway = open_gateway()
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden\n")
    (gateway.root / "link.txt").symlink_to(secret)
    (gateway.root / "up").symlink_to(tmp_path)

    async def story() -> None:
        async with client_of(gateway) as client:
            for path in (
                "link.txt",
                "up/secret.txt",
                "../secret.txt",
                str(secret),
                "/etc/passwd",
                "src/../../secret.txt",
            ):
                for tool, rest in (("ctx_read", {}), ("ctx_edit", {"old": "hidden", "new": "x"})):
                    refused = await call(client, tool, path=path, **rest)
                    assert refused.is_error, (tool, path)
                    assert "hidden" not in text_of(refused).replace("'hidden'", "")
            created = await call(client, "ctx_edit", path="up/new.txt", new="x", action="create")
            assert created.is_error
            found = await call(client, "ctx_search", query="hidden")
            assert found.structured_content["hits"] == []

    asyncio.run(story())
    assert secret.read_text() == "hidden\n"
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems take no such names")
def test_names_that_are_no_text_are_spelled_out(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    Path(os.fsdecode(os.fsencode(gateway.root) + b"/b\xff.txt")).write_text("needle\n")

    async def story() -> Any:
        async with client_of(gateway) as client:
            return await call(client, "ctx_search", query="needle")

    found = asyncio.run(story())
    assert text_of(found) == "b\\udcff.txt:1: needle"
    assert [hit["path"] for hit in found.structured_content["hits"]] == ["b\\udcff.txt"]


def test_what_git_keeps_for_itself_is_out_of_reach(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    config = gateway.root / ".git" / "config"
    config.parent.mkdir()
    config.write_text("[core]\n")
    (gateway.root / "way").symlink_to(config.parent)

    async def story() -> None:
        async with client_of(gateway, **{"Scentfield-Root": str(config.parent)}) as client:
            for path in (".git/config", "src/../.git/config", "way/config", str(config)):
                for tool, rest in (
                    ("ctx_read", {}),
                    ("ctx_edit", {"old": "[core]", "new": "[core]\nfsmonitor = /tmp/x"}),
                    ("ctx_edit", {"action": "delete"}),
                    ("ctx_edit", {"action": "move", "to": "src/c.py"}),
                ):
                    refused = await call(client, tool, path=path, **rest)
                    assert "which is closed here" in text_of(refused), (path, tool, rest)
            created = await call(client, "ctx_edit", path="src/.git/hooks/x", action="create", new="x")
            assert "which is closed here" in text_of(created)
            moved = await call(client, "ctx_edit", path="src/a.py", action="move", to=".Git/a.py")
            assert "which is closed here" in text_of(moved)
            assert not (await call(client, "ctx_edit", path=".gitignore", action="create", new="x\n")).is_error

    asyncio.run(story())
    assert config.read_text() == "[core]\n"


def test_a_client_works_in_a_root_that_is_served_and_in_no_other(
    open_gateway: Callable[..., Any], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / "inner").mkdir(parents=True)
    (other / "x.py").write_text("x = 1\n")
    gateway = open_gateway(roots=(tmp_path / "gateway-0" / "tree", other))

    async def read(path: str, root: str) -> Any:
        async with client_of(gateway, **{"Scentfield-Root": root}) as client:
            return await call(client, "ctx_read", path=path)

    assert "x = 1" in text_of(asyncio.run(read("x.py", str(other))))
    assert "x = 1" in text_of(asyncio.run(read(str(other / "x.py"), str(other))))
    for root in (str(tmp_path), "/", "relative", f"{other}/../..", str(other / "missing"), "/" + "a" * 5_000):
        refused = asyncio.run(read("x.py", root))
        assert refused.is_error, root
        assert "fault of its own" not in text_of(refused), root
    assert "add it to roots" in text_of(asyncio.run(read("x.py", "/")))


def test_waiting_tells_that_it_goes_on_and_ends_when_the_turn_comes(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def story() -> Any:
        async with client_of(gateway) as ann, client_of(gateway) as bob:
            await call(ann, action="claim", targets=["src/a.py"])
            arguments = {"action": "claim", "targets": ["src/a.py"], "wait_s": 60.0}
            waiting = asyncio.create_task(bob.call_tool("ctx_agent", arguments, progress_callback=heard))
            await until(lambda: asyncio.sleep(0, bool(told)))
            await call(ann, action="release", targets=["src/a.py"], done=True)
            return await waiting

    granted = asyncio.run(story())
    assert granted.structured_content["granted"]
    assert "DONE on src/a.py" in text_of(granted)
    assert told[0][1:] == (60.0, "waiting for its turn")


def test_all_actions_have_answers(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with (
            client_of(gateway, **{"Scentfield-Agent": "ann"}) as ann,
            client_of(gateway, **{"Scentfield-Agent": "bob"}) as bob,
        ):
            first = await call(ann, action="claim_any", targets=["src/a.py", "src/b.py"])
            assert first.structured_content["targets"] == ["src/a.py"]
            assert text_of(await call(ann, action="renew", targets=["src/a.py"])).startswith("renewed")
            generation = first.structured_content["generation"]
            assert text_of(await call(ann, action="check", targets=["src/a.py"], generation=generation)).startswith(
                "yes"
            )
            version = (await call(bob, action="sync")).structured_content["version"]
            await call(ann, action="deposit", targets=["src/b.py"], kind="STUCK", intensity=2.0)
            seen = await call(bob, action="watch", version=version, wait_s=10.0)
            assert "signal src/b.py ann#1 STUCK" in text_of(seen)
            moved = await call(ann, action="transfer", generation=generation, to="bob", note="tests are red")
            assert text_of(moved).startswith("bob holds src/a.py now")
            assert text_of(await call(ann, action="check", targets=["src/a.py"], generation=generation)).startswith(
                "no"
            )
            field = text_of(await call(bob, action="sync"))
            assert "CLAIMED src/a.py by bob#2" in field
            assert "STUCK src/b.py 2.00 by ann#1" in field
            assert "you are bob#2, alive" in text_of(await call(bob, action="heartbeat"))
            assert "1 released" in text_of(await call(bob, action="release", targets=["src/a.py"]))
            again = await call(bob, action="release", targets=["src/a.py"])
            assert again.is_error
            assert "not released: src/a.py" in text_of(again)
            numbers = text_of(await call(bob, "ctx_metrics"))
            assert "Edit quality (compression-correlated)" in numbers
            assert "Learning Efficacy" in numbers
            assert "Embedding" in numbers

    asyncio.run(story())


def test_agents_keep_facts_and_notes(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway) as ann, client_of(gateway) as bob:

            async def ask(client: Any, action: str, **arguments: Any) -> str:
                return text_of(await call(client, "ctx_knowledge", action=action, **arguments))

            api = {"category": "api", "key": "base_url"}
            assert await ask(ann, "remember", **api, value="is /v2", path="src/a.py") == "[1] kept"
            assert "api/base_url: is /v2" in await ask(bob, "recall", text="base url")
            assert "in conflict with [1] api/base_url: is /v2" in await ask(bob, "contradict", ids=[1], value="is /v3")
            assert await ask(ann, "confirm", ids=[2]) == "[2] confirmed, once in all"
            assert await ask(ann, "forget", ids=[1]) == "1 forgotten"
            assert await ask(ann, "recall", key="nothing") == "nothing is known of that"
            pitfall = {
                "kind": "Pitfall",
                "text": "generated, edit the template",
                "path": "src/b.py",
                "scope": "project",
            }
            assert await ask(ann, "note", **pitfall) == "[1] noted"
            assert await ask(bob, "note", **pitfall) == "[1] was noted before, and is confirmed"
            assert "generated, edit the template" in await ask(bob, "notes", scope="project")
            assert await ask(bob, "vote_note", ids=[1], scope="project", helpful=False) == "[1] helped 0, harmed 1"
            assert await ask(bob, "confirm_note", ids=[1], scope="project") == "[1] confirmed"
            assert await ask(ann, "notes") == "there are no notes"
            for wrong in ({"action": "confirm"}, {"action": "forget"}, {"action": "note"}, {"action": "resume_notes"}):
                assert (await call(ann, "ctx_knowledge", **wrong)).is_error, wrong
            secret = "AKIA" + "IOSFODNN7EXAMPLQ"
            assert (await call(ann, "ctx_knowledge", action="remember", **api, value=secret)).is_error

    asyncio.run(story())


def test_what_was_done_outlives_a_context_and_is_handed_over_with_the_claims(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with (
            client_of(gateway, **{"Scentfield-Agent": "ann"}) as ann,
            client_of(gateway, **{"Scentfield-Agent": "bob"}) as bob,
        ):
            await call(bob, action="sync")
            await call(ann, action="claim", targets=["src/a.py"])
            await call(ann, "ctx_edit", path="src/a.py", old="return 1", new="return 2")
            kept = text_of(await call(ann, "ctx_compress", tests={"tests/test_a.py": False}))
            assert "src/a.py" in kept
            assert "tests/test_a.py" in kept
            assert 'resume_notes from_agent="ann#' in kept
            fact = {"category": "api", "key": "base_url", "value": "is /v2"}
            await call(ann, "ctx_knowledge", action="remember", **fact)
            woken = text_of(await call(bob, "ctx_compress", action="wakeup", task="change the base url"))
            assert "is /v2" in woken
            assert "change the base url" in woken
            bob_id = (await call(bob, action="sync")).structured_content["agent"]
            handed = await call(ann, action="hand_over", to=bob_id, note="tests are red")
            assert not handed.is_error
            assert "Yours now: src/a.py" in text_of(handed)
            mine = await call(bob, action="check", targets=["src/a.py"])
            assert mine.structured_content["holder"] == bob_id
            ann_id = handed.structured_content["agent"]
            resumed = await call(bob, "ctx_knowledge", action="resume_notes", from_agent=ann_id)
            assert "tests/test_a.py" in text_of(resumed)
            assert (await call(ann, action="hand_over")).is_error

    asyncio.run(story())


def test_what_is_wrong_with_a_call_is_said_with_the_next_step(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway) as client:
            for arguments, said in (
                ({"action": "claim"}, "claim needs targets"),
                ({"action": "release"}, "Give targets, or the generation"),
                ({"action": "check", "targets": ["a", "b"]}, "check needs one target in targets, not 2"),
                ({"action": "deposit", "targets": ["a"]}, "deposit needs kind"),
                ({"action": "transfer", "to": "x"}, "transfer needs generation"),
                ({"action": "fly"}, "Input should be 'claim'"),
                ({"action": "sync", "unknown": 1}, "its arguments are agent, action, targets"),
                ({"action": "claim", "targets": ["a"], "wait_s": 601}, "less than or equal to 600"),
                ({"action": "claim", "targets": ["a/[b"]}, "close it with ']'"),
            ):
                refused = await call(client, **arguments)
                assert refused.is_error, arguments
                assert said in text_of(refused)
            refused = await call(client, "ctx_read", path="src/missing.py")
            assert refused.is_error
            with pytest.raises(MCPError, match="there is no tool 'nothing': there are ctx_read"):
                await client.call_tool("nothing", {})

    asyncio.run(story())


def test_no_answer_is_no_permission(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(gone=("scent_field",))

    async def story() -> Any:
        async with client_of(gateway) as client:
            return await call(client, action="claim", targets=["src/a.py"])

    refused = asyncio.run(story())
    assert refused.is_error
    assert "scent_field cannot be reached. This is no permission." in text_of(refused)


def test_an_agent_that_was_given_up_hears_once_what_it_lost_and_who_it_is_now(
    open_gateway: Callable[..., Any],
) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway, **{"Scentfield-Agent": "ann"}) as ann:
            await call(ann, action="claim", targets=["src/a.py"])
            gateway.line.gone = ("scent_field",)  # no beat gets through
            await until(lambda: n_live(gateway, 0))
            gateway.line.gone = ()

            async def is_told() -> Any:
                answer = await call(ann, action="check", targets=["src/a.py"])
                return answer if answer.is_error else None

            told = text_of(await until(is_told))
            assert "src/a.py" in told
            assert "You are ann#2 now, which holds nothing" in told
            assert not (await call(ann, action="claim", targets=["src/a.py"])).is_error

    asyncio.run(story())


def test_the_field_is_a_resource_and_work_begins_with_a_prompt(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway, **{"Scentfield-Agent": "ann"}) as client:
            await call(client, action="claim", targets=["src/a.py"])
            resources = (await client.list_resources()).resources
            assert [str(one.uri) for one in resources] == [SYNC_URI, WAKEUP_URI]
            document = json.loads((await client.read_resource(SYNC_URI)).contents[0].text)
            assert document["rows"][0]["target"] == "src/a.py"
            assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {"start_work", "hand_over"}
            prompt = await client.get_prompt("start_work", {"task": "fix {0} the parser"})
            assert prompt.messages[0].content.text.startswith("Your task: fix {0} the parser")
            for wrong in (
                client.get_prompt("start_work", {}),
                client.get_prompt("x", {}),
                client.read_resource("a://b"),
            ):
                with pytest.raises(MCPError):
                    await wrong

    asyncio.run(story())


def test_a_wakeup_is_a_resource_too_also_for_a_task(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> None:
        async with client_of(gateway) as client:

            async def read(uri: str) -> Any:
                return (await client.read_resource(uri)).contents[0]

            assert (await read(WAKEUP_URI)).text == "nothing is known yet"
            fact = {"category": "api", "key": "base_url", "value": "is /v2"}
            await call(client, "ctx_knowledge", action="remember", **fact)
            woken = await read(WAKEUP_URI)
            assert (woken.mime_type, "is /v2" in woken.text) == ("text/markdown", True)
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == TASK_TEMPLATE
            asked = TASK_TEMPLATE.replace("{task}", "move%20the%20base%20url%2Fpath")
            assert "move the base url/path" in (await read(asked)).text
            for wrong, said in (
                (f"{WAKEUP_URI}/", "there is no resource"),
                (f"{WAKEUP_URI}/%20", "there is no resource"),
                (f"{WAKEUP_URI}s", "there is no resource"),
                (f"{WAKEUP_URI}/{'x' * 2_001}", "a task has at most 2000 characters"),
            ):
                with pytest.raises(MCPError, match=said):
                    await read(wrong)
            gateway.line.gone = ("memory",)
            with pytest.raises(MCPError, match=r"memory cannot be reached\. This is no permission"):
                await read(WAKEUP_URI)

    asyncio.run(story())


def test_tools_are_few_and_cost_few_tokens(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()

    async def story() -> Any:
        async with client_of(gateway) as client:
            return await client.list_tools()

    listed = asyncio.run(story()).tools
    assert 1 <= len(listed) <= 8
    assert [tool.name for tool in listed] == list(TOOLS)
    plain = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
    assert plain == [definition(t).model_dump(mode="json", by_alias=True, exclude_none=True) for t in TOOLS.values()]
    n_tokens = count_tokens(json.dumps(plain))
    assert n_tokens < 3_000
    assert '"title"' not in json.dumps(plain)


def test_the_first_words_say_all_rules() -> None:
    """Of instructions Codex shows a model the first 512 characters where it decides which server to use."""
    first = INSTRUCTIONS[:512]
    for rule in (
        "claim it",
        "NOT GRANTED means",
        "no answer is never permission",
        "done=true",
        "action=sync",
        "ctx_edit",
    ):
        assert rule in first


def test_sessions_are_bounded(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(max_sessions=1)

    async def story() -> int:
        async with httpx2.AsyncClient(timeout=30.0) as http:
            for _ in range(2):
                begun = await http.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
            return begun.status_code

    assert asyncio.run(story()) == 503


def test_a_session_less_revision_is_told_which_ones_are_served(open_gateway: Callable[..., Any]) -> None:
    told = open_gateway().post(
        "/mcp", b"{}", **_ACCEPT, **{"mcp-protocol-version": "2026-07-28", "content-type": "application/json"}
    )
    assert told.status_code == 400
    assert "2025-11-25" in told.json()["error"]["data"]["supported"]


def test_the_door_stands_before_mcp_too(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(token="always", max_body_bytes=2_000)
    json_type = {"content-type": "application/json"}
    assert gateway.post("/mcp", json.dumps(_INITIALIZE).encode(), **_ACCEPT, **json_type).status_code == 401
    token = {"Authorization": "Bearer a-token-of-this-test-0123456789abcdef"}
    assert gateway.post("/mcp", json.dumps(_INITIALIZE).encode(), **_ACCEPT, **json_type, **token).status_code == 200
    assert gateway.post("/mcp", b"x" * 2_001, **_ACCEPT, **json_type, **token).status_code == 413
    assert gateway.post("/mcp", b"{}", Host="evil.example", **token).status_code == 421
    assert gateway.post("/mcp", b"{}", Origin="https://evil.example", **token).status_code == 403


def test_names_are_made_usable() -> None:
    assert agent_name("Claude Code") == "Claude-Code"
    assert agent_name("ünï/../x#1") == "n-..-x-1"
    assert agent_name("  ") == "agent"
    assert len(agent_name("x" * 500)) == 64


_ACCEPT = {"Accept": "application/json, text/event-stream"}
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": str(os.getpid())},
    },
}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def _claim(target: str) -> dict[str, Any]:
    arguments = {"action": "claim", "targets": [target]}
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ctx_agent", "arguments": arguments}}
