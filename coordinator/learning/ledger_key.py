"""The key that signs the read ledger's closed days: Ed25519, made once, kept beside the state.

The private key never leaves this user's files but for the quality store's process; the public one may go anywhere, and
whoever has it can verify an exported ledger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from actors.runtime.errors import Corrupt
from coordinator.folder import private_folder, write_private

KEY_FILE: Final = "ledger.key"
PUBLIC_FILE: Final = "ledger.pub"


def own_ledger_key(state_dir: Path) -> str:
    """The private key in hex, drawn on first use; writes the public one beside it. Raises `Corrupt` for no key."""
    path = private_folder(state_dir) / KEY_FILE
    if not path.exists():
        write_private(path, Ed25519PrivateKey.generate().private_bytes_raw().hex().encode() + b"\n")
    key = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        public = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key)).public_key()
    except ValueError as error:
        raise Corrupt(
            f"{path} does not hold the key that signs the ledger ({error}): bring it back, or move it away; days that "
            "are signed by a new key verify with the new one only"
        ) from error
    (state_dir / PUBLIC_FILE).write_text(public.public_bytes_raw().hex() + "\n", encoding="ascii")
    return key


def public_ledger_key(path: Path) -> bytes:
    """The 32 bytes of the public key in a file. Raises `Corrupt` for a file that holds none."""
    try:
        raw = bytes.fromhex(path.read_text(encoding="ascii").strip())
        Ed25519PublicKey.from_public_bytes(raw)
    except (OSError, ValueError) as error:
        raise Corrupt(f"{path} does not hold a ledger's public key ({error}): name the {PUBLIC_FILE} file") from error
    return raw
