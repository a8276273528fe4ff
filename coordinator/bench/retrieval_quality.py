"""How well the answers to somebody's questions are found: by words, by meaning, and by both, in one index.

For each question the place of the first passage that lies in its answer, among the first ten. Beside it, what an order
by chance would reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from coordinator.bench.question import Question, copy_pages, questions_of
from coordinator.retrieval.answer import SOURCES
from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.limit import RetrievalSettings
from coordinator.retrieval.model import StaticModel
from coordinator.retrieval.tree_retriever import By, TreeRetriever

REFERENCE: Final = "what an order by chance is expected to reach"
N_LOOKED_AT: Final = 10
_NEVER_S: Final = 3_600.0
Told = Callable[[str], None]


def measure_retrieval_quality(docs: Path, folder: Path, *, told: Told = lambda _: None) -> list[dict[str, Any]]:
    """The rows: with the headings as they are and hidden, by each way of looking, by kind of question and for all.

    `docs` is documentation of whom you like; copies of its pages and their index are made in `folder`. Raises `Misuse`
    where it asks too few questions.
    """
    told("reading the questions")
    questions = questions_of(docs.resolve())
    rows: list[dict[str, Any]] = []
    for is_hidden in (False, True):
        what = "hidden" if is_hidden else "shown"
        with closing(indexed_pages(docs.resolve(), folder / what, questions, hidden=is_hidden, told=told)) as retriever:
            chance = _chance(retriever, questions)
            for by in SOURCES:
                told(f"headings {what}, by {by}")
                places = [place_of_answer(retriever, question, by) for question in questions]
                rows += _rows(f"headings {what}", by, questions, places, chance)
    return rows


def indexed_pages(
    docs: Path, folder: Path, questions: Sequence[Question], *, hidden: bool, told: Told = lambda _: None
) -> TreeRetriever:
    """What searches a copy of the pages, indexed with the static model."""
    pages = folder / "pages"
    copy_pages(docs, pages, questions, hidden=hidden)
    model = StaticModel(folder.parent / "models", 2)
    index = IndexFile(folder / "index.sqlite3")
    retriever = TreeRetriever(pages.resolve(), index, model, RetrievalSettings(max_age_s=_NEVER_S))
    retriever.index(told=lambda _share, note: told(f"indexing {note}"))
    return retriever


def place_of_answer(retriever: TreeRetriever, question: Question, by: By) -> int:
    """The place of the first passage that lies in the answer, 1 to 10; 0 if none of these does."""
    ranked = retriever.ranked(question.text, N_LOOKED_AT, by)
    hits = (
        number
        for number, one in enumerate(ranked, start=1)
        if question.is_answered_by(one.path, one.first_line, one.last_line)
    )
    return next(hits, 0)


def _chance(retriever: TreeRetriever, questions: Sequence[Question]) -> list[list[float]]:
    """For each question the chance that the first hit of an order by chance is at place 1 to 10."""
    lies = retriever.all_places()
    by_path: dict[str, list[tuple[int, int]]] = {}
    for one in lies:
        by_path.setdefault(one.path, []).append((one.first_line, one.last_line))
    return [
        chances(
            sum(question.is_answered_by(question.path, *span) for span in by_path.get(question.path, ())), len(lies)
        )
        for question in questions
    ]


def chances(n_right: int, n_all: int) -> list[float]:
    """The chance that, of `n_all` in any order, the first of `n_right` stands at place 1 to 10."""
    found, none_before = [], 1.0
    for place in range(N_LOOKED_AT):
        left = n_all - place
        here = min(1.0, n_right / left) if left > 0 else 0.0
        found.append(none_before * here)
        none_before *= 1.0 - here
    return found


def _rows(
    what: str, by: str, questions: Sequence[Question], places: Sequence[int], chance: Sequence[Sequence[float]]
) -> Iterator[dict[str, Any]]:
    for kind in (*dict.fromkeys(question.kind for question in questions), "all"):
        chosen = [place for place, question in enumerate(questions) if kind in ("all", question.kind)]
        expected = [fmean(chance[one][place] for one in chosen) for place in range(N_LOOKED_AT)]
        yield {
            "what": what,
            "questions": kind,
            "n": len(chosen),
            "by": by,
            **_scores([places[one] for one in chosen]),
            "reference": REFERENCE,
            "reference_hit_10": round(sum(expected), 4),
            "reference_mrr": round(sum(share / place for place, share in enumerate(expected, start=1)), 4),
        }


def _scores(places: Sequence[int]) -> Mapping[str, float]:
    return {
        "hit_1": round(fmean(place == 1 for place in places), 4),
        "hit_10": round(fmean(place > 0 for place in places), 4),
        "mrr": round(fmean(1 / place if place else 0.0 for place in places), 4),
    }
