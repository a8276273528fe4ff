from typing import NamedTuple

import pytest

from actors.runtime.decoder import FROM_OUTSIDE, OUR_OWN, Bounds, make_decoder
from actors.runtime.errors import WireError


class Inner(NamedTuple):
    value: int
    kind: str


class Awkward(NamedTuple):
    """Field names that are names of the generated function's surroundings, too."""

    kind: str
    value: bytes
    new: Inner
    fault: Inner | None
    type: tuple[Inner, ...]
    len: float


GOOD = ["k", b"v", [1, "x"], None, [[2, "y"], [3, "z"]], 4]


def test_no_field_name_is_in_the_way():
    expected = Awkward("k", b"v", Inner(1, "x"), None, (Inner(2, "y"), Inner(3, "z")), 4.0)
    decoded = make_decoder(Awkward)(GOOD)
    assert decoded == expected
    assert type(decoded) is Awkward
    assert type(decoded.new) is Inner


def test_the_first_bad_field_is_named_through_all_levels():
    decode = make_decoder(Awkward)
    for position, bad, where in [
        (0, 1, "kind: expects text"),
        (1, "v", "value: expects bytes"),
        (2, [1], "new: expects the 2 fields value, kind, not list of 1"),
        (2, [1, 2], "new: kind: expects text"),
        (3, [1, 2], "fault: kind: expects text"),
        (4, [[1, "x"], [True, "x"]], "type: value: expects a whole number, not True"),
        (5, "4", "len: expects a finite number"),
    ]:
        with pytest.raises(WireError) as refused:
            decode([*GOOD[:position], bad, *GOOD[position + 1 :]])
        assert str(refused.value).startswith(where)


@pytest.mark.parametrize("value", [None, 3, "text", (), {}, [], [1, 2]])
def test_what_is_no_array_of_the_right_length_is_refused(value):
    with pytest.raises(WireError, match="expects the 6 fields kind, value, new"):
        make_decoder(Awkward)(value)


def test_bounds_hold_to_the_last_unit():
    few = Bounds(max_string=3, max_items=2, max_number=10)
    assert make_decoder(str, few)("abc") == "abc"
    assert make_decoder(tuple[int, ...], few)([10, -10]) == (10, -10)
    assert make_decoder(float, few)(10) == 10.0
    for hint, value in [(str, "abcd"), (tuple[int, ...], [1, 2, 3]), (int, 11), (int, -11), (float, 10.5)]:
        with pytest.raises(WireError):
            make_decoder(hint, few)(value)


def test_our_own_values_have_no_bounds_but_types():
    assert make_decoder(str, OUR_OWN)("x" * 10_000) == "x" * 10_000
    assert make_decoder(tuple[int, ...], OUR_OWN)(list(range(9_000))) == tuple(range(9_000))
    assert make_decoder(int, OUR_OWN)(2**62) == 2**62
    with pytest.raises(WireError, match="expects text"):
        make_decoder(str, OUR_OWN)(3)


@pytest.mark.parametrize(
    "hint", [dict, list, set[int], int | str, int | str | None, tuple[int, str], tuple[int], object]
)
def test_a_type_without_a_wire_form_is_refused_when_the_schema_is_made(hint):
    with pytest.raises(TypeError, match="has no wire form"):
        make_decoder(hint, FROM_OUTSIDE)
