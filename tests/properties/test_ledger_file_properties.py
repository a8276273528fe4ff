"""Whatever is done to an exported ledger is noticed: bytes, lines, their order, their ends, other keys."""

from __future__ import annotations

import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import example, given
from hypothesis import strategies as st

from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.ledger_chain import n_before, verify_chain
from actors.quality_store.ledger_record import LedgerRecord, content_of, digest_of
from actors.quality_store.row import LedgerRow
from actors.runtime.errors import Misuse
from coordinator.efficacy.ledger_file import line_of, records_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
PUBLIC = KEY.public_key().public_bytes_raw()
N_DAYS = 5
FIRST_DAY = 19_675


def ledger(key: Ed25519PrivateKey = KEY, first_saved: int = 900) -> list[LedgerRecord]:
    """Five days, the last of which is open; `first_saved` tokens were saved on the first."""
    records: list[LedgerRecord] = []
    for number in range(1, N_DAYS + 1):
        saved = first_saved if number == 1 else 900
        row = LedgerRow("py", "map", "", 1, 1, 100, saved, *([0] * (len(LedgerRow._fields) - 7)))
        facts = DayFacts(FIRST_DAY + number, (row,))
        previous = records[-1].digest if records else b""
        content = content_of(number, previous, facts, is_open=number == N_DAYS)
        records.append(LedgerRecord(facts.day, content, digest_of(content), key.sign(content)))
    return records


RECORDS = ledger()
LINES = [json.dumps(line_of(record), sort_keys=True).encode() for record in RECORDS]
WHOLE = b"\n".join(LINES) + b"\n"


def is_trusted(raw: bytes, *, last_digest: bytes | None = None) -> bool:
    """Whether a file verifies, as `ledger verify` has it."""
    try:
        records = records_of(raw, "ledger.jsonl")
    except Misuse:
        return False
    return bool(records) and not verify_chain(records, PUBLIC, last_digest=last_digest)


def test_the_ledger_as_it_is_verifies() -> None:
    assert is_trusted(WHOLE, last_digest=RECORDS[-1].digest)


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_no_byte_can_be_another(place: int, flip: int) -> None:
    """But for the spelling of JSON, which says the same: then the records are the same."""
    changed = bytearray(WHOLE)
    changed[place] ^= flip
    if is_trusted(bytes(changed)):
        assert records_of(bytes(changed), "") == RECORDS


@given(st.lists(st.integers(0, N_DAYS - 1), max_size=N_DAYS + 2))
@example([])
@example([0, 1, 2, 3, 3])
@example([1, 0, 2, 3, 4])
def test_of_all_choices_of_lines_only_an_unbroken_part_verifies_and_its_ends_are_noticed(places: list[int]) -> None:
    raw = b"".join(LINES[place] + b"\n" for place in places)
    is_part = bool(places) and places == list(range(places[0], places[-1] + 1))
    assert is_trusted(raw) == is_part
    assert is_trusted(raw, last_digest=RECORDS[-1].digest) == (is_part and places[-1] == N_DAYS - 1)
    if is_part:
        assert n_before(records_of(raw, "")) == places[0]


@given(
    st.integers(0, N_DAYS - 1), st.integers(0, N_DAYS - 1), st.sampled_from(("day", "content", "digest", "signature"))
)
def test_no_field_of_one_day_can_be_put_into_another(one: int, other: int, name: str) -> None:
    lines = [json.loads(line) for line in LINES]
    lines[one][name] = lines[other][name]
    assert is_trusted("".join(json.dumps(line) + "\n" for line in lines).encode()) == (one == other)


@given(st.integers(1, N_DAYS), st.sampled_from((KEY, OTHER_KEY)), st.sampled_from((900, 901)))
def test_days_that_were_made_anew_do_not_fit_those_that_were_not(
    n_new: int, key: Ed25519PrivateKey, saved: int
) -> None:
    """Who has the key can make all days anew, and no one else any; nobody can make some of them anew."""
    new = ledger(key, saved)
    records = [*new[:n_new], *RECORDS[n_new:]]
    is_same = key is KEY and (saved == 900 or n_new == N_DAYS)
    assert (verify_chain(records, PUBLIC) == ()) == is_same
