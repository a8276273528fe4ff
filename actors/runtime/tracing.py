"""Spans of a state actor: each traced request from its arrival to its answer, and the commit that it shared.

The only module of this floor that knows OpenTelemetry, an extra; it is imported where an endpoint is configured.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from actors.runtime.errors import WireError
from actors.runtime.trace_context import TraceConfig, Traced, is_traced, traced_envelopes

MAX_LINKS: Final = 128
MAX_QUEUED: Final = 2_048
_EXPORT_S: Final = 5.0
_DELAY_MS: Final = 1_000
_W3C: Final = TraceContextTextMapPropagator()


def make_provider(config: TraceConfig, service: str) -> TracerProvider:
    """Sends spans to the endpoint once a second, in a thread; of more than 2,048 that wait, further ones are dropped.

    It is nobody's global provider: who embeds us has one of his own.
    """
    resource = Resource.create({"service.name": service, "service.version": version("scentfield")})
    provider = TracerProvider(resource=resource, sampler=ParentBasedTraceIdRatio(config.sample))
    exporter = OTLPSpanExporter(endpoint=config.endpoint, timeout=_EXPORT_S)
    provider.add_span_processor(
        BatchSpanProcessor(exporter, max_queue_size=MAX_QUEUED, schedule_delay_millis=_DELAY_MS)
    )
    return provider


def parent_of(span: trace.Span) -> str:
    """A span's context, as it travels."""
    carrier: dict[str, str] = {}
    _W3C.inject(carrier, trace.set_span_in_context(span))
    return carrier.get("traceparent", "")


@dataclass(slots=True)
class _Turn:
    """A turn that is under way: when it began, how many commits there were, and which spans were answered in it."""

    began_ns: int
    n_commits: int
    commit_s: float
    answered: list[trace.Span] = field(default_factory=list)


class ActorTracing:
    """The spans of one actor. Its requests are told by `arrived`, its turns by `turn_begins` and `turn_ends`."""

    def __init__(self, provider: TracerProvider, domain: str) -> None:
        self.provider = provider
        self._tracer = provider.get_tracer("scentfield", version("scentfield"))
        self._domain = domain
        self._turn: _Turn | None = None

    def arrived(self, raw: bytes) -> list[trace.Span]:
        """The spans of a request's envelopes that are traced; none for bytes that are no request."""
        if not is_traced(raw):
            return []
        try:
            return [self._begun(one) for one in traced_envelopes(raw) if one is not None]
        except WireError:  # the mailbox says so to its caller
            return []

    def _begun(self, one: Traced) -> trace.Span:
        return self._tracer.start_span(
            f"{self._domain} {' '.join(one.verbs)}",
            context=_W3C.extract({"traceparent": one.parent}),
            kind=trace.SpanKind.SERVER,
            attributes={
                "scentfield.domain": self._domain,
                "scentfield.agent": one.session_id,
                "scentfield.request": one.number,
                "scentfield.commands": list(one.verbs),
            },
        )

    def answered(self, spans: Sequence[trace.Span]) -> None:
        """The request has its answer; in a turn its spans end with the turn."""
        if self._turn is not None:
            self._turn.answered += spans
            return
        for span in spans:
            span.end()

    def turn_begins(self, n_commits: int, commit_s: float) -> None:
        """A turn is about to run, after so many commits that took so long together."""
        self._turn = _Turn(time.time_ns(), n_commits, commit_s)

    def turn_ends(self, n_commits: int, commit_s: float, row: int | None) -> None:
        """It has run; if it committed, the batch is a span of its own, linked with all that were answered by it."""
        turn, self._turn = self._turn, None
        if turn is None or not turn.answered:
            return
        now_ns = time.time_ns()
        if n_commits > turn.n_commits:
            self._batch_span(turn, commit_s - turn.commit_s, row, now_ns)
        for span in turn.answered:
            if n_commits > turn.n_commits and row is not None:
                span.set_attribute("scentfield.row", row)
            span.end(now_ns)

    def _batch_span(self, turn: _Turn, commit_s: float, row: int | None, now_ns: int) -> None:
        """In the trace of the first request of the batch, so that it is found there; the others are linked."""
        first = turn.answered[0]
        batch = self._tracer.start_span(
            f"{self._domain} batch",
            context=trace.set_span_in_context(first),
            links=[trace.Link(span.get_span_context()) for span in turn.answered[:MAX_LINKS]],
            start_time=turn.began_ns,
            attributes={
                "scentfield.domain": self._domain,
                "scentfield.n_requests": len(turn.answered),
                "scentfield.commit_s": commit_s,
                **({} if row is None else {"scentfield.row": row}),
            },
        )
        batch.end(now_ns)
