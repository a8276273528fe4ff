"""What can be set of the gateway: the table `[gateway]`."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

PORT: Final = 7464


class GatewaySettings(BaseModel):
    """Where the gateway listens, whom it lets in, and how much they may ask."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(default=True, description="whether `up` starts it")
    host: str = Field(default="127.0.0.1", min_length=1, max_length=253, description="where it listens")
    port: int = Field(default=PORT, ge=0, le=65_535, description="its port; 0 takes a free one")
    token: Literal["elsewhere", "always"] = Field(
        default="elsewhere", description="who needs the token: all but listeners on loopback, or everybody"
    )
    hosts: tuple[str, ...] = Field(default=(), max_length=64, description="names it is also reached by (Host, Origin)")
    roots: tuple[Path, ...] = Field(
        default=(), max_length=64, description="trees that agents may work in; else the one where it was started"
    )
    max_body_bytes: int = Field(default=4 * 2**20, ge=1_024, le=2**28, description="a request's body")
    body_s: float = Field(default=10.0, gt=0.0, le=600.0, description="a body has to be here after so long")
    requests_per_s: float = Field(default=2_000.0, gt=0.0, description="requests of one address, a second")
    max_sessions: int = Field(default=1_000, ge=1, le=10_000, description="MCP sessions at once")
    silent_s: float = Field(
        default=600.0, ge=1.0, le=86_400.0, description="an MCP client without an open stream may be silent so long"
    )
    gone_s: float = Field(
        default=1.25, ge=0.0, le=3_600.0, description="an MCP client whose stream was closed may come back so long"
    )

    @field_validator("roots", mode="after")
    @classmethod
    def _absolute(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        """Spelt out: the gateway has another working folder."""
        return tuple(root.expanduser().absolute() for root in value)

    @field_validator("hosts", mode="after")
    @classmethod
    def _lower(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(host.lower() for host in value)

    @property
    def needs_token(self) -> bool:
        """Whether callers must show the token."""
        return self.token == "always" or not is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a listener on `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
