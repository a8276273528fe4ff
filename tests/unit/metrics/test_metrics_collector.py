"""What was seen of the state actors, as Prometheus reads it."""

import re
import shutil
import subprocess
from typing import Any

import pytest
from prometheus_client.core import Metric as Family
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families

from actors.coordination.machine import Coordination
from actors.embedding.status import State, Status
from actors.memory.entry import Draft
from actors.memory.fact import FactDraft
from actors.memory.factory import make_memory
from actors.memory.messages import AddEntry, RecordRecall, RecordWakeup, Remember, VoteEntry
from actors.memory.messages import GetStatistics as GetMemoryStatistics
from actors.memory.messages import Statistics as MemoryCounts
from actors.quality_store.answer_message import RecordAnswer, StepTaken
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetStatistics, RecordOutcome, RecordRead, ResolveMode, Statistics
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.outbox import BOUNCE, EDIT_FAILURE, Deliver, Note
from actors.scent_field.messages import Count, FieldCounts, FieldStatistics
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import GetStatistics as GetLearningStatistics
from actors.thresholds.messages import Statistics as LearningCounts
from coordinator.domain import DOMAINS
from coordinator.metrics.collector import METRICS, FieldCollector, Sighting
from coordinator.metrics.exposition import encoded

START = Now(0.0, 1_700_000_000.0)
ACCOUNT = {
    "domain": "scent_field",
    "pid": 4711,
    "uptime_s": 12.5,
    "store_id": "5707e",
    "epoch": 3,
    "seq": 40,
    "trouble": None,
    "n_queued": 2,
    "n_commits": 9,
    "n_failed_commits": 1,
    "commit_seconds": 0.25,
    "n_busy": 7,
    "n_replayed_rows": 6,
}


def field_counts() -> FieldCounts:
    counts: FieldCounts = Coordination().perform(NOBODY, FieldStatistics(), START)
    return counts


def quality_counts() -> Statistics:
    """A failed edit from a map, the full read that it forced, and one applied edit."""
    store = QualityStore()
    for command in (
        RecordRead("s", "src/a.py", "map", "size", 100, 700),
        RecordOutcome("s", "src/a.py", "map", "failure", "not_shown"),
        RecordOutcome("s", "src/a.py", "map", "failure", "not_shown"),
        ResolveMode("s", "src/a.py", "map"),
        ResolveMode("s", "src/b.py", "map"),
        RecordRead("s", "src/a.py", "full", "edit_fail_escalation", 700, 700),
        RecordOutcome("s", "src/a.py", "full", "success", "applied"),
    ):
        store.perform(NOBODY, command, START)
    seen: Statistics = store.perform(NOBODY, GetStatistics(), START)
    return seen


def learning_counts() -> LearningCounts:
    """Ten bounces of Markdown maps, and one failed edit of a file without an extension, which says nothing."""
    thresholds = make_thresholds(origin="0123456789abcdef")
    bounce = Note(BOUNCE, "ann#1", "s", "a.md", "md", "map", 100, 700, 700, START.utc_s)
    nameless = Note(EDIT_FAILURE, "ann#1", "s", "a", "", "map", 100, 700, 900, START.utc_s)
    thresholds.perform(NOBODY, Deliver("quality_store@1", 11, (bounce,) * 10 + (nameless,)), START)
    seen: LearningCounts = thresholds.perform(NOBODY, GetLearningStatistics(), START)
    return seen


MODEL = {
    "status": Status(State.READY, "static", "", "static-0123", 256),
    "n_queued_texts": 0,
    "n_kept_vectors": 40,
    "n_computed": 41,
    "n_cached": 2,
}


def sightings() -> list[Sighting]:
    return [
        Sighting("scent_field", ACCOUNT, field_counts()),
        Sighting("quality_store", {**ACCOUNT, "domain": "quality_store"}, quality_counts()),
        Sighting("thresholds", {**ACCOUNT, "domain": "thresholds"}, learning_counts()),
    ]


def values(seen: list[Sighting]) -> dict[str, float]:
    """Each sample by its name and labels, as the plain text format writes them."""
    text = encoded(seen, model=MODEL)[0].decode()
    return {
        _line(sample.name, sample.labels): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def _line(name: str, labels: dict[str, str]) -> str:
    shown = ",".join(f'{label}="{value}"' for label, value in labels.items())
    return f"{name}{{{shown}}}" if shown else name


def families(seen: list[Sighting]) -> list[Family]:
    return list(FieldCollector(seen, MODEL).collect())


def test_everything_that_is_exported_is_read_back_by_the_parser() -> None:
    seen = values(sightings())
    assert seen['scentfield_up{domain="scent_field"}'] == 1.0
    assert seen['scentfield_commit_seconds_total{domain="quality_store"}'] == 0.25
    assert seen["scentfield_claims_granted_total"] == 0.0


def test_the_openmetrics_form_is_strict_and_valid_too() -> None:
    body, content_type = encoded(sightings(), "application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    parsed = parse_openmetrics(body.decode())  # type: ignore[no-untyped-call]  # the library has no types here
    names = {family.name for family in parsed}
    assert "scentfield_claims_rejected" in names


def test_what_was_learned_is_told_with_its_evidence() -> None:
    seen = values(sightings())
    assert seen['scentfield_learned_delta{extension="md"}'] == -0.15
    assert seen['scentfield_learning_signals_total{topic="bounce"}'] == 10
    assert seen["scentfield_learning_extensions"] == 1
    assert seen["scentfield_learning_imports_total"] == 0


def test_the_ledger_counts_reads_by_extension_mode_and_arm() -> None:
    seen = values(sightings())
    assert seen['scentfield_ledger_reads_total{arm="treatment",extension="py",mode="map"}'] == 1
    assert seen['scentfield_ledger_saved_tokens{arm="treatment",extension="py",mode="map"}'] == 600
    assert seen['scentfield_outbox_waiting{receiver="thresholds"}'] >= 1


def test_the_embedding_model_tells_its_state() -> None:
    seen = values([])
    assert seen['scentfield_embedding_state{model="static",state="ready"}'] == 1.0
    assert seen["scentfield_embedding_computed_total"] == 41
    assert seen["scentfield_embedding_cache"] == 40


def test_each_count_of_the_field_has_a_metric() -> None:
    names = [name for name, _ in (*field_counts().counters, *field_counts().gauges)]
    numbered = FieldCounts(
        tuple(Count(name, 1_000 + index) for index, name in enumerate(names)),
        (),
    )
    exported = values([Sighting("scent_field", ACCOUNT, numbered)]).values()
    assert [name for index, name in enumerate(names) if 1_000 + index not in exported] == []


def test_a_count_of_another_version_is_left_out() -> None:
    counts = FieldCounts((Count("phlogiston", 5), Count("leases", 2)), ())
    seen = values([Sighting("scent_field", ACCOUNT, counts)])
    assert seen["scentfield_leases"] == 2
    assert 5.0 not in seen.values()


def test_edits_and_reads_are_counted_by_extension() -> None:
    seen = values(sightings())
    assert seen['scentfield_edit_outcomes_total{cause="not_shown",extension="py"}'] == 2
    assert seen['scentfield_edit_outcomes_total{cause="applied",extension="py"}'] == 1
    assert seen['scentfield_edit_pair_failures{extension="py",mode="map"}'] == 2
    assert seen['scentfield_edit_pair_successes{extension="py",mode="full"}'] == 1
    assert seen['scentfield_edit_pair_risky{extension="py",mode="map"}'] == 1
    assert seen['scentfield_edit_pair_risky{extension="py",mode="full"}'] == 0
    assert seen['scentfield_read_tokens_total{extension="py",mode="map"}'] == 100
    assert seen['scentfield_read_file_tokens_total{extension="py",mode="map"}'] == 700
    assert seen['scentfield_reads_total{extension="py",mode="full"}'] == 1
    assert seen['scentfield_read_penalties_total{extension="py",mode="map"}'] == 1
    assert seen['scentfield_auto_reads_total{source="edit_fail_escalation"}'] == 1


def test_answers_are_counted_by_arm_and_ending_and_strategies_by_weakness() -> None:
    store = QualityStore()
    expanded = (StepTaken("relevance", "expand_retrieval", 0.2),)
    for _ in range(10):
        store.perform(Caller("ann#1"), RecordAnswer(0.8, 0.6, "converged", 2, 0, expanded), START)
    for _ in range(5):
        store.perform(Caller("ann#1"), RecordAnswer(0.4, 0.4, "failed", 3, 2, (), is_held_out=True), START)
    counts: Statistics = store.perform(NOBODY, GetStatistics(), START)
    seen = values([Sighting("quality_store", ACCOUNT, counts)])
    assert seen['scentfield_answers_total{arm="treatment",cause="converged"}'] == 10
    assert seen['scentfield_answers_total{arm="holdout",cause="failed"}'] == 5
    assert seen['scentfield_answer_rounds_total{arm="treatment",cause="converged"}'] == 20
    assert seen['scentfield_answer_rounds_failed_total{arm="holdout",cause="failed"}'] == 10
    assert seen['scentfield_answer_quality_points_total{arm="treatment",cause="converged"}'] == 8.0
    assert seen['scentfield_answer_first_quality_points_total{arm="treatment",cause="converged"}'] == 6.0
    assert seen["scentfield_answer_quality"] == pytest.approx(10 / 15, abs=1e-6)
    assert seen["scentfield_answer_quality_drop"] == 0.5
    assert seen["scentfield_answer_quality_degrading"] == 1
    assert seen["scentfield_answering_agents_degrading"] == 1
    assert seen["scentfield_answer_quality_alerts_total"] == 1
    assert seen["scentfield_agent_answer_quality_alerts_total"] == 1
    assert seen['scentfield_strategy_outcomes{plan="expand_retrieval",weakness="relevance"}'] == 10
    assert seen['scentfield_strategy_gain{plan="expand_retrieval",weakness="relevance"}'] == 0.2
    assert seen['scentfield_strategy_first{plan="expand_retrieval",weakness="relevance"}'] == 1


def test_what_is_not_known_of_answers_is_left_out() -> None:
    seen = values(sightings())
    assert "scentfield_answer_quality" not in seen
    assert "scentfield_answer_quality_drop" not in seen
    assert seen["scentfield_answer_quality_degrading"] == 0


def test_escalations_add_up() -> None:
    seen = values(sightings())
    assert seen["scentfield_escalations_armed_total"] == 1
    assert seen['scentfield_escalations_ended_total{cause="served"}'] == 1
    assert seen["scentfield_escalations_pending"] == 0


def memory_counts() -> MemoryCounts:
    """An entry with two votes, a fact, a recall that found it and one that found nothing, and a wakeup."""
    memory = make_memory()
    for command in (
        AddEntry("s", "session", Draft("Pitfall", "never edit generated files")),
        VoteEntry("s", "session", 1, True),
        VoteEntry("s", "session", 1, False),
        Remember("s", FactDraft("api", "port", "is 80")),
        RecordRecall("exact", 1),
        RecordRecall("exact", 0),
        RecordWakeup(12, 300, 400),
    ):
        memory.perform(Caller("ann#1"), command, START)
    seen: MemoryCounts = memory.perform(NOBODY, GetMemoryStatistics(), START)
    return seen


def test_what_is_remembered_and_asked_for_is_counted() -> None:
    seen = values([Sighting("memory", ACCOUNT, memory_counts())])
    assert seen["scentfield_playbook_entries"] == 1
    assert seen['scentfield_playbook_added_total{kind="Pitfall"}'] == 1
    assert seen['scentfield_playbook_votes_total{kind="harmful"}'] == 1
    assert seen["scentfield_facts"] == 1
    assert seen['scentfield_recalls_total{way="exact"}'] == 2
    assert seen['scentfield_recall_hits_total{way="exact"}'] == 1
    assert seen["scentfield_wakeup_tokens_total"] == 300
    assert seen["scentfield_wakeup_flat_tokens_total"] == 400
    assert {family.name for family in families([Sighting("memory", ACCOUNT, memory_counts())])} <= {
        metric.name.removesuffix("_total") for metric in METRICS
    }


def test_a_silent_actor_is_marked_down_and_the_rest_is_served() -> None:
    seen = values([Sighting("scent_field", problem="no answer"), sightings()[1]])
    assert seen['scentfield_up{domain="scent_field"}'] == 0.0
    assert seen['scentfield_up{domain="quality_store"}'] == 1.0
    assert "scentfield_claims_granted_total" not in seen
    assert 'scentfield_epoch{domain="scent_field"}' not in seen
    assert seen["scentfield_escalations_armed_total"] == 1


def test_an_actor_in_trouble_is_down_and_still_tells_of_itself() -> None:
    trouble = {**ACCOUNT, "trouble": ["unavailable", "the disk is full"]}
    seen = values([Sighting("scent_field", trouble, None, "the disk is full")])
    assert seen['scentfield_up{domain="scent_field"}'] == 0.0
    assert seen['scentfield_failed_commits_total{domain="scent_field"}'] == 1


def test_what_an_account_does_not_tell_is_left_out() -> None:
    account: dict[str, Any] = {**ACCOUNT, "epoch": None}
    seen = values([Sighting("scent_field", account)])
    assert 'scentfield_epoch{domain="scent_field"}' not in seen
    assert 'scentfield_turns_total{domain="scent_field"}' not in seen
    assert seen['scentfield_queue{domain="scent_field"}'] == 2


def test_names_say_their_unit_and_counters_are_totals() -> None:
    for metric in METRICS:
        assert re.fullmatch(r"scentfield_[a-z]+(_[a-z]+)*", metric.name), metric.name
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        assert not re.search(r"_(s|ms|milliseconds|minutes|kb|count|sum|bucket|counter|gauge)(_|$)", metric.name)
        assert metric.help[0].isupper() or metric.help[0].isdigit()
        assert not metric.help.endswith(".")


def test_names_are_unique_and_labels_are_the_bounded_ones() -> None:
    names = [metric.name for metric in METRICS]
    assert sorted(names) == sorted(set(names))
    labels = {label for metric in METRICS for label in metric.labels}
    assert labels == {
        *("domain", "kind", "extension", "mode", "cause", "source"),
        *("layer", "measure", "week", "position", "result", "verdict"),
        *("arm", "profile", "topic", "receiver", "state", "model", "way", "weakness", "plan"),
    }


def test_no_family_is_exported_that_is_not_in_the_reference() -> None:
    known = {metric.name.removesuffix("_total") for metric in METRICS}
    assert {family.name for family in families(sightings())} <= known


def test_only_what_is_committed_is_told() -> None:
    assert FieldStatistics in DOMAINS["scent_field"].schema.committed
    assert GetStatistics in DOMAINS["quality_store"].schema.committed


def test_equal_sightings_give_equal_bytes() -> None:
    assert encoded(sightings())[0] == encoded(sightings())[0]


def test_promtool_has_no_complaint() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("missing system package: prometheus")
    exposition = encoded(sightings())[0]
    checked = subprocess.run([promtool, "check", "metrics"], input=exposition, capture_output=True, timeout=30)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")
