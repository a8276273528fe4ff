"""The words of the guard, its settings and its command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from actors.runtime.errors import Misuse
from actors.scent_field.messages import Conflict, Guarded, Overtaken
from coordinator.cli.exit_code import ExitCode
from coordinator.guard.check import CheckFlags, check_flags_of
from coordinator.guard.inquiry import Findings
from coordinator.guard.rule import GuardRule, find_rule
from coordinator.guard.settings import GuardSettings
from coordinator.guard.verdict import judged, unasked
from coordinator.relay.line_settings import Finder, Flags


def told(strictness: str, *targets: str, n_more: int = 0) -> Guarded:
    conflicts = tuple(Conflict(one, one, "ann#1", 1, "exclusive", False, 240.0, 1.0, 9.0, "") for one in targets)
    return Guarded(strictness, ("bob#2",), conflicts, n_more, (), 0)


def rule(tmp_path: Path, **variables: str) -> GuardRule:
    return find_rule(Finder(Flags(), {f"SCENTFIELD_{name}": value for name, value in variables.items()}, tmp_path))


def test_the_strictest_space_in_whose_way_something_is_decides() -> None:
    findings = Findings(3)
    findings.add(told("deny"), "")
    findings.add(told("observe", "a"), "")
    assert judged(findings, "commit").word == "observed"
    findings.add(told("warn", "b", n_more=2), "part/")
    findings.add(told("deny"), "")
    verdict = judged(findings, "push")
    assert (verdict.word, verdict.exit_code) == ("warned", ExitCode.OK)
    assert verdict.lines[0] == "warned (warn): a push of 3 paths, 4 claims of others on its paths"
    assert verdict.lines[2] == "  part/b (as b): ann#1 holds it since 4 min"
    assert verdict.lines[3:5] == ("  and 2 more claims of others", "  you are bob#2")


def test_at_most_twenty_of_each_kind_are_named() -> None:
    findings = Findings(50)
    for _ in range(2):
        findings.add(told("deny", *(f"f{number}" for number in range(20)), n_more=5), "")
        findings.overtaken += [Overtaken(f"f{number}", "it has ended") for number in range(20)]
    verdict = judged(findings, "commit")
    assert verdict.exit_code is ExitCode.HELD
    assert (len(verdict.document["conflicts"]), verdict.document["n_more"]) == (20, 30)
    assert (len(verdict.document["overtaken"]), verdict.document["n_more_overtaken"]) == (20, 20)
    assert len(verdict.lines) == 1 + 21 + 21 + 2


def test_nobody_to_ask_is_never_silence() -> None:
    assert unasked("it is down", refuses=True, what="push").exit_code is ExitCode.UNAVAILABLE
    warned = unasked("it is down", refuses=False, what="push")
    assert (warned.exit_code, "it is down" in warned.lines[0]) == (ExitCode.OK, True)


def test_settings_are_read_as_the_settings_themselves_read_them(tmp_path: Path) -> None:
    assert rule(tmp_path) == GuardRule("", False, 2.0, False)
    (tmp_path / "scentfield.toml").write_text(
        "disabled = true\n[guard]\nstrictness = 'warn'\nwhen_unavailable = 'refuse'\ntimeout_s = 0.5\n",
        encoding="utf-8",
    )
    assert rule(tmp_path) == GuardRule("warn", True, 0.5, True)
    assert rule(tmp_path, GUARD__STRICTNESS="space", DISABLED="false") == GuardRule("", True, 0.5, False)
    defaults = GuardSettings()
    assert (defaults.strictness, defaults.when_unavailable, defaults.timeout_s) == ("space", "warn", 2.0)


@pytest.mark.parametrize(
    ("name", "value"), [("strictness", "loud"), ("when_unavailable", "ask"), ("timeout_s", "0"), ("timeout_s", "soon")]
)
def test_what_the_settings_refuse_is_refused_here_too(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=rf"{name} = '{value}' under \[guard\]"):
        rule(tmp_path, **{f"GUARD__{name.upper()}": value})
    with pytest.raises(ValidationError):
        GuardSettings.model_validate({name: value})


def test_a_table_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scentfield.toml").write_text("guard = 'deny'\n", encoding="utf-8")
    with pytest.raises(Misuse, match=r"write \[guard\]"):
        rule(tmp_path)


def test_command_lines_that_a_hook_writes_are_read_at_once_and_others_are_not() -> None:
    assert check_flags_of([]) == CheckFlags()
    given = ["--json", "--data-dir=/x", "--agent", "ann", "--generation", "7", "pre-push", "-odd", "url"]
    assert check_flags_of(given) == CheckFlags(
        "pre-push", ("-odd", "url"), "7", True, Flags(agent="ann", data_dir="/x")
    )
    for other in (["--help"], ["pre-merge"], ["--agent"], ["pre-commit", "--help"], ["--json=1"]):
        assert check_flags_of(other) is None


def test_what_git_waits_for_loads_nothing_that_is_slow() -> None:
    slow = ("ray", "pydantic", "numpy", "sqlalchemy", "mcp", "typer", "asyncio", "starlette", "tempfile", "ctypes")
    slow += ("psutil", "platformdirs") if sys.platform == "linux" else ()
    code = f"import coordinator.guard.check, sys; print([one for one in {slow} if one in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert said.stdout.strip() == "[]"
