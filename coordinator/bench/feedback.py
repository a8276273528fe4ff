"""How the feedback loop fares on somebody's questions: how many converge, and what that says.

Each question is answered from the pages by sentences, and the loop goes on until the contract's threshold is met.
Beside it stands the same with each answer swapped for another question's, from as many passages: what also converges
there does so for its form. Whether an answer is right is told by the known one: it holds a sentence of that, word for
word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from actors.runtime.errors import InvariantBroken
from coordinator.bench.question import Question, questions_of
from coordinator.bench.retrieval_quality import indexed_pages
from coordinator.feedback.answer import Answer
from coordinator.feedback.exchange import sentences, words_of
from coordinator.feedback.extractive import Extractive
from coordinator.feedback.iteration import Iteration
from coordinator.feedback.loop import QualityFeedbackLoop
from coordinator.feedback.meaning import EmbeddingRelevance
from coordinator.feedback.question_term import TermCompleteness
from coordinator.feedback.scorer import Scorecard
from coordinator.retrieval.model import StaticModel
from coordinator.retrieval.passage import Passage, Retriever

REFERENCE: Final = "the same with each answer swapped for another question's"
N_ITERATIONS: Final = 3
_MIN_WORDS: Final = 4
Told = Callable[[str], None]


def measure_feedback(docs: Path, folder: Path, *, told: Told = lambda _: None) -> list[dict[str, Any]]:
    """The rows: with the headings as they are and hidden, by the contract's scorers and by others.

    `docs` is documentation of whom you like; copies of its pages and their index are made in `folder`. Raises `Misuse`
    where it asks too few questions.
    """
    told("reading the questions")
    questions = questions_of(docs.resolve())
    model = StaticModel(folder / "models", 2)
    rows: list[dict[str, Any]] = []
    for is_hidden in (False, True):
        what = f"headings {'hidden' if is_hidden else 'shown'}"
        with closing(indexed_pages(docs.resolve(), folder / what, questions, hidden=is_hidden, told=told)) as pages:
            desk = _Desk(_Kept(pages), _Reader())
            for name, scorecard in _scorecards(model).items():
                told(f"{what}, {name}")
                rows.append({"what": what, "scorers": name, **_measured(questions, desk, scorecard)})
    return rows


def _scorecards(model: StaticModel) -> Mapping[str, Scorecard]:
    by_meaning = EmbeddingRelevance(lambda texts: model.embed(list(texts)).rows)
    return {
        "the contract's": Scorecard(),
        "by meaning and terms": Scorecard(relevance=by_meaning, completeness=TermCompleteness()),
    }


class _Kept:
    """A retriever that is asked the same by several loops, and looks once."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._found: dict[tuple[str, int, float], list[Passage]] = {}

    def retrieve(self, query: str, *, top_k: int, level: float) -> list[Passage]:
        """The passages."""
        asked = (query, top_k, level)
        if asked not in self._found:
            self._found[asked] = self._retriever.retrieve(query, top_k=top_k, level=level)
        return self._found[asked]


class _Reader:
    """A generator that is asked the same by several loops, and reads once."""

    def __init__(self) -> None:
        self._extractive = Extractive()
        self._said: dict[tuple[str, tuple[Passage, ...]], str] = {}

    def __call__(self, query: str, passages: Sequence[Passage]) -> str:
        """The sentences that say most about the question."""
        asked = (query, tuple(passages))
        if asked not in self._said:
            self._said[asked] = self._extractive(query, passages)
        return self._said[asked]


@dataclass(frozen=True, slots=True)
class _Desk:
    """Who finds and who answers, for all loops over one copy of the pages."""

    retriever: _Kept
    reader: _Reader


@dataclass(frozen=True, slots=True)
class _Case:
    """One question: its own loop, and one that hears another question's answers."""

    question: Question
    own: Answer
    swapped: Answer


def _measured(questions: Sequence[Question], desk: _Desk, scorecard: Scorecard) -> dict[str, Any]:
    loop = QualityFeedbackLoop(max_iterations=N_ITERATIONS, scorecard=scorecard)
    cases = [_case(loop, desk, questions, number) for number in range(len(questions))]
    own, swapped = [case.own for case in cases], [case.swapped for case in cases]
    return {
        "n": len(cases),
        **{f"converged_{n}": _share(own, n) for n in range(N_ITERATIONS + 1)},
        **{f"swapped_{n}": _share(swapped, n) for n in range(N_ITERATIONS + 1)},
        "recall_before": _mean(_is_right(case, case.own.iterations[0]) for case in cases),
        "recall_after": _mean(_is_right(case, _best(case.own)) for case in cases),
        "right_converged": _mean(case.own.is_converged for case in cases if _is_right(case, _best(case.own))),
        "wrong_converged": _mean(case.own.is_converged for case in cases if not _is_right(case, _best(case.own))),
        "quality_before": _mean(answer.first_quality.overall for answer in own),
        "quality_after": _mean(answer.quality.overall for answer in own),
        "quality_swapped": _mean(answer.quality.overall for answer in swapped),
        "told_apart": _told_apart(own, swapped),
        "calls": _mean(answer.n_refinements + 1 for answer in own),
        "reference": REFERENCE,
    }


def _case(loop: QualityFeedbackLoop, desk: _Desk, questions: Sequence[Question], number: int) -> _Case:
    question = questions[number]
    other = _Swapped(desk, questions[(number + len(questions) // 2) % len(questions)])
    own = loop.run(question.text, retriever=desk.retriever, generator=desk.reader)
    swapped = loop.run(question.text, retriever=other, generator=other)
    if own.quality.overall < own.first_quality.overall or own.n_refinements > N_ITERATIONS:
        raise InvariantBroken(f"the loop has broken its word on {question.text!r}: {own.log()}")
    return _Case(question, own, swapped)


class _Swapped:
    """Gives the passages of another question, and the answer that the loop would get to that."""

    def __init__(self, desk: _Desk, other: Question) -> None:
        self._desk = desk
        self._other = other

    def retrieve(self, _query: str, *, top_k: int, level: float) -> list[Passage]:
        """The other question's passages."""
        return self._desk.retriever.retrieve(self._other.text, top_k=top_k, level=level)

    def __call__(self, _query: str, passages: Sequence[Passage]) -> str:
        """The other question's answer."""
        return self._desk.reader(self._other.text, passages)


def _share(answers: Sequence[Answer], n: int) -> float:
    """The share that converged within so many rounds after the first."""
    return _mean(answer.is_converged and answer.n_refinements <= n for answer in answers)


def _best(answer: Answer) -> Iteration:
    return answer.iterations[answer.best or 0]


def _is_right(case: _Case, made: Iteration) -> bool:
    """Whether the round's answer holds a sentence of the known one, of four words at least."""
    said = _plain(made.outcome.text)
    known = (_plain(sentence) for sentence in sentences(case.question.answer) if len(words_of(sentence)) >= _MIN_WORDS)
    return any(sentence in said for sentence in known)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _told_apart(own: Sequence[Answer], swapped: Sequence[Answer]) -> float:
    """The chance that one's own answer scores higher than a swapped one's; equals count half, 0.5 is a coin."""
    high, low = ([answer.quality.overall for answer in answers] for answers in (own, swapped))
    pairs = ((one > other) + (one == other) / 2 for one in high for other in low)
    return _mean(pairs)


def _mean(values: Any) -> float:
    listed = [float(value) for value in values]
    return round(fmean(listed), 4) if listed else 0.0
