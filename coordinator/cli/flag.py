"""The options that every command takes, before or after its name, and the settings that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse

if TYPE_CHECKING:
    from coordinator.settings import Settings

_PANEL: Final = "For every command"

COMMON: Final[dict[str, Any]] = {
    "as_json": Annotated[
        bool, typer.Option("--json", help="Print one JSON document and nothing else.", rich_help_panel=_PANEL)
    ],
    "agent": Annotated[
        str | None,
        typer.Option(
            help="Who you are; else SCENTFIELD_AGENT, else the process that called.",
            metavar="NAME",
            rich_help_panel=_PANEL,
        ),
    ],
    "space": Annotated[
        str | None,
        typer.Option(help="The claim space; else that of the repository.", metavar="NAME", rich_help_panel=_PANEL),
    ],
    "root": Annotated[
        Path | None,
        typer.Option(
            help="The tree to work on; else the one around here.",
            metavar="DIR",
            rich_help_panel=_PANEL,
            exists=True,
            file_okay=False,
        ),
    ],
    "namespace": Annotated[
        str | None, typer.Option(help="Which coordinator of the cluster.", metavar="NAME", rich_help_panel=_PANEL)
    ],
    "data_dir": Annotated[
        str | None, typer.Option(help="Where the state is kept.", metavar="DIR", rich_help_panel=_PANEL)
    ],
    "address": Annotated[
        str | None,
        typer.Option(
            help="The Ray cluster; else the head that `up` started.", metavar="HOST:PORT", rich_help_panel=_PANEL
        ),
    ],
}
_SETTINGS: Final = ("agent", "space", "namespace", "data_dir", "address")


@dataclass(slots=True)
class Flags:
    """What was given; a later one replaces an earlier one."""

    values: dict[str, Any] = field(default_factory=dict)
    as_json: bool = False

    def take(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take the common options out of a command's arguments; returns the others."""
        self.as_json |= bool(given.get("as_json"))
        self.values |= {name: given[name] for name in COMMON if name != "as_json" and given.get(name) is not None}
        return {name: value for name, value in given.items() if name not in COMMON}

    @property
    def root(self) -> Path | None:
        """The tree that was named."""
        root: Path | None = self.values.get("root")
        return root

    @property
    def settings_flags(self) -> dict[str, Any]:
        """The flags that are settings."""
        return {name: self.values[name] for name in _SETTINGS if name in self.values}

    def settings(self) -> Settings:
        """Flags before the environment before the files. Raises `Misuse` for a value that cannot be."""
        # Settings come with pydantic, which takes a third of a second; `--help` does without.
        from pydantic import ValidationError

        from coordinator.settings import Settings

        try:
            return Settings(**self.settings_flags)
        except ValidationError as error:
            raise Misuse(
                f"{_problems(error.errors())}: correct it; `scentfield config` says where values come from"
            ) from error
        except ValueError as error:  # a settings file that is no TOML
            raise Misuse(f"a settings file cannot be read ({error}): correct it") from error


def _problems(errors: list[Any]) -> str:
    """What is wrong with which setting; values are not repeated, as one may hold a password."""
    return "; ".join(f"setting {'.'.join(map(str, one['loc']))!r}: {one['msg']}" for one in errors)
