"""What hunks say of weights."""

import pytest

from actors.thresholds.ranking import LEARNED, MAX_SHIFT
from coordinator.reading.cut_file import cut_file
from coordinator.reading.query import Query
from coordinator.reading.source import decode
from coordinator.reading.unit_choice import UnitChoice, UnitWish
from coordinator.replay.ranking_fit import MAX_HUNKS_A_FILE, RankingSums, ranking_evidence, ranking_sums
from coordinator.replay.trial import Trial

VERBS = ("parse", "render", "encode", "decode", "split", "merge")
TEXT = "import os\n\n\n" + "\n\n".join(f"def {verb}_value(value):\n    return {verb}(value)\n" for verb in VERBS)


def sums(needed: list[tuple[int, int]], query: str = "encode fails") -> RankingSums:
    source = decode(TEXT.encode())
    choice = UnitChoice(cut_file(source, "a.py"), UnitWish(Query(query)))
    return ranking_sums(choice, needed)


def lines_of(verb: str) -> tuple[int, int]:
    first = TEXT.splitlines().index(f"def {verb}_value(value):") + 1
    return first, first + 1


def trial(one: RankingSums, extension: str = "py") -> Trial:
    return Trial(0, extension, 20, 300, 1, {}, {}, one)


def shift(*found: RankingSums) -> dict[str, float]:
    (row,) = ranking_evidence(map(trial, found))
    return dict(zip(LEARNED, row.shifts, strict=True))


def test_hunks_where_the_query_points_raise_the_weight_of_words_and_others_lower_it() -> None:
    hit, missed = sums([lines_of("encode")]), sums([lines_of("merge")])
    assert shift(*[hit] * 40)["words"] > 0 > shift(*[missed] * 40)["words"]
    assert shift(*[missed] * 40)["end"] > 0
    assert shift(*[hit] * 40)["recency"] == 0.0  # there was no history to tell from


def test_imports_that_change_raise_the_weight_of_imports() -> None:
    assert shift(*[sums([(1, 1)])] * 40)["imports"] > 0


def test_little_evidence_moves_little_and_any_amount_stays_in_bounds() -> None:
    one = sums([(1, 1)])
    few, many, most = (shift(*[one] * n)["imports"] for n in (1, 20, 2_000))
    assert 0 < few < 0.1 < many <= most == MAX_SHIFT


def test_the_order_of_files_does_not_matter() -> None:
    found = [sums([lines_of(verb)]) for verb in VERBS]
    assert ranking_evidence(map(trial, found)) == ranking_evidence(map(trial, reversed(found)))


def test_hunks_of_one_file_count_up_to_six() -> None:
    assert sums([lines_of("encode")] * 50) == sums([lines_of("encode")] * MAX_HUNKS_A_FILE)
    assert sums([lines_of("encode")] * 2).n_hunks == 2


def test_the_slope_is_what_the_hit_piece_has_over_the_expected_one() -> None:
    one = sums([lines_of("encode")])
    assert one.n_hunks == 1
    words = LEARNED.index("words")
    assert 0 < one.slope[words] < 1.0
    assert one.curve[words][words] > 0
    assert all(one.curve[a][b] == pytest.approx(one.curve[b][a]) for a in range(9) for b in range(9))


def test_what_there_is_nothing_to_choose_from_says_nothing() -> None:
    source = decode(b"x = 1\n")
    choice = UnitChoice(cut_file(source, "a.py"), UnitWish(Query("x")))
    assert ranking_sums(choice, [(1, 1)]) == RankingSums()
    assert sums([]) == RankingSums()
    assert ranking_evidence([trial(RankingSums())]) == ()


def test_files_without_an_extension_of_their_own_teach_nothing() -> None:
    assert ranking_evidence([trial(sums([(1, 1)]), "other")]) == ()
