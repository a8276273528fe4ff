"""What a state actor writes in a process of its own, from its start to an orderly stop."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LIVE = """
import asyncio, logging, sys
from actors.runtime.actor import ActorConfig, StateActor
from actors.runtime.log import LogConfig

async def live():
    machine = "actors.coordination.factory:make_coordination"
    log = LogConfig(sys.argv[2], levels={"memory": "off"})
    actor = StateActor(ActorConfig("scent_field", machine, "sqlite:///" + sys.argv[1], log=log))
    logging.getLogger("coordinator.somewhere").warning("said by a module of ours")
    logging.getLogger("theirs").info("said by somebody else")
    await actor.drain()

asyncio.run(live())
"""


def lines_of(folder: Path, level: str) -> list[dict[str, object]]:
    ended = subprocess.run(
        [sys.executable, "-c", LIVE, str(folder / "field.sqlite3"), level],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert ended.stdout == ""
    return [json.loads(line) for line in ended.stderr.splitlines()]


def test_an_actor_logs_its_start_and_its_stop_and_what_our_modules_say(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, "info")
    assert [(line["event"], line["level"]) for line in lines] == [
        ("started", "info"),
        ("said by a module of ours", "warning"),
        ("drained", "info"),
    ]
    assert {line["domain"] for line in lines} == {"scent_field"}
    assert (lines[0]["epoch"], lines[0]["n_replayed_rows"]) == (1, 0)
    assert lines_of(tmp_path, "info")[0]["epoch"] == 2


def test_an_actor_that_cannot_read_its_store_says_why_also_where_only_errors_are_written(tmp_path: Path) -> None:
    (tmp_path / "field.sqlite3").write_bytes(b"this is no database" * 100)
    (line,) = lines_of(tmp_path, "error")
    assert (line["event"], line["code"]) == ("does not serve", "corrupt")


def test_off_is_silent(tmp_path: Path) -> None:
    assert lines_of(tmp_path, "off") == []
