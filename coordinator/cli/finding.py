"""One thing that `doctor` has looked at, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from coordinator.cli.exit_code import ExitCode


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: `state` is `ok`, `failed` or `skipped`; `next_step` says what to do about it."""

    name: str
    state: str
    what: str
    next_step: str = ""
    exit_code: ExitCode = ExitCode.OK


def ok(name: str, what: str) -> Finding:
    """All is well."""
    return Finding(name, "ok", what)


def failed(name: str, what: str, next_step: str, exit_code: ExitCode = ExitCode.FAILED) -> Finding:
    """Something has to be done."""
    return Finding(name, "failed", what, next_step, exit_code)


def skipped(name: str, why: str) -> Finding:
    """It could not be looked at, which is no fault."""
    return Finding(name, "skipped", why)
