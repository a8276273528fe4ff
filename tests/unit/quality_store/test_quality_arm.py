import pytest

from actors.quality_store.arm import arm_of, holds_out
from actors.quality_store.source import is_free
from actors.runtime.errors import Misuse
from actors.runtime.holdout import EDIT_PENALTY, EXPECTED_COST


def test_the_layers_of_an_arm_stand_in_order_and_once():
    assert arm_of(("expected_cost", "edit_penalty", "expected_cost")) == "edit_penalty+expected_cost"
    assert arm_of(()) == ""


def test_a_layer_that_is_none_is_refused_with_those_that_are():
    with pytest.raises(Misuse, match=r"'tea'.*edit_penalty, entropy_delta, expected_cost"):
        arm_of(("edit_penalty", "tea"))


def test_an_arm_knows_its_layers():
    arm = arm_of((EDIT_PENALTY, EXPECTED_COST))
    assert holds_out(arm, EXPECTED_COST)
    assert not holds_out("", EXPECTED_COST)
    assert not holds_out(arm, "expected")


@pytest.mark.parametrize(
    ("source", "arm", "free"),
    [
        ("", "", True),
        ("explicit", "", True),
        ("explicit", "expected_cost", True),
        ("expected_cost", "", True),
        ("expected_cost", "edit_penalty", True),
        ("expected_cost", "expected_cost", False),
        ("small_file", "", False),
        ("base_policy", "", False),
        ("bounce", "", False),
        ("path_memory", "", False),
        ("edit_fail_escalation", "", False),
        ("edit_quality_penalty", "", False),
        ("whatever", "", False),
    ],
)
def test_a_full_is_free_if_the_agent_or_the_expected_cost_chose_it(source, arm, free):
    assert is_free(source, arm) is free
