"""Reads that give no query go by what the agent works on, or has just searched for."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.git_history import NOT_READY

MODES = ("units", "entropy")


@pytest.mark.parametrize("mode", MODES)
def test_a_read_without_a_query_goes_by_the_task_and_says_so(agent, mode):
    ann = agent("ann")
    assert "query" not in ann.read("long.py", mode).view.header
    ann.work_on("make total of f7 larger")
    assert 'query (task) "make total of f7' in ann.read("long.py", mode).view.header
    assert 'query (given) "f3"' in ann.read("long.py", mode, query="f3").view.header
    ann.work_on("")
    assert "query" not in ann.read("long.py", mode).view.header


def test_a_search_counts_where_there_is_no_task(agent):
    ann = agent("ann")
    ann.searched("value_77")
    assert 'query (search) "value_77"' in ann.read("long.py", "units").view.header


def test_a_task_that_is_too_long_is_misuse(agent):
    with pytest.raises(Misuse, match="limit"):
        agent("ann").work_on("x" * 10_000)


def test_a_budget_is_tokens_or_a_share(agent):
    ann = agent("ann")
    tokens = ann.read("long.py", "units", query="f7", budget=700).view
    share = ann.read("long.py", "units", query="f7", budget=0.3).view
    assert 500 < tokens.tokens <= 700
    assert share.tokens <= 0.3 * share.total_tokens
    assert ann.read("long.py", "entropy", query="f7", budget=0.3).view.tokens <= 0.3 * share.total_tokens
    with pytest.raises(Misuse, match="budget"):
        ann.read("long.py", "units", budget=0)


def test_what_was_committed_last_is_shown_where_nothing_else_is_known(agent, tree):
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", *who, *arguments], cwd=tree, check=True, capture_output=True, env=environment)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "make it")
    text = (tree / "long.py").read_text()
    line = text.splitlines()[len(text.splitlines()) // 2]
    (tree / "long.py").write_text(text.replace(line + "\n", line + "  # checked\n", 1))
    git("commit", "-qam", "check it")
    ann = agent("ann")
    until_s = time.monotonic() + 60.0
    while NOT_READY in (reading := ann.read("long.py", "units", budget=0.2)).text:  # git is asked beside the read
        assert time.monotonic() < until_s
    assert "# checked" in reading.text
