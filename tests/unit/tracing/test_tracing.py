"""A call, what the actor made of it, and the commit it shared are one trace, where an endpoint is configured."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time

import pytest
from opentelemetry.sdk.trace import TracerProvider

from actors.runtime.actor import ActorConfig, StateActor
from actors.runtime.errors import Misuse, Unavailable
from actors.runtime.trace_context import TraceConfig
from actors.runtime.wire import encode_request
from actors.scent_field.messages import Claim
from actors.sessions.messages import Goodbye, Register
from coordinator import trace_settings
from coordinator.asking import Asker
from coordinator.domain import DOMAINS, SCENT_FIELD, machine_options
from coordinator.gateway.batcher import Batcher
from coordinator.session import new_token, register
from coordinator.settings import Settings
from coordinator.step import Call, drive, drive_async
from coordinator.tracing import TRACING

pytestmark = pytest.mark.usefixtures("usual_collector")

CLIENT, SERVER = 3, 2  # SpanKind, as it is sent


class Line:
    """A state actor in this process."""

    def __init__(self, folder, endpoint):
        config = ActorConfig(
            SCENT_FIELD,
            DOMAINS[SCENT_FIELD].machine,
            f"sqlite:///{folder / 'field'}.sqlite3",
            machine_options(SCENT_FIELD, Settings(data_dir=folder)),
            traces=TraceConfig(f"{endpoint}/v1/traces") if endpoint else None,
        )
        self.actor = StateActor(config)
        self.raws = []

    async def call_async(self, _domain, raw, _timeout_s):
        self.raws.append(raw)
        return await self.actor.submit(raw)

    async def close(self):
        await self.actor.drain()
        if self.actor._tracing is not None:
            await asyncio.to_thread(self.actor._tracing.provider.shutdown)


def play(act, folder, endpoint):
    async def played():
        line = Line(folder, endpoint)
        with contextlib.closing(line.actor._mailbox.journal):
            await act(line)
            await line.close()

    asyncio.run(played())


async def session_of(name, line):
    registering = register(
        name=name, parent="", kept_by="decay", ttl_s=30.0, token=new_token(), now_s=0.0, timeout_s=5.0
    )
    return await drive_async(registering, line)


def claiming(session, path):
    asker = Asker(SCENT_FIELD, timeout_s=30.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)
    return asker.request(session, Claim("home", (path,), "exclusive", 0.0, "a secret plan"))


def named(spans, name, kind):
    return [span for span in spans if (span.name, span.kind) == (name, kind)]


def test_a_claim_is_one_trace_from_the_call_to_the_commit(collector, tmp_path):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))

    async def act(line):
        session = await session_of("ann", line)
        await drive_async(claiming(session, "src/a.py"), line)

    play(act, tmp_path, collector.url)
    TRACING.end()
    spans = collector.spans()
    (call,) = named(spans, "scent_field claim", CLIENT)
    (served,) = named(spans, "scent_field claim", SERVER)
    (batch,) = [span for span in spans if span.name == "scent_field batch" and span.trace == call.trace]
    assert (served.trace, served.parent) == (call.trace, call.id)
    assert (batch.parent, batch.links) == (served.id, [served.id])
    assert (call.service, served.service) == ("scentfield.client", "scentfield.scent_field")
    assert served.facts == {
        "domain": "scent_field",
        "agent": "ann#1",
        "request": 1,
        "commands": ["claim"],
        "row": 2,
    }
    assert (batch.facts["row"], batch.facts["n_requests"]) == (2, 1)
    assert batch.facts["commit_s"] > 0.0
    assert call.began_ns <= served.began_ns <= served.ended_ns <= call.ended_ns
    assert collector.paths == {"/v1/traces"}


def test_neither_files_nor_intents_nor_tokens_leave_in_spans(collector, tmp_path):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))

    async def act(line):
        session = await session_of("ann", line)
        act.token = session.token
        await drive_async(claiming(session, "src/hidden_name.py"), line)

    play(act, tmp_path, collector.url)
    TRACING.end()
    sent = b"".join(collector.bodies)
    assert b"scent_field claim" in sent
    for secret in (b"hidden_name", b"secret plan", act.token.encode()):
        assert secret not in sent


def test_claims_that_share_a_commit_share_its_span(collector, tmp_path):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))

    async def act(line):
        batcher = Batcher(line, 30.0)  # as the gateway has it: all of one turn travel together
        sessions = [await session_of(name, line) for name in ("ann", "bob", "cyd")]
        line.raws.clear()
        await asyncio.gather(*(drive_async(claiming(one, f"{at}.py"), batcher) for at, one in enumerate(sessions)))
        assert len(line.raws) == 1

    play(act, tmp_path, collector.url)
    TRACING.end()
    spans = collector.spans()
    served = named(spans, "scent_field claim", SERVER)
    calls = named(spans, "scent_field claim", CLIENT)
    (batch,) = [span for span in spans if span.name == "scent_field batch" and span.facts["n_requests"] == 3]
    assert len({span.trace for span in served}) == 3
    assert {span.parent for span in served} == {span.id for span in calls}
    assert set(batch.links) == {span.id for span in served}


def test_a_claim_that_waits_has_a_span_until_it_is_answered(collector, tmp_path):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))

    async def act(line):
        ann, bob = [await session_of(name, line) for name in ("ann", "bob")]
        await drive_async(claiming(ann, "a.py"), line)
        asker = Asker(SCENT_FIELD, timeout_s=30.0, jitter=lambda: 0.5, monotonic=lambda: 0.0)
        waiting = asker.request(bob, Claim("home", ("a.py",), "exclusive", 60.0, ""), wait_s=60.0)
        task = asyncio.create_task(drive_async(waiting, line))
        while line.actor._mailbox.n_unanswered == 0 or line.actor._mailbox.n_queued:
            await asyncio.sleep(0.01)
        await drive_async(asker.request(ann, Goodbye()), line)
        assert (await task).generation == 2

    play(act, tmp_path, collector.url)
    TRACING.end()
    waited = named(collector.spans(), "scent_field claim", SERVER)[-1]
    (goodbye,) = named(collector.spans(), "scent_field goodbye", SERVER)
    assert waited.facts["agent"] == "bob#2"
    assert waited.began_ns < goodbye.began_ns <= waited.ended_ns
    assert waited.facts["row"] == goodbye.facts["row"], "the commit that freed the file granted it"


def test_a_callers_own_span_is_the_parent(collector):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))
    with TracerProvider().get_tracer("theirs").start_as_current_span("their work") as theirs:
        drive(_asking(), _Answering())
    TRACING.end()
    (call,) = collector.spans()
    assert call.trace == f"{theirs.get_span_context().trace_id:032x}"
    assert call.parent == f"{theirs.get_span_context().span_id:016x}"


def test_a_call_that_failed_says_how_and_not_why(collector):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))
    with pytest.raises(Unavailable):
        drive(_asking(), _Answering(Unavailable("src/hidden_name.py is out of reach")))
    TRACING.end()
    (call,) = collector.spans()
    assert (call.status, call.n_events) == ((2, "Unavailable"), 0)


def _asking():
    schema = DOMAINS[SCENT_FIELD].schema
    command = schema.wire_of(Register("ann", "x" * 32, "", "decay", 30.0))
    answer = yield Call(SCENT_FIELD, encode_request([("", "", 0, 0, (), [command])]), 1.0)
    return answer


class _Answering:
    def __init__(self, error=None):
        self.error = error

    def call(self, _domain, raw, _timeout_s):
        if self.error is not None:
            raise self.error
        return raw


def test_without_an_endpoint_calls_go_out_as_they_are_and_no_library_is_loaded():
    assert TRACING.tracer is None
    asking = _asking()
    raw = asking.send(None).raw
    assert drive(_asking(), _Answering()) == raw
    code = "import sys, coordinator.core, coordinator.cli.main, actors.runtime.actor; "
    code += "print(any(name.startswith('opentelemetry') for name in sys.modules))"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    told = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_an_actor_without_an_endpoint_passes_contexts_over(collector, tmp_path):
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))

    async def act(line):
        session = await session_of("ann", line)
        assert (await drive_async(claiming(session, "a.py"), line)).generation == 1
        assert line.raws[-1][0] == 0x93

    play(act, tmp_path, "")
    TRACING.end()
    assert {span.service for span in collector.spans()} == {"scentfield.client"}


def test_a_collector_that_is_gone_holds_nobody_up(collector):
    collector.close()
    TRACING.begin(TraceConfig(f"{collector.url}/v1/traces"))
    before_s = time.monotonic()
    for _ in range(3_000):  # more than may wait to be sent
        drive(_asking(), _Answering())
    called_s = time.monotonic()
    TRACING.end()
    assert called_s - before_s < 60.0, "20 ms a call, on a busy machine"
    assert time.monotonic() - called_s < 30.0


@pytest.mark.parametrize(
    ("environment", "endpoint", "expected"),
    [
        ({}, "", None),
        ({}, "http://c:4318/", "http://c:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://e:4318"}, "", "http://e:4318/v1/traces"),
        (
            {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://e"},
            "",
            "http://t/x",
        ),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://e:4318"}, "http://c", "http://c/v1/traces"),
        ({"OTEL_SDK_DISABLED": "true"}, "http://c", None),
    ],
)
def test_where_spans_go(environment, endpoint, expected, monkeypatch):
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    config = trace_settings.TraceSettings(endpoint=endpoint).config()
    assert (None if config is None else config.endpoint) == expected


@pytest.mark.parametrize("endpoint", ["http://ann:secret@c:4318", "c:4318", "ftp://c", "http://c/?key=1", "http://c d"])
def test_what_is_no_address_or_holds_a_password_is_refused(endpoint):
    with pytest.raises(ValueError, match="endpoint"):
        trace_settings.TraceSettings(endpoint=endpoint)


def test_without_the_library_a_setting_is_refused_and_a_variable_does_nothing(monkeypatch):
    monkeypatch.setattr(trace_settings, "_EXTRA", "opentelemetry.exporter.that.is.not.there")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://e:4318")
    assert trace_settings.TraceSettings().config() is None
    with pytest.raises(Misuse, match=r"pip install 'scentfield\[traces\]'"):
        trace_settings.TraceSettings(endpoint="http://c").config()
