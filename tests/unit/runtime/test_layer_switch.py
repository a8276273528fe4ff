"""Learned layers are switched off and on, for everybody, and it is known by whom."""

import pytest

from actors.memory.entry import Draft
from actors.memory.machine import Memory
from actors.memory.messages import AddEntry, GetLessons, VoteEntry
from actors.memory.messages import GetStatistics as GetMemoryStatistics
from actors.quality_store.answer_message import AskAdvice
from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import ForgetOutcomes, GetStatistics, RecordOutcome, RecordRead, ResolveMode
from actors.runtime.errors import Misuse
from actors.runtime.holdout import LAYERS
from actors.runtime.layer_switch import MAX_LINES, GetLayers, LayerSwitched, SwitchLayer
from actors.runtime.machine import NOBODY, Caller, Now
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import GetPolicy, RankingEvidence, RecordPlacement, RecordRanking
from coordinator.learning.layer import DOMAIN_OF

ADA = Caller("ada#1")
NOW = Now(0.0, 19_675 * 86_400.0)
MACHINES = {
    "quality_store": QualityStore,
    "thresholds": lambda: make_thresholds(origin="0123456789abcdef"),
    "memory": Memory,
}


def switch(machine, layer, on=False, reason="", caller=ADA):
    return machine.perform(caller, SwitchLayer(layer, on, reason), NOW)


def missed(store, path="a.rs"):
    for _ in range(2):
        store.perform(ADA, RecordOutcome("home", path, "map", "failure", "not_shown"), NOW)


def test_each_layer_is_served_by_one_domain():
    served = {domain: make().perform(NOBODY, GetLayers(), NOW).layers for domain, make in MACHINES.items()}
    assert {layer: domain for domain, layers in served.items() for layer in layers} == dict(DOMAIN_OF)
    assert set(DOMAIN_OF) == set(LAYERS)


@pytest.mark.parametrize("domain", MACHINES)
def test_a_switch_survives_a_restart_and_a_replay_and_is_durable(domain):
    make = MACHINES[domain]
    machine, replica, restored = make(), make(), make()
    (layer, *_) = machine.perform(NOBODY, GetLayers(), NOW).layers
    assert switch(machine, layer, reason="no difference").has_changed
    assert not switch(machine, layer).has_changed
    events = machine.take_events()
    assert events == [LayerSwitched(layer, False, "ada#1", "no difference", NOW.utc_s)]
    assert machine.events.any_durable(events)
    for event in events:
        (row,) = machine.events.pack_form([event])
        replica.evolve(machine.events.make(row[0], list(row[1])))
    restored.restore(machine.snapshot())
    for one in (machine, replica, restored):
        told = one.perform(NOBODY, GetLayers(), NOW)
        assert (told.off, told.lines) == ((layer,), tuple(events))
        one.check_invariants()
        assert switch(one, layer, on=True).is_on
        assert one.perform(NOBODY, GetLayers(), NOW).off == ()


@pytest.mark.parametrize("domain", MACHINES)
@pytest.mark.parametrize(("layer", "reason"), [("magic", ""), ("", ""), (None, "a\nb"), (None, "x" * 201)])
def test_what_cannot_be_is_refused_and_changes_nothing(domain, layer, reason):
    machine = MACHINES[domain]()
    (first, *_) = machine.perform(NOBODY, GetLayers(), NOW).layers
    with pytest.raises(Misuse):
        switch(machine, first if layer is None else layer, reason=reason)
    assert machine.take_events() == []


def test_the_lines_are_bounded_to_the_newest():
    memory = Memory()
    for number in range(MAX_LINES + 10):
        switch(memory, "lessons", on=bool(number % 2), reason=str(number))
    lines = memory.perform(NOBODY, GetLayers(), NOW).lines
    assert [line.reason for line in lines] == [str(number) for number in range(10, MAX_LINES + 10)]


def test_without_the_penalty_a_risky_pair_is_read_as_the_others_and_nothing_is_held_out_from_it():
    store = QualityStore(Limits(penalty_holdout=0.0))
    missed(store)
    switch(store, "edit_penalty")
    answer = store.perform(ADA, ResolveMode("home", "b.rs", "map"), NOW)
    assert (answer.mode, answer.source, answer.is_at_stake) == ("map", "", False)
    assert store.perform(ADA, ResolveMode("home", "a.rs", "map"), NOW).source == "edit_fail_escalation"
    assert store.perform(NOBODY, GetStatistics(), NOW).layers_off == ("edit_penalty",)
    switch(store, "edit_penalty", on=True)
    assert store.perform(ADA, ResolveMode("home", "b.rs", "map"), NOW).source == "edit_quality_penalty"


def test_without_strategies_questions_go_by_the_table():
    store = QualityStore(Limits(penalty_holdout=1.0))
    digest = "0123456789abcdef"
    assert store.perform(ADA, AskAdvice(digest), NOW).is_held_out
    switch(store, "feedback_strategy")
    advice = store.perform(ADA, AskAdvice(digest), NOW)
    assert (advice.is_held_out, advice[0]) == (False, ())


def test_a_policy_has_nothing_of_the_layers_that_are_off_and_another_version():
    thresholds = MACHINES["thresholds"]()
    thresholds.perform(ADA, RecordPlacement("claude", "begin", 5, 30), NOW)
    thresholds.perform(ADA, RecordRanking((RankingEvidence("rs", (0.1,) * 9, 60),)), NOW)
    before = thresholds.perform(NOBODY, GetPolicy(), NOW)
    assert (len(before.begin_shares), len(before.rankings)) == (1, 1)
    for layer in ("begin_share", "unit_ranking"):
        switch(thresholds, layer)
    after = thresholds.perform(NOBODY, GetPolicy(), NOW)
    assert (after.begin_shares, after.rankings) == ((), ())
    assert after.version != before.version
    for layer in ("begin_share", "unit_ranking"):
        switch(thresholds, layer, on=True)
    assert thresholds.perform(NOBODY, GetPolicy(), NOW) == before


def test_without_lessons_nobody_is_given_any():
    memory = Memory()
    memory.perform(ADA, AddEntry("home", "project", Draft("Pitfall", "generated", "a.py")), NOW)
    memory.perform(ADA, VoteEntry("home", "project", 1, True), NOW)
    assert len(memory.perform(ADA, GetLessons("home", "ada#1"), NOW).project) == 1
    switch(memory, "lessons")
    assert memory.perform(ADA, GetLessons("home", "ada#1"), NOW) == ((), ())
    assert memory.perform(NOBODY, GetMemoryStatistics(), NOW).layers_off == ("lessons",)


def bounced(store, path):
    for mode, source in (("map", "auto"), ("full", "explicit")) * 3:
        store.perform(ADA, RecordRead("home", path, mode, source, 10 if mode == "map" else 100, 100), NOW)


def test_what_failed_edits_and_bounces_have_made_full_is_forgotten_by_extension_and_as_a_whole():
    store = QualityStore(Limits(penalty_holdout=0.0))
    for path in ("a.rs", "b.py"):
        missed(store, path)
        bounced(store, path)
    ledger = store.perform(NOBODY, GetStatistics(), NOW).ledger
    gone = store.perform(ADA, ForgetOutcomes(".RS"), NOW)
    assert gone == (1, 1, 1, 1)
    assert store.perform(ADA, ResolveMode("home", "a.rs", "map"), NOW).mode == "map"
    assert store.perform(ADA, ResolveMode("home", "b.py", "map"), NOW).source == "edit_fail_escalation"
    assert store.perform(ADA, ResolveMode("home", "b.py", "map"), NOW).mode == "full"
    store.check_invariants()
    assert store.perform(ADA, ForgetOutcomes(""), NOW) == (1, 0, 1, 1)
    assert store.perform(ADA, ResolveMode("home", "b.py", "map"), NOW).mode == "map"
    assert store.perform(NOBODY, GetStatistics(), NOW).ledger == ledger
    assert store.perform(NOBODY, GetStatistics(), NOW).escalations_reset == 1
    replica = QualityStore()
    for event in store.take_events():
        replica.evolve(event)
    assert list(replica.snapshot()) == list(store.snapshot())
    assert store.perform(ADA, ForgetOutcomes(""), NOW) == (0, 0, 0, 0)
    assert store.take_events() == []
