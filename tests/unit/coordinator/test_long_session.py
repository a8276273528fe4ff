"""A hundred checkpoints over a long session: this project's history, as an agent would have lived through it.

`recorded_session.jsonl` has one event a line: the files of each commit read and edited (some edits missed first), its
tests red before and green after, and its subject noted.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors.memory.entry import Draft
from actors.memory.factory import make_memory
from actors.memory.messages import GetPlaybook, TakeCheckpoint, VoteEntry
from actors.memory.report import playbook_text
from actors.runtime.machine import NOBODY, Caller, Now
from coordinator.memory.session_trail import SessionTrail

EVENTS = [
    json.loads(line) for line in Path(__file__).with_name("recorded_session.jsonl").read_text("utf-8").splitlines()
]
ANN = Caller("ann#1")
N_CHECKPOINTS = 100


def happen(trail, event):
    match event:
        case ["read", path, mode]:
            trail.read(path, mode)
        case ["fail", path, cause]:
            trail.failed(path, cause)
        case ["land", path]:
            trail.landed(path)
        case ["test", name, passed]:
            trail.tested(name, passed=passed)
        case ["note", kind, content]:
            trail.noted(Draft(kind, content))


def lived(max_entries=500, votes=True):
    """The playbook after each checkpoint, what went at it, and the drafts that it was given."""
    memory, trail, now = make_memory(max_entries=max_entries), SessionTrail(), Now(0.0, 1_000.0)
    for number in range(N_CHECKPOINTS):
        for event in EVENTS[number * len(EVENTS) // N_CHECKPOINTS : (number + 1) * len(EVENTS) // N_CHECKPOINTS]:
            happen(trail, event)
        drafts = tuple(trail.drafts())
        taken = memory.perform(ANN, TakeCheckpoint("home", "session", drafts), now)
        trail.kept(drafts)
        view = memory.perform(NOBODY, GetPlaybook("home", "ann#1"), now)
        if votes and view.turn % 7 == 0:
            for is_helpful in (False, False, True):
                memory.perform(ANN, VoteEntry("home", "session", view.entries[-1].entry_id, is_helpful), now)
        yield view, taken, drafts
    memory.check_invariants()


@pytest.mark.parametrize("max_entries", [500, 40])
def test_no_number_is_used_twice_and_no_entry_changes_over_a_hundred_checkpoints(max_entries):
    said, gone, n_checkpoints = {}, set(), 0
    for view, taken, drafts in lived(max_entries):
        n_checkpoints += 1
        assert len(taken.entry_ids) == len(drafts)
        gone |= {one.entry_id for one in taken.evicted}
        for entry in view.entries:
            assert entry.entry_id not in gone
            assert said.setdefault(entry.entry_id, entry[:6]) == entry[:6]
        assert len(view.entries) <= max_entries
    assert n_checkpoints == N_CHECKPOINTS
    assert len(said) > 150
    assert gone


@pytest.mark.parametrize("max_entries", [500, 40])
def test_information_never_shrinks_but_by_stated_evictions(max_entries):
    before = {}
    for view, taken, _ in lived(max_entries):
        now = {entry.entry_id: len(entry.content) for entry in view.entries}
        stated = {one.entry_id for one in taken.evicted}
        assert before.keys() - now.keys() <= stated
        assert sum(now.values()) >= sum(n for number, n in before.items() if number not in stated)
        before = now


@pytest.mark.parametrize("max_entries", [500, 40])
def test_a_rendering_begins_with_the_one_before_it_up_to_the_first_eviction(max_entries):
    before, n_whole = "", 0
    for view, taken, _ in lived(max_entries):
        text = playbook_text(view.entries)
        if taken.evicted:
            first = min(one.entry_id for one in taken.evicted)
            kept = "".join(line for line in before.splitlines(keepends=True) if _number(line) < first)
            assert text.startswith(kept)
        else:
            assert text.startswith(before)
            n_whole += 1
        before = text
    assert n_whole > 3


def _number(line):
    return int(line[1:].partition("]")[0])


def test_the_same_session_gives_the_same_bytes():
    one, other = (["".join(playbook_text(view.entries)) for view, _, _ in lived()] for _ in range(2))
    assert one == other


def test_what_was_fixed_and_what_turned_green_is_in_it():
    everything = {entry.content for view, _, _ in lived() for entry in view.entries}
    assert any("missed (not_shown); it was made after reading full" in content for content in everything)
    assert any("was red and turned green after edits of" in content for content in everything)
    assert any(content.endswith(" was edited") for content in everything)
    assert "Give sessions what is known to begin with, placed by where their client looks" in everything
