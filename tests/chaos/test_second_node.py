"""The node that the actors are on dies: with a server they come back on the other one, with files they refuse to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coordinator.domain import DOMAINS

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(420)]
Run = Callable[..., dict[str, Any]]
WITHIN_S = 400.0


def test_with_a_server_the_actors_come_back_on_the_node_that_is_left(run_program: Run, postgresql: Any) -> None:
    url = postgresql.url(postgresql.database()).partition("?")[0]
    told = run_program("two_nodes.py", url, within_s=WITHIN_S)
    assert "scent_field" in told["on_second"]
    assert told["holds"]
    assert told["next_generation"] > told["generation"]
    assert told["same_store"]
    assert told["other_process"]
    assert told["epochs"] == [1]


def test_with_files_they_refuse_to_start_empty_elsewhere_and_say_so(run_program: Run) -> None:
    told = run_program("two_nodes.py", "sqlite", within_s=WITHIN_S)
    assert told["on_second"] == sorted(DOMAINS)
    assert told["unanswered"].startswith("Unavailable: ")
    assert "`scentfield up`" in told["unanswered"]
    assert told["refused"].startswith("Corrupt: this cluster keeps its state in store ")
    assert "nothing is there. It does not start empty over it" in told["refused"]
    assert "bring the data folder back, or start on the node that has it" in told["refused"]
    assert told["n_made_elsewhere"] == 0
    assert sorted(told["created"]) == sorted(DOMAINS)
    assert told["holds"]
