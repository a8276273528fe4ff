"""The story of a target, an agent or a layer, from the stores' journals: whether or not their actors run.

Nothing is changed. The journals are read side by side, in the order of their commits, each into a machine of its own,
so that at every event the state of that moment is known. A journal reaches back to its last compaction; the story says
so.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from actors.coordination.machine import Coordination
from actors.quality_store.machine import QualityStore
from actors.runtime.errors import Misuse
from actors.runtime.kernel import Kernel
from coordinator.domain import MEMORY, QUALITY_STORE, SCENT_FIELD, THRESHOLDS
from coordinator.store.place import StorePlace
from coordinator.story.chapter import Chapter, Horizon, Moment, Teller
from coordinator.story.fact import Draft, Fact, bounded
from coordinator.story.field_teller import FieldTeller
from coordinator.story.quality_teller import QualityTeller
from coordinator.story.subject import Subject, TargetSubject
from coordinator.story.switch_teller import SwitchTeller
from coordinator.story.thread import Threads

_LETTERS: Final = {THRESHOLDS: "t", MEMORY: "m"}
"""Of these domains' journals only switchings of layers are told; what their facts are named by."""
MAX_FACTS: Final = 10_000
MAX_CITED: Final = 50_000
"""So many facts that are not about the subject are remembered, in case that one which is follows from them."""


@dataclass(frozen=True, slots=True)
class Story:
    """The newest facts about a subject, oldest first, and how many earlier ones were left out."""

    subject: Subject
    facts: tuple[Fact, ...]
    n_left_out: int
    horizons: tuple[Horizon, ...]


@dataclass
class _Collector:
    """Keeps the facts that concern the subject, and what these follow from."""

    subject: Subject
    limit: int
    since_utc_s: float
    n_seen: int = 0
    n_found: int = 0
    found: deque[tuple[int, Fact]] = field(default_factory=deque)
    others: dict[str, tuple[int, Fact]] = field(default_factory=dict)

    def keep(self, fact: Fact, draft: Draft) -> None:
        """Take one fact; in the order of time."""
        meeting = self.subject.meeting(draft.targets) if isinstance(self.subject, TargetSubject) else ()
        short = bounded(draft, meeting)
        kept = fact._replace(targets=short.targets, detail=short.detail, causes=short.causes)
        self.n_seen += 1
        if not self.subject.concerns(draft):
            self.others[kept.ref] = self.n_seen, kept
            if len(self.others) > MAX_CITED:
                del self.others[next(iter(self.others))]
        elif kept.at_utc_s >= self.since_utc_s:
            for cause in kept.causes:
                self._cite(cause)
            self._add(self.n_seen, kept)

    def _cite(self, ref: str) -> None:
        place, fact = self.others.pop(ref, (0, None))
        if fact is not None and fact.at_utc_s >= self.since_utc_s:
            self._add(place, fact)

    def _add(self, place: int, fact: Fact) -> None:
        self.n_found += 1
        self.found.append((place, fact))
        if len(self.found) > self.limit:
            self.found.popleft()


def tell(places: Sequence[StorePlace], subject: Subject, *, limit: int = 200, since_utc_s: float = 0.0) -> Story:
    """The newest `limit` facts about a subject since a time.

    Raises `Misuse` where nobody has written to any of the stores, `Corrupt` for one that cannot be trusted.
    """
    if not 1 <= limit <= MAX_FACTS:
        raise Misuse(f"a story of {limit} facts cannot be told: ask for 1 to {MAX_FACTS}")
    collector, threads = _Collector(subject, limit, since_utc_s), Threads()
    with ExitStack() as opened:
        told = [place for place in places if place.domain in subject.domains]
        chapters = _open_chapters(told, threads, opened)
        tellers = _tellers(chapters, threads)
        for domain, chapter in chapters.items():
            if chapter.folded_through:
                chapter.tell_already(tellers[domain], collector.keep)
        for domain, moment in _in_order(chapters):
            chapters[domain].tell_moment(tellers[domain], moment, collector.keep)
        horizons = tuple(chapter.horizon for chapter in chapters.values())
    facts = tuple(fact for _, fact in sorted(collector.found, key=itemgetter(0)))
    return Story(subject, facts, collector.n_found - len(facts), horizons)


def _open_chapters(places: Sequence[StorePlace], threads: Threads, opened: ExitStack) -> dict[str, Chapter]:
    chapters = {}
    for place in places:
        if place.store.head() is None:
            continue
        view = opened.enter_context(place.store.view())
        head = view.head()
        if head is not None:
            kernel = Kernel(place.make_machine())
            chapter = chapters[place.domain] = Chapter(place.domain, place.store.where, view, head, kernel, threads)
            chapter.restore()
    if not chapters:
        where = ", ".join(place.store.where for place in places)
        raise Misuse(f"nobody has written to {where}: name the right --namespace, --data-dir or --store")
    return chapters


def _tellers(chapters: dict[str, Chapter], threads: Threads) -> dict[str, Teller]:
    tellers: dict[str, Teller] = {}
    grants: FieldTeller | None = None
    if SCENT_FIELD in chapters:
        machine = chapters[SCENT_FIELD].kernel.machine
        assert isinstance(machine, Coordination)  # the domain's machine
        grants = tellers[SCENT_FIELD] = FieldTeller(machine, threads)
    if QUALITY_STORE in chapters:
        chapter = chapters[QUALITY_STORE]
        store = chapter.kernel.machine
        assert isinstance(store, QualityStore)  # the same
        source = f"{QUALITY_STORE}@{chapter.head.store_id}"
        tellers[QUALITY_STORE] = QualityTeller(store, threads, source=source, grants=grants)
    for domain in chapters.keys() & _LETTERS.keys():
        tellers[domain] = SwitchTeller(_LETTERS[domain], chapters[domain].kernel.machine, threads)
    return tellers


def _in_order(chapters: dict[str, Chapter]) -> Iterator[tuple[str, Moment]]:
    """All events by their time; of two at once, the one that causes the other may be the quality store's."""

    def moments(domain: str) -> Iterator[tuple[float, str, Moment]]:
        latest = 0.0  # the clocks of a store never run backwards, and neither does its part of the story
        for moment in chapters[domain].moments():
            latest = max(latest, moment.utc_s)
            yield latest, domain, moment

    merged = heapq.merge(*(moments(domain) for domain in sorted(chapters)), key=lambda one: one[:2])
    return ((domain, moment) for _, domain, moment in merged)
