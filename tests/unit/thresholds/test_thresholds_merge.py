from actors.thresholds.contribution import Contribution
from actors.thresholds.daily_count import DailyCounts
from actors.thresholds.merge import kept_profiles, merged, merged_origin
from actors.thresholds.origin import Origin


def knows(revision, *extensions, era=0):
    return Origin(era, {name: Contribution(revision, 0.1, 9, 10) for name in extensions or ["rs"]}, {})


def observed(*profiles, n=1):
    return Origin(0, {}, {profile: DailyCounts(-1, (), {9: (n, 0, 0, 0)}) for profile in profiles})


def many(numbers):
    return {f"{n:08x}": knows(1) for n in numbers}


def test_origins_of_both_sides_stay_and_a_common_one_is_the_newer():
    assert merged({"a": knows(1), "b": knows(3)}, {"b": knows(2), "c": knows(1)}) == {
        "a": knows(1),
        "b": knows(3),
        "c": knows(1),
    }


def test_a_later_era_stands_alone():
    assert merged_origin(knows(9, "rs", "go"), knows(1, "py", era=1)) == knows(1, "py", era=1)
    assert merged_origin(Origin(1, {}, {}), knows(9)) == Origin(1, {}, {})


def test_of_too_many_origins_the_last_by_id_go():
    assert list(merged(many(range(200)), many(range(100, 300)))) == list(many(range(256)))


def test_the_local_origin_never_goes_and_has_its_place_kept():
    local = "ffffffff"
    assert list(merged(many(range(300)), {local: knows(1)}, local=local)) == [*many(range(255)), local]
    assert list(merged(many(range(300)), {}, local=local)) == list(many(range(255)))
    assert list(merged(many(range(300)), {}, local="00000000")) == list(many(range(256)))


def test_of_too_many_extensions_those_that_changed_last_stay():
    old, new = knows(1, *(f"a{n}" for n in range(64))), knows(2, *(f"b{n}" for n in range(60)))
    kept = merged_origin(old, new).thresholds
    assert len(kept) == 64
    assert all(f"b{n}" in kept for n in range(60))


def test_of_too_many_profiles_the_first_by_name_stay_and_other_always():
    names = [f"p{n}" for n in range(9)]
    assert kept_profiles([*names, "other"]) == ["other", *names[:7]]
    assert list(merged_origin(observed(*names[:7]), observed("a", "other")).placement) == ["a", "other", *names[:6]]
