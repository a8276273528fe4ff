"""The guard's lines in hooks of others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.guard.hook_script import is_own, is_shell, own_script, with_guard, without_guard

COMMAND = ("/bin/true", "guard", "check")


@pytest.mark.parametrize(
    "first",
    [
        "#!/bin/sh",
        "#!/bin/bash -e",
        "#!/usr/bin/env bash",
        "#! /usr/bin/env -S zsh -f",
        "#!/usr/local/bin/dash",
        "#!sh",
    ],
)
def test_shells_are_known_by_the_first_line(first: str) -> None:
    assert is_shell(f"{first}\necho\n".encode())
    assert is_shell(first.encode())


@pytest.mark.parametrize(
    "first", ["#!/usr/bin/env python3", "#!/usr/bin/env node", "\x7fELF", "echo", "#!/bin/pwsh", ""]
)
def test_other_programs_are_no_shells(first: str) -> None:
    assert not is_shell(f"{first}\n".encode())


@pytest.mark.parametrize(
    "script", [b"#!/bin/sh\nexit 3\n", b"#!/bin/sh\r\nexit\r\n", b"#!/bin/sh\n", b"#!/bin/sh -e\n\xff\n"]
)
def test_what_is_taken_out_again_leaves_the_hook_byte_for_byte(script: bytes) -> None:
    guarded = with_guard("pre-commit", script, COMMAND)
    assert guarded != script
    assert without_guard(guarded) == script
    assert with_guard("pre-commit", guarded, ("/other", "guard", "check")).count(b"guard: begin") == 1


def test_a_hook_of_ours_is_told_from_one_that_we_were_added_to() -> None:
    assert is_own(own_script("pre-push", COMMAND), "pre-push")
    assert not is_own(with_guard("pre-push", b"#!/bin/sh\nexit\n", COMMAND), "pre-push")


def test_marks_that_do_not_match_are_left_alone() -> None:
    broken = own_script("pre-commit", COMMAND).replace(b"# scentfield guard: end", b"")
    with pytest.raises(Misuse, match="do not match"):
        without_guard(broken)


def test_a_hook_with_input_hands_it_on_as_it_was(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    tee = tmp_path / "an odd 'name'"
    tee.write_text(f"#!/bin/sh\ncat > '{seen}'\n", encoding="utf-8")
    tee.chmod(0o755)
    hook = tmp_path / "pre-push"
    hook.write_bytes(with_guard("pre-push", b"#!/bin/sh -eu\ncat\n", (str(tee), "guard", "check")))
    hook.chmod(0o755)
    told = b"refs/heads/$HOME `x` \\ 1 2 3\nrefs/heads/b 1 2 3\n"
    ran = subprocess.run([hook, "origin"], input=told, capture_output=True, check=True)
    assert (ran.stdout, seen.read_bytes()) == (told, told)


def test_a_program_that_is_gone_is_said_and_stops_nobody(tmp_path: Path) -> None:
    hook = tmp_path / "pre-commit"
    hook.write_bytes(own_script("pre-commit", (str(tmp_path / "it's gone"), "guard", "check")))
    hook.chmod(0o755)
    ran = subprocess.run([hook], capture_output=True, check=True)
    assert b"it's gone is gone, so nothing was checked" in ran.stderr
