"""`scentfield playbook` and `scentfield facts`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_a_playbook_from_the_first_entry_to_the_last(scentfield: Any) -> None:
    me = ("--agent", "ann")
    assert scentfield("playbook", *me).stdout == "nothing was kept yet in the session's playbook\n"
    added = scentfield("playbook", "add", "Pitfall", "never edit generated files", "--about", "gen/", *me)
    assert added.stdout == "[1] kept\n"
    again = scentfield("playbook", "add", "Pitfall", "Never edit generated files!", *me)
    assert again.stdout == "[1] was there already, and is confirmed\n"
    assert scentfield("playbook", "vote", "1", "helpful", *me).stdout == "[1] 1 helpful, 0 harmful\n"
    assert scentfield("playbook", "confirm", "1", *me).stdout == "[1] confirmed, 2 times in all\n"
    assert scentfield("playbook", "show", *me).stdout == "[1] Pitfall (gen/): never edit generated files\n"
    (entry,) = scentfield.json("playbook", *me)["entries"]
    assert (entry["kind"], entry["n_helpful"], entry["n_confirmed"]) == ("Pitfall", 1, 2)
    assert scentfield("playbook", "checkpoint", *me).stdout.endswith("never edit generated files\nturn 1\n")
    assert scentfield("playbook", "evict", "1", *me).stdout == "[1] removed\n"
    assert scentfield.json("playbook", "add", "Fact", "one", *me)["entry_id"] == 2


def test_a_project_s_playbook_is_shared_and_a_session_s_can_be_resumed(scentfield: Any) -> None:
    scentfield("playbook", "add", "Fact", "ours", "--scope", "project", "--agent", "ann")
    scentfield("playbook", "add", "Fact", "mine", "--agent", "ann")
    assert scentfield("playbook", "--scope", "project", "--agent", "bob").stdout == "[1] Fact: ours\n"
    assert scentfield("playbook", "resume", "ann#1", "--agent", "bob").stdout == "[1] Fact: mine\n"
    assert scentfield("playbook", "--agent", "bob").stdout == "[1] Fact: mine\n"


def test_facts_from_the_first_to_the_last(scentfield: Any, tree: Path) -> None:
    me = ("--agent", "ann")
    assert scentfield("facts").stdout == "nothing is known of that\n"
    kept = scentfield("facts", "remember", "api", "base_url", "is /v2", "--path", str(tree / "src" / "b.py"), *me)
    assert kept.stdout == "[1] kept\n"
    assert scentfield("facts", "remember", "api", "base_url", "is /v2", *me).stdout == "[1] confirmed, once in all\n"
    conflict = scentfield("facts", "contradict", "1", "is /v3", *me)
    assert conflict.stdout == "[2] kept\nin conflict with [1] api/base_url: is /v2\n"
    assert scentfield("facts", "recall", "--text", "base url", "--limit", "1").stdout == (
        "[2] api/base_url: is /v3 (another value is known too)\nand 1 more (--limit)\n"
    )
    assert scentfield("facts", "forget", "2", *me).stdout == "forgot 1 fact\n"
    (found,) = scentfield.json("facts", "--key", "base_url")["found"]
    assert (found["value"], found["path"], found["in_conflict"]) == ("is /v2", "src/b.py", False)
    assert scentfield("facts", "confirm", "1", *me).stdout == "[1] confirmed, 2 times in all\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("playbook", "add", "Rumour", "x"), "unknown kind 'Rumour'"),
        (("playbook", "vote", "1", "maybe"), "'maybe' is no verdict"),
        (("playbook", "confirm", "7"), "entry 7 is not in this playbook"),
        (("playbook", "--scope", "all"), "unknown scope 'all'"),
        (("facts", "remember", "A", "k", "v"), "a category has"),
        (("facts", "remember", "db", "password", "sword" + "fish"), "looks like a secret (password assignment)"),
        (("facts", "forget", "7"), "there is no fact 7"),
        (("facts", "--text", "?!"), "has no word"),
    ],
)
def test_what_cannot_be_is_a_usage_error(scentfield: Any, arguments: tuple[str, ...], why: str) -> None:
    result = scentfield(*arguments, "--agent", "ann")
    assert result.exit_code == 2
    assert why in " ".join(result.stderr.split())
    assert "swordfish" not in result.stderr + result.stdout


def test_without_a_coordinator_it_says_what_to_do(alone: Any) -> None:
    for arguments in (("playbook",), ("facts",)):
        result = alone(*arguments)
        assert result.exit_code == 4
        assert "scentfield up" in result.stderr


def test_a_wakeup_from_the_shell(scentfield: Any) -> None:
    me = ("--agent", "ann")
    assert scentfield("wakeup", *me).stdout == "nothing is known here yet\n"
    scentfield("facts", "remember", "api", "base_url", "is /v2", *me)
    scentfield("facts", "remember", "api", "base_port", "is 80", *me)
    result = scentfield("wakeup", "fix the login", "--profile", "claude", *me)
    assert result.stdout == "[api]\nbase_ > port: is 80; url: is /v2\nTask: fix the login\n"
    document = scentfield.json("wakeup", "fix the login", "--max-tokens", "8", *me)
    assert (document["text"], document["n_left_out"]) == ("Task: fix the login\n", 2)
    assert scentfield("wakeup", "--profile", "other", *me).exit_code == 2
