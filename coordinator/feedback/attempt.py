"""One round: passages are retrieved, an answer is generated from them, and measured; each step within its time.

The round is a generator of steps, which a sync and an async driver carry out alike. Whatever a step raises or returns
and however long it takes, the round has an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

from actors.runtime.number import as_number, shown
from coordinator.feedback.exchange import Exchange
from coordinator.feedback.generator import Generator as Generating
from coordinator.feedback.iteration import Outcome
from coordinator.feedback.number import check_span
from coordinator.feedback.quality import Quality
from coordinator.feedback.scorer import Scorecard
from coordinator.feedback.selection import Selection
from coordinator.feedback.time_limit import Check, StepFailed, as_it_is
from coordinator.retrieval.passage import Passage, Retriever

MAX_ANSWER_CHARACTERS: Final = 65_536
MAX_STEP_S: Final = 86_400.0
_PARTS: Final = {"path": str, "title": str, "text": str, "content_hash": str, "first_line": int, "last_line": int}


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each step may take, in seconds. Raises `Misuse` for a span that is none."""

    retrieve_s: float = 30.0
    generate_s: float = 60.0
    score_s: float = 10.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            check_span(name, getattr(self, name), MAX_STEP_S)


@dataclass(frozen=True, slots=True)
class Step:
    """Something to be called within its time, and what is to be made of the result: both is code of others.

    What `check` gives, or `StepFailed`, is sent back into the round.
    """

    name: str
    run: Callable[[], Any]
    timeout_s: float
    check: Check = as_it_is


Round: TypeAlias = Generator[Step, Any, "tuple[Outcome, tuple[Passage, ...]]"]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part in the rounds of one question."""

    query: str
    retriever: Retriever
    generator: Generating
    scorecard: Scorecard
    timeouts: Timeouts
    max_answer_characters: int
    clock_s: Callable[[], float]


def attempt(cast: Cast, selection: Selection, before: tuple[Passage, ...] | None) -> Round:
    """Make one round; `before` are the passages of the last round that had an answer, None if there was none."""
    spent_s: dict[str, float] = {}
    passages: tuple[Passage, ...] = ()
    try:
        passages = yield from _timed(cast, spent_s, _retrieval(cast, selection))
        if passages == before:
            return _unchanged(passages, spent_s), passages
        text, problem = yield from _timed(cast, spent_s, _generation(cast, passages))
        quality = yield from _timed(cast, spent_s, _measurement(cast, passages, text))
        return _outcome(passages, spent_s, problem, quality=quality, text=text), passages
    except StepFailed as failure:
        return _outcome(passages, spent_s, failure.problem), passages


def _timed(cast: Cast, spent_s: dict[str, float], step: Step) -> Generator[Step, Any, Any]:
    begun_s = cast.clock_s()
    try:
        return (yield step)
    finally:
        spent_s[step.name] = max(0.0, cast.clock_s() - begun_s)


def _retrieval(cast: Cast, selection: Selection) -> Step:
    return Step(
        "retriever",
        lambda: cast.retriever.retrieve(cast.query, top_k=selection.top_k, level=selection.level),
        cast.timeouts.retrieve_s,
        lambda found: _checked(found, selection.top_k),
    )


def _generation(cast: Cast, passages: tuple[Passage, ...]) -> Step:
    return Step(
        "generator",
        lambda: cast.generator(cast.query, passages),
        cast.timeouts.generate_s,
        lambda answered: _text_of(answered, cast.max_answer_characters),
    )


def _measurement(cast: Cast, passages: tuple[Passage, ...], text: str) -> Step:
    exchange = Exchange(cast.query, passages, text)
    return Step("scorer", lambda: cast.scorecard.measure(exchange), cast.timeouts.score_s)


def _checked(found: Any, top_k: int) -> tuple[Passage, ...]:
    """The passages. Raises `StepFailed` for what is none, and for more than were asked for."""
    if isinstance(found, str | bytes) or not isinstance(found, Sequence):
        raise StepFailed(f"retriever returned {type(found).__name__}: it gives a list of passages")
    passages = tuple(islice(found, top_k + 1))
    strange = next((one for one in passages if not isinstance(one, Passage)), None)
    if strange is not None:
        raise StepFailed(f"retriever returned a list with {type(strange).__name__} in it: it gives passages")
    if len(passages) > top_k:
        raise StepFailed(f"retriever returned {max(len(found), top_k + 1)} passages where {top_k} were asked for")
    for passage in passages:
        _check_passage(passage)
    return passages


def _check_passage(passage: Passage) -> None:
    """Raise `StepFailed` for a passage whose parts are not what they are said to be."""
    for name, kind in _PARTS.items():
        if not isinstance(getattr(passage, name), kind):
            raise StepFailed(f"retriever returned a passage whose {name} is {shown(getattr(passage, name))}")
    if as_number(passage.score) is None:
        raise StepFailed(f"retriever returned a passage whose score is {shown(passage.score)}: it is a number")


def _text_of(answered: Any, max_characters: int) -> tuple[str, str]:
    """The answer, cut if it is too long, and what was wrong with it. Raises `StepFailed` for what is no text."""
    if not isinstance(answered, str | None):
        raise StepFailed(f"generator returned {type(answered).__name__}: it gives a text")
    text = str.__str__(answered or "")  # a plain one, whatever a class of the generator's makes of it
    if not text.strip():
        return "", "generator returned nothing"
    if len(text) > max_characters:
        return text[:max_characters], f"the answer of {len(text):,} characters was cut to {max_characters:,}"
    return text, ""


def _unchanged(passages: tuple[Passage, ...], spent_s: dict[str, float]) -> Outcome:
    problem = "the passages are the same as before: nobody was asked"
    return Outcome(None, "", len(passages), _n_characters(passages), problem, is_unchanged=True, spent_s=spent_s)


def _outcome(
    passages: tuple[Passage, ...],
    spent_s: dict[str, float],
    problem: str,
    *,
    quality: Quality | None = None,
    text: str = "",
) -> Outcome:
    return Outcome(quality, text, len(passages), _n_characters(passages), problem, spent_s=spent_s)


def _n_characters(passages: Sequence[Passage]) -> int:
    return sum(len(passage.text) for passage in passages)
