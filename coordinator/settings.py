"""Settings: flags, then SCENTFIELD_* variables, then the project's scentfield.toml, then the user's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

PROJECT_FILE = "scentfield.toml"


class Settings(BaseSettings):
    """All that can be set; spans in seconds, sizes as their names say."""

    model_config = SettingsConfigDict(env_prefix="SCENTFIELD_", extra="ignore", frozen=True)

    namespace: str = Field(
        default="scentfield", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="Ray namespace"
    )
    address: str | None = Field(
        default=None, description="Ray cluster; else RAY_ADDRESS, else the head that `up` started"
    )
    data_dir: Path | None = Field(default=None, description="state; else the user's state folder, by namespace")
    store_url: str | None = Field(
        default=None, description="SQLAlchemy URL of a PostgreSQL store; else SQLite files in data_dir"
    )
    space: str | None = Field(
        default=None, max_length=200, description="claim space; else a hash of the git common directory"
    )
    agent: str | None = Field(default=None, max_length=128, description="this agent's name")
    ttl_s: float = Field(default=30.0, ge=1.0, le=86_400.0, description="a silent session lives so long")
    lock_delay_s: float = Field(
        default=2.0, ge=0.0, le=60.0, description="a dead holder's targets stay blocked so long"
    )
    call_timeout_s: float = Field(
        default=30.0, gt=0.0, le=600.0, description="how long a call may take before it is given up"
    )
    when_unavailable: Literal["refuse", "warn"] = Field(default="refuse", description="an edit without a coordinator")
    disabled: bool = Field(
        default=False, description="switch everything off: claims are granted, edits are plain edits"
    )
    max_sessions: int = Field(default=20_000, ge=1, le=1_000_000, description="live sessions")
    max_leases: int = Field(default=500_000, ge=1, le=10_000_000, description="live claims")
    blob_bytes: int = Field(default=256 * 2**20, ge=2**20, description="pre-images kept for diffs and undo")
    metrics: bool = Field(default=True, description="serve metrics to Prometheus")
    metrics_host: str = Field(default="127.0.0.1", description="where the exporter listens")
    metrics_port: int = Field(default=9464, ge=0, le=65_535, description="the exporter's port; 0 takes a free one")

    @field_validator("data_dir", mode="after")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # the library's signature; .env files are not read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # the same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The order in which a value is looked for."""
        files = (TomlConfigSettingsSource(settings_cls, path) for path in config_files())
        return (init_settings, env_settings, *files)

    @property
    def state_dir(self) -> Path:
        """Where this namespace keeps its state."""
        if self.data_dir is not None:
            return self.data_dir
        return Path(platformdirs.user_state_dir("scentfield", appauthor=False)) / self.namespace

    def store_url_of(self, domain: str) -> str:
        """The store of one domain."""
        return self.store_url or f"sqlite:///{self.state_dir / f'{domain}.sqlite3'}"


def config_files(start: Path | None = None) -> tuple[Path, Path]:
    """The project's file (nearest parent of `start`) and the user's, whether or not they exist."""
    here = (start or Path.cwd()).absolute()
    project = next((folder for folder in (here, *here.parents) if (folder / PROJECT_FILE).is_file()), here)
    user = Path(platformdirs.user_config_dir("scentfield", appauthor=False))
    return project / PROJECT_FILE, user / PROJECT_FILE


def origins(settings: Settings, flags: dict[str, Any] | None = None) -> dict[str, str]:
    """Where each value came from: flag, environment, a file's path, or default."""
    found = dict.fromkeys(type(settings).model_fields, "default")
    for path in reversed(config_files()):
        for name in TomlConfigSettingsSource(type(settings), path)():
            found[name] = str(path)
    for name in found:
        if f"SCENTFIELD_{name.upper()}" in os.environ:
            found[name] = "environment"
        if flags and flags.get(name) is not None:
            found[name] = "flag"
    return found
