"""What the mode `units` shows."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from actors.runtime.errors import Misuse
from actors.thresholds.ranking import SIGNALS
from coordinator.reading.budget import MIN_DEFAULT_TOKENS
from coordinator.reading.line_history import LineHistory, Patch, line_history
from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.render import render
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.unit_choice import UnitChoice, UnitWish
from coordinator.reading.view import View

VERBS = ("parse", "render", "encode", "decode", "split", "merge", "fold", "wrap", "sort", "hash", "trim", "load")


def function(verb: str) -> str:
    return f"def {verb}_value(value: str, default: str) -> str:\n" + "".join(
        f"    {verb}_{n} = table_{n}.get(value, default)\n" for n in range(12)
    )


TEXT = "import os\n\n\n" + "\n\n".join(function(verb) for verb in VERBS)


def units(text: str = TEXT, path: str = "a.py", **wish: object) -> View:
    asked = UnitWish(**wish)  # type: ignore[arg-type]  # named in each test
    return render(decode(text.encode()), Mode("units"), path=path, why="explicit", unit_wish=asked)


def lines_of(verb: str) -> tuple[int, int]:
    first = TEXT.splitlines().index(f"def {verb}_value(value: str, default: str) -> str:") + 1
    return first, first + 12


def test_what_the_query_speaks_of_is_shown_whole() -> None:
    for verb in VERBS:
        view = units(query=Query(f"{verb} fails for an empty default"), budget=0.25)
        assert view.mode == "units"
        assert view.shown.contains(*lines_of(verb)), verb


def test_a_piece_comes_with_the_line_on_either_side() -> None:
    first, last = lines_of("sort")  # two blank lines on either side: those after it are its own
    assert units(query=Query("sort"), budget=500).shown.contains(first - 1, last + 3)


def test_all_that_is_printed_counts() -> None:
    for budget in (300, 500, 900, 0.2, 0.5):
        view = units(query=Query("sort"), budget=budget)
        limit = budget if isinstance(budget, int) else int(budget * view.total_tokens)
        assert count_tokens(view.text) == view.tokens <= limit
        assert view.tokens > 0.8 * limit


def test_the_header_says_the_query_and_what_a_marker_means() -> None:
    view = units(query=Query("sort", "task"), budget=500)
    assert view.header == (
        f"…{view.tag} units (explicit): {view.tokens} of {view.total_tokens} tokens; "
        f'query (task) "sort"; "…{view.tag} N-M NAME" = omitted: get lines:N-M or expand NAME\n'
    )


def test_signatures_of_the_rest_are_shown_while_they_fit() -> None:
    view = units(query=Query("sort"), budget=0.7)
    assert all(f"def {verb}_value" in view.body for verb in VERBS)
    small = units(query=Query("sort"), budget=400)
    signatures = [verb for verb in VERBS if f"def {verb}_value" in small.body]
    assert "sort" in signatures
    assert len(signatures) < len(VERBS)


def test_signatures_that_are_farthest_from_the_query_give_way_first() -> None:
    for near, far in (("parse", "trim"), ("sort", "trim"), ("load", "sort")):
        body = units(query=Query(near), budget=470).body
        assert f"def {near}_value" in body
        assert f"def {far}_value" not in body
    assert "def trim_value" in units(query=Query("load"), budget=470).body


def test_a_file_that_fits_comes_whole_and_says_so() -> None:
    view = units(function("sort"), budget=1_000)
    assert (view.mode, view.fallback) == ("full", "all of it fits the budget of 1000 tokens")


def test_without_a_budget_it_is_a_quarter_or_so_much_as_a_small_view_needs() -> None:
    view = units(TEXT * 2, query=Query("sort"))
    assert view.total_tokens > 4 * MIN_DEFAULT_TOKENS
    assert 0.2 * view.total_tokens < view.tokens <= 0.25 * view.total_tokens
    assert 0.9 * MIN_DEFAULT_TOKENS < units(query=Query("sort")).tokens <= MIN_DEFAULT_TOKENS
    long = units(query=Query("sort the values of both tables by their keys"), budget=500)
    assert 'query (given) "sort the values of bo..."' in long.header


def test_a_budget_that_holds_nothing_is_said_to_be_passed() -> None:
    view = units(query=Query("sort"), budget=5)
    assert view.shown.ranges == ()
    assert view.fallback == "over the budget of 5 tokens"
    assert view.fallback in view.header


def test_it_works_without_a_query_too() -> None:
    view = units(budget=0.3)
    assert view.mode == "units"
    assert "import os" in view.body
    assert "query" not in view.header


def test_what_changed_lately_is_shown_where_nothing_else_is_known() -> None:
    first, _ = lines_of("fold")
    history = line_history([Patch("touch fold", ((first + 3, 1, first + 3, 1),))], len(TEXT.splitlines()))
    assert not units(budget=600).shown.contains(*lines_of("fold"))
    assert units(budget=600, history=history).shown.contains(*lines_of("fold"))
    assert units(budget=600, history=LineHistory()) == units(budget=600)


def test_a_marker_names_its_unit_unless_the_line_above_it_is_of_that_unit() -> None:
    view = units(query=Query("sort"), budget=470)
    above = view.body.splitlines()
    markers = [(above[at - 1], line) for at, line in enumerate(above) if line.startswith("…")]
    assert markers[0] == (
        "def parse_value(value: str, default: str) -> str:",
        f"…{view.tag} 5-108 render_value,encode_value,decode_value,+3",
    )
    assert markers[1] == (
        "def wrap_value(value: str, default: str) -> str:",
        f"…{view.tag} 110-122",
    )  # 123 comes with sort_value, which begins at 124


def test_a_long_unit_comes_in_pieces_where_it_does_not_fit() -> None:
    body = "".join(f"    first_{n} = step(first_{n}, other)\n" for n in range(40))
    special = "".join(f"    retry_{n} = step(retry_{n}, policy)\n" for n in range(10))
    view = units(f"def run():\n{body}    if again:\n{special.replace('    ', '        ')}{body}", budget=500,
                 query=Query("retry policy"))  # fmt: skip
    assert special.splitlines()[0].strip() in view.body
    assert view.mode == "units"
    assert view.shown.n_lines < 60


def test_weights_that_were_learned_change_the_order() -> None:
    imports = "".join(f"from package_{n} import name_{n} as other_{n}\n" for n in range(50))
    asked = {"budget": 500, "query": Query("sort")}
    assert units(imports + TEXT, **asked).shown.contains(50 + lines_of("sort")[0], 50 + lines_of("sort")[1])
    only_imports = dict.fromkeys(SIGNALS, 0.0) | {"imports": 9.0}
    view = units(imports + TEXT, weights=only_imports, **asked)
    assert "package_1 " in view.body
    assert "sort_5" not in view.body


def by_verb(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Stands in for a model that takes `sort` and `hash` for one thing and everything else for another."""
    return np.array([[1, 0] if "sort" in text or "hash" in text else [0, 1] for text in texts], np.float32)


def test_meaning_counts_where_a_model_has_vectors_and_nowhere_else() -> None:
    query = Query("sort")
    assert units(query=query, budget=500, vectors_of=lambda _: None) == units(query=query, budget=500)
    assert units(query=query, budget=500, vectors_of=by_verb).shown.contains(*lines_of("hash"))


def test_a_near_duplicate_of_a_better_piece_keeps_its_signature_only() -> None:
    twice = TEXT + "\n\n" + function("sort")
    asked = {"query": Query("sort the values"), "budget": 0.4}
    again = "    sort_5 = table_5.get(value, default)\n"
    without = units(twice, **asked)
    assert "near-duplicate" not in without.header
    assert without.body.count(again) == 2
    view = units(twice, vectors_of=by_verb, **asked)
    assert "1 near-duplicate pieces left out" in view.header
    assert view.body.count(again) == 1
    assert view.body.count("def sort_value") == 2


def test_a_budget_that_cannot_be_is_misuse() -> None:
    for budget in (0, -1, 0.0, 1.5):
        with pytest.raises(Misuse, match="budget"):
            UnitWish(budget=budget)


def test_equal_wishes_give_equal_bytes() -> None:
    assert units(query=Query("sort"), budget=500) == units(query=Query("sort"), budget=500)


def test_an_estimate_that_is_far_off_is_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are taken for a third of their cost: the first limit is passed by far, and the next one holds nothing."""

    def cheap(_: UnitChoice, limit: int, *, base_tokens: int, tag: str) -> ShownLines:
        assert tag
        return ShownLines.up_to(max(0, limit - base_tokens) // 4)

    monkeypatch.setattr(UnitChoice, "within", cheap)
    assert 500 < units(query=Query("sort"), budget=600).tokens <= 600
