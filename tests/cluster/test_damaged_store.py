"""A store that cannot be trusted: `up` says which file and what to do, and leaves it as it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from actors.runtime.errors import Corrupt
from coordinator.client import Coordinator
from coordinator.cluster import actor_names, down, up
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]


def _flip_a_byte(file: Path) -> None:
    """Turn the first bit of the last journal row; the same again puts it back."""
    with closing(sqlite3.connect(file)) as connection:
        seq, payload = connection.execute("SELECT seq, payload FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
        damaged = bytes([payload[0] ^ 1]) + payload[1:]
        connection.execute("UPDATE journal SET payload = ? WHERE seq = ?", (damaged, seq))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _facts(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that the store holds but the note of who may write it, which `up` renews before it looks inside."""
    with closing(sqlite3.connect(file)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}")) for name in tables if name != "owner"}


def test_up_over_a_damaged_store_names_the_file_and_changes_nothing(coordinator_up: Settings, tree: Path) -> None:
    patient = coordinator_up.model_copy(update={"ttl_s": 60.0})
    ann = Coordinator.connect(agent="ann", root=tree, settings=patient)
    held = ann.claim("src/a.py")
    down(patient)
    file = patient.state_dir / "scent_field.sqlite3"
    _flip_a_byte(file)
    before = _facts(file)
    assert before["journal"]
    for _ in range(2):
        with pytest.raises(Corrupt) as refused:
            up(patient)
        assert str(file) in refused.value.message
        assert "scentfield doctor" in refused.value.message
    assert _facts(file) == before
    assert actor_names(patient) == []
    _flip_a_byte(file)
    up(patient)
    assert ann.check("src/a.py", held.generation).holds


def test_up_over_a_file_that_is_no_store_names_it_and_changes_nothing(settings: Settings) -> None:
    settings.state_dir.mkdir(parents=True)
    file = settings.state_dir / "scent_field.sqlite3"
    file.write_bytes(b"this is no database\n" * 400)
    before = file.read_bytes()
    with pytest.raises(Corrupt) as refused:
        up(settings)
    assert str(file) in refused.value.message
    assert file.read_bytes() == before
    assert actor_names(settings) == []
