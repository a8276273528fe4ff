"""What people see of the rounds."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from agents_demo.learning_table import MAX_PATHS_SHOWN, print_learning

ROUND = {
    "tasks": 40,
    "reads": 45,
    "views": 60,
    "bounces": 6,
    "edits_failed": {"ambiguous": 5, "not_shown": 1},
    "tokens_read": 250_000,
    "tokens_read_net": 208_910,
    "deltas": {"py": -0.05},
}
ARM = {
    "rounds": [ROUND, {**ROUND, "bounces": 1, "edits_failed": {}, "deltas": {"py": 0.041}}],
    "tasks_done": 80,
    "edits_failed": {"ambiguous": 5, "not_shown": 1},
    "tokens_read_net": 417_820,
}
LEARNED = {
    "thresholds": [
        {
            "extension": "py",
            "delta": 0.041,
            "n_signals": 27,
            "n_origins": 1,
            "applies": True,
            "evidence": {"bounces": 7, "edits_failed": 1, "clean": 19, "wasted": 0},
            "min_signals": 10,
        }
    ],
    "costs": [
        {
            "extension": "py",
            "mode": "map",
            "bucket": "<8000",
            "share": 0.16,
            "p_loss": 0.09,
            "n_extra_tokens": 5420,
            "n_outcomes": 34.4,
        }
    ],
    "bounce_rates": [{"extension": "py", "n_reads": 90, "n_bounces": 7, "bounce_rate": 0.078, "means_full": False}],
    "pairs": [{"extension": "py", "mode": "map", "n_fails": 1, "n_successes": 79, "fail_rate": 0.0125, "risky": False}],
    "paths": {"remembered": 12, "full": 2},
    "escalations": {"armed": 3, "served": 2, "pending": 1},
    "touched_paths": [
        {"path": "ast.py", "rule": "edit_fail_escalation", "n_served": 1, "n_read_again": 0, "n_missed": 1},
        {"path": "pprint.py", "rule": "path_memory", "n_served": 3, "n_read_again": 2, "n_missed": 0},
    ],
}
BY_RULE = [
    {
        "rule": "path_memory",
        "mode": "full",
        "mode_off": "map",
        "n_tasks": 3,
        "tokens_on": 32_394,
        "tokens_off": 42_381,
        "difference": -9_987,
    },
    {
        "rule": "expected_cost",
        "mode": "map",
        "mode_off": "map",
        "n_tasks": 77,
        "tokens_on": 900_077,
        "tokens_off": 900_000,
        "difference": 77,
    },
]
EFFECT = {
    "tokens_on": 932_471,
    "tokens_off": 942_381,
    "percent_more": -1.05,
    "percent_more_net": 0.5,
    "percent_more_learned": -1.05,
    "tasks_for_others": 0,
    "by_rule": BY_RULE,
}
DOCUMENT = {
    "agents": 4,
    "agents_with_memory": 2,
    "rounds": 2,
    "tasks": 80,
    "files": 430,
    "files_with_tasks": 38,
    "think_ms": 20.0,
    "learning_on": ARM,
    "learning_off": {**ARM, "tokens_read_net": 415_000},
    "learned": LEARNED,
    "effect": EFFECT,
}


def printed(document=DOCUMENT, width=100) -> str:
    out = io.StringIO()
    print_learning(Console(file=out, width=width), document)
    return out.getvalue()


def rows(text: str, name: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip().startswith(name)]


def test_each_round_is_a_row_in_both_arms_with_their_sums():
    text = printed()
    assert rows(text, "1 ") == ["1 45 6 5 ambiguous, 1 not_shown 208,910 -0.050"] * 2
    assert rows(text, "2 ") == ["2 45 1 0 208,910 +0.041"] * 2
    assert rows(text, "all")[:2] == [
        "all 90 7 5 ambiguous, 1 not_shown 417,820",
        "all 90 7 5 ambiguous, 1 not_shown 415,000",
    ]


def test_what_was_learned_is_said_in_the_products_words_with_its_evidence():
    text = printed()
    for line in (
        "  .py  +0.041  27 signals  compresses more",
        "    .py from 7 bounces, 1 failed edits, 19 clean and 0 wasted reads",
        "  py  bounces 7 of 90 reads, now 7.8%",
        "  path memory: 12 files, 2 of them read in full",
        "  py|map  fails 1, successes 79, fail rate 1.2%",
        "  escalations: 2 served, 1 pending",
        "  .py  map  <8000  shows 16% of the tokens, 9% end in a loss of 5420 tokens  34 outcomes",
        "  ast.py  edit_fail_escalation, 1 time, after 1 missed edit",
        "  pprint.py  path_memory, 3 times, after 2 second reads",
    ):
        assert line in text.splitlines()


def test_what_is_not_known_yet_is_said_as_such():
    warming = {**LEARNED["thresholds"][0], "n_signals": 7, "applies": False}
    empty = {"costs": [], "bounce_rates": [], "pairs": [], "touched_paths": []}
    text = printed({**DOCUMENT, "learned": {**LEARNED, **empty, "thresholds": [warming]}})
    assert "  .py  +0.041  warming up (7 of 10)" in text.splitlines()
    assert "  none in this run" in text.splitlines()
    nothing = printed({**DOCUMENT, "learned": {**LEARNED, **empty, "thresholds": []}})
    assert "  not yet known: no signals so far" in nothing.splitlines()


def test_many_files_are_cut_and_counted():
    one = LEARNED["touched_paths"][0]
    many = [{**one, "path": f"f{number}.py"} for number in range(MAX_PATHS_SHOWN + 3)]
    text = printed({**DOCUMENT, "learned": {**LEARNED, "touched_paths": many}})
    assert text.count("edit_fail_escalation, 1 time") == MAX_PATHS_SHOWN
    assert "  and 3 more: see --json" in text.splitlines()


def test_the_rules_stand_with_the_tokens_that_they_moved_and_add_up():
    text = printed()
    assert rows(text, "path_memory") == ["path_memory full, not map 3 32,394 42,381 -9,987"]
    assert rows(text, "expected_cost") == ["expected_cost map 77 900,077 900,000 +77"]
    assert rows(text, "all")[-1] == "all 80 932,471 942,381 -9,910"
    assert "What moved it: path_memory -9,987 in 3 tasks." in text
    assert "they moved nothing here" in text


def test_rules_that_chose_no_other_view_are_not_said_to_have_moved_anything():
    text = printed({**DOCUMENT, "effect": {**EFFECT, "by_rule": BY_RULE[1:]}})
    assert "Learning chose no other view than the rule from before." in text.splitlines()


def test_thresholds_are_not_said_to_be_idle_where_they_act():
    entropy = {**BY_RULE[1], "mode": "entropy"}
    assert "they moved nothing" not in printed({**DOCUMENT, "effect": {**EFFECT, "by_rule": [entropy]}})


@pytest.mark.parametrize(
    ("percent", "last"), [(-1.05, "tokens: 1.1% fewer with learning"), (9.0, "tokens: 9.0% more with learning")]
)
def test_the_last_line_says_whether_it_paid_also_where_it_did_not(percent, last):
    text = printed({**DOCUMENT, "effect": {**EFFECT, "percent_more": percent}})
    assert text.splitlines()[-1].startswith(last)


def test_the_tables_fit_eighty_characters():
    text = printed(width=80)
    assert rows(text, "path_memory") == ["path_memory full, not map 3 32,394 42,381 -9,987"]
    assert rows(text, "1 ") == ["1 45 6 5 ambiguous, 1 not_shown 208,910 -0.050"] * 2
    assert "…" not in text
