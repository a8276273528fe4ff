"""`scentfield guard check` as a program: what git's hooks call."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from actors.runtime.errors import Corrupt, Misuse, ScentfieldError, Unavailable
from coordinator.cli.exit_code import ExitCode, exit_code_of
from coordinator.gateway.address_file import read_address
from coordinator.gateway.token import TOKEN_VARIABLE, read_token
from coordinator.guard.changed_target import Map
from coordinator.guard.git_change import Changes, WorkTree
from coordinator.guard.inquiry import Asker, Findings, ask
from coordinator.guard.rule import GuardRule, find_rule
from coordinator.guard.verdict import Verdict, judged, unasked
from coordinator.http_transport import HttpTransport
from coordinator.identity import seats_above
from coordinator.relay.line_settings import Finder, Flags

HOOKS: Final = {"pre-commit": "commit", "pre-push": "push"}
"""The hooks of git that the guard has, and what each is about."""
GENERATION_VARIABLE: Final = "SCENTFIELD_GENERATION"
MAX_INPUT_BYTES: Final = 4 * 2**20
_SLACK_S: Final = 1.0
_NAMES: Final = {
    "--agent": "agent", "--root": "root", "--namespace": "namespace", "--data-dir": "data_dir", "--space": "space"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckFlags:
    """What was given: which hook asks, with git's own arguments; the claim's number; and the usual flags."""

    hook: str = "pre-commit"
    arguments: tuple[str, ...] = ()
    generation: str = ""
    as_json: bool = False
    common: Flags = field(default_factory=Flags)


def check_flags_of(words: list[str]) -> CheckFlags | None:
    """The flags of a command line; None if it holds anything else, which is for the whole command line to judge."""
    found: dict[str, str] = {}
    rest, generation, as_json = list(words), "", False
    while rest and rest[0].startswith("-"):
        name, has_value, value = rest.pop(0).partition("=")
        if name == "--json" and not has_value:
            as_json = True
            continue
        if name not in (*_NAMES, "--generation") or (not has_value and not rest):
            return None
        value = value if has_value else rest.pop(0)
        if name == "--generation":
            generation = value
        else:
            found[_NAMES[name]] = value
    hook = rest.pop(0) if rest else "pre-commit"
    if hook not in HOOKS or rest[:1] in (["-h"], ["--help"]):
        return None
    return CheckFlags(hook, tuple(rest), generation, as_json, Flags(**found))


def run(flags: CheckFlags) -> ExitCode:
    """Check, say what came of it on standard error, and on standard output with --json; the exit code."""
    try:
        verdict = check(flags)
    except ScentfieldError as error:
        print(f"scentfield guard: {error.message}", file=sys.stderr)  # noqa: T201  # git shows it to whoever commits
        if flags.as_json:
            print(json.dumps({"error": {"code": error.code, "message": error.message}}))  # noqa: T201  # the answer
        return exit_code_of(error)
    for line in verdict.lines:
        print(_printable(f"scentfield guard: {line}"), file=sys.stderr)  # noqa: T201  # the same
    if flags.as_json:
        print(json.dumps(verdict.document))  # noqa: T201  # the same
    return verdict.exit_code


def check(flags: CheckFlags) -> Verdict:
    """The verdict on what git is about to do. Raises `Misuse` for settings and input that cannot be used."""
    tree = WorkTree(Path(flags.common.root or ".").absolute())
    found = Finder(flags.common, os.environ, tree.top)
    rule = find_rule(found)
    what = HOOKS[flags.hook]
    if rule.is_disabled:
        return judged(Findings(), what)
    try:
        changes = _changes(flags, tree)
        if not changes.paths:
            return judged(Findings(), what)
        findings = _asked(changes, tree, found, rule, _generation(flags))
    except (Unavailable, Corrupt) as error:
        return unasked(error.message, refuses=rule.refuses_unasked, what=what)
    return _with_older(judged(findings, what), changes)


def _changes(flags: CheckFlags, tree: WorkTree) -> Changes:
    if flags.hook == "pre-commit":
        return tree.staged()
    told = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if len(told) > MAX_INPUT_BYTES:
        raise Misuse(f"a push of more than {MAX_INPUT_BYTES} bytes of branch names: push them in parts")
    return tree.outgoing(flags.arguments[0] if flags.arguments else "", told.splitlines())


def _asked(changes: Changes, tree: WorkTree, found: Finder, rule: GuardRule, generation: int) -> Findings:
    transport = _transport(found)
    agent = found.value("agent")
    asker = Asker((agent,) if agent else (), tuple(seats_above()), generation)
    given = found.value("space") or None

    def space_of(root: Path) -> str | None:
        return given if given or root == tree.top else Finder(Flags(), {}, root).value("space") or None

    return ask(transport, changes, Map(tree.top, space_of), asker, rule.strictness, rule.timeout_s)


def _transport(found: Finder) -> HttpTransport:
    """The way to the gateway of this state folder. Raises `Unavailable` where none is known."""
    state_dir = found.state_dir
    address = read_address(state_dir)
    if address is None or address.namespace != found.namespace:
        raise Unavailable(f"no gateway is known in {state_dir}")
    token = os.environ.get(TOKEN_VARIABLE) or read_token(state_dir)
    return HttpTransport(address.url, token, slack_s=_SLACK_S)


def _generation(flags: CheckFlags) -> int:
    given = flags.generation or os.environ.get(GENERATION_VARIABLE, "")
    if not given:
        return 0
    if not (given.isascii() and given.isdigit() and 0 < int(given) < 2**53):
        raise Misuse(f"the generation {given[:40]!r} is no claim's number: give what claim has printed")
    return int(given)


def _with_older(verdict: Verdict, changes: Changes) -> Verdict:
    """Say so where not all of a push was looked at."""
    if not changes.has_older:
        return verdict
    line = f"only the newest {changes.n_commits} commits were looked at; older ones were made before most claims"
    lines, document = (*verdict.lines, line), {**verdict.document, "n_commits": changes.n_commits, "has_older": True}
    return Verdict(verdict.word, verdict.exit_code, lines, document)


def _printable(line: str) -> str:
    """A line whose names can do nothing to a terminal."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)
