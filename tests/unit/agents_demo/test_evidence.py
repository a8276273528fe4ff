"""What is counted in a round, from what real stores say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from actors.runtime.errors import Unavailable
from agents_demo.course import Round
from agents_demo.evidence import SETTLE_S, take_evidence
from agents_demo.report import Status, TaskReport

BODY = "".join(f"    y{number} = x + {number}\n" for number in range(8))
LONG = "".join(f'def f{number}(x):\n{BODY}    return "%s" % (x,)\n\n\n' for number in range(50))


@pytest.fixture
def onlooker(make_field, tmp_path, tree):
    """An agent in a tree with a long file; notes between its stores travel while time passes."""
    (tree / "long.py").write_text(LONG)
    field = make_field(tmp_path)
    return field.join("ann", tree)


def evidence(coordinator):
    """Asked at once: nothing carries notes between the stores of one process."""
    return take_evidence(Settled(coordinator))


class Settled:
    """The coordinator, as if all its notes had arrived."""

    def __init__(self, coordinator) -> None:
        self._coordinator = coordinator

    def __getattr__(self, name):
        return getattr(self._coordinator, name)

    def statistics(self):
        field, quality = self._coordinator.statistics()
        return field, quality._replace(notes=())


def test_a_round_counts_what_came_between_two_looks(onlooker):
    onlooker.read("long.py")  # auto: a map
    before = evidence(onlooker)
    onlooker.read("long.py", "full")  # the map was not enough
    onlooker.edit("long.py", "def nowhere(y):\n    return y + 1\n", "x\n")
    turn = TaskReport("ann", "t", Status.FAILED, 0.0, 1.0, 300, 50)
    counted = Round((turn,), before, evidence(onlooker)).to_json()
    assert (counted["tasks"], counted["reads"], counted["views"], counted["bounces"]) == (1, 1, 1, 1)
    assert (counted["clean"], counted["wasted"], counted["views_by"]) == (0, 0, {})
    assert sum(counted["edits_failed"].values()) == 1
    assert (counted["tokens_read"], counted["tokens_read_net"]) == (300, 250)
    assert before.views_by == {"map_over_400_lines": 1}


def test_the_document_holds_what_was_learned_with_its_evidence(onlooker):
    onlooker.read("long.py")
    onlooker.edit("long.py", '    y7 = x + 7\n    return "%s" % (x, )\n\n\ndef f8', "x\n")  # a blank too many
    document = evidence(onlooker).to_json()
    assert document["escalations"] == {"armed": 1, "served": 0, "pending": 1}
    [pair] = document["pairs"]
    assert (pair["extension"], pair["mode"], pair["n_fails"]) == ("py", "map", 1)
    assert document["paths"] == {"remembered": 1, "full": 0}
    assert evidence(onlooker).signals("py") == {"bounces": 0, "edits_failed": 1, "clean": 0, "wasted": 0}
    assert evidence(onlooker).signals("md") == dict.fromkeys(("bounces", "edits_failed", "clean", "wasted"), 0)


def waiting(n: int):
    return SimpleNamespace(), SimpleNamespace(notes=(SimpleNamespace(n_waiting=n),))


def test_the_look_is_taken_when_nothing_is_on_its_way_any_more():
    answers, pauses = [waiting(2), waiting(1), waiting(0)], []
    stand_in = SimpleNamespace(
        statistics=lambda: answers.pop(0), learning=lambda: 1, read_quality=lambda: 2, edit_quality=lambda: 3
    )
    taken = take_evidence(stand_in, clock=lambda: 0.0, pause=pauses.append)
    assert (len(pauses), taken.learning, answers) == (2, 1, [])


def test_counts_that_never_arrive_are_an_error_with_what_to_do():
    times = iter([0.0, 1.0, SETTLE_S + 1.0])
    stand_in = SimpleNamespace(statistics=lambda: waiting(1))
    with pytest.raises(Unavailable, match="scentfield doctor"):
        take_evidence(stand_in, clock=lambda: next(times), pause=lambda _: None)
