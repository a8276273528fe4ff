"""The flags that lead somebody else's call to the coordinator that is meant here."""

from __future__ import annotations

from coordinator.cli.invocation import Invocation


def flags_found_here(call: Invocation, always: tuple[str, ...], as_flag: tuple[str, ...]) -> list[str]:
    """The settings that only this call knows of: `always` those of flags and variables, `as_flag` those of flags.

    A variable that names an agent, for example, names who works in this shell.
    """
    # Settings are slow to import, and `--help` does without.
    from coordinator.settings import origins

    found = origins(call.settings, call.flags.settings_flags)
    names = [name for name in always if found[name] in ("flag", "environment")]
    names += [name for name in as_flag if found[name] == "flag"]
    return [part for name in names for part in (f"--{name.replace('_', '-')}", str(getattr(call.settings, name)))]
