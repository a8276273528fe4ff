"""What `doctor` looks at of the gateway: whether it runs, answers, and does so with the settings that are there now."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.finding import Finding, failed, ok, skipped
from coordinator.domain import GATEWAY
from coordinator.gateway.address_file import read_address
from coordinator.gateway.as_started import NEXT_STEP, differences
from coordinator.gateway.token import read_token
from coordinator.settings import Settings
from coordinator.step import Transport
from coordinator.workspace import Workspace

_ANSWER_S: Final = 10.0
_UP: Final = "`scentfield up` starts one"


def gateway_finding(transport: Transport, settings: Settings, root: Path) -> Finding:
    """Whether agents and people get in by HTTP as the settings say; `root` is the tree of whoever asks."""
    if not settings.gateway.enabled:
        return skipped(GATEWAY, "none is wanted: enabled under [gateway] is false")
    try:
        account = transport.describe(GATEWAY, _ANSWER_S)
        token_problem = _token_problem(settings)
    except Unavailable as error:
        return _absent(settings, error)
    except ScentfieldError as error:
        return failed(GATEWAY, error.message, "")
    trouble = account["trouble"] or _unanswered(account["url"])
    if trouble:
        return failed(GATEWAY, trouble, "look at the log of the gateway, or start it anew", ExitCode.UNAVAILABLE)
    if token_problem:
        return failed(GATEWAY, token_problem, NEXT_STEP)
    other = differences(account.get("started_with", {}), settings.gateway, Workspace.discover(root).root)
    if other:
        return failed(GATEWAY, f"it runs with what it was started with: {'; '.join(other)}", NEXT_STEP)
    return ok(GATEWAY, f"serves at {account['url']}, the page for people too")


def _absent(settings: Settings, error: Unavailable) -> Finding:
    """None runs: a fault if one did."""
    try:
        has_served = read_address(settings.state_dir) is not None
    except ScentfieldError as unread:
        return failed(GATEWAY, unread.message, "")
    if has_served:
        return failed(GATEWAY, f"it has served here, and is gone: {error.message}", _UP, ExitCode.UNAVAILABLE)
    return skipped(GATEWAY, f"none was started: {_UP}")


def _token_problem(settings: Settings) -> str:
    """Raises as `read_token`."""
    is_there = read_token(settings.state_dir) != ""
    return "" if is_there else "its token is not in the state folder any more, so nobody can show it"


def _unanswered(url: str) -> str:
    """Why nobody gets an answer there; empty if somebody does."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=_ANSWER_S)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        told: Any = json.loads(answer.read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        return f"it says that it serves at {url}, and does not answer there ({type(error).__name__})"
    finally:
        connection.close()
    problems = "; ".join(dict.fromkeys(map(str, told.get("problems", {}).values())))
    return "" if answer.status == 200 else f"{url} answers {answer.status}: {problems}"
