"""Random histories of edits and reads, held against a dumb twin of the contract and against the journal."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.quality_store.answer_message import ENDINGS, AskAdvice, RecordAnswer, ResetAnswers, StepTaken
from actors.quality_store.cause import NOT_FOUND_CAUSES, SILENT_CAUSES
from actors.quality_store.event import (
    AgentForgotten,
    AnswerRecorded,
    AnswersForgotten,
    EditTried,
    EscalationArmed,
    EscalationEnded,
    EscalationMoved,
    EscalationReturned,
    ExtensionForgotten,
    OutcomeCounted,
    OutcomeRecorded,
    PairDropped,
    PenaltyHeldOut,
    PenaltyServed,
    ViewShown,
)
from actors.quality_store.ledger_record import COLUMNS
from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import (
    DropEscalation,
    FollowMove,
    GetLedger,
    GetReadQuality,
    GetStatistics,
    PeekMode,
    Recorded,
    RecordOutcome,
    RecordRead,
    Resolved,
    ResolveMode,
)
from actors.quality_store.mode import WHOLE_FILE_MODES
from actors.quality_store.strategy import PLANS, WEAKNESSES
from actors.runtime.errors import Misuse, UnknownAgent
from actors.runtime.holdout import EDIT_PENALTY, EXPECTED_COST
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.outbox import NotePut
from actors.runtime.pin import PinEvicted, TokenPinned
from actors.runtime.wire import pack, unpack

HOUR_S, DAY_S = 3600.0, 86_400.0
SMALL = Limits(
    max_pairs=3,
    max_escalations=2,
    max_rows=4,
    max_sources=2,
    max_pins=2,
    max_extensions=2,
    max_paths=3,
    max_agents=1,
    max_files=2,
    max_notes=201,
    ledger_days=2,
    ledger_months=1,
    max_records=2,
    penalty_holdout=0.5,
    max_answering=1,
)
ADA = Caller("ada#1")
GOES_ON = (RecordOutcome, ResolveMode, PeekMode, RecordRead, DropEscalation, FollowMove, RecordAnswer, AskAdvice)


class By(NamedTuple):
    """A command of another agent than ada."""

    session_id: str
    command: Any


spaces = st.sampled_from(["home", "other"])
paths = st.sampled_from(["a.rs", "b.rs", "c.py", "d.go", "Makefile", "e.höhe"])
modes = st.sampled_from(WHOLE_FILE_MODES)
few_modes = st.sampled_from(["full", "map", "signatures"])
layers = st.lists(st.sampled_from([EDIT_PENALTY, EXPECTED_COST]), max_size=2).map(tuple)
signals = st.one_of(
    st.builds(
        RecordOutcome,
        spaces,
        paths,
        few_modes,
        st.just("success"),
        st.just("applied"),
        n_tokens=st.just(0),
        arms=layers,
    ),
    st.builds(
        RecordOutcome,
        spaces,
        paths,
        few_modes,
        st.just("failure"),
        st.sampled_from(NOT_FOUND_CAUSES),
        st.integers(0, 99),
        layers,
    ),
)
sources = st.sampled_from(["", "explicit", "expected_cost", "small_file", "bounce", "!"])
reads = st.builds(
    RecordRead,
    spaces,
    paths,
    st.sampled_from([*WHOLE_FILE_MODES, "full", "map", "lines:1-9", "expand"]),
    sources,
    st.sampled_from([0, 9, 2001, 3000]),
    st.integers(0, 3000),
    st.sampled_from([False, False, True]),
    layers,
)
silent = st.one_of(
    st.builds(
        RecordOutcome,
        spaces,
        paths,
        modes,
        st.just("failure"),
        st.sampled_from(SILENT_CAUSES),
        n_tokens=st.just(5),
        arms=layers,
    ),
    st.builds(
        RecordOutcome,
        spaces,
        paths,
        st.just(""),
        st.just("failure"),
        st.just("not_shown"),
        n_tokens=st.just(5),
        arms=layers,
    ),
)
qualities = st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0])
steps_taken = st.builds(
    StepTaken, st.sampled_from(WEAKNESSES), st.sampled_from(PLANS), st.sampled_from([-1.0, 0.0, 0.1])
)
answers = st.one_of(
    st.builds(
        RecordAnswer,
        qualities,
        st.just(0.0),
        st.sampled_from(ENDINGS),
        st.integers(0, 4),
        st.integers(0, 2),
        st.lists(steps_taken, max_size=3).map(tuple),
        st.booleans(),
    ),
    st.builds(AskAdvice, st.sampled_from(["a", "b", "x"])),
    st.just(ResetAnswers()),
)
resolutions = st.builds(ResolveMode, spaces, paths, few_modes)
others = st.one_of(
    st.builds(PeekMode, spaces, paths, modes),
    st.builds(DropEscalation, spaces, st.lists(paths, max_size=3).map(tuple)),
    st.builds(FollowMove, spaces, paths, paths),
)
illegal = st.one_of(
    st.builds(RecordOutcome, spaces, st.just("../a"), few_modes, st.just("failure"), st.just("not_shown")),
    st.builds(RecordOutcome, spaces, paths, st.just("tiny"), st.just("failure"), st.just("not_shown")),
    st.builds(RecordOutcome, spaces, paths, few_modes, st.just("success"), st.just("not_shown")),
    st.builds(ResolveMode, spaces, paths, st.just("auto")),
    st.builds(RecordRead, spaces, paths, modes, st.just(""), st.just(-1), st.just(1)),
    st.builds(RecordRead, spaces, paths, modes, st.just(""), st.just(1), st.just(1), st.just(False), st.just(("x",))),
    st.builds(RecordOutcome, spaces, paths, few_modes, st.just("failure"), st.just("not_shown"), st.just(-1)),
    st.just(GetLedger(0, 0)),
    st.builds(DropEscalation, spaces, st.just(("a.rs", "/b"))),
)
admissions = st.tuples(st.sampled_from(["ada#1", "bob#1", "cyd#1"]), st.sampled_from(["t", "u"]))
waits = st.sampled_from([0.0, 1.0, HOUR_S - 1, HOUR_S, 10 * DAY_S, 30 * DAY_S, 31 * DAY_S])
by_bob = st.builds(By, st.sampled_from(["bob#1", "cyd#1"]), st.one_of(reads, signals, answers))
steps = st.tuples(
    waits,
    st.one_of(
        signals,
        signals,
        reads,
        reads,
        by_bob,
        answers,
        resolutions,
        silent,
        others,
        illegal,
        admissions,
        st.just("undo"),
    ),
)
histories = st.lists(steps, max_size=60)


class Run:
    """A store that is fed a history; keeps every event and every answer."""

    def __init__(self, history, limits=SMALL):
        self.store = QualityStore(limits)
        self.events = []
        self.answers = []
        self.utc_s = 1_700_000_000.0
        for wait, command in history:
            self.utc_s += wait
            self.step(command, Now(0.0, self.utc_s))

    def step(self, command, now):
        before = list(self.store.snapshot())
        try:
            answer = self.carry_out(command, now)
        except (Misuse, UnknownAgent):
            assert list(self.store.snapshot()) == before
            assert self.store.take_events() == []
            answer = None
        events = self.store.take_events()
        if not events:
            assert list(self.store.snapshot()) == before
        self.events += events
        self.answers.append((command, answer, now.utc_s))
        self.store.check_invariants()

    def carry_out(self, command, now):
        if command == "undo":
            answer = next((past for _, past, _ in reversed(self.answers) if isinstance(past, Resolved)), None)
            return self.store.undo(ADA, answer, now)
        if type(command) is tuple:
            return self.store.admit(*command, now)
        if isinstance(command, By):
            return self.store.perform(Caller(command.session_id), command.command, now)
        return self.store.perform(ADA, command, now)

    def statistics(self, wait=0.0):
        return self.store.perform(NOBODY, GetStatistics(), Now(0.0, self.utc_s + wait))


class Twin:
    """The contract, word for word, with lists and no bounds: what a pair and an escalation are at any moment."""

    def __init__(self):
        self.outcomes = {}
        self.risky = set()
        self.armed = {}

    def collect(self, utc_s):
        for key, past in list(self.outcomes.items()):
            last_failures = [at for at, failed in past if failed]
            if utc_s - (last_failures[-1] if last_failures else past[0][0]) > 30 * DAY_S:
                del self.outcomes[key]
                self.risky.discard(key)
        self.armed = {where: at for where, at in self.armed.items() if utc_s - at <= HOUR_S}

    def record(self, asked, utc_s):
        if not asked.mode or asked.cause not in {"applied", "not_shown", "never_there"}:
            return Recorded("", False, False)
        failed = asked.outcome == "failure"
        key = (asked.path.partition(".")[2], asked.mode)
        past = self.outcomes.setdefault(key, [])
        past.append((utc_s, failed))
        n_fails = sum(failed for _, failed in past)
        if n_fails * 100 < 15 * len(past):
            self.risky.discard(key)
        if n_fails >= 2 and n_fails * 4 >= len(past) and asked.mode != "full":
            self.risky.add(key)
        escalated = failed and asked.mode != "full"
        if escalated:
            self.armed[asked.space, asked.path] = utc_s
        return Recorded("failure" if failed else "success", escalated, key in self.risky)

    def resolve(self, asked):
        armed_at = self.armed.pop((asked.space, asked.path), None)
        if armed_at is not None:
            return Resolved("full", "edit_fail_escalation", (asked.space, asked.path, armed_at))
        if (asked.path.partition(".")[2], asked.candidate) in self.risky:
            return Resolved("full", "edit_quality_penalty")
        return Resolved(asked.candidate, "")

    def answer(self, command, utc_s):
        self.collect(utc_s)
        if isinstance(command, RecordOutcome):
            return self.record(command, utc_s)
        return self.resolve(command)


@given(st.lists(st.tuples(waits, st.one_of(signals, signals, silent, resolutions)), max_size=80))
def test_answers_are_those_of_a_dumb_twin(history):
    run, twin = Run(history, Limits(penalty_holdout=0.0)), Twin()
    for command, answer, utc_s in run.answers:
        assert answer == twin.answer(command, utc_s)
    twin.collect(run.utc_s)
    statistics = run.statistics()
    assert statistics.escalations_pending == len(twin.armed)
    assert sum(row.n_fails + row.n_successes for row in statistics.pairs) == sum(map(len, twin.outcomes.values()))


@given(histories)
def test_replaying_the_journal_gives_the_same_state(history):
    run = Run(history)
    replica = QualityStore(
        Limits(
            max_pairs=1,
            max_escalations=1,
            max_rows=1,
            max_sources=1,
            max_pins=1,
            max_paths=1,
            max_extensions=1,
            max_files=1,
            max_records=1,
            ledger_days=1,
            max_answering=1,
        )
    )
    for event in run.events:
        replica.evolve(replica.events.make(*unpack(pack(replica.events.pack_form([event])[0]))))
    replica.check_invariants()
    assert list(replica.snapshot()) == list(run.store.snapshot())
    assert replica.take_events() == []


@given(histories, histories)
def test_a_restored_store_goes_on_like_the_one_it_was_taken_from(history, future):
    run = Run(history)
    restored = QualityStore(SMALL)
    restored.restore([unpack(pack(part)) for part in run.store.snapshot()])
    assert list(restored.snapshot()) == list(run.store.snapshot())
    utc_s = run.utc_s
    for wait, command in future:
        utc_s += wait
        if isinstance(command, GOES_ON):
            assert attempt(restored, command, utc_s) == attempt(run.store, command, utc_s)
    assert list(restored.snapshot()) == list(run.store.snapshot())


def attempt(store, command, utc_s):
    try:
        return store.perform(ADA, command, Now(0.0, utc_s))
    except Misuse as refusal:
        return refusal.message


@given(histories)
def test_bounds_always_hold(history):
    run = Run([])
    for wait, command in history:
        run.utc_s += wait
        run.step(command, Now(0.0, run.utc_s))
        sizes = Counter(dict.fromkeys(("pairs", "escalations", "pins", "outcomes", "reads", "sources", "penalties"), 0))
        for name, rows in run.store.snapshot():
            sizes[name] += len(rows)
            check_row_bounds(name, rows)
        assert sizes["pairs"] <= 3
        assert sizes["escalations"] <= 2
        assert sizes["pins"] <= 2
        assert sizes["outcomes"] <= 4 + 18
        assert sizes["reads"] <= 4 + 8
        assert sizes["penalties"] <= 4 + 6
        assert sizes["sources"] <= 2 + 1
        assert sizes["held_out"] <= 4 + 6
        assert sizes["agents"] <= 1
        assert sizes["rates"] <= 2
        assert sizes["paths"] <= 3
        assert sizes["ledger_days"] <= 3 * (4 + 8 * 4)
        assert sizes["ledger_months"] <= 4 + 8 * 4
        assert sizes["ledger_totals"] <= 4 + 8 * 4
        assert sizes["ledger_chain"] <= 1 + 2
        assert sizes["outbox"] <= 2 * (1 + 201)
        assert sizes["answer_windows"] <= 1 + 1
        assert sizes["answer_strategies"] <= 5 * 4
        assert sizes["answer_arms"] <= 2 * 4


def check_row_bounds(name, rows):
    if name == "agents":
        for _, _, compressed, fulls, files in rows:
            assert len(compressed) <= 5
            assert len(fulls) <= 10
            assert len(files) <= 2
    if name == "answer_windows":
        assert all(len(qualities) <= (25 if session else 100) for session, *_, qualities in rows)
    if name == "answer_strategies":
        assert all(len(days) <= 30 for *_, days in rows)
    if name == "rates":
        assert all(len(days) <= 30 for *_, days in rows)


@given(histories, waits)
def test_counters_are_a_recount_of_the_events(history, wait):
    run = Run(history)
    statistics = run.statistics(wait)
    kinds = Counter(type(event) for event in run.events)
    ended = Counter(event.reason for event in run.events if isinstance(event, EscalationEnded))
    dropped = Counter(event.reason for event in run.events if isinstance(event, PairDropped))

    assert statistics.escalations_served == ended["served"]
    assert statistics.escalations_evicted == ended["evicted"]
    assert statistics.escalations_changed == ended["changed"]
    assert statistics.escalations_returned == kinds[EscalationReturned]
    assert statistics.escalations_armed == newly_armed(run.events)
    begun = statistics.escalations_armed + statistics.escalations_returned
    expired = begun - statistics.escalations_pending - ended["served"] - ended["evicted"] - ended["changed"]
    assert statistics.escalations_expired == expired >= ended["expired"]
    assert statistics.pairs_evicted == dropped["evicted"]
    assert statistics.pairs_decayed >= dropped["decayed"]
    assert statistics.pins == kinds[TokenPinned] - kinds[PinEvicted]
    assert statistics.pins_evicted == kinds[PinEvicted]
    counted = kinds[OutcomeRecorded] + kinds[OutcomeCounted]
    assert sum(row.n for row in statistics.outcomes) == counted == recorded_outcomes(run)
    assert sum(row.n for row in statistics.penalties) == kinds[PenaltyServed]
    assert sum(row.n for row in statistics.sources) == sum(
        bool(event.source) for event in run.events if isinstance(event, ViewShown)
    )
    assert sum(row.n_reads for row in statistics.reads) == kinds[ViewShown]
    for name in ("n_tokens", "n_total_tokens"):
        told = sum(getattr(event, name) for event in run.events if isinstance(event, ViewShown))
        assert sum(getattr(row, name) for row in statistics.reads) == told
    check_read_counters(run, statistics, kinds)
    check_answer_counters(run, statistics)


def check_answer_counters(run, statistics):
    told = [event for event in run.events if isinstance(event, AnswerRecorded)]
    seen = statistics.answers
    assert sum(row.n for row in seen.arms) == len(told)
    assert sum(row.n_asked for row in seen.arms) == sum(event.n_asked for event in told)
    after_reset = run.events
    for place, event in enumerate(run.events):
        if isinstance(event, AnswersForgotten):
            after_reset = run.events[place + 1 :]
    recent = [event for event in after_reset if isinstance(event, AnswerRecorded)]
    assert seen.window.n == min(100, len(recent))
    assert seen.window.mean == pytest.approx(sum(event.quality for event in recent[-100:]) / max(1, len(recent[-100:])))
    assert sum(row.n for row in seen.strategies) == sum(len(event.steps) for event in recent)


def check_read_counters(run, statistics, kinds):
    views = [event for event in run.events if isinstance(event, ViewShown)]
    ledger = {name: sum(row[3 + place] for row in statistics.ledger) for place, name in enumerate(COLUMNS[3:])}
    assert ledger["n_views"] == len(views)
    assert ledger["n_reads"] == sum(event.is_read for event in views)
    assert ledger["n_tokens"] == sum(event.n_tokens for event in views)
    assert ledger["n_saved_tokens"] == sum(event.n_total_tokens - event.n_tokens for event in views if event.is_read)
    assert ledger["n_clean"] == sum(event.n_clean for event in views)
    assert ledger["n_wasted"] == sum(sum(event.wasted) for event in views)
    assert ledger["n_bounce_tokens"] == sum(event.n_tokens for event in views if event.is_bounce)
    failures = [event for event in run.events if isinstance(event, EditTried) and event.signal == "failure"]
    assert ledger["n_retries"] == len(failures)
    retried = sum(event.n_tokens for event in views if event.is_retry)
    assert ledger["n_retry_tokens"] == retried + sum(event.n_tokens for event in failures)
    assert sum(row.n for row in statistics.penalties_held_out) == kinds[PenaltyHeldOut]
    assert statistics.agents_evicted == kinds[AgentForgotten]
    assert statistics.extensions_evicted == kinds[ExtensionForgotten]
    topics = Counter(event.note.topic for event in run.events if isinstance(event, NotePut))
    assert (topics["clean_compressed"], topics["wasted_full"]) == (ledger["n_clean"], ledger["n_wasted"])
    assert topics["bounce"] == 2 * ledger["n_bounces"]
    assert sum(count.n_put for count in statistics.notes) == kinds[NotePut]
    assert sum(row.n_retries for row in statistics.ledger) == sum(
        event.note.topic == "edit_failure" and event.receiver == "scent_field"
        for event in run.events
        if isinstance(event, NotePut)
    )


def newly_armed(events):
    pending, n = set(), 0
    for event in events:
        if isinstance(event, (EscalationArmed, EscalationReturned)):
            n += isinstance(event, EscalationArmed) and event[:2] not in pending
            pending.add(event[:2])
        elif isinstance(event, EscalationMoved):
            pending = (pending - {event[:2]}) | {(event.space, event.new_path)}
        elif isinstance(event, EscalationEnded):
            pending.discard(event[:2])
    return n


def recorded_outcomes(run):
    return sum(isinstance(answer, Recorded) for _, answer, _ in run.answers)


@given(histories, waits)
def test_what_a_query_shows_is_what_collecting_would_leave(history, wait):
    run = Run(history)
    shown = run.statistics(wait)
    quality = run.store.perform(NOBODY, GetReadQuality(), Now(0.0, run.utc_s + wait))
    run.store.expire(Now(0.0, run.utc_s + wait))
    assert run.statistics(wait) == shown
    assert run.store.perform(NOBODY, GetReadQuality(), Now(0.0, run.utc_s + wait)) == quality


@given(histories, spaces, paths, modes)
def test_the_answer_is_the_candidate_or_full(history, space, path, candidate):
    run = Run(history)
    now = Now(0.0, run.utc_s)
    peeked = run.store.perform(NOBODY, PeekMode(space, path, candidate), now)
    resolved = run.store.perform(ADA, ResolveMode(space, path, candidate), now)
    assert peeked[:2] == resolved[:2]
    assert resolved.mode in {candidate, "full"}
    if resolved.source == "":
        assert (resolved.mode, resolved.consumed) == (candidate, None)
    else:
        assert resolved.mode == "full"
    again = run.store.perform(ADA, ResolveMode(space, path, candidate), now)
    assert again.source != "edit_fail_escalation"


@given(st.lists(spaces))
def test_a_risky_pair_never_affects_another(failures):
    run = Run([(0.0, RecordOutcome(space, "a.rs", "map", "failure", "not_shown")) for space in failures])
    now = Now(0.0, run.utc_s)
    run.store = restored_without_holdout(run.store)
    for path, mode in (("z.py", "map"), ("z.rs", "signatures"), ("z", "map"), ("z.rs.txt", "map")):
        assert run.store.perform(ADA, ResolveMode("home", path, mode), now).mode == mode
    expected = "full" if len(failures) >= 2 else "map"
    assert run.store.perform(ADA, ResolveMode("home", "z.rs", "map"), now).mode == expected


def restored_without_holdout(store):
    restored = QualityStore(Limits(penalty_holdout=0.0))
    restored.restore(list(store.snapshot()))
    return restored
