"""The gateway's token: a file in the state folder that only its owner can read, drawn on first use."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path
from typing import Final

from actors.runtime.errors import Corrupt, Misuse

TOKEN_VARIABLE: Final = "SCENTFIELD_GATEWAY_TOKEN"
FILE_NAME: Final = "gateway.token"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{32,128}")


def own_token(state_dir: Path) -> str:
    """The token of this state folder; draws it where there is none. Raises as `read_token`."""
    import secrets  # slow to load, as is the next, and who only reads is waited for

    from coordinator.folder import private_folder, write_private

    path = private_folder(state_dir) / FILE_NAME
    with contextlib.suppress(FileExistsError):
        write_private(path, secrets.token_urlsafe(32).encode())
    return read_token(state_dir)


def read_token(state_dir: Path) -> str:
    """The token that is there; empty where there is none.

    Raises `Misuse` for a file that others can read, and `Corrupt` for one that holds no token.
    """
    path = state_dir / FILE_NAME
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read(1_024).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Misuse(f"the gateway's token {path} cannot be read ({error.strerror}): see who owns it") from error
    if mode & 0o077:
        raise Misuse(f"the gateway's token {path} has mode {mode:04o}, so others know it: delete it, and run `up` anew")
    if not _TOKEN.fullmatch(text):
        raise Corrupt(f"{path} does not hold a token: delete it, and `scentfield up` draws another")
    return text
