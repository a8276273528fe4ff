"""What a model's name means: `static`, `minilm`, `file:DIR`, `hf:org/repo@revision`, or `off`. Touches no file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from actors.runtime.errors import Misuse

OFF: Final = "off"
STATIC: Final = "static"
MINILM: Final = "minilm"
DEFAULT_REVISION: Final = "main"
_PART: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
_HUB_NAME: Final = re.compile(rf"({_PART})/({_PART})(?:@({_PART}))?")
_KNOWN: Final = "take static, minilm, file:DIR, hf:org/repo@revision, or off"


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model whose files came with a package: `static` or `minilm`."""

    name: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with `model.onnx` and `tokenizer.json`; its files may change, and its vectors' model id with them."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class HubRepository:
    """One revision of a repository on a model hub; `name` has the revision spelt out."""

    name: str
    organisation: str
    repository: str
    revision: str


Source: TypeAlias = Packaged | Folder | HubRepository


def source_of(name: str) -> Source | None:
    """What to load for a model of this name; None for `off`. Raises `Misuse` for what is none of them."""
    scheme, _, rest = name.partition(":")
    if name == OFF:
        return None
    if name in (STATIC, MINILM):
        return Packaged(name)
    if scheme == "file" and rest:
        return Folder(name, rest)
    if scheme == "hf" and ":" in name:
        return _hub_repository(name, rest)
    raise Misuse(f"there is no embedding model {name!r}: {_KNOWN}")


def _hub_repository(name: str, rest: str) -> HubRepository:
    match = _HUB_NAME.fullmatch(rest)
    if match is None or ".." in rest:
        raise Misuse(f"{name!r} names no repository: write hf:org/repo or hf:org/repo@revision")
    organisation, repository, revision = match.groups(default=DEFAULT_REVISION)
    return HubRepository(f"hf:{organisation}/{repository}@{revision}", organisation, repository, revision)
