"""`backup`, `restore` and `export`, in a house without Ray."""

import hashlib
import json
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from coordinator.store import record


@pytest.fixture
def claimed(scentfield: Any) -> Any:
    """A house that is up, in which ann has claimed a file."""
    scentfield("claim", "a.py", "--agent", "ann")
    return scentfield


def test_a_backup_of_a_running_coordinator_is_restored_after_it_was_lost(claimed: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.backup"
    document = claimed.json("backup", str(file))
    assert document["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert document["bytes"] == file.stat().st_size
    assert [one["domain"] for one in document["stores"]][:3] == ["memory", "quality_store", "scent_field"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    claimed("down")
    for path in claimed.state_dir.glob("*.sqlite3*"):
        path.unlink()
    restored = claimed.json("restore", str(file))
    assert (restored["replaced"], restored["file"]) == (None, str(file))
    claimed("up")
    assert claimed.json("claim", "a.py", "--agent", "bob", expect=3)["conflicts"][0]["holder"] == "ann#1"


def test_a_backup_into_a_folder_takes_a_name_that_says_what_and_when(claimed: Any, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    name = Path(claimed.json("backup", str(tmp_path / "backups"))["file"]).name
    assert name.startswith("scentfield-scentfield-20")
    assert name.endswith("Z.backup")


def test_a_file_is_not_replaced_unasked(claimed: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "x.backup")
    claimed("backup", file)
    refused = claimed("backup", file)
    assert (refused.exit_code, "is there already" in refused.stderr) == (2, True)
    assert claimed("backup", file, "--replace").exit_code == 0


def test_where_nothing_was_written_there_is_nothing_to_back_up(alone: Any, tmp_path: Path) -> None:
    refused = alone("backup", str(tmp_path / "x.backup"))
    assert (refused.exit_code, "there is nothing to back up" in refused.stderr) == (2, True)


def test_a_restore_is_refused_while_the_coordinator_runs(claimed: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "x.backup")
    claimed("backup", file)
    refused = claimed("restore", file, "--replace")
    assert (refused.exit_code, "stop it first, with `scentfield down`" in refused.stderr) == (2, True)
    assert claimed.json("check", "a.py", "--agent", "bob", expect=3)


def test_stores_that_are_there_are_put_aside_when_asked(claimed: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "x.backup")
    claimed("backup", file)
    claimed("claim", "src/b.py", "--agent", "ann")
    claimed("down")
    refused = claimed("restore", file)
    assert (refused.exit_code, "--replace puts them aside" in refused.stderr) == (2, True)
    kept = Path(claimed.json("restore", file, "--replace")["replaced"])
    assert kept.parent == claimed.state_dir
    claimed("up")
    assert claimed("claim", "src/b.py", "--agent", "bob").exit_code == 0
    claimed("down")
    claimed("backup", str(tmp_path / "kept.backup"), "--data-dir", str(kept))
    claimed("restore", str(tmp_path / "kept.backup"), "--replace")
    claimed("up")
    assert claimed.json("claim", "src/b.py", "--agent", "bob", expect=3)["conflicts"][0]["holder"] == "ann#1"


def test_a_check_reads_all_of_a_backup_and_changes_nothing(claimed: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.backup"
    claimed("backup", str(file))
    assert claimed.json("restore", str(file), "--check")["is_usable"] is True
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE journal SET payload = x'00'")
    connection.close()
    refused = claimed("restore", str(file), "--check")
    assert (refused.exit_code, "Take another backup" in refused.stderr) == (5, True)


def test_a_cluster_that_lives_on_hears_whose_stores_these_are(
    claimed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "x.backup")
    ids = {one["domain"]: one["store_id"] for one in claimed.json("backup", file)["stores"]}
    claimed("down")
    heard: list[Any] = []
    monkeypatch.setattr(record, "record_stores", lambda settings, told: heard.append((settings.namespace, told)))
    monkeypatch.setattr(claimed.house, "address", lambda _settings: "127.0.0.1:1")
    claimed("restore", file, "--replace")
    assert heard == [("scentfield", ids)]


def test_an_export_is_one_object_a_line_and_the_same_every_time(claimed: Any) -> None:
    result = claimed("export", "--json", "--domain", "scent_field")
    first, *facts = [json.loads(line) for line in result.stdout.splitlines()]
    assert (result.exit_code, first["domain"]) == (0, "scent_field")
    assert ["a.py"] in [one["fields"][3] for one in facts if one["kind"] == "lease"]
    assert claimed("export", "--domain", "scent_field").stdout == result.stdout
    assert claimed("export").stdout.startswith(result.stdout)


def test_a_backup_can_be_exported_too(claimed: Any, tmp_path: Path) -> None:
    claimed("backup", str(tmp_path / "x.backup"))
    assert claimed("export", "--store", str(tmp_path / "x.backup")).stdout == claimed("export").stdout


def test_an_export_of_nothing_is_said(alone: Any, tmp_path: Path) -> None:
    assert "nobody has written to" in alone("export", "--store", str(tmp_path / "nothing")).stderr
    refused = alone("export", "--domain", "fields")
    assert (refused.exit_code, "name one of scent_field" in refused.stderr) == (2, True)


def test_a_store_url_of_another_kind_is_said_without_its_password(alone: Any) -> None:
    refused = alone("export", "--store", "mysql://ada:secret@localhost/x")
    assert refused.exit_code == 2
    assert "a store cannot be kept in 'mysql'" in refused.stderr
    assert "secret" not in refused.output
