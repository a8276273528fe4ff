"""`scentfield hook run CLIENT` as a program: one payload on standard input, one answer on standard output."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from actors.runtime.errors import Corrupt, Misuse, ScentfieldError, Unavailable
from coordinator.cli.exit_code import ExitCode
from coordinator.gateway.address_file import read_address
from coordinator.gateway.token import TOKEN_VARIABLE, read_token
from coordinator.guard.rule import GuardRule, find_rule
from coordinator.hook.payload import WRITERS, HookEvent, event_of
from coordinator.hook.reply import reply
from coordinator.http_transport import HttpTransport
from coordinator.identity import client_seat
from coordinator.relay.line_settings import Finder, Flags

MAX_PAYLOAD_BYTES: Final = 16 * 2**20
_SLACK_S: Final = 1.0
_NAMES: Final = {"--agent": "agent", "--namespace": "namespace", "--data-dir": "data_dir", "--space": "space"}
_UNSPELLED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NOTHING_TO_ASK: Final = frozenset({"before", "after", "failed"})


def hook_flags_of(words: list[str]) -> tuple[str, Flags] | None:
    """The client and the flags of a command line; None if it holds anything else."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        name, has_value, value = rest.pop(0).partition("=")
        if name not in _NAMES or (not has_value and not rest):
            return None
        found[_NAMES[name]] = value if has_value else rest.pop(0)
    return (rest[0], Flags(**found)) if len(rest) == 1 and rest[0] in WRITERS else None


def run(client: str, flags: Flags) -> ExitCode:
    """Answer one payload. A fault of ours stops nobody: it is said on standard error, and the exit code is 1."""
    try:
        raw = sys.stdin.buffer.read(MAX_PAYLOAD_BYTES + 1)
        if len(raw) > MAX_PAYLOAD_BYTES:
            raise Misuse(f"a payload of more than {MAX_PAYLOAD_BYTES} bytes is not looked at")
        document = answered(client, flags, event_of(client, raw))
    except ScentfieldError as error:
        print(f"scentfield hook: {error.message}", file=sys.stderr)  # noqa: T201  # the client shows it
        return ExitCode.FAILED
    if document or client == "cursor":  # which wants JSON always
        print(json.dumps(document))  # noqa: T201  # the answer
    return ExitCode.OK


def answered(client: str, flags: Flags, event: HookEvent) -> dict[str, Any]:
    """What to tell the client. Raises `Misuse` for settings that cannot be used."""
    if event.what == "other" or (event.what in _NOTHING_TO_ASK and not event.paths):
        return {}
    folder = Path(os.environ.get("CLAUDE_PROJECT_DIR") or event.cwd or ".").absolute()
    found = Finder(flags, os.environ, folder)
    rule = find_rule(found)
    if rule.is_disabled:
        return {}
    try:
        told = _told(client, event, found, rule, folder)
    except (Unavailable, Corrupt) as error:
        return _unasked(client, event, rule, error.message)
    return reply(client, event, is_refused=bool(told.get("is_refused")), text=str(told.get("text") or ""))


def spellable(path: str, root: str) -> str:
    """A path below `root` with a stand-in (U+FFFD) for each character that no claim can spell.

    So claims of folders around it are found, and two agents' hooks ask about such a file by one name.
    """
    if not path.startswith(f"{root}/"):
        return path
    return root + _UNSPELLED.sub("\N{REPLACEMENT CHARACTER}", path.removeprefix(root))


def _unasked(client: str, event: HookEvent, rule: GuardRule, why: str) -> dict[str, Any]:
    """Where nobody can be asked, that is said before each write, and refused if that is set."""
    if event.what != "before":
        return {}
    text = f"nobody could say whether this file is free ({why}). Have `scentfield up` run"
    return reply(client, event, is_refused=rule.refuses_unasked, text=text)


def _told(client: str, event: HookEvent, found: Finder, rule: GuardRule, folder: Path) -> dict[str, Any]:
    address = read_address(found.state_dir)
    if address is None or address.namespace != found.namespace:
        raise Unavailable(f"no gateway is known in {found.state_dir}")
    token = os.environ.get(TOKEN_VARIABLE) or read_token(found.state_dir)
    transport = HttpTransport(address.url, token, slack_s=_SLACK_S)
    paths = [spellable(os.fspath(Path(event.cwd or folder, one)), os.fspath(folder)) for one in event.paths]
    report = asdict(event) | {
        "paths": paths,
        "client": client,
        "agent": found.value("agent"),
        "seat": client_seat(),
        "root": os.fspath(folder),
        "strictness": rule.strictness,
    }
    report = {name: value for name, value in report.items() if name not in ("cwd", "given_name")}
    return transport.tell("/api/v1/hook", report, rule.timeout_s)
