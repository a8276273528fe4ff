"""Random histories of reads and edits, held against a twin that looks each rule up in the whole history.

The twin knows no windows: for every read it asks the list of all that was read and edited, before and after.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetReadQuality, GetStatistics, PeekMode, RecordOutcome, RecordRead
from actors.runtime.machine import NOBODY, Caller, Now

DAY_S = 86_400.0
START_S = 1_700_000_000.0
LIMITS = Limits(penalty_holdout=0.0, max_files=1000)

agents = st.sampled_from(["ada#1"] * 7 + ["bob#1"])
paths = st.sampled_from(["a.rs", "a.rs", "b.rs", "c.py", "d"])
waits = st.sampled_from([0.0, 0.0, 0.0, 1.0, DAY_S, 3 * DAY_S, 40 * DAY_S])
compressed = st.sampled_from(["map", "signatures"])
read_steps = st.builds(
    RecordRead,
    st.just("home"),
    paths,
    st.one_of(st.just("full"), st.just("full"), compressed, compressed, st.sampled_from(["lines:1-2", "expand"])),
    st.sampled_from(["explicit", "explicit", "expected_cost", "small_file", "bounce"]),
    st.sampled_from([50, 2000, 2001, 9000]),
    st.just(9000),
    st.sampled_from([False, False, False, True]),
    st.sampled_from([(), (), ("expected_cost",)]),
    st.sampled_from([False, False, False, True]),
    st.sampled_from([(), (), ("expected_cost",), ("edit_penalty", "expected_cost")]),
)
edit_steps = st.one_of(
    st.builds(
        RecordOutcome,
        st.just("home"),
        paths,
        compressed,
        st.just("failure"),
        st.sampled_from(["not_shown", "never_there", "claimed", "changed"]),
        st.just(7),
        st.just(()),
    ),
    st.builds(
        RecordOutcome,
        st.just("home"),
        paths,
        compressed,
        st.just("success"),
        st.just("applied"),
        st.just(0),
        st.just(()),
    ),
)
times = st.sampled_from([1, 1, 1, 2, 3, 4, 5, 8, 9])
# A step is done so many times in a row, or whole windows would never pass.
steps = st.tuples(waits, agents, st.one_of(read_steps, read_steps, read_steps, edit_steps), times)
histories = st.lists(steps, max_size=30)


class Read(NamedTuple):
    """One read: the place in the history, the agent's count, and what was asked."""

    place: int
    number: int
    agent: str
    day: int
    asked: RecordRead

    @property
    def is_free(self):
        held_out = "expected_cost" in self.asked.arms
        return self.asked.source == "explicit" or (self.asked.source == "expected_cost" and not held_out)

    @property
    def extension(self):
        return self.asked.path.partition(".")[2]


class Edit(NamedTuple):
    """One edit, after the agent's read `number`."""

    number: int
    agent: str
    asked: RecordOutcome

    @property
    def failed(self):
        return self.asked.cause in {"not_shown", "never_there"}


class Twin:
    """The rules as they are written, over the whole history."""

    def __init__(self, history):
        self.reads, self.edits, counts = [], [], Counter()
        for place, (agent, asked, utc_s) in enumerate(history):
            if isinstance(asked, RecordOutcome):
                self.edits.append(Edit(counts[agent], agent, asked))
            elif asked.mode in {"full", "map", "signatures"} and not asked.is_unchanged:
                counts[agent] += 1
                self.reads.append(Read(place, counts[agent], agent, int(utc_s // DAY_S), asked))
        self.bounces = [(view, full) for view in self.compressed for full in self.bounces_of(view)[:1]]

    @property
    def compressed(self):
        return [read for read in self.reads if read.asked.mode != "full"]

    def edits_of(self, view, first, last):
        """The agent's edits of the file after its reads `first` to `last`."""
        return [
            edit
            for edit in self.edits
            if edit.agent == view.agent and edit.asked.path == view.asked.path and first <= edit.number <= last
        ]

    def next_reads(self, view, n_reads):
        return [read for read in self.reads if read.agent == view.agent and 0 < read.number - view.number <= n_reads]

    def bounces_of(self, view):
        return [
            read
            for read in self.next_reads(view, 5)
            if read.asked.path == view.asked.path
            and read.asked.mode == "full"
            and read.is_free
            and not read.asked.is_changed
            and not any(edit.failed for edit in self.edits_of(view, view.number, read.number - 1))
            and not any(
                edit.asked.outcome == "success" for edit in self.edits_of(view, read.number - 10, read.number - 1)
            )
        ]

    def clean(self):
        return [
            view
            for view in self.compressed
            if len(self.next_reads(view, 5)) == 5
            and not self.bounces_of(view)
            and not any(edit.failed for edit in self.edits_of(view, view.number, view.number + 4))
        ]

    def rate(self, extension, day, place):
        """Reads, and the weighted bounce rate, of an extension as of a place in the history."""
        read_days = [read.day for read in self.reads if read.place < place and read.extension == extension]
        bounce_days = [full.day for view, full in self.bounces if full.place < place and view.extension == extension]
        if not extension or not read_days:
            return 0, 0.0
        n_bounces = self.weighted(bounce_days, read_days, day)
        return len(read_days), n_bounces / self.weighted(read_days, read_days, day)

    def weighted(self, days, read_days, today):
        """Older than thirty days before the last read weighs as the newest of those days."""
        rest = [day for day in read_days if day <= max(read_days) - 30]
        return sum(0.98 ** (today - (max(rest) if day in rest else day)) for day in days)

    def wasted(self):
        return [view for view in self.reads if self.is_wasted(view)]

    def is_wasted(self, view):
        after = self.next_reads(view, 10)
        if view.asked.mode != "full" or not view.is_free or view.asked.n_tokens <= 2000 or len(after) < 10:
            return False
        if self.edits_of(view, view.number, view.number + 9):
            return False
        n_reads, rate = self.rate(view.extension, after[-1].day, after[-1].place)
        return n_reads >= 10 and rate < 0.05

    def retries(self):
        """Mode, path and cost of each failed edit: the call, and the next read unless another edit failed first."""
        for edit in (edit for edit in self.edits if edit.failed):
            later = [
                read.asked.n_tokens
                for read in self.reads
                if read.agent == edit.agent
                and read.asked.path == edit.asked.path
                and read.number > edit.number
                and not self.failed_again(edit, read)
            ]
            numbers = [
                read.number
                for read in self.reads
                if read.agent == edit.agent and read.asked.path == edit.asked.path and read.number > edit.number
            ]
            is_charged = later and numbers[0] <= edit.number + 5
            yield edit.asked.mode, edit.asked.path, 7 + (later[0] if is_charged else 0)

    def failed_again(self, edit, read):
        """Whether a later edit of the file failed before this read."""
        later = self.edits[next(i for i, other in enumerate(self.edits) if other is edit) + 1 :]
        return any(
            other.failed
            and other.agent == edit.agent
            and other.asked.path == edit.asked.path
            and other.number < read.number
            for other in later
        )

    def means_full(self, path, day, end):
        n_reads, rate = self.rate(path.partition(".")[2], day, end)
        if n_reads >= 3 and rate >= 0.30:
            return "bounce"
        n_bounces = sum(view.asked.path == path for view, _ in self.bounces)
        n_compressed = sum(view.asked.path == path for view in self.compressed)
        return "path_memory" if n_bounces >= 2 and 2 * n_bounces >= n_compressed else ""


def played(history):
    """The store after the history, and the history with times, one step a row."""
    store, rows, utc_s = QualityStore(LIMITS), [], START_S
    for wait, agent, asked, times in history:
        utc_s += wait
        for _ in range(times):
            store.perform(Caller(agent), asked, Now(0.0, utc_s))
            rows.append((agent, asked, utc_s))
    store.check_invariants()
    return store, rows, utc_s


def by_kind(views):
    return Counter((view.extension or "other", view.asked.mode, "+".join(view.asked.arms)) for view in views)


@settings(max_examples=300)
@given(histories)
def test_bounces_clean_and_wasted_reads_are_those_of_the_twin(history):
    store, rows, utc_s = played(history)
    twin = Twin(rows)
    ledger = store.perform(NOBODY, GetStatistics(), Now(0.0, utc_s)).ledger
    for name, views in (
        ("n_reads", twin.reads),
        ("n_bounces", [view for view, _ in twin.bounces]),
        ("n_clean", twin.clean()),
        ("n_wasted", twin.wasted()),
    ):
        told = Counter({row[:3]: getattr(row, name) for row in ledger})
        assert +told == by_kind(views), name


@settings(max_examples=300)
@given(histories)
def test_costs_are_those_of_the_twin(history):
    store, rows, utc_s = played(history)
    twin = Twin(rows)
    ledger = store.perform(NOBODY, GetStatistics(), Now(0.0, utc_s)).ledger
    fulls = {full.place: full.asked.n_tokens for _, full in twin.bounces}
    assert sum(row.n_bounce_tokens for row in ledger) == sum(fulls.values())
    costs = Counter()
    for mode, path, n_tokens in twin.retries():
        costs[path.partition(".")[2] or "other", mode] += n_tokens
    assert Counter({row[:2]: row.n_retry_tokens for row in ledger if row.n_retries}) == costs
    saved = sum(read.asked.n_total_tokens - read.asked.n_tokens for read in twin.reads)
    net = saved - sum(fulls.values()) - sum(costs.values())
    assert sum(row.n_net_tokens for row in ledger) == net


@settings(max_examples=300)
@given(st.lists(st.tuples(waits, agents, read_steps, times), max_size=30))
def test_what_means_full_is_that_of_the_twin(history):
    history = [step for step in history if step[0] < 40 * DAY_S]
    store, rows, utc_s = played(history)
    twin, now = Twin(rows), Now(0.0, utc_s)
    if utc_s - START_S > 30 * DAY_S:
        return
    for path in ("a.rs", "b.rs", "c.py", "d"):
        answer = store.perform(NOBODY, PeekMode("home", path, "units"), now)
        assert answer.source == twin.means_full(path, int(utc_s // DAY_S), len(rows)), path
    rates = store.perform(NOBODY, GetReadQuality(), now).rates
    n_reads = Counter(read.extension for read in twin.reads if read.extension)
    assert {row.extension: row.n_reads for row in rates} == n_reads
