import json
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.factory import make_quality_store
from actors.quality_store.ledger_chain import Fault, verify_chain
from actors.quality_store.ledger_record import LedgerRecord, content_of, digest_of, fields_of
from actors.quality_store.messages import GetLedger, RecordRead
from actors.runtime.machine import NOBODY, Caller, Now

KEY = bytes(range(32))
PUBLIC_KEY = Ed25519PrivateKey.from_private_bytes(KEY).public_key().public_bytes_raw()
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
DAY = 19_675  # 2023-11-14


def closed_days(n_days, key=KEY, **limits):
    store = make_quality_store(ledger_key=key, **limits)
    for day in range(DAY, DAY + n_days + 1):
        store.perform(Caller("ada#1"), RecordRead("home", "a.rs", "map", "", 10, 100), Now(0.0, day * 86_400.0))
    return list(store.perform(NOBODY, GetLedger(0, 1000), Now(0.0, 0.0)).records)


def faults(records, key=PUBLIC_KEY, **more):
    return [(fault.day, fault.kind) for fault in verify_chain(records, key, **more)]


def forged(record, **changes):
    """The record with other fields, and a digest that fits them."""
    content = json.dumps(json.loads(record.content) | changes, sort_keys=True, separators=(",", ":")).encode()
    return record._replace(content=content, digest=digest_of(content))


def test_a_ledger_that_nobody_touched_has_no_fault():
    records = closed_days(5)
    assert verify_chain(records, PUBLIC_KEY, last_digest=records[-1].digest) == ()
    assert verify_chain([], PUBLIC_KEY) == verify_chain([], PUBLIC_KEY, last_digest=b"") == ()


def test_a_changed_row_is_found():
    records = closed_days(4)
    records[1] = records[1]._replace(content=records[1].content.replace(b",90,", b",91,"))
    assert faults(records) == [("2023-11-15", "changed"), ("2023-11-15", "wrong_signature")]


def test_a_changed_row_with_a_digest_made_for_it_is_found():
    records = closed_days(4)
    records[1] = forged(records[1], rows=[])
    assert faults(records) == [("2023-11-15", "wrong_signature"), ("2023-11-15", "changed")]


def test_a_changed_row_signed_anew_by_the_key_s_owner_breaks_the_chain():
    records = closed_days(4)
    changed = forged(records[1], rows=[])
    records[1] = changed._replace(signature=Ed25519PrivateKey.from_private_bytes(KEY).sign(changed.content))
    assert verify_chain(records, PUBLIC_KEY) == (
        Fault("2023-11-15", "changed", "the record of 2023-11-16 was chained to another one than this"),
    )


def test_missing_days_are_found_and_counted():
    records = closed_days(6)
    del records[2:4]
    (fault,) = verify_chain(records, PUBLIC_KEY)
    assert fault[:2] == ("2023-11-18", "missing")
    assert "between 2023-11-15 and 2023-11-18 the records of 2 closed days are missing" in fault.message


def test_a_missing_end_is_found_by_who_knows_the_last_digest():
    records = closed_days(3)
    last = records.pop().digest
    assert faults(records) == []
    assert faults(records, last_digest=last) == [("2023-11-15", "missing")]
    assert faults([], last_digest=last) == [("the first day", "missing")]


def test_days_in_another_order_are_found():
    records = closed_days(4)
    records[1], records[2] = records[2], records[1]
    assert faults(records) == [("2023-11-15", "reordered")]


def test_a_day_that_stands_there_twice_is_found():
    records = closed_days(3)
    assert faults([*records[:2], records[1], records[2]]) == [("2023-11-15", "reordered")]


def test_a_wrong_signature_is_found():
    records = closed_days(3)
    records[2] = records[2]._replace(signature=records[1].signature)
    assert faults(records) == [("2023-11-16", "wrong_signature")]
    assert faults(closed_days(2), OTHER_KEY) == [("2023-11-14", "wrong_signature"), ("2023-11-15", "wrong_signature")]


def test_an_unsigned_day_is_found():
    assert faults(closed_days(2, key=None)) == [("2023-11-14", "unsigned"), ("2023-11-15", "unsigned")]


def test_a_record_under_another_day_is_found():
    records = closed_days(2)
    records[1] = records[1]._replace(day=DAY + 9)
    assert faults(records) == [("2023-11-15", "changed")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"version":2}',
        b'{"version":3}',
        b'{"version":true}',
        b'{"version":1}',
        content_of(1, b"", DayFacts(DAY)).replace(b'"previous":""', b'"previous":"xyz"'),
        content_of(1, b"", DayFacts(DAY)).replace(b'"number":1', b'"number":1.5'),
        content_of(1, b"", DayFacts(DAY)).replace(b'"rows":[]', b'"rows":[[]]'),
        content_of(1, b"", DayFacts(DAY)).replace(b'"rows":[]', b'"rows":[["a","b","",1,1,1,1,1,1,1,1,1,0.5]]'),
        content_of(1, b"", DayFacts(DAY)).replace(b'"edits":[]', b'"edits":[["py","map","applied","1"]]'),
        content_of(1, b"", DayFacts(DAY)).replace(
            b'"trials":[]', b'"trials":[["magic","loss_rate","holdout",1,1,1,1,1,1]]'
        ),
        content_of(1, b"", DayFacts(DAY)).replace(b'"account":[]', b'"account":{}'),
        content_of(1, b"", DayFacts(DAY), is_open=True).replace(b'"open":true', b'"open":1'),
    ],
)
def test_bytes_that_are_no_record_are_a_fault_and_no_crash(content):
    record = LedgerRecord(DAY, content, digest_of(content), Ed25519PrivateKey.from_private_bytes(KEY).sign(content))
    assert faults([record]) == [("2023-11-14", "changed")]


def test_a_number_far_off_is_told_at_once():
    records = closed_days(2)
    records[1] = forged(records[1], number=10**18)
    assert ("2023-11-15", "missing") in faults(records)


def test_what_is_left_after_pruning_can_be_verified():
    records = closed_days(10, max_records=4)
    assert [fields_of(record.content).number for record in records] == [7, 8, 9, 10]
    assert fields_of(records[0].content).previous == closed_days(10)[5].digest
    assert verify_chain(records, PUBLIC_KEY) == ()


def test_a_public_key_that_is_none_is_refused():
    with pytest.raises(ValueError, match="32 bytes"):
        verify_chain([], b"short")


def test_the_same_key_in_hex_signs_the_same():
    assert closed_days(2, key=KEY.hex()) == closed_days(2)


@pytest.mark.parametrize("key", [b"short", "abcd", "not hex"])
def test_a_private_key_that_is_none_is_refused(key):
    with pytest.raises(ValueError, match=r"32 raw bytes|hexadecimal"):
        make_quality_store(ledger_key=key)


def test_verifying_needs_neither_ray_nor_a_database():
    code = (
        "import sys, actors.quality_store.ledger_chain\n"
        "print([name for name in ('ray', 'sqlalchemy', 'asyncio') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "[]\n"
