"""Keeps the index of a tree up to date: looks what has changed, cuts it, gives it vectors, writes it down.

One process at a time does so; what was written stays when it is ended midway. What is left out, and why, is counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from actors.memory.secret import secret_in
from actors.memory.vector_table import quantised
from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.editing.file_lock import locked
from coordinator.file_list import read_regular
from coordinator.folder import private_folder
from coordinator.reading.query import split_words
from coordinator.reading.source import BinaryFile, content_hash, decode
from coordinator.retrieval.index_file import IndexFile, KnownFile, Row
from coordinator.retrieval.limit import MAX_SECTIONS_A_FILE, RetrievalSettings
from coordinator.retrieval.model import Model
from coordinator.retrieval.section import Section, sections_of
from coordinator.retrieval.tree import Sight, is_named_like_secret, look

PROBE: Final = "what the model is called"
_SECTIONS_AT_ONCE: Final = 512
_VECTOR_CHARACTERS: Final = 4_000
"""More than the 512 tokens that a static model reads."""
_MODEL_S: Final = 30.0
_NONE_IN_IT: Final = "nothing to find it by"
_OVER: Final = "over "
"""What is over a limit is looked at each time: the limit may have been changed."""

Told = Callable[[float, str], None]


def silent(_share: float, _note: str) -> None:
    """Hear of it and say nothing."""


class Allowance(NamedTuple):
    """So much may be taken in at once; where more has changed, nothing is."""

    n_files: int
    n_bytes: int


@dataclass(slots=True)
class Refreshed:
    """What a refresh did, and what it left.

    `n_waiting` changed files, or more, were more than was allowed, and are not in the index. `no_vectors` says why new
    sections have none. `left_out` counts files that are not indexed, by why; `n_secret` sections seem to hold a secret.
    """

    n_files: int = 0
    n_sections: int = 0
    n_vectors: int = 0
    n_indexed: int = 0
    n_gone: int = 0
    n_waiting: int = 0
    n_secret: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    no_vectors: str = ""
    took_s: float = 0.0


class Indexer:
    """Refreshes one index. `wall_ns` is the wall clock in nanoseconds; stamps of files are compared with it."""

    def __init__(
        self,
        root: Path,
        index: IndexFile,
        model: Model,
        settings: RetrievalSettings,
        *,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._root = root
        self._index = index
        self._model = model
        self._settings = settings
        self._wall_ns = wall_ns

    def refresh(
        self,
        *,
        rebuild: bool = False,
        allowance: Allowance | None = None,
        wait_s: float = 0.0,
        told: Told = silent,
    ) -> Refreshed:
        """Bring the index to what the tree is now.

        With an `allowance` nothing but what is gone is changed where more has to be done. `told` hears which share
        of it is done, and a word about it. Raises `Busy` where another process refreshes it for longer than `wait_s`
        seconds, `Unavailable` where its file cannot be written.
        """
        private_folder(self._index.path.parent)
        try:
            with locked(self._index.path.with_suffix(".lock"), wait_s):
                if rebuild or not self._index.is_current:
                    self._index.begin_anew(self._wall_ns() // 1_000)
                return self._refreshed(allowance, told)
        except OSError as error:
            raise Unavailable(
                f"the index {str(self._index.path)!r} cannot be written ({error.strerror or error}): make room, or see "
                "who may write to its folder"
            ) from error

    def _refreshed(self, allowance: Allowance | None, told: Told) -> Refreshed:
        started_s = time.monotonic()
        done = Refreshed()
        looked_ns = self._wall_ns()
        seen = look(self._root, self._settings.max_files)
        known, facts = self._index.files(), self._index.facts()
        model_id = self._model_id(seen.files, known, facts.get("model_id", ""), done, allowance)
        gone = sorted(known.keys() - {sight.path for sight in seen.files})
        due = [sight for sight in seen.files if _is_due(sight, known.get(sight.path), model_id)]
        todo = self._changed(due, known, model_id, looked_ns, allowance)
        if gone:
            self._index.put([], gone)
        done.n_gone = len(gone)
        if allowance is not None and not _fits(todo, allowance):
            done.n_waiting = len(todo)
        else:
            if todo:
                self._take_in(todo, looked_ns, model_id, done, told)
            if "looked_ns" not in facts or allowance is None:
                self._index.put_facts({"looked_ns": str(looked_ns), "root": str(self._root)})
        return done if allowance is not None else self._counted(done, seen.n_over, started_s)

    def _model_id(
        self,
        seen: Sequence[Sight],
        known: Mapping[str, KnownFile],
        before: str,
        done: Refreshed,
        allowance: Allowance | None,
    ) -> str:
        """The model that new vectors are of; empty where there is none, and `done` says why.

        With an allowance it is not asked where nothing seems to need it.
        """
        if allowance is not None and not any(_wants_model(sight, known.get(sight.path), before) for sight in seen):
            return before
        try:
            now = self._model.embed([PROBE], _MODEL_S).model_id
        except ScentfieldError as error:
            done.no_vectors = error.message
            return ""
        if before and before != now and allowance is not None:
            done.no_vectors = f"the index has vectors of {before}, and the model is {now}: run `scentfield index`"
            return ""
        if before != now:
            self._index.use_model(now)
        return now

    def _changed(
        self,
        due: Sequence[Sight],
        known: Mapping[str, KnownFile],
        model_id: str,
        looked_ns: int,
        allowance: Allowance | None,
    ) -> list[Sight]:
        """Of files whose stamps are new or too fresh, those whose content is; the others are noted as looked at.

        With an allowance the look ends when there are more than it allows.
        """
        changed: list[Sight] = []
        same: list[KnownFile] = []
        for sight in due:
            before = known.get(sight.path)
            if before is not None and not _lacks_vectors(before, model_id) and self._is_same(sight, before):
                same.append(before._replace(stamp=sight.stamp, looked_ns=looked_ns))
            else:
                changed.append(sight)
            if allowance is not None and len(changed) > allowance.n_files:
                break
        self._index.touch(same)
        return changed

    def _is_same(self, sight: Sight, before: KnownFile) -> bool:
        if not before.content_hash:  # it was left out unread
            return before.stamp == sight.stamp and not before.left_out.startswith(_OVER)
        raw = read_regular(self._root / sight.path, self._settings.max_file_bytes)
        return raw is not None and content_hash(raw) == before.content_hash

    def _take_in(self, todo: Sequence[Sight], looked_ns: int, model_id: str, done: Refreshed, told: Told) -> None:
        """Cut, and write. The model is at one batch, in a thread, while the next one is cut."""
        with ThreadPoolExecutor(1, thread_name_prefix="index-vectors") as pool:
            before: tuple[Sequence[_Cut], Future[list[bytes | None]]] | None = None
            for number, batch in self._batches(todo, looked_ns, model_id):
                vectors = pool.submit(self._vectors, batch, model_id, done)
                if before is not None:
                    self._write(*before)
                before = batch, vectors
                told(number / len(todo), f"{number:,} of {len(todo):,} files")
            if before is not None:
                self._write(*before)
        done.n_indexed = len(todo)
        told(1.0, "")

    def _batches(self, todo: Sequence[Sight], looked_ns: int, model_id: str) -> Iterator[tuple[int, Sequence[_Cut]]]:
        """Files that are written together, and how many are cut by then; never more sections than there is room for."""
        room = (
            self._settings.max_sections
            - self._index.counts()["sections"]
            + self._index.n_sections_of([sight.path for sight in todo])
        )
        batch: list[_Cut] = []
        for number, sight in enumerate(todo, start=1):
            cut = self._cut(sight, looked_ns, model_id)
            if len(cut.sections) > room:
                why = f"{_OVER}the limit of {self._settings.max_sections:,} sections"
                cut = _Cut(cut.file._replace(left_out=why, content_hash=""), [])
            room -= len(cut.sections)
            batch.append(cut)
            if number == len(todo) or sum(len(one.sections) for one in batch) >= _SECTIONS_AT_ONCE:
                yield number, batch
                batch = []

    def _cut(self, sight: Sight, looked_ns: int, model_id: str) -> _Cut:
        """A file's sections, or why it has none."""
        file = KnownFile(sight.path, sight.stamp, looked_ns, "", model_id)
        if is_named_like_secret(sight.path):
            return _Cut(file._replace(left_out="named like a secret"), [])
        if sight.n_bytes > self._settings.max_file_bytes:
            return _Cut(file._replace(left_out=f"{_OVER}{self._settings.max_file_bytes:,} bytes"), [])
        raw = read_regular(self._root / sight.path, self._settings.max_file_bytes)
        if raw is None:
            return _Cut(file._replace(left_out="unreadable"), [])
        try:
            found = sections_of(decode(raw), sight.path)
        except BinaryFile:
            return _Cut(file._replace(left_out="binary", content_hash=content_hash(raw)), [])
        kept = [section for section in found if not secret_in(section.text)]
        file = file._replace(content_hash=content_hash(raw), n_secret=len(found) - len(kept))
        if not found:
            return _Cut(file._replace(left_out=_NONE_IN_IT), [])
        if len(kept) > MAX_SECTIONS_A_FILE:
            return _Cut(file._replace(left_out=f"{_OVER}{MAX_SECTIONS_A_FILE:,} sections"), [])
        return _Cut(file, kept)

    def _write(self, batch: Sequence[_Cut], vectors: Future[list[bytes | None]]) -> None:
        left = iter(vectors.result())
        files = []
        for cut in batch:
            rows = [_row(cut.file.path, section, next(left)) for section in cut.sections]
            has_all = all(row.vector is not None for row in rows)
            files.append((cut.file if has_all else cut.file._replace(model_id=""), rows))
        self._index.put(files)

    def _vectors(self, batch: Sequence[_Cut], model_id: str, done: Refreshed) -> list[bytes | None]:
        """One for each section, or None for each: a model that fails midway leaves the rest to the next refresh."""
        texts = [meaning_of(section) for cut in batch for section in cut.sections]
        if not model_id or not texts or done.no_vectors:
            return [None] * len(texts)
        try:
            vectors = self._model.embed(texts, _MODEL_S)
        except ScentfieldError as error:
            done.no_vectors = error.message
            return [None] * len(texts)
        if vectors.model_id != model_id:
            done.no_vectors = f"the model changed from {model_id} to {vectors.model_id} midway: run it again"
            return [None] * len(texts)
        return [quantised(np.asarray(row)) for row in vectors.rows]

    def _counted(self, done: Refreshed, n_over: int, started_s: float) -> Refreshed:
        counts, known = self._index.counts(), self._index.files().values()
        done.n_files, done.n_sections, done.n_vectors = counts["files"], counts["sections"], counts["vectors"]
        left_out = Counter(file.left_out for file in known if file.left_out)
        if n_over:
            left_out[f"{_OVER}the limit of {self._settings.max_files:,} files"] = n_over
        done.left_out = dict(sorted(left_out.items()))
        done.n_secret = sum(file.n_secret for file in known)
        done.took_s = time.monotonic() - started_s
        return done


class _Cut(NamedTuple):
    file: KnownFile
    sections: list[Section]


def meaning_of(section: Section) -> str:
    """What of a section its vector is made from; half a surrogate pair is replaced."""
    text = f"{section.title}\n{section.text}"[:_VECTOR_CHARACTERS]
    return text.encode("utf-8", "replace").decode("utf-8")


def words_of(text: str) -> str:
    """The words that a text is found by, as the index keeps them."""
    return " ".join(split_words(text)).encode("utf-8", "replace").decode("utf-8")


def _row(path: str, section: Section, vector: bytes | None) -> Row:
    above = f"{path} {' '.join(section.above)}"
    title = section.title.encode("utf-8", "replace").decode("utf-8")
    words = words_of(section.title), words_of(above), words_of(section.text)
    return Row(title, section.first_line, section.last_line, *words, vector)


def _is_due(sight: Sight, known: KnownFile | None, model_id: str) -> bool:
    if known is None or known.stamp != sight.stamp or known.left_out.startswith(_OVER):
        return True
    return _lacks_vectors(known, model_id) or not sight.is_settled(known.looked_ns)


def _wants_model(sight: Sight, known: KnownFile | None, model_id: str) -> bool:
    """Whether the file seems to need vectors."""
    return known is None or known.stamp != sight.stamp or (not known.left_out and known.model_id != (model_id or None))


def _lacks_vectors(known: KnownFile, model_id: str) -> bool:
    return bool(model_id) and not known.left_out and known.model_id != model_id


def _fits(todo: Sequence[Sight], allowance: Allowance) -> bool:
    return len(todo) <= allowance.n_files and sum(sight.n_bytes for sight in todo) <= allowance.n_bytes
