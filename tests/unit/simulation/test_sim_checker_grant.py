"""Hand-made histories of what was asked for and what was given."""

from typing import Any

import pytest

from actors.scent_field.event import LeaseRenewed

RULE = "a grant is what was asked for"


def claim(verb: str, *targets: str, mode: str = "exclusive") -> list[Any]:
    return [verb, "house", list(targets), mode, 0.0, ""]


def granted(generation: int, *targets: str, renewed: bool = False) -> list[Any]:
    return ["granted", generation, list(targets), 6.0, "heartbeat", renewed, [], [], "house"]


def test_a_set_is_granted_whole_in_any_order(story: Any) -> None:
    story.register("ann#1")
    story.ask("ann#1", claim("claim", "src/api.py", "docs/", "docs/"), number=1)
    grant = story.granted("ann#1", "docs/", "src/api.py", generation=1)
    story.commit(grant, story.answered("ann#1", 1, granted(1, "docs/", "src/api.py")))
    assert story.broken() == []


def test_a_set_that_is_granted_in_part_is_found(story: Any) -> None:
    story.register("ann#1")
    story.ask("ann#1", claim("claim", "src/api.py", "docs/"), number=1)
    grant = story.granted("ann#1", "docs/", generation=1)
    story.commit(grant, story.answered("ann#1", 1, granted(1, "docs/")))
    assert story.broken() == [RULE]
    assert "ann#1 asked for src/api.py, docs/ (exclusive) and was told that it has docs/" in story.messages()


def test_of_any_one_is_granted(story: Any) -> None:
    story.register("ann#1")
    story.ask("ann#1", claim("claim_any", "src/api.py", "docs/"), number=1)
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, granted(1, "docs/")))
    assert story.broken() == []


@pytest.mark.parametrize("given", [("src/app.py",), ("src/api.py", "docs/")])
def test_of_any_something_else_or_more_than_one_is_found(story: Any, given: tuple[str, ...]) -> None:
    story.register("ann#1")
    story.ask("ann#1", claim("claim_any", "src/api.py", "docs/"), number=1)
    story.commit(story.granted("ann#1", *given, generation=1), story.answered("ann#1", 1, granted(1, *given)))
    assert story.broken() == [RULE]


def test_a_grant_that_was_not_made_in_this_commit_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.ask("ann#1", claim("claim", "docs/"), number=1)
    told = story.answered("ann#1", 1, granted(1, "docs/"))
    for made in (
        (),
        (story.granted("bob#2", "docs/", generation=1),),
        (story.granted("ann#1", "docs/", generation=2),),
    ):
        story.commit(*made, told)
        assert story.broken() == [RULE], made
        del story.records[-1]
        story.seq -= 1


@pytest.mark.parametrize("mode", ["shared", "exclusive"])
def test_a_renewal_in_another_mode_is_found(story: Any, mode: str) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1, shared=True))
    story.ask("ann#1", claim("claim", "docs/", mode=mode), number=1)
    renewed = LeaseRenewed("house", 1, story.at_s)
    story.commit(renewed, story.answered("ann#1", 1, granted(1, "docs/", renewed=True)))
    assert story.broken() == ([] if mode == "shared" else [RULE])


def test_each_claim_of_a_batch_is_what_was_asked_for(story: Any) -> None:
    story.register("ann#1")
    story.ask("ann#1", ["claim_each", "house", ["src/api.py", "src/app.py", "docs/"], "exclusive", ""], number=1)
    grants = [
        story.granted("ann#1", target, generation=number)
        for number, target in enumerate(("src/api.py", "src/app.py", "docs/"), start=1)
    ]
    for apart, broken in (("docs/", []), ("src/", [RULE])):
        each = ["claimed_each", "house", 6.0, "heartbeat", [[0, 2, 1]], [[2, granted(3, apart)[1:], None, None, None]]]
        story.commit(*grants, story.answered("ann#1", 1, each))
        assert story.broken() == broken, apart
        del story.records[-1]
        story.seq -= 1
    each = ["claimed_each", "house", 6.0, "heartbeat", [[0, 3, 1]], []]
    story.commit(*grants[:2], story.answered("ann#1", 1, each))
    assert story.broken() == [RULE]
