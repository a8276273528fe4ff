"""The checker's own overlap, against the house's, on all that the workload asks for."""

import itertools

import pytest

from actors.scent_field.target import overlaps, parse_target
from coordinator.simulation.universe import PATHS, TARGETS, covers, meet, paths_of


@pytest.mark.parametrize(
    ("target", "path", "is_covered"),
    [
        ("src/api.py", "src/api.py", True),
        ("src/api.py", "src/app.py", False),
        ("src/", "src/db/pool.py", True),
        ("src/", "src", True),
        ("src/db/", "src/api.py", False),
        ("src/*.py", "src/api.py", True),
        ("src/*.py", "src/db/pool.py", False),
        ("src/**/*.py", "src/api.py", True),
        ("src/**/*.py", "src/db/pool.py", True),
        ("**/*.md", "docs/guide.md", True),
        ("task:login", "task:login", True),
        ("task:login", "task:billing", False),
        ("src/", "task:login", False),
    ],
)
def test_a_target_covers_the_paths_that_a_reader_expects(target: str, path: str, is_covered: bool) -> None:
    assert covers(target, path) is is_covered


def test_every_pair_of_targets_meets_as_in_the_house() -> None:
    for one, other in itertools.product(TARGETS, repeat=2):
        assert meet(one, other) is overlaps(parse_target(one), parse_target(other)), (one, other)
        assert meet(one, other) is meet(other, one)


def test_every_target_covers_some_path_and_none_covers_all() -> None:
    for target in TARGETS:
        assert 0 < len(paths_of(target)) < len(PATHS)
