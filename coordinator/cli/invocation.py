"""One call of the command line: its flags, its screen, and the house that it asks."""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from coordinator.cli.flag import Flags
from coordinator.cli.screen import Screen

if TYPE_CHECKING:
    from coordinator.cli.agent import ShellAgent
    from coordinator.cluster import UpReport
    from coordinator.settings import Settings
    from coordinator.step import Transport


class House(Protocol):
    """What a command needs of the cluster; all of it may raise `Unavailable`."""

    def connect(self, settings: Settings) -> Transport:
        """Reach the actors."""

    def address(self, settings: Settings) -> str | None:
        """The cluster to use, None if none is known. Asks nobody."""

    def up(self, settings: Settings, num_cpus: int | None, root: Path | None) -> UpReport:
        """Start what is missing; agents may work in `root` through the gateway."""

    def down(self, settings: Settings) -> tuple[list[str], bool]:
        """Stop the actors, and the head if `up` started it: (actors stopped, head stopped)."""

    def actor_names(self, settings: Settings) -> list[str]:
        """The actors that exist in this namespace."""


class Invocation:
    """Handed to every command. What is slow to import is made on first use."""

    def __init__(self, house: House | None = None) -> None:
        self.flags = Flags()
        self.screen = Screen()
        self._house = house

    def take(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take the common options; returns the command's own."""
        own = self.flags.take(given)
        self.screen.as_json = self.flags.as_json
        return own

    @cached_property
    def settings(self) -> Settings:
        """The settings. Raises `Misuse`."""
        return self.flags.settings()

    @cached_property
    def house(self) -> House:
        """The cluster."""
        if self._house is not None:
            return self._house
        # Ray takes a second to import, and many commands do without it.
        from coordinator.cli.ray_house import RayHouse

        return RayHouse()

    @cached_property
    def agent(self) -> ShellAgent:
        """The agent that this call acts for. Nobody is asked yet."""
        # It brings the whole client along, which `--help` does not need.
        from coordinator.cli.agent import ShellAgent

        return ShellAgent(self.settings, self.flags.root, self._connect, self.screen.note)

    def _connect(self, settings: Settings) -> Transport:
        """Reach the actors: through the gateway where one answers, which takes no Ray; else over Ray."""
        # The HTTP client is not needed by `--help`.
        from coordinator.cli.near_gateway import near_gateway

        return near_gateway(settings) or self.house.connect(settings)

    def log_end(self, command: str, exit_code: int, took_s: float) -> None:
        """Log that a command has ended, if that is wanted; a call that needed no settings has nothing to log."""
        settings = self.__dict__.get("settings")
        if settings is None or not settings.log.config().writes("cli", "info"):
            return
        # Most calls log nothing.
        from actors.runtime.log import Log, configure

        configure(settings.log.config(is_terminal=sys.stderr.isatty()))
        Log("cli").info("command", command=command, exit_code=exit_code, took_s=round(took_s, 3))

    @property
    def is_interactive(self) -> bool:
        """Whether somebody can be asked a question."""
        return sys.stdin.isatty() and not self.flags.as_json
