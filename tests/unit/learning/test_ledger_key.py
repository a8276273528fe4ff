from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from actors.runtime.errors import Corrupt, Misuse
from coordinator.learning.ledger_key import KEY_FILE, PUBLIC_FILE, own_ledger_key, public_ledger_key


def test_a_key_is_drawn_once_and_its_public_half_verifies_what_it_signs(tmp_path: Path) -> None:
    key = own_ledger_key(tmp_path)
    assert own_ledger_key(tmp_path) == key
    public = Ed25519PublicKey.from_public_bytes(public_ledger_key(tmp_path / PUBLIC_FILE))
    public.verify(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key)).sign(b"a day"), b"a day")


def test_only_its_owner_can_read_the_private_key(tmp_path: Path) -> None:
    own_ledger_key(tmp_path)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "zz", "00ff"])
def test_a_file_that_holds_no_key_stops_and_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / KEY_FILE).write_text(text, encoding="ascii")
    with pytest.raises(Corrupt, match="does not hold the key that signs the ledger"):
        own_ledger_key(tmp_path)
    assert (tmp_path / KEY_FILE).read_text(encoding="ascii") == text


def test_a_public_key_that_is_not_there_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=PUBLIC_FILE):
        public_ledger_key(tmp_path / "nowhere")
