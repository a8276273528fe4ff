"""The key that signs the read ledger's closed days: Ed25519, made once, kept beside the state.

The private key never leaves this user's files but for the quality store's process; the public one may go anywhere, and
whoever has it can verify an exported ledger.
"""

from __future__ import annotations

import contextlib
import logging
import re
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from actors.runtime.errors import Corrupt, Misuse
from coordinator.folder import private_folder, write_private

KEY_FILE: Final = "ledger.key"
PUBLIC_FILE: Final = "ledger.pub"
_MAX_FILE_CHARACTERS: Final = 1_024
_PUBLIC_KEY: Final = re.compile(r"[0-9a-f]{64}")
_log = logging.getLogger("scentfield.learning")


def own_ledger_key(state_dir: Path) -> str:
    """The private key in hex, drawn on first use; writes the public one beside it. Raises `Corrupt` for no key."""
    path = private_folder(state_dir) / KEY_FILE
    try:
        if not path.exists():
            with contextlib.suppress(FileExistsError):  # another process was first
                write_private(path, Ed25519PrivateKey.generate().private_bytes_raw().hex().encode() + b"\n")
        key = _text(path)
        public = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key)).public_key()
    except (OSError, ValueError) as error:
        raise Corrupt(
            f"{path} does not hold the key that signs the ledger ({error}): bring it back, or move it away; days that "
            "are signed by a new key verify with the new one only"
        ) from error
    _publish(state_dir / PUBLIC_FILE, public.public_bytes_raw().hex())
    return key


def _publish(path: Path, public: str) -> None:
    """Put the public key into its file, unless it is there. Another one that is there verifies older days: it stays."""
    with contextlib.suppress(OSError, ValueError):
        before = _text(path)
        if before == public:
            return
        if _PUBLIC_KEY.fullmatch(before):
            kept = path.with_name(f"ledger-{before[:8]}.pub")
            path.replace(kept)
            _log.warning(
                "the key that signs the ledger is a new one: days that were signed before verify with %s", kept
            )
    write_private(path, public.encode() + b"\n", may_replace=True)


def public_ledger_key(path: Path) -> bytes:
    """The 32 bytes of the public key in a file. Raises `Misuse` for a file that holds none."""
    try:
        raw = bytes.fromhex(_text(path))
        Ed25519PublicKey.from_public_bytes(raw)
    except (OSError, ValueError) as error:
        raise Misuse(
            f"{str(path)!r} does not hold a ledger's public key ({error}): name the {PUBLIC_FILE} file of the data "
            "folder where the ledger was written"
        ) from error
    return raw


def _text(path: Path) -> str:
    """The start of a file without blanks around it. Raises `OSError`, and `ValueError` for what is not ASCII."""
    with path.open(encoding="ascii") as file:
        return file.read(_MAX_FILE_CHARACTERS).strip()
