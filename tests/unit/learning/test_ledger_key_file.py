"""The key that signs the ledger: drawn once, never published, its public half beside it."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from actors.quality_store.factory import make_quality_store
from actors.runtime.errors import Corrupt, Misuse
from coordinator.learning.ledger_key import KEY_FILE, PUBLIC_FILE, own_ledger_key, public_ledger_key


def test_a_key_is_drawn_once_and_kept_where_only_its_owner_reads_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    key = own_ledger_key(state)
    assert own_ledger_key(state) == key
    assert len(bytes.fromhex(key)) == 32
    assert stat.S_IMODE((state / "ledger.key").stat().st_mode) == 0o600
    assert sorted(path.name for path in state.iterdir()) == ["ledger.key", "ledger.pub"]
    make_quality_store(ledger_key=key)  # raises for what is no key


def test_what_it_signs_verifies_with_the_public_file(tmp_path: Path) -> None:
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(own_ledger_key(tmp_path)))
    public = public_ledger_key(tmp_path / "ledger.pub")
    Ed25519PublicKey.from_public_bytes(public).verify(private.sign(b"a day"), b"a day")
    assert (tmp_path / "ledger.key").read_text("ascii").strip() not in (tmp_path / "ledger.pub").read_text("ascii")


def test_a_public_file_that_is_lost_or_another_is_made_anew(tmp_path: Path) -> None:
    own_ledger_key(tmp_path)
    path = tmp_path / "ledger.pub"
    public = path.read_bytes()
    for content in (None, b"", b"00" * 32, b"\xff"):
        path.unlink() if content is None else path.write_bytes(content)
        own_ledger_key(tmp_path)
        assert path.read_bytes() == public


def test_a_public_file_that_is_right_is_not_touched(tmp_path: Path) -> None:
    own_ledger_key(tmp_path)
    before = (tmp_path / "ledger.pub").stat()
    own_ledger_key(tmp_path)
    after = (tmp_path / "ledger.pub").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("content", [b"", b"zz", b"00" * 31, b"00" * 33, b"\xff" * 32])
def test_a_file_that_holds_no_key_is_corrupt_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.key"
    path.write_bytes(content)
    with pytest.raises(Corrupt, match=r"ledger\.key does not hold the key that signs the ledger .*move it away"):
        own_ledger_key(tmp_path)
    assert path.read_bytes() == content
    assert not (tmp_path / "ledger.pub").exists()


def test_the_message_does_not_repeat_the_key(tmp_path: Path) -> None:
    (tmp_path / "ledger.key").write_bytes(b"5ec2e7" * 11)
    with pytest.raises(Corrupt) as caught:
        own_ledger_key(tmp_path)
    assert "5ec2e7" not in str(caught.value)


def test_several_that_begin_at_one_time_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: own_ledger_key(tmp_path), range(16)))) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.key", "ledger.pub"]


@pytest.mark.parametrize("content", [None, b"", b"zz", b"00" * 31, b"00" * 40, b"\xff" * 64])
def test_a_file_without_a_public_key_is_misuse(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "some.pub"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Misuse, match=r"some\.pub' does not hold a ledger's public key .*name the ledger\.pub file"):
        public_ledger_key(path)


def test_the_public_key_of_a_lost_key_is_kept_for_the_days_that_it_signed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own_ledger_key(tmp_path)
    before = (tmp_path / PUBLIC_FILE).read_text()
    (tmp_path / KEY_FILE).unlink()
    own_ledger_key(tmp_path)
    assert (tmp_path / PUBLIC_FILE).read_text() != before
    (kept,) = tmp_path.glob("ledger-*.pub")
    assert kept.name == f"ledger-{before[:8]}.pub"
    assert kept.read_text() == before
    assert str(kept) in caplog.text
