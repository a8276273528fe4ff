"""The commands about the field as a whole."""

import json
from typing import Any


def test_a_deposit_is_seen_by_the_others_and_its_kind_may_be_in_lower_case(scentfield: Any) -> None:
    assert scentfield.json("deposit", "src/", "avoid", "--intensity", "2", "--agent", "ann")["intensity"] == 2.0
    (row,) = scentfield.json("sync")["rows"]
    assert (row["kind"], row["target"], row["agents"]) == ("AVOID", "src/", ["ann#1"])


def test_an_unknown_kind_of_signal_is_misuse(scentfield: Any) -> None:
    assert scentfield.json("deposit", "src/", "WARM", "--agent", "ann", expect=2)["error"]["code"] == "misuse"


def test_sync_shows_claims_and_says_how_much_it_left_out(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann", "--intent", "fix f")
    scentfield("deposit", "src/b.py", "STUCK", "--agent", "bob")
    shown = scentfield("sync", "--limit", "1").stdout.splitlines()
    assert shown[0].split() == ["kind", "target", "strength", "agents", "since", "generation", "about"]
    assert shown[1].split() == ["CLAIMED", "a.py", "2.00", "ann#1", "0", "s", "1", "fix", "f"]
    assert shown[2] == "1 claimed, 0 waiting, strictness deny; 1 rows left out (--limit)"


def test_an_empty_field_says_so(scentfield: Any) -> None:
    assert scentfield("sync").stdout.startswith("nobody is at work here")


def test_watch_prints_the_field_and_then_each_change_until_it_is_interrupted(scentfield: Any) -> None:
    watched: list[str] = []

    def meanwhile(_domain: str, raw: bytes) -> None:
        if b"watch" not in raw:
            return
        watched.append("asked")
        if len(watched) > 1:
            raise KeyboardInterrupt
        scentfield.house.before_call = lambda _domain, _raw: None
        scentfield("claim", "a.py", "--agent", "ann")
        scentfield.house.before_call = meanwhile

    scentfield.house.before_call = meanwhile
    result = scentfield("sync", "--watch", "--json")
    scentfield.house.before_call = lambda _domain, _raw: None
    assert result.exit_code == 0
    field, *changes = (json.loads(line) for line in result.stdout.splitlines())
    assert field["rows"] == []
    assert {"what": "claimed", "target": "a.py", "agent": "ann#1"}.items() <= changes[0].items()


def test_a_watch_that_is_interrupted_before_it_shows_anything_ends_without_an_error(scentfield: Any) -> None:
    def interrupt(_domain: str, _raw: bytes) -> None:
        raise KeyboardInterrupt

    scentfield.house.before_call = interrupt
    watched, synced = scentfield("sync", "--watch"), scentfield("sync")
    scentfield.house.before_call = lambda _domain, _raw: None
    assert (watched.exit_code, watched.output) == (0, "")
    assert synced.exit_code == 130


def test_sessions_lists_who_is_alive(scentfield: Any, live_agent: Any) -> None:
    live_agent("ann")
    listed = scentfield.json("sessions")
    assert (listed["n_live"], listed["sessions"][0]["session_id"]) == (1, "ann#1")
    assert "ann#1" in scentfield("sessions").stdout


def test_strictness_is_shown_and_set(scentfield: Any) -> None:
    assert scentfield.json("strictness")["strictness"] == "deny"
    assert scentfield.json("strictness", "warn", "--agent", "ann")["strictness"] == "warn"
    scentfield("claim", "a.py", "--agent", "ann")
    edited = scentfield("edit", "a.py", "--old", "return 1", "--new", "return 2", "--agent", "bob")
    assert (edited.exit_code, "ann#1" in edited.stderr) == (0, True)
    assert scentfield.json("strictness", "loose", expect=2)["error"]["code"] == "misuse"


def test_the_audit_is_empty_until_somebody_takes_something_away(scentfield: Any) -> None:
    assert scentfield.json("audit") == {"lines": []}
    assert scentfield("audit").stdout == "nothing was ever taken away here\n"
