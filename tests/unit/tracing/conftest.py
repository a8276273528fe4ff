"""An OTLP/HTTP collector on this machine, and real state actors that send their spans to it."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from coordinator.tracing import TRACING


class Span:
    """What the collector was sent of one span."""

    def __init__(self, service: str, span: Any) -> None:
        self.service, self.name, self.kind = service, span.name, span.kind
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.links = [link.span_id.hex() for link in span.links]
        self.status = (span.status.code, span.status.message)
        self.facts = {one.key.removeprefix("scentfield."): _value(one.value) for one in span.attributes}
        self.began_ns, self.ended_ns = span.start_time_unix_nano, span.end_time_unix_nano
        self.n_events = len(span.events)


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)


class Collector:
    """Takes spans; `spans()` are all so far."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.bodies: list[bytes] = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.paths.add(self.path)
                collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_arguments: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def spans(self) -> list[Span]:
        found = []
        for body in list(self.bodies):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                names = {one.key: one.value.string_value for one in resource.resource.attributes}
                found += [Span(names["service.name"], span) for scope in resource.scope_spans for span in scope.spans]
        return found

    def close(self) -> None:
        if not self._thread.is_alive():
            return
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    TRACING.end()
    made.close()
