"""What the newest days add up to: the same from the running store and from the records that it has signed."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from actors.quality_store.account import AccountRow
from actors.quality_store.evidence import DaySaving, WeekRow, evidence_of
from actors.quality_store.ledger_chain import verify_chain
from actors.quality_store.ledger_record import fields_of
from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import GetEvidence, GetLedger, RecordAccount, RecordOutcome, RecordRead, RecordTrial
from actors.runtime.machine import NOBODY, Caller, Now

ADA = Caller("ada#1")
DAY_S = 86_400.0
DAY = 19_675
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def at(day, seconds=0.0):
    return Now(0.0, day * DAY_S + seconds)


def busy_days(n_days):
    """A store that has seen a bit of everything on each day; the last one is open."""
    store = QualityStore(Limits(ledger_days=30), sign=KEY.sign)
    for number in range(n_days):
        now = at(DAY + number, 5.0)
        store.expire(now)
        path, arms = f"{number}.py", ("edit_penalty",) if number % 3 == 0 else ()
        command = RecordRead("home", path, "map", "auto", 100, 1_000, arms=arms, layers=("edit_penalty",))
        store.perform(ADA, command, now)
        store.perform(ADA, RecordOutcome("home", path, "map", "failure", "not_shown", 30), now)
        store.perform(ADA, RecordOutcome("home", path, "", "failure", "claimed"), now)
        store.perform(ADA, RecordRead("home", path, "full", "explicit", 1_000, 1_000), now)
        store.perform(ADA, RecordTrial("lessons", number % 2 == 0, 3, 1), now)
        store.perform(NOBODY, RecordAccount("memory@1", (AccountRow("playbook_lasting", "", number),)), now)
    return store


def records_of(store, last_day):
    page = store.perform(NOBODY, GetLedger(0, 1_000), at(last_day))
    return [*page.records, *([page.open_day] if page.open_day else [])]


def test_the_records_alone_say_the_same_as_the_running_store():
    store, last = busy_days(40), DAY + 39
    records = records_of(store, last)
    assert verify_chain(records, KEY.public_key().public_bytes_raw()) == ()
    days = [fields_of(record.content).facts(record.day) for record in records]
    assert len(days) == 40
    told = store.perform(NOBODY, GetEvidence(30), at(last))
    assert evidence_of(days, last) == told
    assert {(arm.layer, arm.side) for arm in told.arms} == {
        (layer, side) for layer in ("edit_penalty", "lessons") for side in ("treatment", "holdout")
    }
    assert [tuple(row) for row in told.edits] == [("py", "map", "not_shown", 30), ("py", "none", "claimed", 30)]
    assert told.account == (AccountRow("playbook_lasting", "", 39),)
    assert told.n_net_tokens == 30 * (900 - 30 - 1_000)


def test_an_open_day_is_signed_as_one_and_can_only_be_the_last():
    store = busy_days(2)
    closed, today = records_of(store, DAY + 1)
    assert [fields_of(record.content).is_open for record in (closed, today)] == [False, True]
    store.expire(at(DAY + 2))
    later = records_of(store, DAY + 2)
    assert [fields_of(record.content).is_open for record in later] == [False, False]
    public = KEY.public_key().public_bytes_raw()
    assert verify_chain(later, public) == ()
    (fault,) = verify_chain([later[0], today, later[1]], public)[:1]
    assert (fault.day, fault.kind) == ("2023-11-15", "changed")


def test_weeks_are_the_last_seven_days_and_the_seven_before():
    store = busy_days(16)
    told = store.perform(NOBODY, GetEvidence(30), at(DAY + 15))
    # The full read that followed the failed edit is no bounce: the view had ended.
    assert (told.this_week, told.week_before) == (WeekRow(7, 0), WeekRow(7, 0))
    assert store.perform(NOBODY, GetEvidence(10), at(DAY + 15)).week_before == WeekRow(3, 0)
    assert told.days[0] == DaySaving("2023-11-14", 1, 0, 900 - 30 - 1_000)


def test_days_without_anything_count_as_nothing():
    told = QualityStore().perform(NOBODY, GetEvidence(30), at(DAY))
    assert (told.last_day, told.n_days, told.n_net_tokens) == ("2023-11-14", 30, 0)
    assert (told.edits, told.arms, told.account, told.days) == ((), (), (), ())
