"""What can be set of traces: the table `[traces]`."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from actors.runtime.errors import Misuse
from actors.runtime.trace_context import TraceConfig

_EXTRA: Final = "opentelemetry.exporter.otlp.proto.http"
_PATH: Final = "/v1/traces"


class TraceSettings(BaseModel):
    """Where spans go, and how many."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: str = Field(
        default="",
        max_length=2_000,
        pattern=r"^(https?://[^\s?#@]+)?$",  # whoever needs a password gives OTEL_EXPORTER_OTLP_HEADERS
        description="an OTLP/HTTP collector; else OTEL_EXPORTER_OTLP_ENDPOINT",
    )
    sample: float = Field(default=1.0, ge=0.0, le=1.0, description="the share of traces that are kept")

    def config(self) -> TraceConfig | None:
        """Where this process sends spans; None if nowhere.

        Raises `Misuse` if an endpoint is set here and the library is not there; without it the variables, which may
        be meant for others, do nothing.
        """
        if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
            return None
        endpoint = f"{self.endpoint.rstrip('/')}{_PATH}" if self.endpoint else _endpoint_of_environment()
        if not endpoint:
            return None
        if not _has_library():
            if self.endpoint:
                raise Misuse("spans need a library that is not there: pip install 'scentfield[traces]'")
            return None
        return TraceConfig(endpoint, self.sample)


def _endpoint_of_environment() -> str:
    """As OpenTelemetry's specification has it: the one for traces as it stands, else the common one with their path."""
    own = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    common = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip().rstrip("/")
    return own or (f"{common}{_PATH}" if common else "")


def _has_library() -> bool:
    try:
        return find_spec(_EXTRA) is not None
    except ModuleNotFoundError:
        return False
