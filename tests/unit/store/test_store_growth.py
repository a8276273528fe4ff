"""What a store holds stays bounded, however long it is written to; nobody has to vacuum it."""

from collections import Counter
from contextlib import closing

import pytest
import sqlalchemy as sa

from actors.coordination.factory import make_coordination
from actors.coordination.messages import SCHEMA
from actors.runtime.compaction import compact
from actors.runtime.errors import Corrupt
from actors.runtime.journal import Journal
from actors.runtime.kernel import Kernel
from actors.runtime.machine import Now
from actors.runtime.store import Store, sqlite_url
from actors.runtime.table import snapshot_table
from actors.runtime.wire import pack, unpack
from actors.scent_field.messages import Claim, Release
from actors.sessions.messages import Register

TOKEN = "a" * 16
N_LIVE = 40
N_ENDED = 4_096  # what a space remembers of claims that are over


class Work:
    """An agent that claims and releases for ever, with `N_LIVE` claims at a time; half of them change in each row."""

    def __init__(self, journal):
        self.journal = journal
        self.kernel = Kernel(make_coordination())
        self.number = 0
        self.ask("", Register("ada", TOKEN, "", "decay", 30.0))

    def ask(self, session_id, *commands):
        number, self.number = self.number, self.number + 1
        wired = [SCHEMA.wire_of(command) for command in commands]
        wire = pack([session_id, TOKEN, number, max(0, number - 1), [], wired])
        now = Now(1.0 + number / 100, 100.0 + number / 100)
        turn = self.kernel.turn([(number, unpack(wire))], now)
        self.journal.append(pack([*now, self.kernel.events.pack_form(turn.events)]), now)

    def step(self, number):
        n_new = N_LIVE // 2
        paths = [f"src/module_{number * n_new + one}.py" for one in range(-N_LIVE, n_new)]
        claims = [Claim("home", (path,), "exclusive", 0.0, "x" * 200) for path in paths[N_LIVE:]]
        releases = [Release("home", (path,), 0, done=False) for path in paths[:n_new]] if number >= 2 else []
        self.ask("ada#1", *claims, *releases)


def n_pages(store):
    with closing(store.engine.connect()) as connection:
        return connection.exec_driver_sql("PRAGMA page_count").scalar_one()


@pytest.mark.parametrize("n_rows", [360, pytest.param(20_000, marks=pytest.mark.soak)])
def test_a_store_stays_as_large_as_its_first_compactions_made_it(tmp_path, n_rows):
    sizes = []
    with (
        closing(Store(sqlite_url(tmp_path / "x.sqlite3"), "scent_field")) as store,
        closing(Journal.open(store, new_store_id="s1")) as journal,
    ):
        work = Work(journal)
        for number in range(n_rows):
            work.step(number)
            if number % 30 == 29:
                compact(store, Kernel(make_coordination()), run=f"r{number}")
                sizes.append(n_pages(store))
        kinds = Counter(part[0] for part in work.kernel.snapshot())
        with store.view() as view:
            assert view.head().seq - view.snapshot_seq() <= 30
    assert (kinds["lease"], kinds["ended_claim"]) == (N_LIVE, N_ENDED), "the state has reached its bounds"
    warm = N_ENDED // (N_LIVE // 2) // 30 + 2
    assert max(sizes[warm:]) <= 1.05 * sizes[warm - 1], sizes
    assert (tmp_path / "x.sqlite3-wal").exists() is False


def test_compactions_that_die_half_way_leave_no_more_than_one_of_them_did(tmp_path):
    with closing(Store(sqlite_url(tmp_path / "x.sqlite3"), "scent_field")) as store:
        with closing(Journal.open(store, new_store_id="s1")) as journal:
            journal.append(b"x", Now(1.0, 1.0))

        def dies():
            for number in range(5):
                yield ["part", number, "x" * 300_000]
            raise KeyboardInterrupt

        counts = []
        for number in range(6):
            with pytest.raises(KeyboardInterrupt):
                store.write_snapshot(1, dies(), run=f"dead{number}")
            with store.writing() as connection:
                counts.append(connection.scalar(sa.select(sa.func.count()).select_from(snapshot_table)))
        assert counts == [5] * 6


def test_a_writer_whose_parts_another_removed_gives_up(tmp_path):
    """Two at once: the first would give its head to parts that are gone."""
    with closing(Store(sqlite_url(tmp_path / "x.sqlite3"), "scent_field")) as store:
        with closing(Journal.open(store, new_store_id="s1")) as journal:
            journal.append(b"x", Now(1.0, 1.0))

        def second_starts():
            yield ["part", "x" * 300_000]
            with pytest.raises(Corrupt):
                store.write_snapshot(1, fails(), run="second")
            yield ["part"]

        def fails():
            raise Corrupt("the second ends without a head")
            yield

        assert not store.write_snapshot(1, second_starts(), run="first")
        with store.view() as view:
            assert view.snapshot_seq() == 0
