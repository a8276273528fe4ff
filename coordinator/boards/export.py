"""Puts the boards' files into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from actors.runtime.errors import Misuse
from coordinator.folder import write_whole


def export_files(files: Mapping[str, str], folder: Path, *, may_replace: bool) -> list[str]:
    """Write `files` below `folder`, and make the folders; returns the names of those that were written.

    A file that says the same already is left alone. Raises `Misuse` before anything is written if one says something
    else, unless it may be replaced; and for a folder that cannot be made or written to.
    """
    differing = [name for name, text in files.items() if _differs(folder / name, text)]
    kept = [name for name in differing if (folder / name).exists()]
    if kept and not may_replace:
        raise Misuse(
            f"{str(folder / kept[0])!r}{_and_more(len(kept) - 1)} would be overwritten: say --replace, or name another "
            "folder"
        )
    for name in differing:
        _make_folder((folder / name).parent)
        write_whole(folder / name, files[name].encode())
    return differing


def _differs(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() != text.encode()
    except FileNotFoundError:
        return True
    except OSError as error:
        raise Misuse(f"{str(path)!r} cannot be a file of the boards ({error.strerror}): name another folder") from error


def _and_more(n: int) -> str:
    return "" if n == 0 else f" and {n} more file{'s' if n > 1 else ''}"


def _make_folder(path: Path) -> None:
    """As everybody makes folders: a Grafana that runs as somebody else has to read what lies there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"{str(path)!r} cannot be a folder ({error.strerror}): name another") from error
