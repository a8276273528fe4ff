"""requirements.lock is what `make setup` installs: complete, hashed, and tied to no particular registry."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[2]
LOCK = (REPOSITORY / "requirements.lock").read_text()
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())


def pins() -> dict[str, list[str]]:
    """The pinned versions by package; more than one where they differ between versions of Python."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK, re.MULTILINE):
        versions.setdefault(name, []).append(version)
    return versions


def declared() -> list[Requirement]:
    project = PYPROJECT["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    lines = (
        project["dependencies"] + extras + PYPROJECT["dependency-groups"]["dev"] + PYPROJECT["build-system"]["requires"]
    )
    return [Requirement(line) for line in lines]


def test_every_declared_dependency_is_pinned_within_its_range() -> None:
    pinned = pins()
    for requirement in declared():
        versions = pinned.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement.name} is not in requirements.lock: run `make lock`"
        assert all(version in requirement.specifier for version in versions), f"{requirement}: pinned {versions}"


def test_every_pin_has_a_hash() -> None:
    blocks = re.split(r"\n(?=[a-z0-9])", LOCK)[1:]
    assert len(blocks) >= len(pins())
    assert [block for block in blocks if "--hash=sha256:" not in block] == []


def test_the_lock_names_no_registry_and_no_folder() -> None:
    without_hashes = re.sub(r"--hash=sha256:[0-9a-f]{64}", "", LOCK)
    assert re.findall(r".*(?:://| @ |--|/[a-z]+/).*", without_hashes) == []
