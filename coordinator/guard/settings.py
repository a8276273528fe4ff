"""What can be set of the guard: the table `[guard]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from coordinator.guard.rule import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S


class GuardSettings(BaseModel):
    """What the guard does about changes over the claims of others; `rule.py` reads the same without this library."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    strictness: Literal["space", "observe", "warn", "deny"] = Field(
        default="space", description="what becomes of commits and pushes over claims of others; else as the space says"
    )
    when_unavailable: Literal["refuse", "warn"] = Field(
        default="warn", description="a commit or push that no coordinator can be asked about"
    )
    timeout_s: float = Field(
        default=DEFAULT_TIMEOUT_S, gt=0.0, le=MAX_TIMEOUT_S, description="how long the coordinator may take to answer"
    )
