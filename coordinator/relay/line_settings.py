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
    space: str = ""


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


class Finder:
    """Looks settings up as all settings are: flags, then variables, then the project's file, then the user's.

    Raises `Misuse` for a file that is no TOML.
    """

    def __init__(self, flags: Flags, environment: Mapping[str, str], root: Path) -> None:
        self._flags = flags
        self._environment = environment
        self._files = [_read(path) for path in files_around(root)]

    def value(self, name: str) -> str:
        """A setting's value as text; empty where there is none."""
        flag: str = getattr(self._flags, name, "")
        return flag or self._variable(name) or self._in_files(self._files, name)

    def value_in(self, table: str, name: str) -> str:
        """The same for a key of a table. Raises `Misuse` where a file has something else of that name."""
        tables = [file.get(table, {}) for file in self._files]
        if not all(isinstance(one, dict) for one in tables):
            raise Misuse(f"{table} is no table in a settings file: write [{table}]")
        return self._variable(f"{table}__{name}") or self._in_files(tables, name)

    def _variable(self, name: str) -> str:
        return self._environment.get(f"SCENTFIELD_{name.upper()}", "")

    def _in_files(self, tables: list[dict[str, Any]], name: str) -> str:
        return next((str(one[name]) for one in tables if one.get(name) not in (None, "")), "")

    @property
    def namespace(self) -> str:
        """Which coordinator is meant."""
        return self.value("namespace") or DEFAULT_NAMESPACE

    @property
    def state_dir(self) -> Path:
        """Where it keeps its state."""
        data_dir = self.value("data_dir")
        return Path(data_dir).expanduser().absolute() if data_dir else default_state_dir(self.namespace)


def find_line(flags: Flags, environment: Mapping[str, str], here: Path) -> LineSettings:
    """Flags, then variables, then the project's file, then the user's.

    Raises `Unavailable` if no gateway is known, `Misuse` for a file that is no TOML or a token that others can read.
    """
    root = Path(flags.root).absolute() if flags.root else here
    found = Finder(flags, environment, root)
    agent = found.value("agent")
    if flags.url:
        return LineSettings(flags.url.rstrip("/"), environment.get(TOKEN_VARIABLE, ""), agent, root)
    state_dir = found.state_dir
    address = read_address(state_dir)
    if address is None:
        raise Unavailable(f"no gateway is known in {state_dir}: start it with `scentfield up`")
    token = (environment.get(TOKEN_VARIABLE) or read_token(state_dir)) if address.needs_token else ""
    return LineSettings(address.url, token, agent, root)


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Misuse(f"the settings file {path} cannot be read ({error}): correct it") from error
