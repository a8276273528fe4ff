"""Finds the passages of one tree that answer a question, by words and by meaning, as the tree is now.

A search first takes in what has changed, if that is little; else it says so. What is shown is always read from the
file: a passage whose file has changed since is looked for in it anew, and one that is gone is not shown.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from actors.embedding.messages import Vectors
from actors.runtime.errors import Busy, Misuse, ScentfieldError, Unavailable
from actors.runtime.number import as_number, shown
from coordinator.file_list import is_behind_link, read_regular
from coordinator.reading.query import Query, telling_words
from coordinator.reading.source import BinaryFile, SourceText, decode
from coordinator.retrieval.answer import SOURCES, Answer, Source
from coordinator.retrieval.condensing import condensed
from coordinator.retrieval.fusion import fused
from coordinator.retrieval.index_file import IndexFile, NoIndex, Place
from coordinator.retrieval.indexer import Allowance, Indexer, Refreshed, Told, silent
from coordinator.retrieval.limit import (
    MAX_INLINE_BYTES,
    MAX_INLINE_FILES,
    MAX_QUERY_CHARACTERS,
    MAX_TOP_K,
    N_CANDIDATES,
    RetrievalSettings,
)
from coordinator.retrieval.model import Model, SparingModel
from coordinator.retrieval.passage import MOST_COMPRESSED, WHOLE, Passage
from coordinator.retrieval.section import is_headed, sections_of
from coordinator.retrieval.tally import Tally
from coordinator.retrieval.vector_rows import VectorRows

_DECIMALS: Final = 9
_INLINE: Final = Allowance(MAX_INLINE_FILES, MAX_INLINE_BYTES)
_SPARE: Final = 2
"""Twice as many candidates are taken: of equal ones those by path count, and some sections are gone."""
_MAX_DEAD: Final = 1.25
By: TypeAlias = Source
"""By what to look: words, meaning, or both."""


class _Found(NamedTuple):
    """A candidate: where it lay, its score, and who put it forward."""

    place: Place
    score: float
    source: Source


class TreeRetriever:
    """Searches the tree at `root`, which is spelled without links, through its index.

    Usable from several threads. `monotonic` gives seconds.
    """

    def __init__(
        self,
        root: Path,
        index: IndexFile,
        model: Model,
        settings: RetrievalSettings,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.root = root
        self._index = index
        self._model = SparingModel(model, monotonic)
        self._settings = settings
        self._monotonic = monotonic
        self._indexer = Indexer(root, index, model, settings)
        self._inline = Indexer(root, index, self._model, settings)
        self._tally = Tally(index, monotonic)
        self._rows = VectorRows()
        self._rows_of = ("", "")
        self._lock = threading.Lock()
        self._n_waiting = 0
        self._looked_at_s: float | None = None

    def close(self) -> None:
        """Write down what was counted, and let the index go."""
        self._tally.flush()
        self._index.close()

    def index(self, *, rebuild: bool = False, wait_s: float = 60.0, told: Told = silent) -> Refreshed:
        """Bring the index to what the tree is now, whatever that takes.

        Raises `Busy` where another process has been at it for longer than `wait_s` seconds.
        """
        done = self._indexer.refresh(rebuild=rebuild, wait_s=wait_s, told=told)
        self._n_waiting, self._looked_at_s = 0, self._monotonic()
        return done

    def ranked(self, query: str, n_wanted: int, by: By = "both") -> list[Place]:
        """Where the sections lie that answer `query` best by one way of looking or by both, the best first.

        Raises as `search`.
        """
        _check(query, n_wanted, WHOLE, by)
        self._look()
        return [one.place for one in self._found(query, n_wanted, by)[0][:n_wanted]]

    def all_places(self) -> list[Place]:
        """Where all sections lay when they were indexed."""
        return self._index.all_places()

    def retrieve(self, query: str, *, top_k: int = 10, level: float = WHOLE) -> list[Passage]:
        """The passages of `search`."""
        return list(self.search(query, top_k=top_k, level=level).passages)

    def search(self, query: str, *, top_k: int = 10, level: float = WHOLE, by: By = "both") -> Answer:
        """The `top_k` passages that answer `query` best, the best first.

        `level` runs from 0.0, passages whole, to 1.0, a fifth of their tokens. `by` is words, meaning, or both. Raises
        `Misuse` for a query without a word, and for handles out of their bounds; `Unavailable` where there is no index
        of a tree that is too large to be indexed on the way, and no model to look by meaning alone.
        """
        _check(query, top_k, level, by)
        self._look()
        ranked, no_meaning = self._found(query, top_k, by)
        answer, has_changed = self._shown(query, ranked, top_k, level, no_meaning)
        if has_changed and self._look_again():
            ranked, no_meaning = self._found(query, top_k, by)
            answer, _ = self._shown(query, ranked, top_k, level, no_meaning)
        self._tally.searched(answer, by)
        return answer

    def _found(self, query: str, top_k: int, by: By) -> tuple[list[_Found], str]:
        """The candidates, the best first, and why meaning was left out, if it was wanted."""
        n_candidates = max(N_CANDIDATES, top_k)
        words = telling_words(Query(query)) or Query(query).words
        by_words = [] if by == "meaning" else self._index.best_by_words(words, _SPARE * n_candidates)
        by_meaning, no_meaning = ([], "") if by == "words" else self._by_meaning(query, _SPARE * n_candidates)
        if by == "meaning" and no_meaning:
            raise Unavailable(f"nothing can be looked for by meaning: {no_meaning}")
        return self._ranked(by_words, by_meaning, n_candidates), no_meaning

    def _look(self) -> None:
        """Take in what has changed since the last look, if that was some time ago."""
        now_s = self._monotonic()
        if self._looked_at_s is not None and now_s - self._looked_at_s < self._settings.max_age_s:
            return
        try:
            self._n_waiting = self._inline.refresh(allowance=_INLINE).n_waiting
        except Busy:
            return  # another agent takes it in; what is found is compared with the files all the same
        if self._n_waiting and not self._index.counts()["sections"]:
            raise NoIndex(f"there is no index of {str(self.root)!r} yet: make it with `scentfield index`")
        self._looked_at_s = self._monotonic()

    def _look_again(self) -> bool:
        """Look at once: what was found has changed since the last look. False where another agent is at it."""
        self._looked_at_s = None
        self._look()
        return self._looked_at_s is not None

    def _by_meaning(self, query: str, n_wanted: int) -> tuple[list[tuple[int, float]], str]:
        """The nearest sections, and why there are none, if there is a reason."""
        vectors, reason = self._query_vector(query)
        if vectors is None:
            return [], reason
        facts = self._index.facts()
        if facts.get("model_id", "") != vectors.model_id:
            return [], f"the index has no vectors of {vectors.model_id}: run `scentfield index`"
        with self._lock:
            return self._current_rows(facts).nearest(vectors.rows[0], n_wanted), ""

    def _query_vector(self, query: str) -> tuple[Vectors | None, str]:
        try:
            return self._model.embed([query.encode("utf-8", "replace").decode("utf-8")]), ""
        except ScentfieldError as error:
            return None, error.message

    def _current_rows(self, facts: Mapping[str, str]) -> VectorRows:
        """The vectors in memory, with what was added to the index since."""
        which, generation = f"{facts['model_id']} {facts.get('made', '')}", facts.get("generation", "")
        if (which, generation) == self._rows_of:
            return self._rows
        too_many = _MAX_DEAD * self._index.counts()["vectors"] + N_CANDIDATES
        if which != self._rows_of[0] or len(self._rows) > too_many:
            self._rows = VectorRows()
        self._rows.extend(self._index.vectors_after(self._rows.last_id, self._rows.n_numbers))
        self._rows_of = which, generation
        return self._rows

    def _ranked(
        self, by_words: Sequence[tuple[int, float]], by_meaning: Sequence[tuple[int, float]], n_candidates: int
    ) -> list[_Found]:
        """All candidates, the best first; equal ones by path and line, whatever order they were indexed in."""
        places = self._index.places({section_id for section_id, _ in (*by_words, *by_meaning)})
        orders = [_ordered(found, places)[:n_candidates] for found in (by_words, by_meaning)]
        scores = fused(orders)
        words, meaning = map(frozenset, orders)
        found = [
            _Found(
                place,
                score,
                "both" if place in words and place in meaning else "words" if place in words else "meaning",
            )
            for place, score in scores.items()
        ]
        return sorted(found, key=lambda one: (-one.score, one.place))

    def _shown(
        self, query: str, ranked: Sequence[_Found], top_k: int, level: float, no_meaning: str
    ) -> tuple[Answer, bool]:
        """The first `top_k` that are still there, as their files are now; and whether a file has changed."""
        files: dict[str, SourceText | None] = {}
        passages: list[Passage] = []
        sources: list[Source] = []
        shown: set[tuple[str, int]] = set()
        n_reread = n_gone = 0
        for one in ranked:
            if len(passages) == top_k:
                break
            source = self._file(one.place.path, files)
            place = None if source is None else _now(one.place, source)
            if source is None or place is None:
                n_gone += 1
                continue
            if (place.path, place.first_line) in shown:
                continue
            n_reread += place is not one.place
            shown.add((place.path, place.first_line))
            passages.append(_passage(place, source, query, one.score, level))
            sources.append(one.source)
        is_whole = "looked_ns" in self._index.facts()
        answer = Answer(query, tuple(passages), tuple(sources), no_meaning, n_reread, self._n_waiting, is_whole)
        return answer, n_reread + n_gone > 0

    def _file(self, path: str, files: dict[str, SourceText | None]) -> SourceText | None:
        if path not in files:
            files[path] = self._read(self.root / path)
        return files[path]

    def _read(self, path: Path) -> SourceText | None:
        raw = None if is_behind_link(path) else read_regular(path, self._settings.max_file_bytes)
        try:
            return None if raw is None else decode(raw)
        except BinaryFile:
            return None


def _check(query: object, top_k: object, level: object, by: object) -> None:
    if by not in SOURCES:
        raise Misuse(f"passages are looked for by {', '.join(SOURCES)}, not by {by!r:.40}")
    if not isinstance(query, str) or not Query(query).words:
        raise Misuse(f"the query {query!r:.80} has no word: say what is looked for")
    if len(query) > MAX_QUERY_CHARACTERS:
        raise Misuse(f"the query has {len(query):,} characters: {MAX_QUERY_CHARACTERS:,} are the most")
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= MAX_TOP_K:
        raise Misuse(f"top_k is {shown(top_k)}: ask for 1 to {MAX_TOP_K:,} passages")
    compression = as_number(level)
    if compression is None or not WHOLE <= compression <= MOST_COMPRESSED:
        raise Misuse(f"the level is {shown(level)}: give one from 0.0, passages whole, to 1.0, most compressed")


def _ordered(found: Sequence[tuple[int, float]], places: dict[int, Place]) -> list[Place]:
    """The places of what was found, by score; equal scores by path and line."""
    scored = [(-round(score, _DECIMALS), places[one]) for one, score in found if one in places]
    return [place for _, place in sorted(scored)]


def _now(place: Place, source: SourceText) -> Place | None:
    """Where the section lies in the file as it is now; None if it is not there any more."""
    if source.content_hash == place.content_hash:
        return place
    named = [section for section in sections_of(source, place.path) if section.title == place.title]
    if not named:
        return None
    nearest = min(named, key=lambda section: abs(section.first_line - place.first_line))
    return Place(place.path, nearest.title, nearest.first_line, nearest.last_line, source.content_hash)


def _passage(place: Place, source: SourceText, query: str, score: float, level: float) -> Passage:
    text = "".join(source.lines[place.first_line - 1 : place.last_line])
    shown = condensed(text, query, level, by_paragraph=is_headed(place.path))
    return Passage(place.path, place.title, shown, score, source.content_hash, place.first_line, place.last_line)
