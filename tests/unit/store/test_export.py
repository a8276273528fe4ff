"""The state as JSON lines: readable by anybody, the same bytes for the same state, and no token in it."""

import hashlib
import json

import pytest

from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt
from actors.runtime.kernel import Kernel
from coordinator.store.backup import write_backup
from coordinator.store.backup_file import Backup
from coordinator.store.export import export_lines
from coordinator.store.restore import restore

TOKEN = "a-token-that-nobody-may-see"


def lines_of(desk):
    return list(export_lines(desk.places()[0]))


def test_a_line_is_an_object_and_the_first_says_what_they_are(desk):
    first, *facts = map(json.loads, lines_of(desk("full").fill("a.py", "b.py")))
    assert first == {
        "export": 1,
        "domain": "scent_field",
        "key": "ns.scent_field",
        "store_id": "id-scent_field",
        "store_format": 1,
        "seq": 3,
        "field_s": 3.0,
        "utc_s": 102.0,
    }
    assert {(one["domain"], *sorted(one)) for one in facts} == {("scent_field", "domain", "fields", "kind")}
    leases = [one["fields"] for one in facts if one["kind"] == "lease"]
    assert [lease[:5] for lease in leases] == [
        ["home", 1, "ada#1", ["a.py"], False],
        ["home", 2, "ada#1", ["b.py"], False],
    ]
    assert leases[0][9] == "é", "text is text"
    memory = next(one["fields"] for one in facts if one["kind"] == "memory")
    assert (memory[0], memory[2][0][1][0][:3]) == ("ada#1", ["granted", 2, ["b.py"]]), "answers are unpacked"


def test_there_is_the_hash_of_a_token_and_never_the_token(desk):
    text = "\n".join(lines_of(desk("full").fill("a.py")))
    assert hashlib.sha256(TOKEN.encode()).hexdigest() in text
    assert TOKEN not in text
    assert TOKEN.encode().hex() not in text


def test_the_same_state_gives_the_same_bytes_however_it_is_stored(desk, tmp_path):
    rows, folded = desk("rows").fill("a.py", "b.py", "c.py"), desk("folded").fill("a.py", "b.py", "c.py", fold_at=2)
    expected = lines_of(rows)
    assert lines_of(rows) == expected
    assert lines_of(folded) == expected
    place = rows.places()[0]
    compact(place.store, Kernel(place.make_machine()), run="r")
    assert lines_of(rows) == expected
    rows.journal().close()
    assert lines_of(rows) == expected, "a new epoch is no other state"
    backup = Backup(write_backup(tmp_path / "x", rows.places(), namespace="ns", version="1", now_utc_s=1.0).file)
    new = desk("new")
    restore(backup, new.places(), aside=tmp_path / "aside", may_replace=False)
    assert lines_of(new) == expected


def test_a_damaged_store_is_not_exported_in_part(desk):
    full = desk("full").fill("a.py", "b.py")
    with full.store().writing() as connection:
        connection.exec_driver_sql("UPDATE journal SET payload = x'00' WHERE seq = 3")
    lines = export_lines(full.places()[0])
    with pytest.raises(Corrupt, match="row 3 of 3 is damaged"):
        next(lines)
