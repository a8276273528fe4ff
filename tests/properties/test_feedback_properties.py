"""Whatever comes of the rounds: the loop ends, keeps to its calls, and never returns less than the first answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from actors.quality_store.answer_book import _check
from actors.quality_store.strategy import PLANS, WEAKNESSES
from coordinator.feedback.iteration import Origin, Outcome
from coordinator.feedback.loop import _made
from coordinator.feedback.quality import NOTHING, Quality
from coordinator.feedback.refinement import Ending, Refinement, Rules
from coordinator.feedback.selection import Selection

share = st.floats(0.0, 1.0)
few = st.sampled_from([0.0, 0.3, 0.5, 0.59, 0.6, 0.9, 1.0])
qualities = st.one_of(st.builds(Quality, share, share, share, share), st.builds(Quality, few, few, few, few))
texts = st.sampled_from(["an answer", "an answer", "an answer", " "])
outcomes = st.one_of(
    st.tuples(st.just("scored"), qualities, texts, st.booleans()),
    st.just(("failed",)),
    st.just(("unchanged",)),
)
rules = st.builds(Rules, share, st.integers(0, 12), st.sampled_from([0.0, 0.02, 0.5]), st.integers(50, 200))
selections = st.builds(Selection, st.integers(1, 50), share)
advices = st.dictionaries(st.sampled_from(WEAKNESSES), st.sampled_from(PLANS))
histories = st.lists(outcomes, min_size=1, max_size=40)


def outcome_of(drawn: tuple[object, ...], loop: Refinement) -> Outcome:
    top_k = loop.wanted.selection.top_k  # type: ignore[union-attr]  # it is wanted
    if drawn[0] == "failed" or (drawn[0] == "unchanged" and loop.best is None):
        return Outcome(None, problem="it raised")
    if drawn[0] == "unchanged":
        return Outcome(None, n_passages=top_k, is_unchanged=True)
    _, quality, text, is_short = drawn
    found = top_k - 1 if is_short else top_k
    return Outcome(quality if text.strip() else NOTHING, text, found)  # type: ignore[union-attr, arg-type]  # as drawn


def played(rules: Rules, first: Selection, advice: dict[str, str], history: list[tuple[object, ...]]) -> Refinement:
    """The history, again and again until the loop has ended."""
    loop = Refinement(rules, first, advice)
    for turn in range(1_000):
        if loop.wanted is None:
            return loop
        loop.take(outcome_of(history[turn % len(history)], loop))
    raise AssertionError("the loop does not end")


@given(rules, selections, advices, histories)
def test_the_loop_ends_within_its_calls_and_never_worse(
    rules: Rules, first: Selection, advice: dict[str, str], history: list[tuple[object, ...]]
) -> None:
    loop = played(rules, first, advice, history)
    assert loop.n_asked <= rules.max_iterations + 1
    seen = [made.outcome.quality.overall for made in loop.iterations if made.outcome.quality is not None]
    if not seen:
        assert (loop.best, loop.ending) == (None, Ending.FAILED)
        return
    assert loop.best_quality is not None
    assert loop.best_quality.overall == max(seen) >= seen[0]
    assert loop.best is next(made for made in loop.iterations if made.outcome.quality == loop.best_quality)
    last = loop.iterations[-1].outcome
    has_converged = last.has_text and last.quality is not None and last.quality.overall >= rules.quality_threshold
    assert (loop.ending is Ending.CONVERGED) == has_converged


@given(rules, selections, advices, histories)
def test_the_store_takes_what_the_loop_tells_of_itself(
    rules: Rules, first: Selection, advice: dict[str, str], history: list[tuple[object, ...]]
) -> None:
    loop = played(rules, first, advice, history)
    shown = dict.fromkeys(range(len(loop.iterations)), ())
    _check(_made("a question", loop, shown, is_held_out=False).report())


@given(rules, selections, advices, histories)
def test_the_handles_only_ever_show_more(
    rules: Rules, first: Selection, advice: dict[str, str], history: list[tuple[object, ...]]
) -> None:
    loop = played(rules, first, advice, history)
    for before, after in zip(loop.iterations, loop.iterations[1:], strict=False):
        old, new = before.tried.selection, after.tried.selection
        assert new.top_k >= old.top_k
        assert new.level <= old.level
        assert new.top_k <= max(rules.max_top_k, first.top_k)
        assert (new == old) == (after.tried.origin is Origin.RETRY)


@given(rules, selections, advices, histories)
def test_the_same_outcomes_make_the_same_loop(
    rules: Rules, first: Selection, advice: dict[str, str], history: list[tuple[object, ...]]
) -> None:
    one, other = (played(rules, first, advice, history) for _ in range(2))
    assert (one.iterations, one.ending) == (other.iterations, other.ending)
    assert [made.tried.number for made in one.iterations] == list(range(len(one.iterations)))
