"""Random histories of the memory, held against dumb twins, the rules of eviction, and the journal."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.memory.entry import KINDS, Draft
from actors.memory.event import EVENTS, EntryAdded, EntryConfirmed, EntryEvicted, PlaybookEvicted, TurnTaken
from actors.memory.fact import FactDraft
from actors.memory.limit import Limits
from actors.memory.machine import Memory
from actors.memory.messages import (
    AddEntry,
    ConfirmEntry,
    ConfirmFact,
    ContradictFact,
    EvictEntry,
    FactVector,
    ForgetFacts,
    GetPlaybook,
    GetStatistics,
    IndexFacts,
    Recall,
    RecallNear,
    Remember,
    ResumePlaybook,
    ShowEntries,
    TakeCheckpoint,
    VoteEntry,
)
from actors.memory.report import playbook_text
from actors.runtime.errors import Misuse, UnknownAgent
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.pin import PinEvicted
from actors.runtime.wire import pack, unpack

SMALL = Limits(max_entries=4, max_playbooks=3, max_facts=5, max_pins=2)
SPACES = ("home", "work")
AGENTS = ("ann#1", "bob#1", "cyd#1")
WORDS = ("lexer", "parser", "tokens", "first", "never", "src/a.py", "Ünï")

spaces, agents = st.sampled_from(SPACES), st.sampled_from(AGENTS)
scopes = st.sampled_from(["session", "project", "project"])
numbers = st.integers(0, 12)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
drafts = st.builds(
    Draft, st.sampled_from(KINDS[:2]), sentences, st.sampled_from(["", "src/a.py", "src/b.py"]), st.booleans()
)
keys, values = st.sampled_from(["port", "host"]), st.sampled_from(["is 80", "is 90", "is local"])
facts = st.builds(
    FactDraft,
    st.sampled_from(["api", "db"]),
    keys,
    values,
    st.sampled_from([0.5, 1.0]),
    st.sampled_from(["", "src/a.py"]),
    st.sampled_from([0.0, 0.0, 50.0]),
)
rows = st.sampled_from([bytes([1, 0]), bytes([0, 1]), bytes([255, 3]), bytes([1, 2, 3]), bytes(2), b""])
commands = st.one_of(
    st.builds(AddEntry, spaces, scopes, drafts),
    st.builds(AddEntry, spaces, scopes, drafts),
    st.builds(TakeCheckpoint, spaces, scopes, st.lists(drafts, max_size=3).map(tuple)),
    st.builds(ConfirmEntry, spaces, scopes, numbers),
    st.builds(VoteEntry, spaces, scopes, numbers, st.booleans()),
    st.builds(EvictEntry, spaces, scopes, numbers),
    st.builds(ShowEntries, spaces, numbers),
    st.builds(ResumePlaybook, spaces, agents),
    st.builds(Remember, spaces, facts),
    st.builds(Remember, spaces, facts),
    st.builds(ConfirmFact, spaces, numbers),
    st.builds(ContradictFact, spaces, numbers, values, st.just(0.5), st.just("")),
    st.builds(ForgetFacts, spaces, st.lists(numbers, max_size=2).map(tuple)),
    st.builds(
        IndexFacts,
        spaces,
        st.sampled_from(["m#1", "m#1", "m#2"]),
        st.lists(st.builds(FactVector, numbers, rows), max_size=3).map(tuple),
    ),
    st.just("admit"),
)
histories = st.lists(st.tuples(agents, st.sampled_from([0.0, 10.0, 100.0]), commands), max_size=40)


class Run:
    """A machine that is fed a history; keeps every event."""

    def __init__(self, history=(), limits=SMALL):
        self.machine = Memory(limits)
        self.events = []
        self.now = Now(0.0, 1_000.0)
        for agent, wait_s, command in history:
            self.now = Now(0.0, self.now.utc_s + wait_s)
            self.step(agent, command)

    def step(self, agent, command):
        before = list(self.machine.snapshot())
        try:
            if command == "admit":
                self.machine.admit(agent, "token", self.now)
            else:
                self.machine.perform(Caller(agent), command, self.now)
        except (Misuse, UnknownAgent):
            assert list(self.machine.snapshot()) == before
            assert self.machine.take_events() == []
        events = self.machine.take_events()
        if not events:
            assert list(self.machine.snapshot()) == before
        self.machine.check_invariants()
        self.events += events

    def ask(self, query):
        return self.machine.perform(NOBODY, query, self.now)

    def answers(self):
        """What can be asked of it."""
        playbooks = [self.ask(GetPlaybook(space, owner)) for space in SPACES for owner in ("", *AGENTS)]
        recalls = [
            self.ask(query)
            for space in SPACES
            for query in (
                Recall(space, "port", "", "", 9),
                Recall(space, "", "api", "", 9),
                Recall(space, "", "", "port src local", 2),
                Recall(space, "", "", "", 3),
                RecallNear(space, "", "m#1", bytes([2, 1]), 9),
            )
        ]
        return playbooks, recalls, self.ask(GetStatistics())


@given(histories)
def test_replaying_the_journal_or_a_snapshot_gives_the_same_state_and_answers(history):
    run = Run(history)
    journal = unpack(pack(EVENTS.pack_form(run.events)))
    replayed, restored = Run(), Run()
    for code, fields in journal:
        replayed.machine.evolve(EVENTS.make(code, fields))
    parts = list(run.machine.snapshot())
    restored.machine.restore(unpack(pack(parts)))
    for other in (replayed, restored):
        other.now = run.now
        other.machine.check_invariants()
        assert list(other.machine.snapshot()) == parts
        assert other.answers() == run.answers()


@given(histories)
def test_the_same_sequence_gives_the_same_bytes(history):
    one, other = Run(history), Run(history)
    assert pack(list(one.machine.snapshot())) == pack(list(other.machine.snapshot()))
    assert [playbook_text(view.entries) for view in one.answers()[0]] == [
        playbook_text(view.entries) for view in other.answers()[0]
    ]


@given(histories)
def test_no_number_is_given_out_twice_and_no_entry_changes_what_it_says(history):
    said = {}
    for event in Run(history).events:
        if isinstance(event, EntryAdded):
            key = (event.space, event.owner, event.entry_id)
            assert key not in said
            assert all(number < event.entry_id for space, owner, number in said if (space, owner) == key[:2])
            said[key] = event
    run = Run(history)
    for space in SPACES:
        for owner in ("", *AGENTS):
            for entry in run.ask(GetPlaybook(space, owner)).entries:
                known = {event.content for (_, _, number), event in said.items() if number == entry.entry_id}
                assert entry.content in known


@given(histories)
def test_eviction_removes_only_what_its_rule_names(history):
    machine = Memory(SMALL)
    for event in Run(history).events:
        if isinstance(event, EntryEvicted):
            entries = machine._entries.playbook(event.space, event.owner).entries
            entry = entries[event.entry_id]
            if event.reason == "harmful":
                assert entry.n_harmful > entry.n_helpful
            elif event.reason == "unconfirmed":
                assert entry.n_unconfirmed >= 50
            elif event.reason == "full":
                assert len(entries) == SMALL.max_entries
                assert entry.salience == min(one.salience for one in entries.values())
            else:
                assert event.reason == "asked"
        elif isinstance(event, PlaybookEvicted):
            assert len(machine._entries) == SMALL.max_playbooks + 1
        machine.evolve(event)


@given(st.lists(drafts, min_size=1, max_size=12), st.data())
def test_adding_any_stored_entry_again_in_any_order_only_confirms(added, data):
    run = Run([("ann#1", 0.0, AddEntry("home", "project", draft)) for draft in added], Limits())
    stored = run.ask(GetPlaybook("home", "")).entries
    order = data.draw(st.permutations(stored))
    n_before = len(run.events)
    for entry in order:
        run.step("bob#1", AddEntry("home", "project", Draft(entry.kind, entry.content, entry.about)))
    assert [(type(event), event.entry_id) for event in run.events[n_before:]] == [
        (EntryConfirmed, entry.entry_id) for entry in order
    ]
    again = run.ask(GetPlaybook("home", "")).entries
    assert playbook_text(again) == playbook_text(stored)


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=5))
def test_votes_commute(votes):
    outcomes = set()
    for order in set(permutations(votes)):
        history = [("ann#1", 0.0, AddEntry("home", "session", Draft("Fact", text))) for text in ("one", "two", "three")]
        history += [("ann#1", 0.0, VoteEntry("home", "session", number, is_helpful)) for number, is_helpful in order]
        history.append(("ann#1", 0.0, TakeCheckpoint("home", "session", ())))
        outcomes.add(pack(list(Run(history).machine.snapshot())))
    assert len(outcomes) == 1


@given(histories)
def test_a_turn_ages_exactly_what_the_session_was_shown(history):
    machine = Memory(SMALL)
    for event in Run(history).events:
        if not isinstance(event, TurnTaken):
            machine.evolve(event)
            continue
        before = dict(machine._entries.playbook(event.space, event.owner).entries)
        machine.evolve(event)
        for number, entry in machine._entries.playbook(event.space, event.owner).entries.items():
            assert entry.n_turns - before[number].n_turns == (number <= event.through)
            assert entry.n_unconfirmed - before[number].n_unconfirmed == (number <= event.through)


@given(histories)
def test_recalls_are_those_of_a_dumb_twin(history):
    run = Run(history)
    now_s = run.now.utc_s
    for space in SPACES:
        alive = [fact for fact in run.machine._facts._facts.values() if fact.space == space and fact.ends_utc_s > now_s]
        values = {fact: [f for f in alive if (f.category, f.key) == (fact.category, fact.key)] for fact in alive}
        exact = run.ask(Recall(space, "port", "", "", 500))
        assert {one.fact for one in exact.found} == {fact for fact in alive if fact.key == "port"}
        assert all(one.in_conflict == (len(values[one.fact]) > 1) for one in exact.found)
        lexical = run.ask(Recall(space, "", "api", "local port", 500))
        expected = {f for f in alive if f.category == "api" and (f.key == "port" or f.value == "is local")}
        assert {one.fact for one in lexical.found} == expected
        ranked = run.ask(Recall(space, "", "", "", 500)).found
        assert [one.fact for one in ranked] == sorted(alive, key=lambda f: (-round(f.salience, 3), -f.fact_id))


@given(histories)
def test_the_bounds_always_hold(history):
    run = Run(history)
    seen = run.ask(GetStatistics())
    assert seen.n_facts <= SMALL.max_facts
    assert seen.n_playbooks <= SMALL.max_playbooks
    assert seen.n_pins <= SMALL.max_pins
    assert seen.n_indexed <= seen.n_facts
    n_pins_gone = sum(isinstance(event, PinEvicted) for event in run.events)
    assert dict(seen.evicted).get("pin", 0) == n_pins_gone


@pytest.mark.parametrize("n_words", [8, 9, 10])
def test_what_is_confirmed_is_at_least_seven_tenths_the_same(n_words):
    kept = " ".join(f"w{n}" for n in range(n_words))
    for n_other in range(n_words + 1):
        said = " ".join([*(f"w{n}" for n in range(n_words - n_other)), *(f"x{n}" for n in range(n_other))])
        run = Run([("ann#1", 0.0, AddEntry("home", "session", Draft("Fact", text))) for text in (kept, said)])
        share = (n_words - n_other) / (n_words + n_other)
        assert (len(run.ask(GetPlaybook("home", "ann#1")).entries) == 1) == (share >= 0.7)
