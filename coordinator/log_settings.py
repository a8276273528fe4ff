"""What can be set of the logs: the table `[log]`."""

from __future__ import annotations

import sys
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from actors.runtime.log import LogConfig, configure, take_over

Level = Literal["debug", "info", "warning", "error", "off"]
LogDomain = Literal["scent_field", "quality_store", "thresholds", "memory", "gateway", "exporter", "cli"]


class LogSettings(BaseModel):
    """From which level on our own processes say something, and in which form."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Level = Field(default="warning", description="debug, info, warning, error or off")
    form: Literal["auto", "json", "console"] = Field(
        default="auto", description="json, or console for people; auto is console on a terminal"
    )
    levels: dict[LogDomain, Level] = Field(default_factory=dict, description="levels of single domains")

    def config(self, *, is_terminal: bool = False) -> LogConfig:
        """The same for a process; `is_terminal` says whether people read its standard error as it is written."""
        chosen = {"auto": "console" if is_terminal else "json"}.get(self.form, self.form)
        return LogConfig(self.level, chosen, {str(name): level for name, level in self.levels.items()})

    def open(self, domain: str) -> None:
        """Let this process, which is ours alone, write as a domain."""
        configure(self.config(is_terminal=sys.stderr.isatty()))
        take_over(domain)
