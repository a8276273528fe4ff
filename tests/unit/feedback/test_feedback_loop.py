import asyncio
import inspect
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from actors.quality_store.answer_message import Advice, AdviceRow, RecordAnswer
from actors.runtime.errors import Misuse
from coordinator.feedback.answer import Answer
from coordinator.feedback.attempt import MAX_ANSWER_CHARACTERS, Timeouts
from coordinator.feedback.extractive import Extractive
from coordinator.feedback.iteration import Origin
from coordinator.feedback.loop import MAX_QUERY_CHARACTERS, QualityFeedbackLoop
from coordinator.feedback.quality import NOTHING
from coordinator.feedback.refinement import Ending
from coordinator.feedback.scorer import Scorecard
from coordinator.retrieval.passage import Passage

QUERY = "claim lease signal field?"
POOR = "A claim, however." + " x" * 17  # relevance 0.25, completeness 0.5, coherence 1
GOOD = "A claim has a lease. However, a signal of the field decays." + " It is so." * 60
Run = Callable[..., Answer]


def run(loop: QualityFeedbackLoop, query: str = QUERY, **given: Any) -> Answer:
    return loop.run(query, **given)


def run_async(loop: QualityFeedbackLoop, query: str = QUERY, **given: Any) -> Answer:
    return asyncio.run(loop.run_async(query, **given))


both = pytest.mark.parametrize("run", [run, run_async])


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    opened = threading.Event()
    yield opened
    opened.set()


def test_the_names_and_defaults_are_the_contract_s() -> None:
    parameters = list(inspect.signature(QualityFeedbackLoop).parameters.values())[:3]
    assert [(one.name, one.default) for one in parameters] == [
        ("quality_threshold", 0.6),
        ("max_iterations", 3),
        ("min_improvement", 0.02),
    ]
    QualityFeedbackLoop(quality_threshold=0.6, max_iterations=3, min_improvement=0.02)


@both
def test_a_good_answer_is_returned_at_once(run: Run, shelf: Any, scripted: Any) -> None:
    generator = scripted(GOOD)
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=generator)
    assert answer
    assert (answer.text, answer.ending, answer.best, answer.n_refinements) == (GOOD, Ending.CONVERGED, 0, 0)
    assert generator.n_calls == 1
    assert shelf.asked == [(8, 0.5)]
    assert len(answer.passages) == 8


@both
def test_a_poor_answer_is_asked_for_again_with_more_context(run: Run, shelf: Any, scripted: Any) -> None:
    answer = run(QualityFeedbackLoop(top_k=4), retriever=shelf, generator=scripted(POOR, GOOD))
    assert answer.is_converged
    assert (answer.text, answer.best, answer.n_refinements) == (GOOD, 1, 1)
    assert answer.first_quality.overall < 0.6 <= answer.quality.overall
    assert shelf.asked == [(4, 0.5), (6, 0.5)]
    assert len(answer.passages) == 6


@both
def test_the_best_answer_is_returned_with_its_own_passages(run: Run, shelf: Any, scripted: Any) -> None:
    middling = "A claim has a lease, however." + " x" * 40
    loop = QualityFeedbackLoop(quality_threshold=0.95, top_k=4)
    answer = run(loop, retriever=shelf, generator=scripted(POOR, middling, "no", "no"))
    assert (answer.text, answer.best, len(answer.passages)) == (middling, 1, 6)
    assert not answer


@both
def test_a_generator_that_raises_is_asked_once_more_and_reported(run: Run, shelf: Any, scripted: Any) -> None:
    generator = scripted(ValueError("no model"))
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=generator)
    assert (answer.text, answer.quality, answer.ending, answer.best) == ("", NOTHING, Ending.FAILED, None)
    assert generator.n_calls == 2
    assert "generator raised ValueError: no model" in "\n".join(answer.log())
    assert answer.log()[-1] == "ended without an answer: no round gave one"


@both
def test_a_generator_that_recovers_is_listened_to(run: Run, shelf: Any, scripted: Any) -> None:
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=scripted(OSError("reset"), GOOD))
    assert (answer.text, answer.best, answer.ending) == (GOOD, 1, Ending.CONVERGED)


@both
def test_a_generator_that_raises_later_leaves_the_answer_that_was_there(run: Run, shelf: Any, scripted: Any) -> None:
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=scripted(POOR, ValueError()))
    assert (answer.text, answer.best, answer.ending) == (POOR, 0, Ending.FAILED)


@both
def test_a_generator_that_hangs_is_given_up(run: Run, shelf: Any, gate: threading.Event) -> None:
    loop = QualityFeedbackLoop(timeouts=Timeouts(generate_s=0.05))
    answer = run(loop, retriever=shelf, generator=lambda _query, _passages: str(gate.wait()))
    assert answer.ending is Ending.FAILED
    assert [made.outcome.problem for made in answer.iterations] == ["generator gave no answer within 0.05 s"] * 2
    assert answer.iterations[0].outcome.spent_s["generator"] >= 0.05


@both
def test_an_awaited_generator_that_hangs_is_given_up(run: Run, shelf: Any) -> None:
    async def hangs(_query: str, _passages: Any) -> str:
        await asyncio.Event().wait()
        return GOOD

    answer = run(QualityFeedbackLoop(timeouts=Timeouts(generate_s=0.05)), retriever=shelf, generator=hangs)
    assert answer.iterations[-1].outcome.problem == "generator gave no answer within 0.05 s"


@both
def test_an_awaited_generator_is_awaited(run: Run, shelf: Any) -> None:
    async def answers(_query: str, passages: Any) -> str:
        await asyncio.sleep(0)
        return f"{GOOD} {len(passages)}"

    assert run(QualityFeedbackLoop(), retriever=shelf, generator=answers).text == f"{GOOD} 8"


@both
@pytest.mark.parametrize("nothing", ["", " \n", None])
def test_a_generator_that_returns_nothing_gets_a_full_requery(
    run: Run, shelf: Any, scripted: Any, nothing: object
) -> None:
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=scripted(nothing, GOOD))
    assert answer.text == GOOD
    assert answer.iterations[0].outcome.problem == "generator returned nothing"
    assert shelf.asked == [(8, 0.5), (18, 0.5)]


@both
def test_a_megabyte_is_cut_and_reported(run: Run, shelf: Any, scripted: Any) -> None:
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=scripted(GOOD + "x" * 2**20))
    assert len(answer.text) == MAX_ANSWER_CHARACTERS == 65_536
    assert f"was cut to {MAX_ANSWER_CHARACTERS:,}" in "\n".join(answer.log())


@both
@pytest.mark.parametrize("strange", [7, b"bytes", ["a"], object()])
def test_what_is_no_text_is_no_answer(run: Run, shelf: Any, scripted: Any, strange: object) -> None:
    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=scripted(strange))
    assert answer.ending is Ending.FAILED
    assert answer.iterations[0].outcome.problem == f"generator returned {type(strange).__name__}: it gives a text"


class Strange:
    """A retriever that gives, or raises, what it was made with."""

    def __init__(self, gives: Any) -> None:
        self.gives = gives

    def retrieve(self, query: str, *, top_k: int, level: float) -> Any:  # noqa: ARG002  # the protocol's signature
        if isinstance(self.gives, BaseException):
            raise self.gives
        return self.gives


def passage(**parts: Any) -> Passage:
    return replace(Passage("a.md", "a", "a claim", 1.0, "0" * 64, 1, 3), **parts)


class Unreadable(list[Passage]):
    def __iter__(self) -> Iterator[Passage]:
        raise OSError("torn")


class Endless(list[Passage]):
    def __iter__(self) -> Iterator[Passage]:
        return itertools.repeat(passage())


@both
@pytest.mark.parametrize(
    ("gives", "problem"),
    [
        (OSError("gone"), "retriever raised OSError: gone"),
        (None, "retriever returned NoneType: it gives a list of passages"),
        ("text", "retriever returned str: it gives a list of passages"),
        ([1], "retriever returned a list with int in it: it gives passages"),
        ([passage(text=None)], "retriever returned a passage whose text is None"),
        ([passage(path=b"a.md")], "retriever returned a passage whose path is b'a.md'"),
        ([passage(first_line="1")], "retriever returned a passage whose first_line is '1'"),
        ([passage(score=float("nan"))], "retriever returned a passage whose score is nan: it is a number"),
        (Unreadable(), "retriever raised OSError: torn"),
        (Endless(), "retriever returned 9 passages where 8 were asked for"),
    ],
)
def test_a_retriever_that_misbehaves_is_reported(run: Run, scripted: Any, gives: object, problem: str) -> None:
    generator = scripted(GOOD)
    answer = run(QualityFeedbackLoop(), retriever=Strange(gives), generator=generator)
    assert [made.outcome.problem for made in answer.iterations] == [problem] * 2
    assert generator.n_calls == 0


@both
def test_more_passages_than_were_asked_for_are_refused(run: Run, shelf: Any, scripted: Any) -> None:
    many = shelf.retrieve(QUERY, top_k=9, level=0.0)
    answer = run(QualityFeedbackLoop(), retriever=Strange(many), generator=scripted(GOOD))
    assert answer.iterations[0].outcome.problem == "retriever returned 9 passages where 8 were asked for"


@both
def test_a_scorer_that_misbehaves_is_reported(run: Run, shelf: Any, scripted: Any) -> None:
    class Broken:
        def score(self, _exchange: Any) -> float:
            raise ZeroDivisionError("by zero")

    loop = QualityFeedbackLoop(scorecard=Scorecard(coherence=Broken()))
    answer = run(loop, retriever=shelf, generator=scripted(GOOD))
    assert answer.ending is Ending.FAILED
    assert answer.iterations[0].outcome.problem == "scorer raised ZeroDivisionError: by zero"


@both
def test_a_scorer_that_hangs_is_given_up(run: Run, shelf: Any, scripted: Any, gate: threading.Event) -> None:
    class Slow:
        def score(self, _exchange: Any) -> float:
            return float(gate.wait())

    loop = QualityFeedbackLoop(scorecard=Scorecard(accuracy=Slow()), timeouts=Timeouts(score_s=0.05))
    answer = run(loop, retriever=shelf, generator=scripted(GOOD))
    assert answer.iterations[0].outcome.problem == "scorer gave no answer within 0.05 s"


@both
def test_a_text_of_the_generator_s_own_class_is_a_plain_text(run: Run, shelf: Any, scripted: Any) -> None:
    class Text(str):
        def strip(self, _characters: Any = None) -> str:
            raise OSError("no")

    answer = run(QualityFeedbackLoop(), retriever=shelf, generator=scripted(Text(GOOD)))
    assert type(answer.text) is str
    assert answer.text == GOOD


@both
def test_a_generator_that_asks_the_loop_itself_comes_to_an_end(run: Run, shelf: Any) -> None:
    loop, n_calls = QualityFeedbackLoop(), list[int]()

    def asks_again(query: str, _passages: Any) -> str:
        n_calls.append(1)
        return run(loop, query, retriever=shelf, generator=asks_again).text

    assert run(loop, retriever=shelf, generator=asks_again).text == ""
    assert len(n_calls) <= 4**4  # each of four loops within each other asks four times


@both
def test_the_same_passages_are_not_answered_twice(run: Run, make_shelf: Any, scripted: Any) -> None:
    class Flat(make_shelf):  # type: ignore[misc]  # a class that a fixture gives
        """Compression changes nothing, and there are ever more passages to be asked for, but none come."""

        def retrieve(self, query: str, *, top_k: int, level: float) -> Any:
            super().retrieve(query, top_k=top_k, level=level)
            return [self._passage(number, 3) for number in range(4)]

    generator, flat = scripted(POOR), Flat()
    answer = run(QualityFeedbackLoop(top_k=4), retriever=flat, generator=generator)
    assert generator.n_calls == 1
    assert flat.asked == [(4, 0.5), (6, 0.5), (6, 0.25)]  # fewer than asked for: a requery could bring no more
    assert answer.ending is Ending.OUT_OF_STRATEGIES
    assert answer.n_refinements == 0


@both
def test_a_corpus_without_passages_ends_at_once(run: Run, make_shelf: Any) -> None:
    answer = run(QualityFeedbackLoop(), retriever=make_shelf(0), generator=Extractive())
    assert (answer.text, answer.ending) == ("", Ending.OUT_OF_STRATEGIES)


@both
def test_at_most_max_iterations_calls_follow_the_first(run: Run, shelf: Any, scripted: Any) -> None:
    for n in (0, 1, 5):
        generator = scripted(*(f"{POOR} {'lease ' * i}" for i in range(20)))
        run(QualityFeedbackLoop(1.0, n, 0.0), retriever=shelf, generator=generator)
        assert generator.n_calls <= n + 1


@both
def test_a_question_must_be_one(run: Run, shelf: Any, scripted: Any) -> None:
    strange: list[Any] = ["", " \n", "x" * (MAX_QUERY_CHARACTERS + 1), None, 7, b"claim", ["claim"]]
    for query in strange:
        with pytest.raises(Misuse):
            run(QualityFeedbackLoop(), query, retriever=shelf, generator=scripted(GOOD))
    with pytest.raises(Misuse, match="the generator is str"):
        run(QualityFeedbackLoop(), retriever=shelf, generator="a text")
    assert shelf.asked == []


class Advisor:
    """An agent that gives the same advice always, and keeps what it is told."""

    def __init__(self, *rows: AdviceRow) -> None:
        self.rows = rows
        self.told: list[RecordAnswer] = []

    @property
    def answers(self) -> Any:
        return self

    def advice(self, _query: str) -> Advice:
        return Advice(self.rows, False)

    def record(self, report: RecordAnswer, _query: str) -> None:
        self.told.append(report)


@both
def test_advice_that_a_newer_store_gives_is_left_out(run: Run, shelf: Any, scripted: Any) -> None:
    agent = Advisor(AdviceRow("relevance", "ask_the_oracle"), AdviceRow("novelty", "full_requery"))
    answer = run(QualityFeedbackLoop(agent=agent), retriever=shelf, generator=scripted(POOR, GOOD))
    assert answer.iterations[1].tried.origin is Origin.TABLE
    (report,) = agent.told
    assert (report.ending, report.n_asked, [step.plan for step in report.steps]) == (
        "converged",
        2,
        ["expand_retrieval"],
    )


@both
def test_a_store_that_hangs_holds_nobody_up_for_long(
    run: Run, shelf: Any, scripted: Any, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Advisor):
        def advice(self, _query: str) -> Advice:
            gate.wait()
            return Advice((), False)

    monkeypatch.setattr("coordinator.feedback.loop.STORE_S", 0.05)
    answer = run(QualityFeedbackLoop(agent=Slow()), retriever=shelf, generator=scripted(GOOD))
    assert answer.is_converged
    assert answer.notes == ("the quality store has no part in this: advice gave no answer within 0.05 s",)


def test_both_ways_of_running_do_the_same(make_shelf: Any) -> None:
    loop = QualityFeedbackLoop(quality_threshold=1.0, clock_s=lambda: 0.0)
    answers = [way(loop, retriever=make_shelf(), generator=Extractive()) for way in (run, run_async)]
    assert answers[0] == answers[1]
    assert answers[0].document() == answers[1].document()


def test_one_loop_answers_several_questions_at_once(make_shelf: Any) -> None:
    loop = QualityFeedbackLoop()

    async def ask() -> list[Answer]:
        asked = (loop.run_async(f"{word}?", retriever=make_shelf(), generator=Extractive()) for word in ("claim", "x"))
        return list(await asyncio.gather(*asked))

    claim, unknown = asyncio.run(ask())
    assert claim.query == "claim?"
    assert claim.quality.relevance == 1.0
    assert unknown.quality.relevance == 0.0


def test_the_log_explains_each_round(shelf: Any, scripted: Any) -> None:
    answer = run(QualityFeedbackLoop(top_k=4), retriever=shelf, generator=scripted(POOR, GOOD))
    assert answer.log() == [
        "0. first (top_k 4, level 0.5): the first answer",
        "   4 passages, quality 0.595 (relevance 0.25 completeness 0.50 coherence 1.00 accuracy 0.85)",
        "1. expand_retrieval (top_k 6, level 0.5): relevance 0.25 is below 0.5",
        "   6 passages, quality 0.780 (relevance 1.00 completeness 1.00 coherence 0.05 accuracy 0.85), gain +0.184, "
        "the best",
        "converged: quality 0.780 reaches the threshold",
    ]


def test_the_document_is_json_and_has_all_rounds(shelf: Any, scripted: Any) -> None:
    loop = QualityFeedbackLoop(top_k=4, clock_s=lambda: 0.0)
    told = json.loads(json.dumps(run(loop, retriever=shelf, generator=scripted(POOR, GOOD)).document()))
    assert told["is_converged"] is True
    assert told["first_quality"]["overall"] == pytest.approx(0.595, abs=0.001)
    assert [one["plan"] for one in told["iterations"]] == [[], ["expand_retrieval"]]
    assert told["iterations"][1]["spent_s"] == {"retriever": 0.0, "generator": 0.0, "scorer": 0.0}
    assert told["passages"][0]["path"] == "0.md"


@pytest.mark.parametrize(
    "wrong",
    [
        {"quality_threshold": float("nan")},
        {"max_iterations": 101},
        {"max_iterations": 1.5},
        {"min_improvement": -0.1},
        {"top_k": 0},
        {"top_k": 101},
        {"level": -0.5},
        {"level": float("nan")},
        {"level": "0.5"},
        {"level": True},
        {"quality_threshold": 10**400},
        {"max_iterations": 10**5000},
        {"max_answer_characters": 0},
    ],
)
def test_numbers_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Misuse):
        QualityFeedbackLoop(**wrong)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan"), True, 10**9])
@pytest.mark.parametrize("name", ["retrieve_s", "generate_s", "score_s"])
def test_a_time_limit_is_one(name: str, seconds: float) -> None:
    with pytest.raises(Misuse, match=name):
        Timeouts(**{name: seconds})
