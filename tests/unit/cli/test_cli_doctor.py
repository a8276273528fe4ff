"""`doctor`: what it looks at, and how it cuts a damaged store."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.store import Store
from coordinator.cli.health import (
    actor_finding,
    folder_finding,
    is_loopback,
    probe_finding,
    python_finding,
    token_finding,
)
from coordinator.domain import SCENT_FIELD
from coordinator.settings import Settings
from coordinator.store.occupant import processes_using


def states(document: Any) -> dict[str, str]:
    return {one["name"]: one["state"] for one in document["findings"]}


def damage(state_dir: Path, seq: int, domain: str = SCENT_FIELD) -> None:
    with sqlite3.connect(state_dir / f"{domain}.sqlite3") as connection:
        changed = connection.execute("UPDATE journal SET payload = x'00' WHERE seq = ?", (seq,)).rowcount
    connection.close()
    assert changed == 1


def last_row(state_dir: Path) -> int:
    settings = Settings(data_dir=state_dir)
    head = Store(settings.store_url_of(SCENT_FIELD), settings.store_key_of(SCENT_FIELD)).head()
    assert head is not None
    return head.seq


@pytest.fixture
def stopped(scentfield: Any) -> Any:
    """A house that was up: ann has claimed two files, then released one."""
    scentfield("claim", "a.py", "--agent", "ann")
    scentfield("claim", "src/b.py", "--agent", "ann")
    scentfield("release", "a.py", "--agent", "ann")
    scentfield("down")
    return scentfield


def test_all_is_well(scentfield: Any) -> None:
    document = scentfield.json("doctor")
    assert document["is_well"] is True
    assert states(document)["write and read back"] == "ok"
    assert states(document)["listeners"] == "skipped"


def test_the_probe_leaves_nobody_behind(scentfield: Any) -> None:
    scentfield("doctor")
    assert scentfield.json("sessions")["n_live"] == 0
    assert scentfield.json("sync")["rows"] == []


def test_without_a_cluster_the_rest_is_skipped_and_the_exit_code_is_4(alone: Any) -> None:
    found = states(alone.json("doctor", expect=4))
    assert (found["cluster"], found["scent_field"], found["write and read back"]) == ("failed", "skipped", "skipped")
    assert "next (cluster): `scentfield up` starts what is missing" in alone("doctor").stdout


def test_a_write_that_does_not_reach_the_journal_is_found(scentfield: Any) -> None:
    house = scentfield.house
    described = house.describe

    def stuck(domain: str, timeout_s: float) -> Any:
        return {**described(domain, timeout_s), "seq": 3}

    house.describe = stuck
    assert probe_finding(house, house.settings).what == "the journal stands at 3 after a write"


def test_an_actor_in_trouble_is_found(scentfield: Any) -> None:
    house = scentfield.house
    house.describe = lambda _domain, _timeout_s: {"trouble": ["corrupt", "row 3 is damaged"]}
    finding = actor_finding(house, SCENT_FIELD)
    assert (finding.state, finding.what, finding.exit_code) == ("failed", "row 3 is damaged", 5)


def test_a_state_folder_that_others_can_look_into_is_found(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    assert folder_finding(tmp_path).next_step == f"chmod 700 {tmp_path}"
    tmp_path.chmod(0o700)
    assert folder_finding(tmp_path).state == "ok"
    assert folder_finding(tmp_path / "not there").state == "skipped"


def test_a_token_that_others_can_read_is_found(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret")
    token.chmod(0o640)
    environment = {"RAY_AUTH_TOKEN_PATH": str(token)}
    finding = token_finding(environment, tmp_path)
    assert (finding.state, finding.next_step) == ("failed", f"chmod 600 {token}")
    token.chmod(0o600)
    assert token_finding(environment, tmp_path).state == "ok"
    assert token_finding({}, tmp_path).state == "skipped"
    assert token_finding({"RAY_AUTH_TOKEN": "secret"}, tmp_path).state == "ok"


def test_an_old_python_is_found() -> None:
    assert python_finding((3, 10)).state == "failed"
    assert python_finding((3, 11)).state == "ok"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("fe80::1%eth0", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_sound_stores_are_reported_with_their_rows(stopped: Any) -> None:
    field, quality, *_ = stopped.json("doctor", "--store")["stores"]
    assert (field["state"], field["last_seq"], field["n_rows"]) == ("sound", last_row(stopped.state_dir), 4)
    assert quality["state"] == "sound"


def test_a_store_may_be_looked_into_while_its_actor_works(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    assert scentfield.json("doctor", "--store")["stores"][0]["state"] == "sound"


def test_where_nothing_was_ever_written_the_stores_are_empty(alone: Any) -> None:
    assert [one["state"] for one in alone.json("doctor", "--store")["stores"]] == ["empty"] * 4


def test_a_damaged_row_is_found_and_what_a_cut_would_lose_is_said(stopped: Any) -> None:
    damage(stopped.state_dir, 3)
    report = stopped.json("doctor", "--store", expect=5)["stores"][0]
    assert (report["state"], report["cut_at"], report["n_lost"]) == ("damaged", 2, 2)
    assert report["lost"][0] == "row 3: cannot be read"
    assert report["lost"][1].startswith("row 4: Lease")
    assert "a cut after row 2 would lose 2 rows:" in stopped("doctor", "--store").stdout


def test_repair_asks_and_without_an_answer_leaves_the_store_as_it_is(stopped: Any) -> None:
    damage(stopped.state_dir, 3)
    result = stopped("doctor", "--store", "--repair")
    assert (result.exit_code, "say --yes to cut it after row 2" in result.stderr) == (2, True)
    assert last_row(stopped.state_dir) == 4


def test_repair_cuts_at_the_last_good_row_and_the_coordinator_comes_back(stopped: Any) -> None:
    damage(stopped.state_dir, 3)
    result = stopped("doctor", "--store", "--repair", "--yes")
    assert result.exit_code == 0
    assert "these 2 rows would be lost:" in result.stderr
    assert "scent_field: cut, 2 rows are lost" in result.stdout
    stopped("up")
    assert stopped.json("claim", "a.py", "--agent", "bob", expect=3)["conflicts"][0]["holder"] == "ann#1"


def test_repair_is_refused_while_the_store_is_in_use(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    damage(scentfield.state_dir, 1)
    result = scentfield("doctor", "--store", "--repair", "--yes")
    assert result.exit_code == 2
    assert "stop it first, with `scentfield down`" in result.stderr
    assert scentfield.json("doctor", "--store", expect=5)["stores"][0]["state"] == "damaged"


def test_a_sound_store_is_not_cut(stopped: Any) -> None:
    assert stopped.json("doctor", "--store", "--repair", "--yes")["repaired"] == {}
    assert last_row(stopped.state_dir) == 4


def test_damage_that_a_cut_does_not_mend_is_said(stopped: Any) -> None:
    with sqlite3.connect(stopped.state_dir / "scent_field.sqlite3") as connection:
        connection.execute("DELETE FROM journal")
    connection.close()
    result = stopped("doctor", "--store", "--repair", "--yes")
    assert result.exit_code == 2
    assert "put a backup back with `scentfield restore`" in result.stderr


def test_a_damaged_head_is_made_anew_and_the_coordinator_comes_back(stopped: Any) -> None:
    with sqlite3.connect(stopped.state_dir / "scent_field.sqlite3") as connection:
        connection.execute("UPDATE head SET seq = 99")
    connection.close()
    assert "a repair makes its head anew" in stopped("doctor", "--store").stdout
    result = stopped("doctor", "--store", "--repair", "--yes")
    assert result.exit_code == 0
    assert "its head is made anew: it ends at row 4, and whether there were more nobody knows" in result.stderr
    assert "scent_field: cut, 0 rows are lost" in result.stdout
    stopped("up")
    assert stopped.json("claim", "src/b.py", "--agent", "bob", expect=3)["conflicts"][0]["holder"] == "ann#1"


def test_a_store_of_a_newer_version_is_not_repaired(stopped: Any) -> None:
    with sqlite3.connect(stopped.state_dir / "scent_field.sqlite3") as connection:
        connection.execute("UPDATE head SET format = 2")
    connection.close()
    document = stopped.json("doctor", "--store", "--repair", "--yes", expect=5)
    assert (document["stores"][0]["state"], document["repaired"]) == ("newer", {})


def test_an_actor_that_writes_somewhere_else_than_its_store_is_found(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    described = scentfield.house.describe
    scentfield.house.describe = lambda domain, timeout_s: {**described(domain, timeout_s), "seq": 1_000}
    report = scentfield.json("doctor", "--store", expect=5)["stores"][0]
    assert (report["state"], report["cut_at"]) == ("damaged", None)
    assert "its actor has committed row 1000, the store ends at" in report["what"]


def test_a_file_that_is_no_database_is_damaged(stopped: Any) -> None:
    (stopped.state_dir / "scent_field.sqlite3").write_bytes(b"nothing like a database " * 200)
    for beside in stopped.state_dir.glob("scent_field.sqlite3-*"):
        beside.unlink()
    assert stopped.json("doctor", "--store", expect=5)["stores"][0]["cut_at"] is None


def test_repair_without_store_is_misuse(alone: Any) -> None:
    assert alone("doctor", "--repair").exit_code == 2


def test_a_process_that_has_the_file_open_is_found(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch()
    assert processes_using(path) == []
    with path.open("rb"):
        assert len(processes_using(path)) == 1
