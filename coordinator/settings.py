"""Settings: flags, then SCENTFIELD_* variables, then the project's scentfield.toml, then the user's."""

from __future__ import annotations

import os
import tomllib
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, StringConstraints, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from actors.runtime.errors import Misuse
from actors.runtime.holdout import SHARE
from coordinator.config_file import DEFAULT_NAMESPACE, default_state_dir, files_around
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.feedback.settings import AskSettings
from coordinator.gateway.settings import GatewaySettings
from coordinator.guard.settings import GuardSettings
from coordinator.log_settings import LogSettings
from coordinator.retrieval.limit import RetrievalSettings
from coordinator.trace_settings import TraceSettings
from coordinator.waking.profile import MAX_TOKENS

ProfileName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9+_-]{1,16}$")]
TokenCap = Annotated[int, Field(ge=0, le=MAX_TOKENS)]
_START: ContextVar[Path | None] = ContextVar("start", default=None)


class Settings(BaseSettings):
    """All that can be set; spans in seconds, sizes as their names say."""

    model_config = SettingsConfigDict(env_prefix="SCENTFIELD_", env_nested_delimiter="__", extra="forbid", frozen=True)

    namespace: str = Field(
        default=DEFAULT_NAMESPACE, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,47}$", description="Ray namespace"
    )
    address: str | None = Field(
        default=None, description="Ray cluster; else RAY_ADDRESS, else the head that `up` started"
    )
    data_dir: Path | None = Field(default=None, description="state; else the user's state folder, by namespace")
    store_url: str | None = Field(
        default=None, description="SQLAlchemy URL of a PostgreSQL store; else SQLite files in data_dir"
    )
    store_connect_s: float = Field(
        default=5.0, ge=2.0, le=3_600.0, description="how long a connection to a PostgreSQL store may take"
    )
    store_statement_s: float = Field(
        default=5.0, ge=0.1, le=3_600.0, description="how long a PostgreSQL store may take for one statement"
    )
    store_lock_s: float = Field(
        default=3.0, ge=0.1, le=3_600.0, description="how long a row of a PostgreSQL store may be locked by others"
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
    idle_s: float = Field(
        default=7_200.0, ge=1.0, le=86_400.0, description="a claim may rest so long while somebody waits for it"
    )
    half_lives_s: dict[Literal["CLAIMED", "HOT", "STUCK", "DONE", "AVOID"], PositiveFloat] = Field(
        default_factory=dict, description="half-lives of signals that differ from the defaults"
    )
    max_sessions: int = Field(default=20_000, ge=1, le=1_000_000, description="live sessions")
    max_leases: int = Field(default=500_000, ge=1, le=10_000_000, description="live claims")
    blob_bytes: int = Field(default=256 * 2**20, ge=2**20, description="pre-images kept for diffs and undo")
    holdout_share: float = Field(
        default=SHARE, ge=0.0, le=1.0, description="share of files that go without a learned layer, to measure it"
    )
    smallest_effect: float = Field(
        default=0.1, ge=0.01, le=1.0, description="the effect of a learned layer that matters, as a share"
    )
    token_price: float | None = Field(
        default=None, ge=0.0, le=1_000_000.0, description="what a million input tokens cost, in your currency"
    )
    wakeup_tokens: dict[ProfileName, TokenCap] = Field(
        default_factory=dict, description="caps of wakeups by client profile, in tokens, that differ from 1000"
    )
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings, description="the embedding model")
    embeddings_auto_download: bool | None = Field(
        default=None, description="whether models may be downloaded; wins over auto_download of [embedding]"
    )
    ask: AskSettings = Field(
        default_factory=AskSettings, description="who answers `scentfield ask`, and how good it must be"
    )
    retrieval: RetrievalSettings = Field(
        default_factory=RetrievalSettings, description="the index of the tree's passages"
    )
    gateway: GatewaySettings = Field(default_factory=GatewaySettings, description="the door for HTTP and MCP")
    guard: GuardSettings = Field(default_factory=GuardSettings, description="git commits and pushes over claims")
    log: LogSettings = Field(default_factory=LogSettings, description="what the coordinator's own processes say")
    traces: TraceSettings = Field(default_factory=TraceSettings, description="spans of calls, for a collector")
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

    @classmethod
    def load(cls, *, start: Path | None = None, **flags: Any) -> Settings:
        """The settings for a project that `start` lies in (default: the current folder); flags that are None are unset.

        Raises `Misuse` that names the file and the key for what cannot be used.
        """
        token = _START.set(start)
        try:
            return cls(**{name: value for name, value in flags.items() if value is not None})
        except ValidationError as error:
            raise Misuse(_explained(error)) from error
        except tomllib.TOMLDecodeError as error:
            raise Misuse(
                f"a settings file is not TOML ({error}): see {' and '.join(map(str, config_files()))}"
            ) from error
        finally:
            _START.reset(token)

    @property
    def state_dir(self) -> Path:
        """Where this namespace keeps its state."""
        if self.data_dir is not None:
            return self.data_dir
        return default_state_dir(self.namespace)

    @property
    def model(self) -> EmbeddingSettings:
        """The embedding's settings, with what the variable says of downloads."""
        return self.embedding.with_variable(self.embeddings_auto_download)

    def store_url_of(self, domain: str) -> str:
        """Where one domain's store is: a file in the state folder, or the server."""
        from actors.runtime.store_url import Patience, sqlite_url  # a slow import, which clients do not need

        if self.store_url is not None:
            return Patience(self.store_connect_s, self.store_statement_s, self.store_lock_s).on(self.store_url)
        return sqlite_url(self.state_dir / f"{domain}.sqlite3")

    def store_key_of(self, domain: str) -> str:
        """What the rows of one domain are called in its store; two namespaces never meet in one."""
        return f"{self.namespace}.{domain}"


def config_files() -> tuple[Path, Path]:
    """The project's file (of the nearest folder above) and the user's, whether or not they exist."""
    return files_around((_START.get() or Path.cwd()).absolute())


def origins(settings: Settings, flags: dict[str, Any] | None = None) -> dict[str, str]:
    """Where each value came from: flag, environment, a file's path, or default."""
    found = dict.fromkeys(type(settings).model_fields, "default")
    for path in reversed(config_files()):
        for name in TomlConfigSettingsSource(type(settings), path)():
            found[name] = str(path)
    for name in found:
        if _in_environment(f"SCENTFIELD_{name.upper()}"):
            found[name] = "environment"
        if flags and flags.get(name) is not None:
            found[name] = "flag"
    return found


def _in_environment(variable: str) -> bool:
    """Whether the variable is set, or one for a key of its table (`SCENTFIELD_GATEWAY__PORT`)."""
    return variable in os.environ or any(name.startswith(f"{variable}__") for name in os.environ)


def _explained(error: ValidationError) -> str:
    """What is wrong with which setting, and where settings come from."""
    faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    files = " and ".join(str(path) for path in config_files() if path.is_file())
    return f"unusable settings ({faults}): see the flags, the SCENTFIELD_ variables{' and ' + files if files else ''}"
