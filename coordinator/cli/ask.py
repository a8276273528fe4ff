"""`scentfield ask`: a question to the tree, answered in rounds until the answer will do. No coordinator is needed."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import ScentfieldError
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part
from coordinator.cli.retrieval import open_retriever

if TYPE_CHECKING:
    from actors.quality_store.answer_message import Advice, RecordAnswer
    from coordinator.feedback.answer import Answer
    from coordinator.feedback.generator import Generator
    from coordinator.feedback.iteration import Iteration
    from coordinator.feedback.settings import AskSettings
    from coordinator.retrieval.passage import Passage
    from coordinator.retrieval.tree_retriever import TreeRetriever

_COLUMNS: Final = (
    *("round", "does", "top_k", "level", "passages"),
    *("quality", "rel.", "compl.", "coher.", "acc.", "gain", "s", ""),
)


def ask(
    call: Invocation,
    question: Annotated[str, typer.Argument(help="What to ask of the files here.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask no model and tell nobody: show what each round would be given.")
    ] = False,
    top_k: Annotated[int | None, typer.Option("--top-k", help="Passages of the first round.", metavar="N")] = None,
    level: Annotated[float | None, typer.Option(help="Their compression: 0.0 nothing, 1.0 most.", metavar="X")] = None,
    threshold: Annotated[float | None, typer.Option(help="A quality that will do.", metavar="X")] = None,
    iterations: Annotated[int | None, typer.Option(help="Rounds after the first.", metavar="N")] = None,
) -> Outcome:
    """Answer a question from the tree's files; ask again with better context until the answer will do.

    Example: scentfield ask "how long does a claim live?" --dry-run

    Without a model (settings under `[ask]`) the answer is the sentences that say most about the question, word for
    word. A score says how an answer is made, not whether it is true.
    """
    from coordinator.feedback.extractive import Extractive  # the loop is needed by this command only
    from coordinator.feedback.loop import QualityFeedbackLoop

    wanted = call.settings.ask
    store = None if dry_run else _Store(call, question)
    loop = QualityFeedbackLoop(
        wanted.quality_threshold if threshold is None else threshold,
        wanted.max_iterations if iterations is None else iterations,
        wanted.min_improvement,
        top_k=wanted.top_k if top_k is None else top_k,
        level=wanted.level if level is None else level,
        timeouts=wanted.timeouts,
        agent=store,
    )
    with open_retriever(call, None) as retriever:
        tree, generator = _Tree(retriever), _Heard(Extractive() if dry_run else wanted.generator())
        answer = loop.run(question, retriever=tree, generator=generator)
    answer = replace(answer, notes=(*answer.notes, *(store.tell() if store else ())))
    trouble = tree.trouble or generator.trouble
    if answer.best is None and trouble is not None:
        raise trouble
    document = {**answer.document(), "is_dry_run": dry_run, "by": _by(wanted, dry_run), "retrieval_notes": tree.notes}
    return Outcome(document, _parts(answer), [*tree.notes, *answer.notes])


def _by(wanted: AskSettings, dry_run: bool) -> str:
    return wanted.model if wanted.url and not dry_run else "extractive"


class _Heard:
    """A generator; keeps the last of our errors that it raised."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self.trouble: ScentfieldError | None = None

    def __call__(self, query: str, passages: Sequence[Passage]) -> str | Awaitable[str]:
        """Its answer."""
        try:
            return self._generator(query, passages)
        except ScentfieldError as error:
            self.trouble = error
            raise


class _Tree:
    """The tree's index as a retriever; keeps what its last answer had to say of itself, and the last of our errors."""

    def __init__(self, retriever: TreeRetriever) -> None:
        self._retriever = retriever
        self.notes: list[str] = []
        self.trouble: ScentfieldError | None = None

    def retrieve(self, query: str, *, top_k: int, level: float) -> list[Passage]:
        """The passages."""
        try:
            found = self._retriever.search(query, top_k=top_k, level=level)
        except ScentfieldError as error:
            self.trouble = error
            raise
        self.notes = list(found.notes)
        return list(found.passages)


class _Store:
    """The quality store for one question: asked before the loop and told after it, so that Ray is met by this thread.

    It is what the loop takes for an agent, and for its `answers`.
    """

    def __init__(self, call: Invocation, question: str) -> None:
        self._call = call
        self._question = question
        self._report: RecordAnswer | None = None
        self._advice: Advice | None = None
        self._trouble: ScentfieldError | None = None
        if question.strip():
            try:
                self._advice = call.agent.query(lambda core: core.answers.advice(question))
            except ScentfieldError as error:
                self._trouble = error

    @property
    def answers(self) -> Any:
        """Itself."""
        return self

    def advice(self, _query: str) -> Advice:
        """What was answered before. Raises why nothing was."""
        if self._advice is None:
            raise self._trouble or AssertionError("nobody was asked")
        return self._advice

    def record(self, report: RecordAnswer, _query: str) -> None:
        """Keep the report until the loop is over."""
        self._report = report

    def tell(self) -> Sequence[str]:
        """Tell the store, if it has answered before; returns what went wrong."""
        report = self._report
        if report is None or self._advice is None:
            return ()
        try:
            self._call.agent.act(lambda core: core.answers.record(report, self._question))
        except ScentfieldError as error:
            return (f"the quality store was not told: {error.message}",)
        return ()


def _parts(answer: Answer) -> list[Part]:
    """The answer, what it stands on, and the rounds."""
    told = map(Line, answer.text.splitlines())  # with control characters spelled out: a model may have said them
    said: list[Part] = [*told] if answer.text else [Line("no answer was found", "yellow")]
    sources = [f"  {one.path}:{one.first_line}-{one.last_line} {one.title}".rstrip() for one in answer.passages]
    said += [Line(""), Line(f"from {len(sources)} passages:"), *map(Line, sources)] if sources else []
    rows = [_row(made, is_best=made.tried.number == answer.best) for made in answer.iterations]
    reasons = [Line(f"{made.tried.number}. {made.tried.reason}") for made in answer.iterations]
    end = Line(answer.end, "green" if answer.is_converged else "yellow")
    return [*said, Line(""), Grid(_COLUMNS, rows), *reasons, end]


def _row(made: Iteration, *, is_best: bool) -> tuple[object, ...]:
    tried, outcome, quality = made.tried, made.outcome, made.outcome.quality
    shown = ["-"] * 5
    if quality is not None:
        sides = (quality.overall, quality.relevance, quality.completeness, quality.coherence, quality.accuracy)
        shown = [f"{value:.3f}" for value in sides]
    gain = "" if made.gain is None else f"{made.gain:+.3f}"
    does = " + ".join(one.name for one in tried.plan) or str(tried.origin)
    remark = "; ".join(filter(None, ("the best" * is_best, outcome.problem)))
    spent = f"{sum(outcome.spent_s.values()):.2f}"
    handles = (tried.selection.top_k, f"{tried.selection.level:g}", outcome.n_passages)
    return (tried.number, does, *handles, *shown, gain, spent, remark)
