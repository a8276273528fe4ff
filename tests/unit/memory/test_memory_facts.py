"""Facts: what is remembered, recalled, confirmed, contradicted, forgotten, and what expires."""

import tracemalloc

import numpy as np
import pytest

from actors.memory.fact import FactDraft
from actors.memory.limit import MAX_VECTORS_A_CALL, Limits
from actors.memory.messages import (
    ConfirmFact,
    ContradictFact,
    FactVector,
    ForgetFacts,
    GetStatistics,
    IndexFacts,
    ListUnindexed,
    Recall,
    RecallNear,
    RecordRecall,
    RecordWakeup,
    Remember,
)
from actors.memory.report import found_line
from actors.memory.vector_table import N_COMPARED, quantised
from actors.runtime.errors import Misuse
from actors.runtime.machine import Caller, Now

SPACE = "home"
DAY_S = 86_400.0


def row(*numbers):
    return quantised(np.array(numbers, dtype=np.float32))


def test_a_fact_is_kept_with_who_found_it_when_and_where(desk):
    kept = desk.remember("base_url", "is /v2", path="src/api.py", confidence=0.9)
    assert kept.is_new
    assert kept.fact[:10] == (1, SPACE, "api", "base_url", "is /v2", 0.9, "ann#1", 1_000.0, "src/api.py", 0.0)
    (found,) = desk.recall(key="base_url").found
    assert (found.fact, found.score, found.in_conflict) == (kept.fact, 1.0, False)
    assert found_line(found) == "[1] api/base_url: is /v2"


def test_the_same_again_confirms_and_is_as_sure_as_the_surer(desk):
    desk.remember("base_url", "is /v2", confidence=0.5)
    desk.now_s = 2_000.0
    again = desk.remember("base_url", "is /v2", agent="bob", confidence=0.8)
    assert (again.is_new, again.fact.n_confirmed, again.fact.confidence) == (False, 1, 0.8)
    assert (again.fact.agent, again.fact.at_utc_s, again.fact.confirmed_utc_s) == ("ann#1", 1_000.0, 2_000.0)
    assert desk("", GetStatistics()).n_facts == 1


def test_two_values_of_a_key_are_both_kept_and_each_recall_shows_it(desk):
    desk.remember("base_url", "is /v2")
    second = desk.remember("base_url", "is /v3", agent="bob")
    assert [fact.value for fact in second.conflicts] == ["is /v2"]
    for asked in ({"key": "base_url"}, {"text": "base url"}, {"category": "api"}):
        recalled = desk.recall(**asked)
        assert {found.fact.value for found in recalled.found} == {"is /v2", "is /v3"}
        assert all(found.in_conflict for found in recalled.found)
    assert found_line(recalled.found[0]).endswith("(another value is known too)")
    desk("ann", ForgetFacts(SPACE, (1,)))
    assert [found.in_conflict for found in desk.recall(key="base_url").found] == [False]


def test_a_fact_can_be_contradicted_by_its_number(desk):
    desk.remember("base_url", "is /v2")
    kept = desk("bob", ContradictFact(SPACE, 1, "is /v3", 0.7, "b.py"))
    assert (kept.fact.key, kept.fact.value, kept.fact.confidence, kept.fact.agent) == (
        "base_url",
        "is /v3",
        0.7,
        "bob#1",
    )
    assert [fact.fact_id for fact in kept.conflicts] == [1]
    with pytest.raises(Misuse, match="says just that"):
        desk("bob", ContradictFact(SPACE, 1, "is /v2", 0.7, ""))


def test_the_same_key_in_another_category_is_no_conflict(desk):
    desk.remember("port", "is 80")
    assert desk.remember("port", "is 5432", category="db").conflicts == ()
    assert desk.values(key="port") == ["is 80", "is 5432"]
    assert desk.values(key="port", category="db") == ["is 5432"]


def test_a_key_has_eight_values_at_most(desk):
    for n in range(8):
        desk.remember("port", f"is {n}")
    with pytest.raises(Misuse, match="api/port has 8 values already"):
        desk.remember("port", "is 8")
    desk.remember("port", "is 7")


def test_confirming_moves_the_expiry_on_by_as_long_as_it_was(desk):
    desk.remember("port", "is 80", ttl_s=10 * DAY_S)
    desk.now_s += 4 * DAY_S
    kept = desk("bob", ConfirmFact(SPACE, 1))
    assert (kept.fact.expires_utc_s, kept.fact.n_confirmed) == (desk.now_s + 10 * DAY_S, 1)
    desk.now_s += 4 * DAY_S
    assert desk("bob", ConfirmFact(SPACE, 1)).fact.expires_utc_s == desk.now_s + 10 * DAY_S


def test_what_has_expired_is_never_told_and_goes_when_something_is_remembered(desk):
    desk.remember("port", "is 80", ttl_s=100.0)
    desk.remember("host", "is local")
    desk.now_s += 99.9
    assert desk.values(key="port") == ["is 80"]
    desk.now_s += 0.1
    for asked in ({"key": "port"}, {"text": "port"}, {"category": "api"}):
        assert "is 80" not in desk.values(**asked)
    with pytest.raises(Misuse, match="there is no fact 1"):
        desk("ann", ConfirmFact(SPACE, 1))
    assert desk("", GetStatistics()).n_facts == 2
    desk.remember("path", "is /")
    seen = desk("", GetStatistics())
    assert (seen.n_facts, seen.forgotten) == (2, (("expired", 1),))


def test_a_space_knows_nothing_of_another(desk):
    desk.remember("port", "is 80")
    desk.remember("port", "is 90", space="work")
    assert desk.values(key="port", space="work") == ["is 90"]
    assert desk.values(text="port") == ["is 80"]
    with pytest.raises(Misuse, match="there is no fact 2 in this space"):
        desk("ann", ForgetFacts(SPACE, (1, 2)))
    assert desk.values(key="port") == ["is 80"]


def test_words_that_are_rare_count_more(desk):
    for n in range(20):
        desk.remember(f"k{n}", f"the parser has rule {n}")
    desk.remember("lexer", "the lexer drops comments")
    found = desk.recall(text="the comments of the parser", n=3)
    assert [one.fact.key for one in found.found] == ["lexer", "k19", "k18"]
    assert found.n_all == 21
    assert found.found[0].score > found.found[1].score == found.found[2].score > 0


def test_parts_of_names_are_found(desk):
    desk.remember("claimEach", "takes canonical targets", path="coordinator/core.py")
    for text in ("claim", "each claim", "coordinator", "CORE"):
        assert desk.values(text=text) == ["takes canonical targets"]
    assert desk.values(text="claims elsewhere") == []


def test_a_category_alone_gives_its_most_salient_facts(desk):
    desk.remember("a", "1 is unsure", confidence=0.3)
    desk.remember("b", "2 is sure")
    desk.remember("c", "3 is unsure and confirmed", confidence=0.95)
    desk("bob", ConfirmFact(SPACE, 3))
    desk.remember("d", "4 is of another category", category="db")
    assert desk.values(category="api") == ["3 is unsure and confirmed", "2 is sure", "1 is unsure"]
    assert desk.recall(category="api", n=1).n_all == 3
    assert desk.recall(n=10).n_all == 4


@pytest.mark.parametrize(
    ("draft", "why"),
    [
        (FactDraft("Api", "k", "v"), "a category has"),
        (FactDraft("", "k", "v"), "a category has"),
        (FactDraft("api", "", "v"), "the key of a fact has 0 characters"),
        (FactDraft("api", "a: b", "v"), "may not hold a colon"),
        (FactDraft("api", "k", ""), "the value of a fact has 0"),
        (FactDraft("api", "k", "v" * 1_001), "has 1001 characters"),
        (FactDraft("api", "k", "a\nb"), "one line"),
        (FactDraft("api", "k", "v", 0.0), "a confidence of 0.0 is none"),
        (FactDraft("api", "k", "v", 1.1), "a confidence of 1.1 is none"),
        (FactDraft("api", "k", "v", 1.0, "", -1.0), "cannot expire"),
        (FactDraft("db", "password", "sword" + "fish"), r"password assignment"),
        (FactDraft("db", "aws", "AKIA" + "IOSFODNN7EXAMPLQ"), "AWS access key"),
    ],
)
def test_what_cannot_be_a_fact_is_refused_and_changes_nothing(desk, draft, why):
    desk.remember("k", "there")
    before = list(desk.machine.snapshot())
    desk.machine.take_events()
    with pytest.raises(Misuse, match=why) as refused:
        desk("ann", Remember(SPACE, draft))
    assert "swordfish" not in str(refused.value)
    assert "IOSFODNN" not in str(refused.value)
    assert list(desk.machine.snapshot()) == before
    assert desk.machine.take_events() == []


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Recall(SPACE, "", "", "?!", 10), "has no word"),
        (Recall(SPACE, "", "Api", "", 10), "a category has"),
        (Recall(SPACE, "k", "", "", 0), "0 facts cannot be asked for"),
        (Recall(SPACE, "k", "", "", 501), "501 facts cannot be asked for"),
        (RecallNear(SPACE, "", "m", b"", 10), "has not 0 numbers"),
        (RecallNear(SPACE, "", "m", bytes(4), 10), "points nowhere"),
        (RecordRecall("guess", 1), "unknown way 'guess'"),
        (RecordRecall("exact", -1), "-1 is no count"),
        (RecordWakeup(1, -2, 3), "-2 is no count"),
    ],
)
def test_what_cannot_be_asked_is_refused(desk, asked, why):
    with pytest.raises(Misuse, match=why):
        desk("ann", asked)


def test_of_too_many_facts_the_fullest_space_gives_the_one_used_longest_ago(make_desk):
    desk = make_desk(max_facts=3)
    desk.remember("a", "1", space="work")
    desk.remember("a", "1")
    desk.remember("b", "2")
    desk("ann", ConfirmFact(SPACE, 2))
    desk.remember("c", "3")
    assert desk.values(n=10) == ["1", "3"]
    assert desk.values(space="work", n=10) == ["1"]
    assert desk("", GetStatistics()).forgotten == (("full", 1),)


def test_a_hundred_thousand_facts_are_the_limit_of_all_spaces():
    assert Limits().max_facts == 100_000


def test_memory_does_not_grow_once_the_limit_is_reached(make_desk):
    """Ten times as many facts as there is room for, with words of their own; dicts find their size in six rounds."""
    n_kept, memory = 400, make_desk(max_facts=400).machine
    ann, now = Caller("ann#1"), Now(0.0, 1_000.0)

    def remember(numbers):
        for n in numbers:
            value = f"says w{n} and w{n + 1} of {n * 7919}"
            draft = FactDraft(f"c{n % 50}", f"key{n}", value, 1.0, f"src/f{n}.py", float(n % 3) * 1e6)
            kept = memory.perform(ann, Remember(SPACE, draft), now)
            row_of_it = FactVector(kept.fact.fact_id, bytes([n % 100, 7]) * 16)
            memory.perform(ann, IndexFacts(SPACE, "m#1", (row_of_it,)), now)
            memory.take_events()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        full = remember(range(6 * n_kept))
        later = [remember(range(n, n + n_kept)) for n in range(6 * n_kept, 10 * n_kept, n_kept)]
    finally:
        tracemalloc.stop()
    memory.check_invariants()
    assert memory.perform(ann, GetStatistics(), now).n_facts == n_kept
    assert max(later) < 1.05 * full, (full, later)


def test_facts_are_found_by_meaning_among_those_with_a_vector(desk):
    for key, value in (("a", "east"), ("b", "north"), ("c", "west"), ("d", "nowhere yet")):
        desk.remember(key, value)
    vectors = tuple(FactVector(n, row(*xy)) for n, xy in ((1, (1, 0.1)), (2, (0.1, 1)), (3, (-1, 0))))
    assert desk("ann", IndexFacts(SPACE, "m#1", vectors)).n == 3
    found = desk("", RecallNear(SPACE, "", "m#1", row(0.5, 1), 2))
    assert [one.fact.value for one in found.found] == ["north", "east"]
    assert found.n_all == 3
    left = desk("", ListUnindexed(SPACE, "m#1", 10))
    assert ([fact.value for fact in left.facts], left.n_all) == (["nowhere yet"], 1)
    desk("ann", ForgetFacts(SPACE, (2,)))
    assert [one.fact.value for one in desk("", RecallNear(SPACE, "", "m#1", row(0.5, 1), 1)).found] == ["east"]


def test_vectors_of_another_model_take_the_place_of_the_last_one_s(desk):
    desk.remember("a", "east")
    desk.remember("b", "north")
    desk("ann", IndexFacts(SPACE, "m#1", (FactVector(1, row(1, 0)), FactVector(2, row(0, 1)))))
    desk("ann", IndexFacts(SPACE, "m#2", (FactVector(2, row(1, 0, 0)),)))
    assert desk("", RecallNear(SPACE, "", "m#1", row(1, 0), 5)).n_all == 0
    assert [one.fact.value for one in desk("", RecallNear(SPACE, "", "m#2", row(1, 0, 0), 5)).found] == ["north"]
    assert desk("", ListUnindexed(SPACE, "m#1", 5)).n_all == 2
    assert desk("", GetStatistics()).n_indexed == 1


def test_a_fact_that_the_model_knows_nothing_of_is_asked_for_once(desk):
    desk.remember("a", "zzz")
    desk.remember("b", "north")
    assert desk("ann", IndexFacts(SPACE, "m#1", (FactVector(1, b""), FactVector(2, row(0, 1))))).n == 2
    assert desk("", ListUnindexed(SPACE, "m#1", 5)).n_all == 0
    assert [one.fact.value for one in desk("", RecallNear(SPACE, "", "m#1", row(0, 1), 5)).found] == ["north"]


def test_vectors_that_do_not_fit_are_refused_and_those_of_gone_facts_passed_over(desk):
    desk.remember("a", "east")
    for vectors, why in (
        ((FactVector(1, row(1, 0)), FactVector(1, row(1, 0, 0))), "has not 2 numbers"),
        ((FactVector(1, bytes(2)),), "points nowhere"),
        ((FactVector(1, row(1, 0)),) * (MAX_VECTORS_A_CALL + 1), "over the limit"),
    ):
        with pytest.raises(Misuse, match=why):
            desk("ann", IndexFacts(SPACE, "m#1", vectors))
    assert desk("ann", IndexFacts(SPACE, "m#1", (FactVector(9, row(1, 0)),))).n == 0
    assert desk("", GetStatistics()).n_indexed == 0


def test_choosing_by_bits_first_finds_what_comparing_all_finds(desk):
    drawn = np.random.default_rng(7).normal(size=(3 * N_COMPARED, 64)).astype(np.float32)
    for n in range(len(drawn)):
        desk.machine.perform(*_remembering(desk, n))
    for first in range(0, len(drawn), 400):
        vectors = tuple(FactVector(n + 1, quantised(drawn[n])) for n in range(first, first + 400))
        desk.machine.perform(*_as(desk, IndexFacts(SPACE, "m#1", vectors)))
    hits = 0
    for n in range(20):
        query = drawn[n] + 0.3 * drawn[n + 100]
        cosines = drawn @ query / np.linalg.norm(drawn, axis=1)
        found = desk.machine.perform(*_as(desk, RecallNear(SPACE, "", "m#1", quantised(query), 1))).found
        hits += found[0].fact.fact_id == int(np.argmax(cosines)) + 1
    assert hits == 20


def _remembering(desk, n):
    return _as(desk, Remember(SPACE, FactDraft("api", f"key{n}", f"value {n}")))


def _as(desk, command):
    return Caller("ann#1"), command, Now(0.0, desk.now_s)


def test_recalls_and_wakeups_are_counted(desk):
    for how, n_found in (("exact", 1), ("exact", 0), ("semantic", 3)):
        desk("ann", RecordRecall(how, n_found))
    desk("ann", RecordWakeup(40, 700, 900))
    seen = desk("", GetStatistics())
    assert seen.recalls == (("exact", 2), ("semantic", 1))
    assert seen.hits == (("exact", 1), ("semantic", 1))
    assert (seen.n_wakeups, seen.n_wakeup_facts, seen.n_wakeup_tokens, seen.n_wakeup_flat_tokens) == (1, 40, 700, 900)
