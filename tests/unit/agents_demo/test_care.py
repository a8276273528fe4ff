"""What an agent does about lessons, in the words that a session's trail really gives them."""

import pytest

from actors.memory.entry import Entry
from agents_demo.care import CARELESS, MORE_LINES, Care, care_for
from coordinator.memory.lesson_desk import Lesson
from coordinator.memory.session_trail import SessionTrail


def lesson(path, cause, mode="map", *, is_read=True):
    """The line that a later session is shown when an edit missed and was made then."""
    trail = SessionTrail()
    trail.read(path, mode)
    trail.failed(path, cause)
    if is_read:
        trail.read(path, "full")
    trail.landed(path)
    pitfall = trail.drafts()[0]
    return Lesson("session", Entry(7, pitfall.kind, pitfall.content, pitfall.about, "ann#1", 0.0)).line


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("cause", ["not_shown", "never_there", "changed", "unread"])
@pytest.mark.parametrize("path", ["a.py", "an edit (of) a.py", "src/Pitfall: b.py", "x" * 300 + ".py"])
def test_after_a_missed_edit_it_looks_first(path, cause, is_read):
    assert care_for([lesson(path, cause, is_read=is_read)]) == Care(looks_first=True, n_neighbours=0)


def test_after_a_text_that_stood_twice_it_quotes_more_and_still_from_memory():
    assert care_for([lesson("a.py", "ambiguous")]) == Care(looks_first=False, n_neighbours=MORE_LINES)


def test_both_together():
    assert care_for([lesson("a.py", "ambiguous"), lesson("a.py", "not_shown")]) == Care(True, MORE_LINES)


@pytest.mark.parametrize(
    "line",
    [
        "[lesson project 1] Pitfall (a.py): generated, edit the template",
        "[lesson session 2] FileRef: a.py was edited",
        "[lesson session 3] Strategy: test_a was red and turned green after edits of a.py",
        "[lesson session 4] Fact (a.py): an edit from a map view missed (not_shown)",
    ],
)
def test_of_other_lessons_it_makes_nothing(line):
    assert care_for([line]) == CARELESS
    assert care_for([]) == CARELESS
