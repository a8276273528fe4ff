"""Who this machine is among those that share what they have learned.

An origin is an opaque random name, kept in the data folder. Two machines must never learn under one name: so the
file also says which file it is (machine and inode), and a copy of the folder, another file, draws a name of its own.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from hashlib import sha256
from pathlib import Path
from typing import Final

from actors.runtime.errors import Corrupt
from actors.thresholds.name import check_origin
from coordinator.folder import private_folder, write_private

ORIGIN_FILE: Final = "origin.json"
_MACHINE_IDS: Final = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


def own_origin(state_dir: Path) -> str:
    """The origin of this data folder, 16 hexadecimal digits, drawn on first use and again in a copied folder.

    Raises `Corrupt` for a file that does not hold one: drawing another would split what was learned.
    """
    path = private_folder(state_dir) / ORIGIN_FILE
    kept = _kept(path)
    if kept is None:
        try:
            return _drawn(path)
        except FileExistsError:  # another process was first
            kept = _kept(path)
    return kept or _drawn(path, may_replace=True)


def _kept(path: Path) -> str | None:
    """The origin that the file holds; "" if it is the copy of another file, None where there is no file."""
    try:
        kept = json.loads(path.read_bytes())
        origin, place = str(kept["origin"]), str(kept["place"])
        check_origin(origin)
        return origin if place == _place(path.stat()) else ""
    except FileNotFoundError:
        return None
    except (KeyError, OSError, RecursionError, TypeError, ValueError) as error:
        raise Corrupt(
            f"{path} does not hold this machine's origin ({error}): bring it back, or remove it to begin as a new one"
        ) from error


def _drawn(path: Path, *, may_replace: bool = False) -> str:
    """A new origin, written into the file that it is about."""
    origin = secrets.token_hex(8)

    def content(status: os.stat_result) -> bytes:
        return json.dumps({"origin": origin, "place": _place(status)}).encode() + b"\n"

    write_private(path, content, may_replace=may_replace)
    return origin


def _place(status: os.stat_result) -> str:
    """Which file on which machine this is; only its hash is kept."""
    return sha256(f"{_machine_id()}\0{status.st_ino}".encode()).hexdigest()[:16]


def _machine_id() -> str:
    for path in _MACHINE_IDS:
        if path.is_file() and (machine_id := path.read_text(encoding="utf-8").strip()):
            return machine_id
    return socket.gethostname()
