"""Makes the machine of the actor `quality_store` from plain options, as they cross to its process."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore

KEY_BYTES = 32


def make_quality_store(*, ledger_key: bytes | str | None = None, **limits: float) -> QualityStore:
    """An empty machine; `limits` by the names of `Limits`.

    `ledger_key` is the Ed25519 private key that signs the ledger's closed days: 32 raw bytes, or the same in hex (a
    child process gets its options as JSON). Without one they are unsigned, and `ledger_chain` says so. Raises
    `ValueError` for any other key.
    """
    sign = None if not ledger_key else _private_key(ledger_key).sign
    return QualityStore(Limits(**limits), sign=sign)  # type: ignore[arg-type]  # plain numbers by name


def _private_key(key: bytes | str) -> Ed25519PrivateKey:
    raw = bytes.fromhex(key) if isinstance(key, str) else key
    if len(raw) != KEY_BYTES:
        raise ValueError(f"the ledger's key has {len(raw)} bytes: give the {KEY_BYTES} raw bytes of an Ed25519 key")
    return Ed25519PrivateKey.from_private_bytes(raw)
