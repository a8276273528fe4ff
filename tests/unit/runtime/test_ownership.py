from __future__ import annotations

import pytest

from actors.runtime.errors import Corrupt
from actors.runtime.journal import Fenced, Journal
from actors.runtime.machine import Now
from actors.runtime.ownership import NotTheOwner, adopt, check_owner
from actors.runtime.store import Store, sqlite_url


@pytest.fixture
def store(tmp_path):
    return Store(sqlite_url(tmp_path / "field.sqlite3"), "house.field")


def take(store: Store, owner: str, recorded: str | None = None) -> str:
    return adopt(store, owner=owner, new_store_id="first", recorded_store_id=recorded)


def test_a_new_store_is_made_once_and_keeps_its_identity(store):
    assert take(store, "ann") == "first"
    assert adopt(store, owner="bob", new_store_id="second", recorded_store_id="first") == "first"


def test_a_store_that_is_gone_or_another_is_not_replaced(store, tmp_path):
    with pytest.raises(Corrupt, match="nothing is there"):
        take(store, "ann", recorded="known")
    assert list(tmp_path.iterdir()) == []
    take(store, "ann")
    with pytest.raises(Corrupt, match="store first is there"):
        take(store, "bob", recorded="known")
    check_owner(store, "ann")


def test_only_the_last_to_adopt_a_store_may_open_it(store):
    take(store, "ann")
    check_owner(store, "ann")
    take(store, "bob", recorded="first")
    check_owner(store, "bob")
    with pytest.raises(NotTheOwner, match="another coordinator"):
        check_owner(store, "ann")


def test_a_writer_that_was_overtaken_cannot_come_back(store):
    take(store, "ann")
    first = Journal.open(store, new_store_id="", expected_store_id="first")
    first.append(b"one", Now(1.0, 1.0))
    take(store, "bob", recorded="first")
    second = Journal.open(Store(store.url, store.domain), new_store_id="", expected_store_id="first")
    with pytest.raises(Fenced):
        first.append(b"two", Now(2.0, 2.0))
    with pytest.raises(NotTheOwner):
        check_owner(store, "ann")
    second.append(b"three", Now(3.0, 3.0))
    second.close()


def test_rows_of_two_namespaces_in_one_file_do_not_meet(store):
    other = Store(store.url, "other.field")
    take(store, "ann")
    assert adopt(other, owner="bob", new_store_id="second", recorded_store_id=None) == "second"
    check_owner(store, "ann")
    check_owner(other, "bob")
