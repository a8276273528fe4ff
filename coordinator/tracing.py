"""Spans of what clients ask of the actors, where an endpoint is configured; else no library is loaded.

A call's context travels with it, so that the spans of the actor that answers it belong to the same trace. If the caller
has a span of its own, the trace is that one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from actors.runtime.trace_context import TraceConfig, verbs_of, with_contexts

if TYPE_CHECKING:
    from coordinator.step import Call, Transport

_SERVICE: Final = "scentfield.client"


class _Tracing:
    """The tracer of this process's calls; None until an endpoint is known. A forked child begins without."""

    def __init__(self) -> None:
        self.tracer: Any = None
        self._provider: Any = None
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def begin(self, config: TraceConfig | None) -> None:
        """Trace from now on; the first endpoint of a process stays."""
        with self._lock:
            if config is None or (self.tracer is not None and self._pid == os.getpid()):
                return
            from actors.runtime.tracing import make_provider  # its library is an extra

            self._provider, self._pid = make_provider(config, _SERVICE), os.getpid()
            self.tracer = self._provider.get_tracer("scentfield")

    def end(self) -> None:
        """Send what is left, and trace no more."""
        with self._lock:
            provider, self.tracer, self._provider = self._provider, None, None
        if provider is not None:
            provider.shutdown()


TRACING: Final = _Tracing()


def traced_call(step: Call, transport: Transport) -> bytes:
    """Send a request and wait for its reply, within a span."""
    with _span(step) as span:
        return transport.call(step.domain, _with_context(step.raw, span), step.timeout_s)


async def traced_call_async(step: Call, transport: Transport) -> bytes:
    """The same on an event loop."""
    with _span(step) as span:
        return await transport.call_async(step.domain, _with_context(step.raw, span), step.timeout_s)


@contextmanager
def _span(step: Call) -> Iterator[Any]:
    """A span as long as the call; of an error only its kind is told, as its message may name files."""
    from opentelemetry.trace import SpanKind, StatusCode  # loaded already by whoever traces

    verbs = verbs_of(step.raw)
    with TRACING.tracer.start_as_current_span(
        f"{step.domain} {' '.join(verbs)}",
        kind=SpanKind.CLIENT,
        attributes={"scentfield.domain": step.domain, "scentfield.commands": list(verbs)},
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield span
        except BaseException as error:
            span.set_status(StatusCode.ERROR, type(error).__name__)
            raise


def _with_context(raw: bytes, span: Any) -> bytes:
    from actors.runtime.tracing import parent_of  # the same

    return with_contexts(raw, [parent_of(span)])
