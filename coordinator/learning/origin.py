"""Who this machine is among those that share what they have learned.

An origin is an opaque random name, kept in the data folder. Two machines must never learn under one name: so the
file also says which file it is (machine and inode), and a copy of the folder, another file, draws a name of its own.
"""

from __future__ import annotations

import json
import secrets
import socket
from hashlib import sha256
from pathlib import Path
from typing import Final

from actors.runtime.errors import Corrupt
from coordinator.folder import private_folder, write_private

ORIGIN_FILE: Final = "origin.json"
_MACHINE_IDS: Final = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


def own_origin(state_dir: Path) -> str:
    """The origin of this data folder, 16 hexadecimal digits, drawn on first use and again in a copied folder.

    Raises `Corrupt` for a file that does not hold one: drawing another would split what was learned.
    """
    path = private_folder(state_dir) / ORIGIN_FILE
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        origin, place = str(kept["origin"]), str(kept["place"])
        int(origin, 16)
    except FileNotFoundError:
        return _drawn(path)
    except (KeyError, TypeError, ValueError) as error:
        raise Corrupt(
            f"{path} does not hold this machine's origin ({error}): bring it back, or remove it to begin as a new one"
        ) from error
    return origin if place == _place(path) else _drawn(path)


def _drawn(path: Path) -> str:
    """A new origin, written into the file that it is about."""
    path.unlink(missing_ok=True)
    write_private(path, b"")
    origin = secrets.token_hex(8)
    path.write_text(json.dumps({"origin": origin, "place": _place(path)}) + "\n", encoding="utf-8")
    return origin


def _place(path: Path) -> str:
    """Which file on which machine this is; only its hash is kept."""
    return sha256(f"{_machine_id()}\0{path.stat().st_ino}".encode()).hexdigest()[:16]


def _machine_id() -> str:
    for path in _MACHINE_IDS:
        if path.is_file():
            return path.read_text(encoding="utf-8").strip()
    return socket.gethostname()
