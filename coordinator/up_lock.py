"""One at a time on a state folder: two `up` that find no head would start two, and a `restore` must not meet one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from coordinator.editing.file_lock import locked
from coordinator.folder import private_folder

MAX_WAIT_S: Final = 180.0


@contextmanager
def up_lock(state_dir: Path) -> Iterator[None]:
    """Hold it for the block. Raises `Busy` if somebody else does for three minutes."""
    with locked(private_folder(state_dir) / "up.lock", MAX_WAIT_S):
        yield
