"""Hashes pinned at first use: what was trusted once is what is used from then on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from actors.embedding.model_folder import write_whole
from actors.runtime.errors import Corrupt

_VERSION: Final = 1


class Pins:
    """The file `pins.json`: model -> file -> SHA-256. Read at each question, so that a person may edit it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self, model: str, file: str, sha256: str) -> bool:
        """Whether the file of this model is pinned. Raises `Corrupt` with both hashes if it is with another one."""
        pinned = self._read().get(model, {}).get(file, "")
        if pinned not in ("", sha256):
            raise Corrupt(
                f"{file} of {model} has changed: SHA-256 {pinned} was pinned at first use, now it is {sha256}. It is "
                f"not used. To trust it all the same, remove {model!r} from {self._path}"
            )
        return bool(pinned)

    def pin(self, model: str, sha256: Mapping[str, str]) -> None:
        """Trust these hashes, by file, from now on."""
        pins = self._read()
        pins[model] = {**pins.get(model, {}), **sha256}
        self._write(pins)

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            told = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (RecursionError, ValueError) as error:
            raise self._unreadable(str(error)) from error
        if not isinstance(told, dict) or told.get("version") != _VERSION or not _are_pins(told.get("pins")):
            raise self._unreadable(f"it is not of version {_VERSION}")
        pins: dict[str, dict[str, str]] = told["pins"]
        return pins

    def _unreadable(self, why: str) -> Corrupt:
        return Corrupt(
            f"{self._path} cannot be read ({why}), so no model can be trusted: repair it, or remove it to trust what "
            "is there now"
        )

    def _write(self, pins: dict[str, dict[str, str]]) -> None:
        content = json.dumps({"version": _VERSION, "pins": pins}, indent=2, sort_keys=True).encode() + b"\n"
        if not self._path.exists() or self._path.read_bytes() != content:
            write_whole(self._path, content)


def _are_pins(told: object) -> bool:
    return isinstance(told, dict) and all(
        isinstance(files, dict) and all(isinstance(sha256, str) for sha256 in files.values()) for files in told.values()
    )
