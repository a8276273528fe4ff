"""Planting bugs in copies of the house; the hunts for them are in tests/simulation."""

from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.simulation.planted import PlantedBug, chosen_bugs, hunt_bug, plant_in_copy, planted_bugs

REPOSITORY = Path(__file__).parents[3]
WRONG = """A bug in a line that is not there.

--- a/actors/runtime/clock.py
+++ b/actors/runtime/clock.py
@@ -1,3 +1,3 @@
 no line
-of the house
+that anybody wrote
 is like this
"""


def test_at_least_twelve_bugs_are_planted_and_each_says_what_it_breaks() -> None:
    bugs = planted_bugs()
    assert len(bugs) >= 12
    assert [bug.name for bug in bugs] == sorted(bug.name for bug in bugs)
    for bug in bugs:
        assert bug.about.endswith("."), bug.name
        assert not bug.about.startswith("---"), bug.name


@pytest.mark.parametrize("bug", planted_bugs(), ids=lambda bug: bug.name)
def test_each_patch_applies_to_the_source_as_it_is(bug: PlantedBug, tmp_path: Path) -> None:
    plant_in_copy(bug, tmp_path)
    changed = [
        file.relative_to(tmp_path).as_posix()
        for file in sorted(tmp_path.rglob("*.py"))
        if file.read_bytes() != (REPOSITORY / file.relative_to(tmp_path)).read_bytes()
    ]
    assert len(changed) == 1


def test_a_patch_that_no_longer_applies_says_so(tmp_path: Path) -> None:
    patch = tmp_path / "stale.patch"
    patch.write_text(WRONG)
    with pytest.raises(Misuse, match=r"planted bug 'stale' no longer applies .*make stale\.patch anew"):
        hunt_bug(PlantedBug("stale", patch), n_seeds=1, n_steps=1, n_agents=1)


def test_without_a_checkout_it_says_that_one_is_needed(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="live in a checkout"):
        planted_bugs(tmp_path)


def test_an_unknown_bug_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(Misuse, match=r"no bug called 'nope'.*no_epoch_check"):
        chosen_bugs("nope")
    assert [bug.name for bug in chosen_bugs("early_expiry")] == ["early_expiry"]
    assert chosen_bugs("all") == planted_bugs()
