"""The few settings that a relay needs, found as all settings are, without what makes that slow."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.runtime.errors import Misuse, Unavailable
from coordinator.config_file import DEFAULT_NAMESPACE, default_state_dir, files_around
from coordinator.gateway.address_file import read_address
from coordinator.gateway.token import TOKEN_VARIABLE, read_token


@dataclass(frozen=True, slots=True)
class Flags:
    """What was given on the command line; empty is not given."""

    url: str = ""
    agent: str = ""
    root: str = ""
    namespace: str = ""
    data_dir: str = ""


@dataclass(frozen=True, slots=True)
class LineSettings:
    """Which gateway to ask, in whose name, for work in which tree; `token` is empty where none is needed.

    `seat` is the process that the agent speaks for, if that is known.
    """

    url: str
    token: str
    agent: str
    root: Path
    seat: str = ""


def find_line(flags: Flags, environment: Mapping[str, str], here: Path) -> LineSettings:
    """Flags, then variables, then the project's file, then the user's.

    Raises `Unavailable` if no gateway is known, `Misuse` for a file that is no TOML or a token that others can read.
    """
    root = Path(flags.root).absolute() if flags.root else here
    files = [_read(path) for path in files_around(root)]
    agent = _found("agent", flags.agent, environment, files)
    if flags.url:
        return LineSettings(flags.url.rstrip("/"), environment.get(TOKEN_VARIABLE, ""), agent, root)
    namespace = _found("namespace", flags.namespace, environment, files) or DEFAULT_NAMESPACE
    data_dir = _found("data_dir", flags.data_dir, environment, files)
    state_dir = Path(data_dir).expanduser().absolute() if data_dir else default_state_dir(namespace)
    address = read_address(state_dir)
    if address is None:
        raise Unavailable(f"no gateway is known in {state_dir}: start it with `scentfield up`")
    token = (environment.get(TOKEN_VARIABLE) or read_token(state_dir)) if address.needs_token else ""
    return LineSettings(address.url, token, agent, root)


def _found(name: str, flag: str, environment: Mapping[str, str], files: list[dict[str, Any]]) -> str:
    variable = environment.get(f"SCENTFIELD_{name.upper()}", "")
    return flag or variable or next((str(file[name]) for file in files if file.get(name)), "")


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Misuse(f"the settings file {path} cannot be read ({error}): correct it") from error
